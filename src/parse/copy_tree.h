// Copies of a syntax tree in which some names are others: what the functions of a generic struct are made of for each
// list of arguments.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>

#include "parse/ast.h"
#include "support/arena.h"

namespace bsgp::ast {

class TreeCopy {
public:
  // types: names of types, numbers: names in expressions, each with the name that stands in its place.
  using Names = std::unordered_map<std::string_view, std::string_view>;
  // lambda: given the name of one in the tree, the name of its copy.
  using Lambda = std::function<std::string_view(std::string_view)>;
  TreeCopy(Arena& arena, const Names& types, const Names& numbers, const Lambda& lambda)
      : arena_(arena), types_(types), numbers_(numbers), lambda_(lambda) {}

  Function* function(const Function& function);
  TypeExpr* type(const TypeExpr* type);
  Declarator declarator(const Declarator& declarator);

private:
  Expr* expression(const Expr* expr);
  Stmt* statement(const Stmt* stmt);
  template <class T, class F> std::span<T> each(std::span<T> list, const F& copy);

  Arena& arena_;
  const Names &types_, &numbers_;
  const Lambda& lambda_;
};

} // namespace bsgp::ast
