// Operators whose operands are whole lists or arrays with extents, which have none: the help is one for each element.
#pragma once

#include <string>

#include "sema/body.h"

namespace bsgp::sema {

inline bool isWhole(const Expr& operand) {
  return operand.type->isDList() || operand.type->isView();
}

// l + 1, l == m, u == NULL
std::string helpForWhole(const Body& body, ast::BinaryOp op, const Expr& a, const Expr& b);

// l += 1
std::string helpForWholeUpdate(const Body& body, const ast::Expr& update, const Expr& target, const Expr& value);

} // namespace bsgp::sema
