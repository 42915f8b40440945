#include "arrays/lower.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "arrays/flat_map.h"
#include "arrays/loops/loops.h"

namespace bsgp::arrays {

namespace {

const Shape& computedShape(const Node& node) {
  return node.kind == Kind::Reduce ? node.operands[0]->shape : node.shape;
}

// The axes of an array in the order of a kernel, and how many of them are in front of the reduced ones.
struct Order {
  std::vector<int32_t> axes;
  int32_t outer, reduced;
};

Order axesOf(const Node& node) {
  Order order{{}, computedShape(node).rank, 0};
  if (node.kind != Kind::Reduce) {
    for (int32_t i = 0; i < order.outer; ++i)
      order.axes.push_back(i);
    return order;
  }
  const std::vector<int32_t>& reduced = node.details->axes;
  auto isReduced = [&](int32_t axis) { return std::binary_search(reduced.begin(), reduced.end(), axis); };
  int32_t rank = order.outer, inner = rank; // the first of the last axes that stay
  while (inner > 0 && !isReduced(inner - 1))
    --inner;
  for (int32_t i = 0; i < inner; ++i)
    if (!isReduced(i))
      order.axes.push_back(i);
  order.outer = int32_t(order.axes.size()), order.reduced = int32_t(reduced.size());
  order.axes.insert(order.axes.end(), reduced.begin(), reduced.end());
  for (int32_t i = inner; i < rank; ++i)
    order.axes.push_back(i);
  return order;
}

uint64_t hashOf(const Instruction& i) {
  uint64_t hash = uint64_t(i.kind) | uint64_t(i.operation) << 8 | uint64_t(i.type) << 16 | uint64_t(i.from) << 24;
  for (uint64_t part : {uint64_t(i.operands[0]), uint64_t(i.operands[1]), uint64_t(i.operands[2]), uint64_t(i.index),
                        i.constant.words[0], i.constant.words[1]})
    hash = mixed(hash, part);
  return hash;
}

class Lowering {
public:
  Lowering(const Places& places, std::span<Node* const> roots, const Known& known)
      : known_(known), roots_(roots.begin(), roots.end()) {
    kernel_.places = places;
  }

  void add(Node& root) {
    std::vector<int32_t> order = orderOf(root);
    View view;
    for (int32_t axis : order)
      view.maps.push_back({axis, {}});
    bool folds = root.kind == Kind::Reduce;
    root_view_ = viewNumber(view);
    int32_t value = run(seen(folds ? *known_.canonicalOf(*root.operands[0]) : root, root_view_));
    kernel_.outputs.push_back({value, NodeRef::to(root), folds});
  }

  Kernel take() { return std::move(kernel_); }

private:
  // A node seen by a View; its value when it is known.
  struct Open {
    Node* node;
    int32_t view;
    bool as_root = false; // it is computed here although it is stored
    bool entered = false;
  };

  // Values that other nodes of the kernel store are not loaded again.
  Open seen(Node& node, int32_t view) const { return {&node, view, view == root_view_ && roots_.count(&node) != 0}; }

  // Operands first, without recursion.
  int32_t run(Open root) {
    std::vector<Open> open{root};
    int32_t last = -1;
    while (!open.empty()) {
      Open here = open.back();
      if (int32_t found = values_.get(keyOf(here)); found >= 0) {
        last = found;
        open.pop_back();
      } else if (here.entered) {
        last = make(here);
        values_.set(keyOf(here), last);
        open.pop_back();
      } else {
        open.back().entered = true;
        pushOperands(here, open);
      }
    }
    return last;
  }

  static uint64_t keyOf(const Open& here) { return uint64_t(here.node->number) << 32 | uint32_t(here.view); }

  bool isLoaded(const Open& here) const {
    return !here.as_root && here.node->kind != Kind::Scalar && known_.isStored(*here.node);
  }

  void pushOperands(const Open& here, std::vector<Open>& open) {
    const Node& node = *here.node;
    if (isLoaded(here) || node.kind == Kind::Reshape)
      return;
    for (int i = node.operand_count; i-- > 0;)
      if (!(node.kind == Kind::Gather && i == 0) && isRead(here, i))
        open.push_back(seen(*known_.canonicalOf(*node.operands[i]), operandView(here, i)));
  }

  // If all places are inside of a border, or all outside, that operand alone is read.
  bool isRead(const Open& here, int operand) const {
    if (here.node->kind != Kind::Transform || here.node->details->inside.empty())
      return true;
    bool is_never = false;
    std::vector<Inside> conditions = conditionsOf(here, is_never);
    return operand == 0 ? !is_never : is_never || !conditions.empty();
  }

  // The conditions of a border that some places meet and others do not. is_never: no place is inside.
  std::vector<Inside> conditionsOf(const Open& here, bool& is_never) const {
    std::vector<Inside> all;
    is_never = false;
    for (const Inside& inside : here.node->details->inside) {
      Inside seen{compose(views_[here.view], inside.map, kernel_.places.shape), inside.extent};
      auto [low, high] = boundsOf(seen.map.steps, seen.map.axis < 0 ? 1 : kernel_.places.shape[seen.map.axis]);
      is_never |= high < 0 || low >= seen.extent;
      if (low < 0 || high >= seen.extent)
        all.push_back(std::move(seen));
    }
    return all;
  }

  // The View of an operand is that of the node, composed with how the node reads it.
  int32_t operandView(const Open& here, int operand) {
    const Node& node = *here.node;
    const Node& read = *node.operands[operand];
    bool moves =
        (node.kind == Kind::Transform && operand == 0) || node.kind == Kind::Gather || !(read.shape == node.shape);
    if (!moves)
      return here.view;
    uint64_t key = keyOf(here) * 4 + uint64_t(operand);
    if (int32_t known = operand_views_.get(key); known >= 0)
      return known;
    int32_t number = here.view;
    if (node.kind == Kind::Transform && operand == 0)
      number = viewNumber(compose(views_[here.view], node.details->view, kernel_.places.shape));
    else if (node.kind == Kind::Gather)
      number = viewNumber(indexView(here));
    else if (!(read.shape == node.shape))
      number = viewNumber(compose(views_[here.view], broadcast(read.shape, node.shape), kernel_.places.shape));
    operand_views_.set(key, number);
    return number;
  }

  // The axes of a gather that are those of its indices.
  View indexView(const Open& here) const {
    auto first = views_[here.view].maps.begin() + here.node->axis;
    return {{first, first + here.node->operands[1]->shape.rank}};
  }

  // The axes of a gather with those of its indices as one, that which is gathered.
  View gatheredView(const Open& here) const {
    View view = views_[here.view];
    auto first = view.maps.begin() + here.node->axis;
    view.maps.insert(view.maps.erase(first, first + here.node->operands[1]->shape.rank), Map());
    return view;
  }

  int32_t valueOf(const Open& here, int operand) {
    Node& node = *known_.canonicalOf(*here.node->operands[operand]);
    return values_.get(keyOf({&node, operandView(here, operand)}));
  }

  int32_t make(const Open& here) {
    Node& node = *here.node;
    const View& view = views_[here.view];
    if (isLoaded(here))
      return load(node, node.shape, view, -1);
    switch (node.kind) {
    case Kind::Values:
      return load(node, node.shape, view, -1);
    case Kind::Scalar:
      return put({.kind = Instruction::Constant, .type = node.type, .constant = node.scalar});
    case Kind::Index:
      return coordinate(view.maps[node.axis]);
    case Kind::Apply:
      return apply(here);
    case Kind::Cast:
      return cast(valueOf(here, 0), node.operands[0]->type, node.type);
    case Kind::Transform:
      return transform(here);
    case Kind::Reshape: // the operand is stored: its values are read in another shape, which is that of this node
      return load(storedArray(node, known_), node.shape, view, -1);
    case Kind::Gather: {
      Node& array = storedArray(*node.operands[0], known_);
      int32_t at = valueOf(here, 1);
      int32_t value = load(array, node.operands[0]->shape, gatheredView(here), node.axis, at);
      kernel_.loads[kernel_.code[value].index].origin = node.origin;
      return value;
    }
    case Kind::Reduce:
    case Kind::Rows:
    case Kind::Whole:
    case Kind::Open:
      break;
    }
    return -1;
  }

  int32_t load(Node& array, const Shape& shape, View view, int32_t gathered, int32_t at = -1) {
    auto [found, is_new] = load_numbers_.emplace(
        std::tuple(&array, gathered, std::vector(shape.extents, shape.extents + shape.rank), view),
        int32_t(kernel_.loads.size()));
    if (is_new)
      kernel_.loads.push_back({NodeRef::to(array), shape, std::move(view), gathered});
    Instruction made{.kind = gathered >= 0 ? Instruction::Gather : Instruction::Load, .type = array.type};
    made.index = found->second;
    made.operands[0] = at;
    return put(made);
  }

  int32_t coordinate(const Map& map) {
    auto found = std::find(kernel_.maps.begin(), kernel_.maps.end(), map);
    if (found == kernel_.maps.end())
      found = kernel_.maps.insert(found, map);
    return put({.kind = Instruction::Coordinate, .type = BSGP_INT64, .index = int32_t(found - kernel_.maps.begin())});
  }

  int32_t cast(int32_t value, bsgp_dtype from, bsgp_dtype type) {
    if (from == type)
      return value;
    return put({.kind = Instruction::Cast, .type = type, .from = from, .operands = {value, -1, -1}});
  }

  // Halves are computed as floats and rounded after each operation.
  int32_t apply(const Open& here) {
    const Node& node = *here.node;
    bool selects = info(node.operation).rule == Rule::SignChoice, chooses = info(node.operation).rule == Rule::Choice;
    int32_t operands[3] = {-1, -1, -1};
    for (int i = 0; i < node.operand_count; ++i)
      operands[i] = valueOf(here, i);
    if (selects)
      operands[0] = isPositive(operands[0], node.operands[0]->type);
    if (selects || chooses)
      return put({.kind = Instruction::Apply,
                  .operation = BSGP_OP_COND,
                  .type = node.type,
                  .from = node.type,
                  .operands = {operands[0], operands[1], operands[2]}});
    bsgp_dtype from = node.operands[0]->type, type = node.type;
    if (from == BSGP_FLOAT16)
      for (int i = 0; i < node.operand_count; ++i)
        operands[i] = cast(operands[i], BSGP_FLOAT16, BSGP_FLOAT32);
    bool rounds = type == BSGP_FLOAT16;
    int32_t value = put({.kind = Instruction::Apply,
                         .operation = node.operation,
                         .type = rounds ? BSGP_FLOAT32 : type,
                         .from = from == BSGP_FLOAT16 ? BSGP_FLOAT32 : from,
                         .operands = {operands[0], operands[1], operands[2]}});
    return rounds ? cast(value, BSGP_FLOAT32, BSGP_FLOAT16) : value;
  }

  int32_t isPositive(int32_t value, bsgp_dtype type) {
    if (type == BSGP_BOOL)
      return value;
    if (type == BSGP_FLOAT16)
      value = cast(value, type, BSGP_FLOAT32), type = BSGP_FLOAT32;
    int32_t zero = put({.kind = Instruction::Constant, .type = type}); // all bits are 0
    return put({.kind = Instruction::Apply,
                .operation = BSGP_OP_GREATER,
                .type = BSGP_BOOL,
                .from = type,
                .operands = {value, zero, -1}});
  }

  int32_t transform(const Open& here) {
    const Node& node = *here.node;
    bool is_never = false;
    std::vector<Inside> all = conditionsOf(here, is_never);
    if (is_never)
      return valueOf(here, 1);
    int32_t value = valueOf(here, 0);
    if (all.empty())
      return value;
    auto found = std::find(kernel_.insides.begin(), kernel_.insides.end(), all);
    if (found == kernel_.insides.end())
      found = kernel_.insides.insert(found, std::move(all));
    int32_t inside =
        put({.kind = Instruction::Inside, .type = BSGP_BOOL, .index = int32_t(found - kernel_.insides.begin())});
    return put({.kind = Instruction::Apply,
                .operation = BSGP_OP_COND,
                .type = node.type,
                .from = node.type,
                .operands = {inside, value, valueOf(here, 1)}});
  }

  bool isConstant(int32_t value) const { return value < 0 || kernel_.code[value].kind == Instruction::Constant; }

  // The number of the instruction; an equal one is not made again, and one of constants is computed at once.
  int32_t put(Instruction made) {
    bool computes = made.kind == Instruction::Apply || made.kind == Instruction::Cast;
    if (computes && isConstant(made.operands[0]) && isConstant(made.operands[1]) && isConstant(made.operands[2]))
      made = folded(made);
    auto next = int32_t(kernel_.code.size());
    int32_t found =
        numbers_.findOrAdd(hashOf(made), next, [&](int32_t number) { return kernel_.code[number] == made; });
    if (found == next)
      kernel_.code.push_back(made);
    return found;
  }

  Instruction folded(const Instruction& made) const {
    Instruction constant{.kind = Instruction::Constant, .type = made.type};
    const void* operands[3] = {};
    for (int i = 0; i < 3 && made.operands[i] >= 0; ++i)
      operands[i] = &kernel_.code[made.operands[i]].constant;
    if (made.kind == Instruction::Cast)
      loops().cast[made.from][made.type](&constant.constant, operands[0], 1);
    else
      loops().apply[made.operation][made.from](&constant.constant, operands[0], operands[1], operands[2], 1);
    return constant;
  }

  int32_t viewNumber(const View& view) {
    auto [found, is_new] = view_numbers_.emplace(view, int32_t(views_.size()));
    if (is_new)
      views_.push_back(view);
    return found->second;
  }

  const Known& known_;
  const std::unordered_set<const Node*> roots_;
  Kernel kernel_;
  int32_t root_view_ = -1; // of the nodes that it stores, of those that a reduction takes
  std::vector<View> views_;
  std::map<View, int32_t> view_numbers_;
  std::map<std::tuple<const Node*, int32_t, std::vector<int64_t>, View>, int32_t>
      load_numbers_;               // by array, gathered axis, shape, View
  FlatMap values_, operand_views_; // by node and View; by operand, too
  FlatIndex numbers_;              // of instructions
};

} // namespace

Places placesOf(const Node& node) {
  Order order = axesOf(node);
  Places places;
  for (int32_t axis : order.axes)
    places.shape.insert(places.shape.rank, computedShape(node)[axis]);
  places.outer = order.outer, places.reduced = order.reduced;
  return places;
}

std::vector<int32_t> orderOf(const Node& node) {
  Order order = axesOf(node);
  std::vector<int32_t> position(order.axes.size());
  for (size_t i = 0; i < order.axes.size(); ++i)
    position[order.axes[i]] = int32_t(i);
  return position;
}

Node& storedArray(Node& node, const Known& known) {
  Node* array = known.canonicalOf(node);
  while (array->kind == Kind::Reshape && !array->isComputed())
    array = known.canonicalOf(*array->operands[0]);
  return *array;
}

bool foldsAll(const Node& reduction) {
  return int32_t(reduction.details->axes.size()) == reduction.operands[0]->shape.rank;
}

bool isMadeByPlaces(const Node& node) {
  return node.kind != Kind::Reduce && !isAlone(node.kind) && node.kind != Kind::Reshape;
}

Kernel lower(std::span<Node* const> nodes, const Known& known) {
  auto reduction = std::find_if(nodes.begin(), nodes.end(), [](Node* node) { return node->kind == Kind::Reduce; });
  Lowering lowering(placesOf(reduction == nodes.end() ? *nodes.front() : **reduction), nodes, known);
  for (Node* node : nodes)
    lowering.add(*node);
  return lowering.take();
}

} // namespace bsgp::arrays
