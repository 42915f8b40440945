// Programs made as trees, without text and prelude: nodes stand nowhere.
#pragma once

#include <gtest/gtest.h>

#include "expand/expand.h"
#include "parse/builder.h"
#include "sema/sema.h"

namespace bsgp::test {

// A builder whose nodes need no place.
class Tree {
public:
  using Expr = ast::Expr*;
  using Stmt = ast::Stmt*;
  using Op = ast::BinaryOp;

  static constexpr SourceRange nowhere{};

  Expr number(uint64_t value) { return b.integer(value, nowhere); }
  Expr name(std::string_view name) { return b.name(name, nowhere); }
  Expr rank() { return b.thread("rank", nowhere); }
  Expr element(std::string_view of, Expr index) { return b.index(name(of), index, nowhere); }
  Expr binary(Op op, Expr x, Expr y) { return b.binary(op, x, y, nowhere); }
  Expr call(std::string_view function, const std::vector<ast::Expr*>& arguments) {
    return b.call(function, arguments, nowhere);
  }
  Stmt let(std::string_view name, Expr value) { return b.declare(integer(), name, value, nowhere); }
  Stmt set(Expr to, Expr value) { return b.expression(b.assign(to, value, nowhere)); }
  Stmt block(const std::vector<ast::Stmt*>& list) { return b.block(list, nowhere); }
  Stmt barrier() { return b.barrier(nowhere); }
  Stmt require(const std::vector<ast::Stmt*>& list) { return b.require(list, nowhere); }
  Stmt spawn(Expr size, const std::vector<ast::Stmt*>& list) { return b.spawn(size, block(list), nowhere); }
  Stmt giveBack(Expr value) { return b.giveBack(value, nowhere); }
  ast::TypeExpr* integer() { return b.named("i32", nowhere); }
  ast::Param parameter(std::string_view name) { return b.parameter(integer(), name, nowhere); }
  ast::Param memory(std::string_view name) {
    return b.parameter(b.pointer(integer(), nowhere, ast::Space::Device), name, nowhere);
  }
  ast::Function* function(ast::TypeExpr* result, std::string_view name, const std::vector<ast::Param>& parameters,
                          const std::vector<ast::Stmt*>& body) {
    return b.function(result, name, parameters, block(body), nowhere);
  }

  // What is left of it after expand.
  FlatProgram& flat(const std::vector<ast::Function*>& functions) {
    flat_ = expand::expand(sema::analyze(*b.program(functions), {}, diagnostics), {}, diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors()) << diagnostics.render();
    return flat_;
  }

  SourceManager sources;
  Diagnostics diagnostics{sources};

private:
  Arena arena_;
  FlatProgram flat_;

public:
  ast::Builder b{arena_};
};

} // namespace bsgp::test
