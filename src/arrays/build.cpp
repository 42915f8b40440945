#include "arrays/build.h"

#include <algorithm>

#include <fmt/format.h>

#include "arrays/engine.h"
#include "arrays/mixed.h"
#include "arrays/origin.h"
#include "support/check.h"

namespace bsgp::arrays {

namespace {

NodeRef make(Kind kind, bsgp_dtype type, const Shape& shape) {
  return NodeRef(new Node(kind, type, shape));
}

Result<std::vector<int32_t>> reducedAxes(const char* what, const Shape& shape,
                                         std::optional<std::span<const int32_t>> given) {
  std::vector<int32_t> axes;
  if (!given)
    for (int32_t i = 0; i < shape.rank; ++i)
      axes.push_back(i);
  else
    for (int32_t one : *given) {
      auto axis = checkedAxis(what, one, shape);
      if (!axis)
        return axis.error();
      axes.push_back(*axis);
    }
  std::sort(axes.begin(), axes.end());
  if (auto twice = std::adjacent_find(axes.begin(), axes.end()); twice != axes.end())
    return Error{fmt::format("{}: axis {} is named twice", what, *twice)};
  return axes;
}

Result<void> needsValues(const Fold& fold, const Node& operand, const std::vector<int32_t>& axes) {
  if (fold.combines != BSGP_OP_MINIMUM && fold.combines != BSGP_OP_MAXIMUM)
    return {};
  if (auto ordered = needsOrder(fold.name, operand.type); !ordered)
    return ordered;
  for (int32_t axis : axes)
    if (operand.shape[axis] == 0)
      return Error{fmt::format("{}: axis {} of an array of shape {} has no elements, and of none there is no {}",
                               fold.name, axis, text(operand.shape), fold.name)};
  return {};
}

// An operation on the parts of complex numbers: of other numbers it is made of what there is, and an angle is in any case. Null: none
// of these.
Result<NodeRef> makePart(bsgp_operation operation, const NodeRef& operand) {
  if (operation == BSGP_OP_ANGLE) {
    auto imag = makeApply(BSGP_OP_IMAG, {&operand, 1}), real = makeApply(BSGP_OP_REAL, {&operand, 1});
    NodeRef parts[] = {*imag, *real};
    return makeApply(BSGP_OP_ATAN2, parts);
  }
  if (isComplex(operand->type))
    return NodeRef();
  if (operation == BSGP_OP_REAL || operation == BSGP_OP_CONJ)
    return operand;
  Number zero;
  return operation == BSGP_OP_IMAG
             ? makeBroadcast(makeScalar(&zero, operand->type, operand->weak), operand->shape, "imag")
             : NodeRef();
}

// To the power of a number of the text for which there is a cheaper operation; and integers to one below 0, which they do not have.
std::optional<Result<NodeRef>> simplePower(const NodeRef& base, const Node& exponent) {
  if (exponent.kind != Kind::Scalar || !exponent.weak || exponent.type == BSGP_COMPLEX128)
    return {};
  double number = 0;
  int64_t whole = 0;
  std::memcpy(&number, &exponent.scalar, sizeof number), std::memcpy(&whole, &exponent.scalar, sizeof whole);
  if (exponent.type != BSGP_FLOAT64)
    number = exponent.type == BSGP_BOOL ? double(whole & 1) : double(whole);
  if (isInteger(base->type) && number < 0)
    return Result<NodeRef>(
        Error{"pow: integers to a power below 0\n  help: convert the array to a floating-point type by astype"});
  if (number == 2)
    return Result<NodeRef>(applied(BSGP_OP_SQUARE, {base}));
  return number == -1 ? std::optional(Result<NodeRef>(applied(BSGP_OP_RECIPROCAL, {base}))) : std::nullopt;
}

// The only element, in another shape.
NodeRef makeOne(const NodeRef& operand, const Shape& shape) {
  NodeRef node = make(Kind::Transform, operand->type, shape);
  node->details = std::make_unique<Details>();
  node->details->name = "reshape";
  node->details->view.maps.resize(size_t(operand->shape.rank));
  node->add(operand);
  return node;
}

} // namespace

Result<NodeRef> makeValues(const void* data, bsgp_dtype type, const Shape& shape) {
  NodeRef node = make(Kind::Values, type, shape);
  auto buffer = allocate(node->bytes(), fmt::format("an array of shape {} and type {}", text(shape), info(type).name));
  if (!buffer)
    return buffer.error();
  if (node->bytes())
    std::memcpy((*buffer)->data(), data, node->bytes());
  node->values = buffer.take();
  return node;
}

NodeRef makeValuesOf(const void* data, bsgp_dtype type, const Shape& shape, Buffer::Owner owner) {
  NodeRef node = make(Kind::Values, type, shape);
  node->values = std::make_shared<Buffer>(const_cast<void*>(data), node->bytes(), owner);
  return node;
}

NodeRef makeScalar(const void* value, bsgp_dtype type, bool weak) {
  NodeRef node = make(Kind::Scalar, type, {});
  std::memcpy(&node->scalar, value, info(type).bytes);
  node->weak = weak;
  return node;
}

Result<NodeRef> makeIndex(const Shape& shape, int32_t axis) {
  auto checked = checkedAxis("index", axis, shape);
  if (!checked)
    return checked.error();
  NodeRef node = make(Kind::Index, BSGP_INT64, shape);
  node->axis = *checked;
  return node;
}

NodeRef makeCast(const NodeRef& operand, bsgp_dtype type) {
  if (operand->type == type && !operand->weak)
    return operand;
  NodeRef node = make(Kind::Cast, type, operand->shape);
  node->add(operand);
  return node;
}

Result<NodeRef> makeAstype(const NodeRef& operand, bsgp_dtype type) {
  if (isComplex(operand->type) && !isComplex(type) && type != BSGP_BOOL)
    return Error{fmt::format("astype: numbers of type {} to {}\n  help: convert real(a), imag(a) or abs(a)",
                             info(operand->type).name, info(type).name),
                 Mistake::Type};
  return makeCast(operand, type);
}

Result<NodeRef> makeApply(bsgp_operation operation, std::span<const NodeRef> operands) {
  const Operation& known = info(operation);
  if (operands.size() != known.operands)
    return Error{fmt::format("{}: {} operands in place of {}", known.name, operands.size(), known.operands)};
  if (auto part = makePart(operation, operands[0]); !part || *part)
    return part;
  TypeOf types[3];
  Shape shape;
  for (size_t i = 0; i < operands.size(); ++i) {
    types[i] = {operands[i]->type, operands[i]->weak};
    if (const Shape& own = operands[i]->shape; i == 0) {
      shape = own;
    } else if (!(own == shape)) {
      auto together = broadcastShape(known.name, shape, own);
      if (!together)
        return together.error();
      shape = *together;
    }
  }
  if (auto compared = comparedExactly(operation, operands, shape))
    return *compared;
  auto typed = typeOperation(operation, types);
  if (!typed)
    return typed.error();
  if (auto fits = fitsType(known.name, operands, typed->operands); !fits)
    return fits.error();
  if (operation == BSGP_OP_POW && typed->result.type == operands[0]->type && !typed->result.weak)
    if (auto simple = simplePower(operands[0], *operands[1]))
      return *simple;
  NodeRef node = make(Kind::Apply, typed->result.type, shape);
  node->operation = operation;
  node->weak = typed->result.weak;
  bool chooses = known.rule == Rule::Choice || known.rule == Rule::SignChoice;
  for (size_t i = 0; i < operands.size(); ++i)
    node->add(makeCast(operands[i], chooses && i == 0 ? typed->condition : typed->operands));
  return node;
}

NodeRef applied(bsgp_operation operation, std::initializer_list<NodeRef> operands) {
  auto made = makeApply(operation, std::span(operands.begin(), operands.size()));
  BSGP_CHECK(bool(made), "%s", made.message().c_str());
  return *made;
}

Result<NodeRef> makeReduce(bsgp_fold fold, const NodeRef& operand, std::optional<std::span<const int32_t>> given,
                           bool keep) {
  const Fold& known = info(fold);
  auto axes = reducedAxes(known.name, operand->shape, given);
  if (!axes)
    return axes.error();
  if (auto enough = needsValues(known, *operand, *axes); !enough)
    return enough.error();
  bsgp_dtype type = foldedType(fold, operand->type);
  if (axes->empty())
    return makeCast(operand, type);
  Shape shape = operand->shape;
  for (auto axis = axes->rbegin(); axis != axes->rend(); ++axis) {
    shape.erase(*axis);
    if (keep)
      shape.insert(*axis, 1);
  }
  bsgp_dtype computed = computedType(type);
  NodeRef node = make(Kind::Reduce, computed, shape);
  node->fold = fold;
  node->details = std::make_unique<Details>();
  node->details->name = known.name;
  node->details->axes = axes.take();
  node->add(makeCast(operand, computed));
  return makeCast(node, type);
}

// The array that the operand is another shape of, or the operand.
static NodeRef reshapedFrom(const NodeRef& operand) {
  EngineLock lock(EngineLock::Try); // else nodes may change
  return lock.isHeld() && operand->kind == Kind::Reshape ? operand->operands[0] : operand;
}

Result<NodeRef> makeReshape(const NodeRef& operand, int32_t rank, const int64_t* extents) {
  int64_t wanted[BSGP_MOST_AXES], known = 1;
  int open = -1;
  for (int i = 0; i < std::min<int>(rank, BSGP_MOST_AXES); ++i) {
    wanted[i] = extents[i];
    if (extents[i] != -1)
      known *= extents[i];
    else if (open >= 0)
      return Error{"reshape: two extents are -1, and only one can be what is left"};
    else
      open = i;
  }
  if (open >= 0 && (known <= 0 || operand->elements() % known != 0))
    return Error{fmt::format("reshape: {} elements of shape {} do not fill extents whose product is {}",
                             operand->elements(), text(operand->shape), known)};
  if (open >= 0)
    wanted[open] = operand->elements() / known;
  auto shape = checkedShape("reshape", rank, wanted);
  if (!shape)
    return shape.error();
  if (shape->elements() != operand->elements())
    return Error{fmt::format("reshape: {} elements of shape {} do not fill shape {}", operand->elements(),
                             text(operand->shape), text(*shape))};
  if (*shape == operand->shape)
    return operand;
  if (shape->elements() == 1)
    return makeOne(operand, *shape);
  NodeRef from = reshapedFrom(operand);
  if (*shape == from->shape)
    return from;
  NodeRef node = make(Kind::Reshape, operand->type, *shape);
  node->add(std::move(from));
  return node;
}

Result<NodeRef> indicesOf(const char* what, const NodeRef& indices) {
  if (!isInteger(indices->type))
    return Error{fmt::format("{}: indices of type {}\n  help: indices are integers: convert {} by astype", what,
                             info(indices->type).name, isComplex(indices->type) ? "real(a)" : "them"),
                 Mistake::Index};
  if (indices->type != BSGP_UINT64)
    return makeCast(indices, BSGP_INT64);
  int64_t most = INT64_MAX; // is outside of every array
  return makeCast(applied(BSGP_OP_MINIMUM, {indices, makeScalar(&most, BSGP_INT64, true)}), BSGP_INT64);
}

Result<NodeRef> makeGather(const NodeRef& operand, const NodeRef& indices, int32_t axis) {
  auto checked = checkedAxis("gather", axis, operand->shape);
  if (!checked)
    return checked.error();
  auto places = indicesOf("gather", indices);
  if (!places)
    return places;
  if (operand->shape.rank - 1 + indices->shape.rank > BSGP_MOST_AXES)
    return Error{fmt::format("gather: an array of shape {} at indices of shape {} has more than {} axes",
                             text(operand->shape), text(indices->shape), int(BSGP_MOST_AXES))};
  Shape shape = operand->shape;
  shape.erase(*checked);
  for (int32_t i = 0; i < indices->shape.rank; ++i)
    shape.insert(*checked + i, indices->shape[i]);
  if (shape.elements() > 0 && operand->elements() == 0)
    return Error{fmt::format("gather: an array of shape {} has no elements to gather", text(operand->shape)),
                 Mistake::Index};
  NodeRef node = make(Kind::Gather, operand->type, shape);
  node->axis = *checked;
  node->origin = currentOrigin();
  node->add(operand);
  node->add(places.take());
  return node;
}

} // namespace bsgp::arrays
