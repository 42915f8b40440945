// Operations that are made of others.
#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/linalg/product.h"

namespace bsgp::arrays {

namespace {

const char* nameOf(bsgp_rows rows) {
  constexpr const char* kNames[] = {"sort",   "argsort", "cumulative_sum", "cumulative_prod",
                                    "argmin", "argmax",  "cumulative_min", "cumulative_max"};
  return kNames[int(rows)];
}

bool leavesOne(bsgp_rows rows) {
  return rows == BSGP_ROWS_ARGMIN || rows == BSGP_ROWS_ARGMAX;
}

bool scans(bsgp_rows rows) {
  return rows == BSGP_ROWS_CUMULATIVE_SUM || rows == BSGP_ROWS_CUMULATIVE_PROD;
}

// Rows are sorted and scanned in few types, which hold the others exactly.
bsgp_dtype rowType(bsgp_rows rows, bsgp_dtype type) {
  if (scans(rows))
    return type == BSGP_FLOAT16 ? BSGP_FLOAT32 : foldedType(BSGP_FOLD_SUM, type);
  switch (type) {
  case BSGP_UINT32:
    return BSGP_INT64;
  case BSGP_INT64:
  case BSGP_UINT64:
  case BSGP_FLOAT32:
  case BSGP_FLOAT64:
    return type;
  case BSGP_FLOAT16:
    return BSGP_FLOAT32;
  default:
    return BSGP_INT32;
  }
}

bsgp_dtype resultType(bsgp_rows rows, bsgp_dtype type) {
  if (rows == BSGP_ROWS_ARGSORT || leavesOne(rows))
    return BSGP_INT64;
  bool widens = rows == BSGP_ROWS_CUMULATIVE_SUM || rows == BSGP_ROWS_CUMULATIVE_PROD;
  return widens && type != BSGP_FLOAT16 ? foldedType(BSGP_FOLD_SUM, type) : type;
}

// The axis and the last one change places.
Result<NodeRef> withLast(const NodeRef& a, int32_t axis) {
  if (axis == a->shape.rank - 1)
    return a;
  int32_t order[BSGP_MOST_AXES];
  for (int32_t i = 0; i < a->shape.rank; ++i)
    order[i] = i;
  std::swap(order[axis], order[a->shape.rank - 1]);
  return makeTranspose(a, order);
}

NodeRef rowsOf(bsgp_rows rows, const NodeRef& operand) {
  Shape shape = operand->shape;
  if (leavesOne(rows))
    shape[shape.rank - 1] = 1;
  bsgp_dtype computed = rowType(rows, operand->type);
  NodeRef node(new Node(Kind::Rows, rows == BSGP_ROWS_ARGSORT || leavesOne(rows) ? BSGP_INT64 : computed, shape));
  node->rows = rows;
  node->details = std::make_unique<Details>();
  node->details->name = nameOf(rows);
  node->add(makeCast(operand, computed));
  return makeCast(node, resultType(rows, operand->type));
}

// A new axis behind the last one, repeated `extents` times: shape(a) + extents.
Result<NodeRef> spread(const NodeRef& a, const Shape& extents, int first) {
  Result<NodeRef> made = a;
  for (int i = first; i < extents.rank && made; ++i)
    made = makeAddDimension(*made, (*made)->shape.rank, extents[i]);
  return made;
}

// a * b of every element of a's axes and every one of b's behind the first `shared` of them, which are the last of a's.
Result<NodeRef> products(const NodeRef& a, const NodeRef& b, int shared) {
  auto left = spread(a, b->shape, shared);
  if (!left)
    return left;
  NodeRef operands[] = {*left, b}; // b is broadcast
  return makeApply(BSGP_OP_MULTIPLY, operands);
}

} // namespace

Result<NodeRef> makeRows(bsgp_rows rows, const NodeRef& given, std::optional<int32_t> axis, bool keep) {
  if (auto ordered = needsOrder(nameOf(rows), given->type); !ordered && !scans(rows))
    return ordered.error();
  Result<NodeRef> operand = given;
  if (!axis || given->shape.rank == 0) {
    int64_t all = -1;
    operand = makeReshape(given, 1, &all);
    if (!operand)
      return operand;
    axis = 0;
  }
  auto checked = checkedAxis(nameOf(rows), *axis, (*operand)->shape);
  if (!checked)
    return checked.error();
  if (leavesOne(rows) && (*operand)->shape[*checked] == 0)
    return Error{
        fmt::format("{}: axis {} of an array of shape {} has no elements", nameOf(rows), *axis, text(given->shape))};
  auto last = withLast(*operand, *checked);
  if (!last)
    return last;
  auto back = withLast(rowsOf(rows, *last), *checked);
  return back && leavesOne(rows) && !keep ? makeDropDimension(*back, *checked) : back;
}

Result<NodeRef> makeMean(const NodeRef& operand, std::optional<std::span<const int32_t>> axes, bool keep) {
  bsgp_dtype type = info(operand->type).kind >= TypeKind::Float ? operand->type : BSGP_FLOAT64;
  bsgp_dtype wide = computedType(type);
  auto sum = makeReduce(BSGP_FOLD_SUM, makeCast(operand, wide), axes, keep);
  if (!sum)
    return sum;
  double count = (*sum)->elements() ? double(operand->elements()) / double((*sum)->elements()) : 1;
  NodeRef operands[] = {*sum, makeScalar(&count, BSGP_FLOAT64, true)};
  auto mean = makeApply(BSGP_OP_DIVIDE, operands);
  return mean ? makeCast(*mean, type) : mean;
}

// The counter is the element's place in row order.
Result<NodeRef> makeRandom(uint64_t key, const Shape& shape) {
  uint64_t zero = 0;
  Result<NodeRef> counter = makeBroadcast(makeScalar(&zero, BSGP_UINT64, false), shape, "random");
  for (int32_t axis = 0; axis < shape.rank && counter; ++axis) {
    auto index = makeIndex(shape, axis);
    if (!index)
      return index;
    auto stride = uint64_t(shape.range(axis + 1, shape.rank));
    NodeRef factors[] = {makeCast(*index, BSGP_UINT64), makeScalar(&stride, BSGP_UINT64, false)};
    auto product = makeApply(BSGP_OP_MULTIPLY, factors);
    if (!product)
      return product;
    NodeRef terms[] = {*counter, *product};
    counter = makeApply(BSGP_OP_ADD, terms);
  }
  if (!counter)
    return counter;
  NodeRef operands[] = {makeScalar(&key, BSGP_UINT64, false), *counter};
  return makeApply(BSGP_OP_RANDOM_BITS, operands);
}

Result<NodeRef> makeInnerProduct(const NodeRef& a, const NodeRef& b) {
  const Shape &left = a->shape, &right = b->shape;
  if (left.rank == 0 || right.rank == 0 || left[left.rank - 1] != right[0])
    return Error{fmt::format(
        "inner_product: shapes {} and {} do not go together\n  help: the last extent of the first is the first extent "
        "of the second, as in a product of matrices",
        text(left), text(right))};
  if (left.rank + right.rank - 1 > BSGP_MOST_AXES)
    return Error{fmt::format("inner_product: shapes {} and {} make more than {} axes", text(left), text(right),
                             int(BSGP_MOST_AXES))};
  if (auto large = makeLargeInnerProduct(a, b); !large || *large)
    return large;
  auto all = products(a, b, 1);
  int32_t axis = left.rank - 1;
  return all ? makeReduce(BSGP_FOLD_SUM, *all, std::span(&axis, 1), false) : all;
}

Result<NodeRef> makeOuterProduct(const NodeRef& a, const NodeRef& b) {
  if (a->shape.rank + b->shape.rank > BSGP_MOST_AXES)
    return Error{fmt::format("outer_product: shapes {} and {} make more than {} axes", text(a->shape), text(b->shape),
                             int(BSGP_MOST_AXES))};
  return products(a, b, 0);
}

} // namespace bsgp::arrays
