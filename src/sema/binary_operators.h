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

} // namespace bsgp::sema
