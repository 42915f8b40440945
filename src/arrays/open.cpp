#include "arrays/open.h"

#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/origin.h"

namespace bsgp::arrays {

namespace {

// Sizes of unknown extents, of which each pair is tried until one gives no error: the first can be divided and cut in most ways, the last
// one makes shapes of eight unknown extents that can be counted.
constexpr int64_t kTried[][2] = {{720720, 1441440}, {5040, 10080}, {120, 240}, {24, 48}};

// It has no values; nodes can be made of it.
NodeRef standIn(const NodeRef& operand, int64_t unknown) {
  if (!isOpen(*operand))
    return operand;
  NodeRef node(new Node(Kind::Values, operand->type, operand->shape));
  node->weak = operand->weak;
  for (int i = 0; i < node->shape.rank; ++i)
    if (node->shape[i] < 0)
      node->shape[i] = unknown;
  return node;
}

Result<NodeRef> tried(std::span<const NodeRef> operands, const Maker& maker, int64_t unknown) {
  UnknownExtent text(unknown);
  std::vector<NodeRef> given;
  for (const NodeRef& operand : operands)
    given.push_back(standIn(operand, unknown));
  return maker(given);
}

// Nothing is computed for it: it has elements of arrays, or their indices, at other places.
bool isMoved(const Node& node) {
  switch (node.kind) {
  case Kind::Values:
  case Kind::Scalar:
  case Kind::Index:
    return true;
  case Kind::Transform:
  case Kind::Reshape:
    return std::all_of(node.operands, node.operands + node.operand_count,
                       [](const NodeRef& operand) { return isMoved(*operand); });
  case Kind::Open:
    return node.details->is_moved;
  default:
    return false;
  }
}

NodeRef openNode(bsgp_dtype type, const Shape& shape) {
  NodeRef node(new Node(Kind::Open, type, shape));
  node->details = std::make_unique<Details>();
  node->origin = currentOrigin();
  return node;
}

} // namespace

Result<NodeRef> makeParameter(bsgp_dtype type, int32_t rank, const int64_t* extents) {
  Shape shape, known;
  for (int32_t i = 0; i < rank && i < BSGP_MOST_AXES; ++i)
    known[i] = extents[i] == -1 ? 1 : extents[i];
  auto checked = checkedShape("parameter", rank, known.extents);
  if (!checked)
    return checked.error();
  shape.rank = rank;
  std::copy(extents, extents + rank, shape.extents);
  return openNode(type, shape);
}

Result<NodeRef> makeOpenReshape(const NodeRef& operand, int32_t rank, const int64_t* extents) {
  int unknown = 0;
  Shape known;
  for (int32_t i = 0; i < std::min<int32_t>(rank, BSGP_MOST_AXES); ++i)
    known[i] = extents[i] == -1 ? 1 : extents[i], unknown += extents[i] == -1;
  if (unknown > 1)
    return Error{"reshape: two extents are -1, and only one can be what is left"};
  auto checked = checkedShape("reshape", rank, known.extents);
  if (!checked)
    return checked.error();
  Shape shape = *checked;
  std::copy(extents, extents + rank, shape.extents);
  NodeRef node = openNode(operand->type, shape);
  node->add(operand);
  node->details->is_moved = true;
  node->details->maker = [wanted = shape](std::span<const NodeRef> given) {
    return makeReshape(given[0], wanted.rank, wanted.extents);
  };
  return node;
}

Result<NodeRef> makeOpen(std::span<const NodeRef> operands, Maker maker) {
  Error failed{""};
  for (const auto& sizes : kTried) {
    auto first = tried(operands, maker, sizes[0]);
    auto second = first ? tried(operands, maker, sizes[1]) : first.error();
    if (!second) {
      if (failed.message.empty())
        failed = second.error();
      continue;
    }
    Shape shape = (*first)->shape;
    for (int i = 0; i < shape.rank; ++i)
      if (shape[i] != (*second)->shape[i])
        shape[i] = -1;
    NodeRef node = openNode((*first)->type, shape);
    node->weak = (*first)->weak;
    node->details->is_moved = isMoved(**first);
    for (const NodeRef& operand : operands)
      node->add(operand);
    node->details->maker = std::move(maker);
    return node;
  }
  auto has_unknown = [](const NodeRef& operand) {
    const Shape& shape = operand->shape;
    return std::any_of(shape.extents, shape.extents + shape.rank, [](int64_t extent) { return extent < 0; });
  };
  if (failed.mistake == Mistake::Overflow || failed.mistake == Mistake::Type)
    return failed; // whatever the extents are
  if (std::none_of(operands.begin(), operands.end(), has_unknown))
    return failed;
  return Error{
      fmt::format("{}\n  help: an extent of -1 is unknown until a call, and goes with unknown ones and with 1 (it "
                  "was tried as {}); if it is always the same, give it to the parameter",
                  failed.message, kTried[0][0])};
}

} // namespace bsgp::arrays
