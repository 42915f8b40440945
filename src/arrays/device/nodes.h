// Nodes of a program that all have the same place, that of an instruction in the text of the form.
#pragma once

#include <set>
#include <string>

#include "arrays/kernel.h"
#include "parse/builder.h"

namespace bsgp::arrays {

// The name of a type in a tree: "f32".
const char* treeType(bsgp_dtype type);
// The unsigned integer in which arithmetic of a type wraps, and the integer in which it divides; floats are their own.
bsgp_dtype wrappingType(bsgp_dtype type);
bsgp_dtype dividingType(bsgp_dtype type);

class Nodes {
public:
  explicit Nodes(ast::Builder& builder) : b(builder) {}

  ast::Builder& b;
  SourceRange at{};
  std::set<std::string> used; // names of values, since the set was cleared

  using Expr = ast::Expr;
  Expr* name(const std::string& name) { return used.insert(name), b.name(name, at); }
  Expr* value(int32_t instruction) { return name("v" + std::to_string(instruction)); }
  Expr* field(int32_t number) { return name("f" + std::to_string(number)); }
  Expr* axis(int32_t number) { return name("c" + std::to_string(number)); }
  Expr* number(uint64_t value, bsgp_dtype type = BSGP_INT64) { return cast(type, b.integer(value, at)); }
  Expr* call(const char* function, const std::vector<Expr*>& arguments) { return b.call(function, arguments, at); }
  Expr* binary(ast::BinaryOp op, Expr* x, Expr* y) { return b.binary(op, x, y, at); }
  Expr* add(Expr* x, Expr* y) { return binary(ast::BinaryOp::Add, x, y); }
  Expr* multiply(Expr* x, Expr* y) { return binary(ast::BinaryOp::Mul, x, y); }
  Expr* cast(bsgp_dtype type, Expr* x) { return b.cast(this->type(type), x, at); }
  ast::TypeExpr* type(bsgp_dtype type) { return b.named(treeType(type), at); }
  ast::Stmt* declare(bsgp_dtype type, const std::string& name, Expr* value) {
    return b.declare(this->type(type), name, value, at);
  }
};

// elements.cpp: the value of an instruction of kind Apply or Cast; its operands are variables.
ast::Expr* applied(Nodes& n, const Instruction& made);
ast::Expr* converted(Nodes& n, const Instruction& made);

} // namespace bsgp::arrays
