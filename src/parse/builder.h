// Trees without text, for front ends of other languages: they make a Program of these nodes (compile::Tree::make).
// Each node has a place in a text of the front end's own, which messages show.
//
// Nodes and copies of names live in the arena. What a node is made of may be used once: trees do not share nodes. Names
// are any text, words of this language too; what is exported has to be a name in C. When the tree is handed over, it is
// checked that each node has its parts, and a place in the text (tree_check.h). Names and types are then resolved, and
// mistakes found, as in programs that were parsed.
#pragma once

#include <initializer_list>
#include <vector>

#include "parse/ast.h"
#include "support/arena.h"

namespace bsgp::ast {

class Builder {
public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  // An empty node, for forms that have no function below.
  Expr* expr(Expr::Kind kind, SourceRange at);
  Stmt* stmt(Stmt::Kind kind, SourceRange at);
  TypeExpr* type(TypeExpr::Kind kind, SourceRange at, std::string_view name = {});

  // ---- types
  // bool, i8 ... i64, u8 ... u64, f16, f32, f64; vectors of them: f32x3; void; a struct or enum of the program
  TypeExpr* named(std::string_view name, SourceRange at);
  TypeExpr* automatic(SourceRange at); // auto
  TypeExpr* open(SourceRange at);      // of a parameter: an instance for each call's type
  TypeExpr* pointer(TypeExpr* to, SourceRange at, Space space = Space::Open);
  TypeExpr* list(TypeExpr* of, SourceRange at);               // dlist(of)
  TypeExpr* array(TypeExpr* of, Expr* count, SourceRange at); // count: null if the value determines it
  TypeExpr* view(TypeExpr* of, uint8_t extents, SourceRange at, Space space = Space::Open); // of[,]: 2, of[,,]: 3
  TypeExpr* typeOf(Expr* e, SourceRange at);
  TypeExpr* constant(TypeExpr* type); // this one, const
  TypeExpr* generic(std::string_view structure, const std::vector<TypeExpr*>& arguments, SourceRange at); // P(i32, 4)
  TypeExpr* number(Expr* value, SourceRange at); // an argument of those that is no type

  // ---- expressions
  Expr* integer(uint64_t value, SourceRange at, uint8_t bits = 0); // bits: 0 (what fits), 32, 64
  Expr* real(double value, SourceRange at, uint8_t bits = 0);      // bits: 0 (double), 16, 32, 64
  Expr* boolean(bool value, SourceRange at);
  Expr* null(SourceRange at);
  Expr* string(std::string_view bytes, SourceRange at);
  Expr* name(std::string_view name, SourceRange at);
  Expr* thread(std::string_view member,
               SourceRange at); // thread.rank, thread.size, or a function of the library to call
  Expr* block(std::string_view member, SourceRange at);
  Expr* warp(std::string_view member, SourceRange at);
  Expr* operatorOf(BinaryOp op, SourceRange at); // as an argument: reduce(+, x)
  Expr* unary(UnaryOp op, Expr* a, SourceRange at);
  Expr* binary(BinaryOp op, Expr* a, Expr* b, SourceRange at);
  Expr* assign(Expr* to, Expr* value, SourceRange at);
  Expr* update(BinaryOp op, Expr* to, Expr* value, SourceRange at); // to op= value
  Expr* choose(Expr* condition, Expr* yes, Expr* no, SourceRange at);
  Expr* call(Expr* function, const std::vector<Expr*>& arguments, SourceRange at);
  Expr* call(std::string_view function, const std::vector<Expr*>& arguments, SourceRange at);
  Expr* index(Expr* array, Expr* at_index, SourceRange at);
  Expr* index(Expr* array, const std::vector<Expr*>& places, SourceRange at); // u[y, x]
  Expr* member(Expr* of, std::string_view name, SourceRange at);
  Expr* cast(TypeExpr* to, Expr* value, SourceRange at);
  Expr* construct(TypeExpr* type, const std::vector<Expr*>& arguments, SourceRange at); // f32x3(1, 2, 3), S(a, b)
  Expr* values(const std::vector<Expr*>& parts, SourceRange at); // {1, 2}: of a variable, behind = and of giveBack
  Expr* sizeOf(TypeExpr* type, SourceRange at);
  Expr* allocate(Expr::Alloc where, TypeExpr* of, Expr* count, SourceRange at); // count: null for one
  Expr* allocate(Expr::Alloc where, TypeExpr* of, const std::vector<Expr*>& extents, SourceRange at); // dnew[h, w]T
  Expr* release(Expr::Alloc where, Expr* pointer, SourceRange at); // a pointer that Host or Device gave
  // An argument for a parameter without a type. copies: variables around it that its body names. The function is one of
  // the program that `program` makes; its flags are set.
  Expr* lambda(const std::vector<Param>& parameters, Stmt* body, const std::vector<std::string_view>& copies,
               SourceRange at);

  // ---- statements
  Stmt* expression(Expr* e);
  Stmt* declare(TypeExpr* type, std::string_view name, Expr* value, SourceRange at);   // value may be null
  Stmt* reference(TypeExpr* type, std::string_view name, Expr* place, SourceRange at); // T& name = place
  Stmt* shared(TypeExpr* type, std::string_view name, SourceRange at);                 // a variable of the block
  Stmt* block(const std::vector<Stmt*>& statements, SourceRange at);
  Stmt* branch(Expr* condition, Stmt* yes, Stmt* no, SourceRange at);              // no may be null
  Stmt* loop(Stmt* init, Expr* condition, Expr* step, Stmt* body, SourceRange at); // all but the body may be null
  Stmt* loopWhile(Expr* condition, Stmt* body, SourceRange at);
  Stmt* doWhile(Stmt* body, Expr* condition, SourceRange at);
  Stmt* unrolled(Stmt* loop, Expr* count = nullptr); // this loop; count: null for all iterations
  Stmt* wavefront(Stmt* loop);                       // this loop
  Stmt* switchOn(Expr* value, const std::vector<Stmt*>& statements, SourceRange at); // cases stand among them, as in C
  Stmt* caseOf(Expr* value, SourceRange at);
  Stmt* otherwise(SourceRange at);             // default
  Stmt* leave(SourceRange at);                 // break
  Stmt* next(SourceRange at);                  // continue
  Stmt* giveBack(Expr* value, SourceRange at); // return; value may be null
  Stmt* partition(Stmt* spawn);                // this spawn
  // block, width: the threads of a block, and how many run at once on a CPU; or null
  Stmt* spawn(Expr* size, Stmt* body, SourceRange at, Expr* block = nullptr, Expr* width = nullptr);
  // The inner extent first; at most three.
  Stmt* spawn(const std::vector<Expr*>& extents, Stmt* body, SourceRange at, Expr* block = nullptr,
              Expr* width = nullptr);
  Stmt* barrier(SourceRange at, bool reassigned = false);
  Stmt* require(const std::vector<Stmt*>& statements, SourceRange at);
  Stmt* par(const std::vector<Stmt*>& arms, SourceRange at);

  // ---- the program
  Param parameter(TypeExpr* type, std::string_view name, SourceRange at, bool by_reference = false);
  // result: null for none. at: of the name. The flags of Function are the caller's to set.
  Function* function(TypeExpr* result, std::string_view name, const std::vector<Param>& parameters, Stmt* body,
                     SourceRange at);
  // Called as object.name(...). In its body the object is the variable `this`, a reference; parameters: the others.
  Function* method(const Struct& of, TypeExpr* result, std::string_view name, const std::vector<Param>& parameters,
                   Stmt* body, SourceRange at, bool changes_nothing = false);
  // identity(value) behind the parameters of `op`: the functions that say it, to be put into the program with it.
  std::vector<Function*> identity(const Function& op, Expr* value, bool commutative, SourceRange at);
  Declarator field(TypeExpr* type, std::string_view name, SourceRange at);
  // parameters: of a generic one
  Struct* structure(std::string_view name, const std::vector<Declarator>& fields, SourceRange at,
                    const std::vector<TypeParam>& parameters = {});
  TypeParam typeParameter(std::string_view name, SourceRange at, bool is_number = false);
  Enum* enumeration(std::string_view name, const std::vector<Enumerator>& items, SourceRange at);
  Enumerator enumerator(std::string_view name, Expr* value, SourceRange at); // value: null for the next number
  Typedef* alias(TypeExpr* type, std::string_view name, SourceRange at);
  Global* global(TypeExpr* type, std::string_view name, Expr* value, SourceRange at); // value may be null

  static TopLevel item(Function* made) { return {TopLevel::Function, made}; }
  static TopLevel item(Struct* made) { return {TopLevel::Struct, made}; }
  static TopLevel item(Enum* made) { return {TopLevel::Enum, made}; }
  static TopLevel item(Typedef* made) { return {TopLevel::Typedef, made}; }
  static TopLevel item(Global* made) { return {TopLevel::Global, made}; }
  static TopLevel library(Expr* name) { return {TopLevel::Library, name}; } // a StringLit
  // Everything in it, in any order.
  Program* program(const std::vector<TopLevel>& items);
  Program* program(const std::vector<Function*>& functions, const std::vector<Struct*>& structs = {});
  Program* program(std::initializer_list<Function*> functions) { return program(std::vector<Function*>(functions)); }

  // For members that are set by hand in an empty node.
  template <class T> std::span<T> keep(const std::vector<T>& list) { return arena_.keep(list); }

private:
  Expr* named(Expr::Kind kind, std::string_view name, SourceRange at);
  static bool isConst(const TypeExpr& type); // of an array, whether its elements are
  std::string_view join(std::string_view a, std::string_view b);
  TypeExpr* typeOf(const Struct& structure, SourceRange at);

  Arena& arena_;
  std::vector<Function*> lambdas_; // to be put into the program
};

} // namespace bsgp::ast
