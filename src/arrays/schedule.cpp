// 1. Nodes are numbered, operands first; equal ones have one number (collect).
// 2. A node is stored where it has to be, or where computing it again costs more than loading it (decide).
// 3. Stored nodes over the same places that do not need each other are one kernel (group).
// 4. Each kernel gets its instructions (lower.h).
#include "arrays/schedule.h"

#include <algorithm>
#include <map>

#include "arrays/flat_map.h"
#include "arrays/lower.h"

namespace bsgp::arrays {

namespace {

constexpr int kCostOfStore = 6; // of storing a value and loading it again, in additions
constexpr int kMostCost = 1 << 20;

// Different numbers, of which a few are remembered: more are all the same to who counts them.
struct FewLevels {
  static constexpr int kMost = 4;
  int32_t levels[kMost] = {};
  int count = 0;
  void add(int32_t level) {
    if (count < kMost && std::find(levels, levels + count, level) == levels + count)
      levels[count++] = level;
  }
  void add(const FewLevels& other) {
    for (int i = 0; i < other.count; ++i)
      add(other.levels[i]);
  }
};

struct Numbered {
  Node* node = nullptr;
  int32_t operands[3] = {-1, -1, -1}; // numbers
  int32_t elementwise_uses = 0, moved_uses = 0;
  bool grows = false;           // it is read by a transformation with more places
  int32_t cost = 0;             // of one element, as long as it is not stored
  int32_t depth = 0;            // kernels before the one that computes it, at its own places
  int32_t apart = 0;            // kernels before one that computes it at others; of one that is not stored
  const char* stored = nullptr; // why; null: it is not
  FewLevels levels;             // kernels that compute it, by their depth, as long as it is not stored
};

class Scheduler {
public:
  Scheduler(std::span<Node* const> outputs, bool fuse) : fuse_(fuse), id_(nextId()) {
    for (Node* output : outputs)
      number(*output);
    for (Node* output : outputs)
      store(output->number, "an output");
    countUses();
    decide();
  }

  Schedule schedule() {
    Schedule made;
    made.equal = std::move(equal_);
    std::map<Key, std::vector<Node*>> groups;
    for (const Numbered& each : nodes_)
      if (each.stored && !each.node->isComputed())
        groups[keyOf(each)].push_back(each.node);
    Known known;
    for (const Numbered& each : nodes_)
      known.canonical.push_back(each.node), known.is_stored.push_back(each.stored != nullptr);
    for (const auto& [key, nodes] : groups)
      made.kernels.push_back(stage(nodes, known));
    return made;
  }

private:
  Kernel stage(const std::vector<Node*>& nodes, const Known& known) const {
    Kernel kernel;
    Node& first = *nodes.front();
    if (isAlone(first.kind)) {
      kernel.alone = NodeRef::to(first);
      for (int i = 0; i < first.operand_count; ++i)
        kernel.loads.push_back({NodeRef::to(storedArray(*first.operands[i], known)), first.operands[i]->shape, {}});
    } else {
      kernel = lower(nodes, known);
    }
    kernel.reason = nodes_[nodes.front()->number].stored;
    return kernel;
  }

  struct Key {
    int32_t depth;
    Places places;
    std::vector<int32_t> axes; // of a reduction over some places: their order
    int32_t alone = -1;        // of a node whose kernel makes nothing else: its number
    auto tuple() const { return std::tuple(depth, places.outer, places.reduced, places.shape.rank, axes, alone); }
    bool operator<(const Key& other) const {
      if (tuple() != other.tuple())
        return tuple() < other.tuple();
      return std::lexicographical_compare(places.shape.extents, places.shape.extents + places.shape.rank,
                                          other.places.shape.extents,
                                          other.places.shape.extents + other.places.shape.rank);
    }
  };

  // A reduction over all axes passes over its places in the order in which they are stored.
  Key keyOf(const Numbered& each) const {
    Key key{each.depth, placesOf(*each.node), {}, -1};
    if (each.node->kind == Kind::Reduce && key.places.reduced < key.places.shape.rank)
      key.axes = each.node->details->axes;
    else
      key.places.outer = key.places.reduced = 0;
    if (isAlone(each.node->kind))
      key.alone = each.node->number;
    return key;
  }

  // Numbers the nodes that `output` needs, operands first, without recursion.
  void number(Node& output) {
    std::vector<std::pair<Node*, int>> open{{&output, 0}};
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (node->schedule == id_) {
        open.pop_back();
      } else if (!node->isComputed() && next < node->operand_count) {
        open.push_back({node->operands[next++].get(), 0});
      } else {
        numberOne(*node);
        open.pop_back();
      }
    }
  }

  void numberOne(Node& node) {
    Numbered numbered;
    numbered.node = &node;
    for (int i = 0; !node.isComputed() && i < node.operand_count; ++i)
      numbered.operands[i] = node.operands[i]->number;
    auto next = int32_t(nodes_.size());
    int32_t found = equal_index_.findOrAdd(hashOf(numbered), next,
                                           [&](int32_t other) { return areEqual(nodes_[other], numbered); });
    node.schedule = id_, node.number = found;
    if (found == next)
      nodes_.push_back(numbered);
    else
      equal_.push_back({NodeRef::to(node), NodeRef::to(*nodes_[found].node)});
  }

  static uint64_t hashOf(const Numbered& numbered) {
    const Node& node = *numbered.node;
    uint64_t hash = mixed(uint64_t(node.kind) | uint64_t(node.type) << 8 | uint64_t(node.operation) << 16 |
                              uint64_t(node.fold) << 24 | uint64_t(node.rows) << 32 | uint64_t(node.axis) << 40,
                          node.scalar.words[0]);
    hash = mixed(hash, node.scalar.words[1]);
    if (node.isComputed())
      return mixed(hash, reinterpret_cast<uintptr_t>(node.values.get()));
    for (int32_t operand : numbered.operands)
      hash = mixed(hash, uint64_t(operand));
    for (int i = 0; i < node.shape.rank; ++i)
      hash = mixed(hash, uint64_t(node.shape[i]));
    if (node.details)
      for (const Map& map : node.details->view.maps)
        for (const Step& step : map.steps)
          hash = mixed(mixed(hash, uint64_t(step.a)), uint64_t(step.b) << 8 | uint64_t(map.axis) << 2 | step.kind);
    return hash;
  }

  // They have the same values.
  static bool areEqual(const Numbered& a, const Numbered& b) {
    const Node &x = *a.node, &y = *b.node;
    if (x.isComputed() || y.isComputed())
      return x.values == y.values && x.type == y.type && x.shape == y.shape;
    bool same = x.kind == y.kind && x.type == y.type && x.shape == y.shape && x.operation == y.operation &&
                x.fold == y.fold && x.rows == y.rows && x.axis == y.axis && x.scalar == y.scalar &&
                std::equal(a.operands, a.operands + 3, b.operands) && !x.details == !y.details;
    return same && (!x.details || (x.details->axes == y.details->axes && x.details->view == y.details->view &&
                                   x.details->inside == y.details->inside && x.details->whole == y.details->whole &&
                                   x.details->numbers == y.details->numbers));
  }

  static bool isMoved(const Node& user, int operand) {
    return user.kind == Kind::Transform ? operand == 0
           : user.kind == Kind::Gather  ? true
                                        : user.kind == Kind::Apply && !(user.operands[operand]->shape == user.shape);
  }

  void countUses() {
    for (const Numbered& user : nodes_)
      for (int i = 0; i < 3 && user.operands[i] >= 0; ++i) {
        Numbered& used = nodes_[user.operands[i]];
        bool moved = isMoved(*user.node, i);
        ++(moved ? used.moved_uses : used.elementwise_uses);
        used.grows |= moved && user.node->elements() > used.node->elements();
      }
  }

  // A reshaped array has the values of its operand, which is stored.
  void store(int32_t number, const char* why) {
    Numbered& each = nodes_[number];
    if (each.node->isComputed() || each.stored || each.node->kind == Kind::Scalar)
      return;
    if (each.node->kind != Kind::Reshape) {
      each.stored = why;
      return;
    }
    equal_.push_back({NodeRef::to(*each.node), NodeRef::to(*nodes_[each.operands[0]].node)});
    store(each.operands[0], "reshaped");
  }

  // Operands come first: their costs are known.
  void decide() {
    for (const Numbered& each : nodes_)
      storeOperands(each);
    decideEach();
    bool is_one_pass = std::none_of(nodes_.begin(), nodes_.end(), [](const Numbered& each) { return each.depth > 0; });
    if (!fuse_ || is_one_pass)
      return;
    findLevels();
    decideEach();
  }

  void decideEach() {
    for (Numbered& each : nodes_) {
      each.cost = costOf(each);
      if (const char* why = whyStored(each))
        store(int32_t(&each - nodes_.data()), why);
      each.depth = depthOf(each), each.apart = apartOf(each);
    }
  }

  // Users come behind their operands.
  void findLevels() {
    for (size_t i = nodes_.size(); i-- > 0;) {
      Numbered& user = nodes_[i];
      if (user.stored)
        user.levels.count = 0, user.levels.add(user.depth);
      for (int operand = 0; operand < 3 && user.operands[operand] >= 0; ++operand)
        nodes_[user.operands[operand]].levels.add(user.levels);
    }
  }

  // Operands of some nodes are read at any place.
  void storeOperands(const Numbered& user) {
    const Node& node = *user.node;
    if (node.isComputed())
      return;
    if (node.kind == Kind::Gather || node.kind == Kind::Reshape)
      store(user.operands[0], node.kind == Kind::Gather ? "gathered from" : "reshaped");
    for (int i = 0; isAlone(node.kind) && i < node.operand_count; ++i)
      store(user.operands[i], node.details->name);
  }

  // Kernels have the value of a number, converted or not, in their code.
  bool isNumber(const Numbered& each) const {
    const Node& node = *each.node;
    return !node.isComputed() &&
           (node.kind == Kind::Scalar || (node.kind == Kind::Cast && node.operands[0]->kind == Kind::Scalar));
  }

  int32_t costOf(const Numbered& each) const {
    const Node& node = *each.node;
    if (node.isComputed() || isNumber(each))
      return 0;
    int64_t cost = node.kind == Kind::Apply ? info(node.operation).cost : 1;
    for (int i = 0; i < 3 && each.operands[i] >= 0; ++i)
      cost += nodes_[each.operands[i]].stored ? 1 : nodes_[each.operands[i]].cost;
    return int32_t(std::min<int64_t>(cost, kMostCost));
  }

  const char* whyStored(const Numbered& each) const {
    const Node& node = *each.node;
    if (node.isComputed() || node.kind == Kind::Scalar || node.kind == Kind::Reshape)
      return nullptr;
    if (node.kind == Kind::Reduce)
      return "a reduction";
    if (isAlone(node.kind))
      return node.details->name;
    if (!fuse_)
      return "fuse is off";
    int times = each.moved_uses + (each.elementwise_uses > 0);
    if (times > 1 && int64_t(each.cost) * (times - 1) > 2 * kCostOfStore)
      return "costly, and read at several places";
    if (each.levels.count > 1 && int64_t(each.cost) * (each.levels.count - 1) > 2 * kCostOfStore)
      return "costly, and needed by several passes";
    if (each.grows && each.cost > kCostOfStore)
      return "costly, and a transformation repeats it";
    return nullptr;
  }

  // The operand is read at other places than those of the user, or in another order.
  bool readsApart(const Node& user, int operand) const {
    bool by_rows = user.kind == Kind::Gather || user.kind == Kind::Reshape || isAlone(user.kind);
    return !fuse_ || by_rows || isMoved(user, operand) || (user.kind == Kind::Reduce && !foldsAll(user));
  }

  int32_t depthOf(const Numbered& each) const {
    int32_t depth = 0;
    for (int i = 0; !each.node->isComputed() && i < 3 && each.operands[i] >= 0; ++i) {
      const Numbered& operand = nodes_[each.operands[i]];
      bool along = !readsApart(*each.node, i) && !(operand.stored && !isMadeByPlaces(*operand.node));
      depth = std::max(depth, along ? operand.depth : kernelsBefore(operand));
    }
    return depth;
  }

  int32_t apartOf(const Numbered& each) const {
    int32_t apart = 0;
    for (int i = 0; !each.node->isComputed() && i < 3 && each.operands[i] >= 0; ++i)
      apart = std::max(apart, kernelsBefore(nodes_[each.operands[i]]));
    return apart;
  }

  // Kernels before one that reads the operand at any places.
  static int32_t kernelsBefore(const Numbered& operand) {
    if (operand.node->isComputed())
      return 0;
    return operand.stored ? operand.depth + 1 : operand.apart;
  }

  // Nodes that no schedule has numbered have 0.
  static uint32_t nextId() {
    static uint32_t last = 0;
    if (++last == 0)
      ++last;
    return last;
  }

  bool fuse_;
  uint32_t id_; // of the schedule
  std::vector<Numbered> nodes_;
  FlatIndex equal_index_;
  std::vector<std::pair<NodeRef, NodeRef>> equal_;
};

} // namespace

Schedule makeSchedule(std::span<Node* const> outputs, bool fuse) {
  return Scheduler(outputs, fuse).schedule();
}

} // namespace bsgp::arrays
