#include "arrays/again.h"

#include "arrays/flat_map.h"

namespace bsgp::arrays {

namespace {

constexpr size_t kMostNodes = 96, kMostWords = 1024, kMostForms = 256;

// A graph as words, operands first; equal words mean equal forms.
class Writer {
public:
  explicit Writer(bool fuse) { words_.push_back(fuse); }

  // False: the graph is too large, or has an operation that is computed alone, or can fail.
  bool add(Node& root) {
    std::vector<std::pair<Node*, int>> open{{&root, 0}};
    while (!open.empty()) {
      auto& [node, next] = open.back();
      if (numberOf(*node) >= 0) {
        open.pop_back();
      } else if (!node->isComputed() && next < node->operand_count) {
        open.push_back({node->operands[next++].get(), 0});
      } else {
        if (nodes_.size() >= kMostNodes || words_.size() >= kMostWords || !write(*node))
          return false;
        open.pop_back();
      }
    }
    words_.push_back(uint64_t(numberOf(root)));
    return true;
  }

  const std::vector<uint64_t>& words() const { return words_; }
  const std::vector<Node*>& nodes() const { return nodes_; }
  uint64_t hash() const {
    uint64_t hash = words_.size();
    for (uint64_t word : words_)
      hash = mixed(hash, word);
    return hash;
  }

private:
  int32_t numberOf(const Node& node) const { return numbers_.get(uintptr_t(&node)); }

  bool write(Node& node) {
    Kind kind = node.isComputed() ? Kind::Values : node.kind;
    if (isAlone(kind) || kind == Kind::Gather || kind == Kind::Open)
      return false;
    words_.push_back(uint64_t(kind) | uint64_t(node.type) << 8 | uint64_t(node.weak) << 16 |
                     uint64_t(node.operation) << 24 | uint64_t(node.fold) << 32 | uint64_t(uint32_t(node.axis)) << 40);
    if (kind != Kind::Values)
      for (int i = 0; i < node.operand_count; ++i)
        words_.push_back(uint64_t(numberOf(*node.operands[i])));
    if (kind == Kind::Scalar)
      words_.insert(words_.end(), {node.scalar.words[0], node.scalar.words[1]});
    else if (kind != Kind::Apply && kind != Kind::Cast) // the shape of these is that of their operands
      write(node.shape);
    if (node.details && kind != Kind::Values)
      write(*node.details);
    numbers_.set(uintptr_t(&node), int32_t(nodes_.size()));
    nodes_.push_back(&node);
    return true;
  }

  void write(const Shape& shape) {
    words_.push_back(uint64_t(shape.rank));
    words_.insert(words_.end(), shape.extents, shape.extents + shape.rank);
  }
  void write(const Map& map) {
    words_.insert(words_.end(), {uint64_t(uint32_t(map.axis)), map.steps.size()});
    for (const Step& step : map.steps)
      words_.insert(words_.end(), {uint64_t(step.kind), uint64_t(step.a), uint64_t(step.b)});
  }
  void write(const Details& details) {
    words_.insert(words_.end(), {details.view.maps.size(), details.inside.size(), details.axes.size()});
    for (const Map& map : details.view.maps)
      write(map);
    for (const Inside& inside : details.inside)
      write(inside.map), words_.push_back(uint64_t(inside.extent));
    words_.insert(words_.end(), details.axes.begin(), details.axes.end());
  }

  std::vector<uint64_t> words_;
  std::vector<Node*> nodes_;
  FlatMap numbers_; // of nodes, by their addresses
};

std::vector<NodeRef> leavesOf(const std::vector<Node*>& nodes) {
  std::vector<NodeRef> leaves;
  for (Node* node : nodes)
    if (node->isComputed())
      leaves.push_back(NodeRef::to(*node));
  return leaves;
}

// The same graph of other arrays.
std::unique_ptr<KnownForms::Known> copied(const std::vector<Node*>& nodes, std::span<Node* const> wanted, bool fuse) {
  auto known = std::make_unique<KnownForms::Known>();
  std::unordered_map<const Node*, NodeRef> copies;
  for (Node* node : nodes) {
    if (node->isComputed()) {
      copies[node] = known->slots.emplace_back(slotFor(*node));
      continue;
    }
    std::vector<NodeRef> operands;
    for (int i = 0; i < node->operand_count; ++i)
      operands.push_back(copies.at(node->operands[i].get()));
    copies[node] = copyOf(*node, operands);
  }
  std::vector<Node*> outputs;
  for (Node* node : wanted)
    outputs.push_back(known->outputs.emplace_back(copies.at(node)).get());
  known->bound = bindable(outputs, fuse);
  const Schedule& schedule = known->bound.schedule;
  bool is_one = schedule.kernels.size() == 1 && schedule.equal.empty() && !schedule.kernels[0].alone;
  return is_one ? std::move(known) : nullptr;
}

} // namespace

std::optional<KnownForms::Found> KnownForms::find(std::span<Node* const> wanted, bool fuse) {
  Writer writer(fuse);
  for (Node* node : wanted)
    if (!writer.add(*node))
      return {};
  if (entries_.size() >= kMostForms)
    entries_.clear();
  auto [found, is_new] = entries_.try_emplace(writer.hash());
  Entry& entry = found->second;
  if (is_new || entry.words != writer.words()) {
    entry = {writer.words(), true, nullptr};
    return {};
  }
  if (entry.is_kept && !entry.known)
    entry.known = copied(writer.nodes(), wanted, fuse), entry.is_kept = entry.known != nullptr;
  if (!entry.is_kept)
    return {};
  return Found{entry.known.get(), leavesOf(writer.nodes())};
}

} // namespace bsgp::arrays
