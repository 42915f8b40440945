#include "arrays/mixed.h"

#include <fmt/format.h>

#include "arrays/build.h"

namespace bsgp::arrays {

namespace {

// A whole number of the text.
std::optional<int64_t> numberOf(const Node& node) {
  if (node.kind != Kind::Scalar || !node.weak || node.type != BSGP_INT64)
    return std::nullopt;
  int64_t value;
  std::memcpy(&value, &node.scalar, sizeof value);
  return value;
}

// -1: below all values of the type; 1: above them.
int sideOf(int64_t value, bsgp_dtype type) {
  int bits = 8 * info(type).bytes;
  bool is_signed = info(type).kind == TypeKind::Signed;
  if (!is_signed)
    return value < 0 ? -1 : bits < 64 && value >> bits ? 1 : 0;
  int64_t most = INT64_MAX >> (64 - bits);
  return value > most ? 1 : value < -most - 1 ? -1 : 0;
}

// The same comparison with its operands exchanged.
bsgp_operation exchanged(bsgp_operation operation) {
  switch (operation) {
  case BSGP_OP_LESS:
    return BSGP_OP_GREATER;
  case BSGP_OP_LESS_EQUAL:
    return BSGP_OP_GREATER_EQUAL;
  case BSGP_OP_GREATER:
    return BSGP_OP_LESS;
  case BSGP_OP_GREATER_EQUAL:
    return BSGP_OP_LESS_EQUAL;
  default:
    return operation;
  }
}

// Whether it holds for an element and a number above all elements (side 1), or below.
bool holdsFor(bsgp_operation operation, int side) {
  bool is_less = operation == BSGP_OP_LESS || operation == BSGP_OP_LESS_EQUAL;
  return operation == BSGP_OP_NOT_EQUAL || (operation != BSGP_OP_EQUAL && is_less == (side > 0));
}

// Negative numbers are below all of `b`, the others are compared as unsigned ones.
NodeRef withUnsigned(bsgp_operation operation, const NodeRef& a, const NodeRef& b) {
  int64_t zero = 0;
  NodeRef is_negative = applied(BSGP_OP_LESS, {a, makeScalar(&zero, BSGP_INT64, true)});
  NodeRef others = applied(operation, {makeCast(a, BSGP_UINT64), b});
  return holdsFor(operation, 1) ? applied(BSGP_OP_LOGICAL_OR, {is_negative, others})
                                : applied(BSGP_OP_LOGICAL_AND, {applied(BSGP_OP_LOGICAL_NOT, {is_negative}), others});
}

} // namespace

Result<void> fitsType(const char* what, std::span<const NodeRef> operands, bsgp_dtype type) {
  if (!isInteger(type))
    return {};
  for (const NodeRef& operand : operands)
    if (auto number = numberOf(*operand); number && sideOf(*number, type) != 0)
      return Error{
          fmt::format("{}: the number {} is none of type {}\n  help: convert the array by astype, or the number: "
                      "then it wraps",
                      what, *number, info(type).name),
          Mistake::Overflow};
  return {};
}

std::optional<Result<NodeRef>> comparedExactly(bsgp_operation operation, std::span<const NodeRef> operands,
                                               const Shape& shape) {
  const Node &a = *operands[0], &b = *operands[1];
  if (info(operation).rule != Rule::Compare || !isInteger(a.type) || !isInteger(b.type))
    return std::nullopt;
  if (numberOf(a) && !b.weak)
    return comparedExactly(exchanged(operation), std::array{operands[1], operands[0]}, shape);
  if (auto number = numberOf(b); number && !a.weak) {
    int side = sideOf(*number, a.type);
    uint8_t holds = holdsFor(operation, side);
    return side ? std::optional(makeBroadcast(makeScalar(&holds, BSGP_BOOL, false), shape, "compare")) : std::nullopt;
  }
  bool a_signed = info(a.type).kind == TypeKind::Signed, b_signed = info(b.type).kind == TypeKind::Signed;
  if (a_signed && b.type == BSGP_UINT64)
    return withUnsigned(operation, operands[0], operands[1]);
  if (b_signed && a.type == BSGP_UINT64)
    return withUnsigned(exchanged(operation), operands[1], operands[0]);
  return std::nullopt;
}

} // namespace bsgp::arrays
