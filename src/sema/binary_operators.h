// Kinds of binary operators.
#pragma once

#include "parse/ast.h"

namespace bsgp::sema {

inline bool isComparison(ast::BinaryOp op) {
  return op >= ast::BinaryOp::Lt && op <= ast::BinaryOp::Ne;
}

inline bool isShift(ast::BinaryOp op) {
  return op == ast::BinaryOp::Shl || op == ast::BinaryOp::Shr;
}

// The operators by which many threads can change one place together.
struct Gathering {
  const char* reduction; // the operator of the reduction
  const char* atomic;    // what stands behind atomic_; empty: no function does it
  const char* begin;     // the number that leaves the other operand as it is
};

// `a -= x` of all threads takes away a sum. Null: for no other operators.
inline const Gathering* gatheringOf(ast::BinaryOp op) {
  static constexpr Gathering kSum{"+", "add", "0"}, kProduct{"*", "", "1"}, kAnd{"&", "and", "~0"}, kOr{"|", "or", "0"},
      kXor{"^", "xor", "0"};
  switch (op) {
  case ast::BinaryOp::Add:
  case ast::BinaryOp::Sub:
    return &kSum;
  case ast::BinaryOp::Mul:
    return &kProduct;
  case ast::BinaryOp::BitAnd:
    return &kAnd;
  case ast::BinaryOp::BitOr:
    return &kOr;
  case ast::BinaryOp::BitXor:
    return &kXor;
  default:
    return nullptr;
  }
}

} // namespace bsgp::sema
