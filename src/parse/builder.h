// Trees without text, for front ends of other languages: they make a Program of these nodes and give it to
// driver::Pipeline::useTree. Each node has a place in a text of the front end's own, which messages show.
//
// Nodes and copies of names live in the arena. What a node is made of may be used once: trees do not share nodes.
// Nothing is checked here; names and types are resolved, and mistakes found, as in programs that were parsed.
#pragma once

#include <initializer_list>
#include <vector>

#include "parse/ast.h"
#include "support/arena.h"

namespace bsgp::ast {

class Builder {
public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  // An empty node, for what has no function below.
  Expr* expr(Expr::Kind kind, SourceRange at);
  Stmt* stmt(Stmt::Kind kind, SourceRange at);
  TypeExpr* type(TypeExpr::Kind kind, SourceRange at, std::string_view name = {});

  // ---- types
  // bool, i8 ... i64, u8 ... u64, f16, f32, f64; vectors of them: f32x3; void; a struct or enum of the program
  TypeExpr* named(std::string_view name, SourceRange at);
  TypeExpr* automatic(SourceRange at); // auto
  TypeExpr* open(SourceRange at);      // of a parameter: an instance for each call's type
  TypeExpr* pointer(TypeExpr* to, SourceRange at, Space space = Space::Open);
  TypeExpr* list(TypeExpr* of, SourceRange at); // dlist(of)
  TypeExpr* array(TypeExpr* of, Expr* count, SourceRange at);

  // ---- expressions
  Expr* integer(uint64_t value, SourceRange at, uint8_t bits = 0); // bits: 0 (what fits), 32, 64
  Expr* real(double value, SourceRange at, uint8_t bits = 0);      // bits: 0 (double), 16, 32, 64
  Expr* boolean(bool value, SourceRange at);
  Expr* string(std::string_view bytes, SourceRange at);
  Expr* name(std::string_view name, SourceRange at);
  Expr* thread(std::string_view member,
               SourceRange at); // thread.rank, thread.size, or a function of the library to call
  Expr* block(std::string_view member, SourceRange at);
  Expr* operatorOf(BinaryOp op, SourceRange at); // as an argument: reduce(+, x)
  Expr* unary(UnaryOp op, Expr* a, SourceRange at);
  Expr* binary(BinaryOp op, Expr* a, Expr* b, SourceRange at);
  Expr* assign(Expr* to, Expr* value, SourceRange at);
  Expr* update(BinaryOp op, Expr* to, Expr* value, SourceRange at); // to op= value
  Expr* choose(Expr* condition, Expr* yes, Expr* no, SourceRange at);
  Expr* call(Expr* function, const std::vector<Expr*>& arguments, SourceRange at);
  Expr* call(std::string_view function, const std::vector<Expr*>& arguments, SourceRange at);
  Expr* index(Expr* array, Expr* at_index, SourceRange at);
  Expr* member(Expr* of, std::string_view name, SourceRange at);
  Expr* cast(TypeExpr* to, Expr* value, SourceRange at);
  Expr* allocate(Expr::Alloc where, TypeExpr* of, Expr* count, SourceRange at); // count: null for one

  // ---- statements
  Stmt* expression(Expr* e);
  Stmt* declare(TypeExpr* type, std::string_view name, Expr* value, SourceRange at); // value may be null
  Stmt* block(const std::vector<Stmt*>& statements, SourceRange at);
  Stmt* branch(Expr* condition, Stmt* yes, Stmt* no, SourceRange at);              // no may be null
  Stmt* loop(Stmt* init, Expr* condition, Expr* step, Stmt* body, SourceRange at); // all but the body may be null
  Stmt* loopWhile(Expr* condition, Stmt* body, SourceRange at);
  Stmt* giveBack(Expr* value, SourceRange at); // return; value may be null
  Stmt* spawn(Expr* size, Stmt* body, SourceRange at);
  Stmt* spawn(const std::vector<Expr*>& extents, Stmt* body, SourceRange at); // the inner one first; at most three
  Stmt* barrier(SourceRange at, bool reassigned = false);
  Stmt* require(const std::vector<Stmt*>& statements, SourceRange at);
  Stmt* par(const std::vector<Stmt*>& arms, SourceRange at);

  // ---- the program
  Param parameter(TypeExpr* type, std::string_view name, SourceRange at, bool by_reference = false);
  // result: null for none. at: of the name. The flags of Function are the caller's to set.
  Function* function(TypeExpr* result, std::string_view name, const std::vector<Param>& parameters, Stmt* body,
                     SourceRange at);
  Struct* structure(std::string_view name, const std::vector<Declarator>& fields, SourceRange at);
  Declarator field(TypeExpr* type, std::string_view name, SourceRange at);
  Program* program(const std::vector<Function*>& functions, const std::vector<Struct*>& structs = {});

private:
  Expr* named(Expr::Kind kind, std::string_view name, SourceRange at);
  template <class T> std::span<T> keep(const std::vector<T>& list);

  Arena& arena_;
};

} // namespace bsgp::ast
