// Makes nodes: checks shapes and types, and says what an operation's result is. Nothing is computed here.
#pragma once

#include <optional>
#include <span>

#include "arrays/node.h"

namespace bsgp::arrays {

Result<NodeRef> makeValues(const void* data, bsgp_dtype type, const Shape& shape);
// The same without a copy: `owner` is called when nothing reads the memory any more.
NodeRef makeValuesOf(const void* data, bsgp_dtype type, const Shape& shape, Buffer::Owner owner);
NodeRef makeScalar(const void* value, bsgp_dtype type, bool weak);
Result<NodeRef> makeIndex(const Shape& shape, int32_t axis);
Result<NodeRef> makeApply(bsgp_operation operation, std::span<const NodeRef> operands);
// An operation whose shapes and types are known to go together.
NodeRef applied(bsgp_operation operation, std::initializer_list<NodeRef> operands);
NodeRef makeCast(const NodeRef& operand, bsgp_dtype type); // the operand where it has that type
Result<NodeRef> makeAstype(const NodeRef& operand, bsgp_dtype type);
// axes: nothing: all of them
Result<NodeRef> makeReduce(bsgp_fold fold, const NodeRef& operand, std::optional<std::span<const int32_t>> axes,
                           bool keep);
Result<NodeRef> makeReshape(const NodeRef& operand, int32_t rank, const int64_t* extents);
// Integers as int64; uint64 that it does not have become one that is outside of every array. Other types are an error of operation `what`.
Result<NodeRef> indicesOf(const char* what, const NodeRef& indices);
Result<NodeRef> makeGather(const NodeRef& operand, const NodeRef& indices, int32_t axis);
// Along an axis; argmin and argmax leave it out. Without an axis: of all elements in their order.
Result<NodeRef> makeRows(bsgp_rows rows, const NodeRef& operand, std::optional<int32_t> axis, bool keep);

// Combined of others.
Result<NodeRef> makeMean(const NodeRef& operand, std::optional<std::span<const int32_t>> axes, bool keep);
// 64 random bits for each element.
Result<NodeRef> makeRandom(uint64_t key, const Shape& shape);
// Sums of products over the last axis of a and the first of b.
Result<NodeRef> makeInnerProduct(const NodeRef& a, const NodeRef& b);
// Each element of a times each one of b.
Result<NodeRef> makeOuterProduct(const NodeRef& a, const NodeRef& b);

// Transformations; spans have an entry for each axis.
struct Border {
  bsgp_border kind;
  NodeRef value;         // for BSGP_BORDER_VALUE
  bool is_array = false; // the value is an array of the result's shape and type
};
Result<NodeRef> makeSection(const NodeRef& a, const int64_t* begin, const int64_t* count, const int64_t* stride);
// Along an axis, from begin to end, both counted from the last element where they are negative, and cut at the ends of the axis.
Result<NodeRef> makeSlice(const NodeRef& a, int32_t axis, int64_t begin, int64_t end, int64_t stride);
Result<NodeRef> makeShift(const NodeRef& a, const int64_t* by, const Border& border);
Result<NodeRef> makeExtend(const NodeRef& a, const int64_t* before, const int64_t* after, const Border& border);
Result<NodeRef> makeReplicate(const NodeRef& a, const int64_t* extents);
Result<NodeRef> makeStretch(const NodeRef& a, const int64_t* times);
// One behind the other along an axis (join.cpp).
Result<NodeRef> makeConcatenate(std::span<const NodeRef> arrays, int32_t axis);
Result<NodeRef> makeTranspose(const NodeRef& a, const int32_t* order);
// The diagonal of the last two axes, which begins `offset` columns to the right of the first, as a last axis.
Result<NodeRef> makeDiagonal(const NodeRef& a, int64_t offset);
Result<NodeRef> makeDropDimension(const NodeRef& a, int32_t axis);
Result<NodeRef> makeComponent(const NodeRef& a, int32_t axis, int64_t index);
Result<NodeRef> makeAddDimension(const NodeRef& a, int32_t axis, int64_t extent);
Result<NodeRef> makeBroadcast(const NodeRef& a, const Shape& shape, const char* what);

} // namespace bsgp::arrays
