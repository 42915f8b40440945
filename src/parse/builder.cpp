#include "parse/builder.h"

#include <string>

namespace bsgp::ast {

Expr* Builder::expr(Expr::Kind kind, SourceRange at) {
  auto* made = arena_.make<Expr>();
  made->kind = kind, made->range = at;
  return made;
}

Stmt* Builder::stmt(Stmt::Kind kind, SourceRange at) {
  auto* made = arena_.make<Stmt>();
  made->kind = kind, made->range = at;
  return made;
}

TypeExpr* Builder::type(TypeExpr::Kind kind, SourceRange at, std::string_view name) {
  auto* made = arena_.make<TypeExpr>();
  made->kind = kind, made->range = at;
  if (!name.empty())
    made->name = arena_.copy(name);
  return made;
}

// ---- types ----------------------------------------------------------------------------------------------------------

TypeExpr* Builder::named(std::string_view name, SourceRange at) {
  return type(TypeExpr::Named, at, name);
}

TypeExpr* Builder::automatic(SourceRange at) {
  return type(TypeExpr::Auto, at);
}

TypeExpr* Builder::open(SourceRange at) {
  return type(TypeExpr::Open, at);
}

TypeExpr* Builder::pointer(TypeExpr* to, SourceRange at, Space space) {
  TypeExpr* made = type(TypeExpr::Pointer, at);
  made->inner = to, made->space = space;
  return made;
}

TypeExpr* Builder::list(TypeExpr* of, SourceRange at) {
  TypeExpr* made = type(TypeExpr::DList, at);
  made->inner = of;
  return made;
}

TypeExpr* Builder::view(TypeExpr* of, uint8_t extents, SourceRange at, Space space) {
  TypeExpr* made = type(TypeExpr::View, at);
  made->inner = of, made->extents = extents, made->space = space;
  return made;
}

TypeExpr* Builder::array(TypeExpr* of, Expr* count, SourceRange at) {
  TypeExpr* made = type(TypeExpr::Array, at);
  made->inner = of, made->count = count;
  return made;
}

TypeExpr* Builder::typeOf(Expr* e, SourceRange at) {
  TypeExpr* made = type(TypeExpr::TypeOf, at);
  made->count = e;
  return made;
}

TypeExpr* Builder::constant(TypeExpr* type) {
  if (type)
    type->is_const = true;
  return type;
}

TypeExpr* Builder::generic(std::string_view structure, const std::vector<TypeExpr*>& arguments, SourceRange at) {
  TypeExpr* made = type(TypeExpr::Generic, at, structure);
  made->args = keep(arguments);
  return made;
}

TypeExpr* Builder::number(Expr* value, SourceRange at) {
  TypeExpr* made = type(TypeExpr::Number, at);
  made->count = value;
  return made;
}

// ---- expressions ----------------------------------------------------------------------------------------------------

Expr* Builder::integer(uint64_t value, SourceRange at, uint8_t bits) {
  Expr* made = expr(Expr::IntLit, at);
  made->integer = value, made->literal_bits = bits;
  return made;
}

Expr* Builder::real(double value, SourceRange at, uint8_t bits) {
  Expr* made = expr(Expr::FloatLit, at);
  made->floating = value, made->literal_bits = bits;
  return made;
}

Expr* Builder::boolean(bool value, SourceRange at) {
  Expr* made = expr(Expr::BoolLit, at);
  made->integer = value;
  return made;
}

Expr* Builder::named(Expr::Kind kind, std::string_view name, SourceRange at) {
  Expr* made = expr(kind, at);
  made->name = arena_.copy(name);
  return made;
}

Expr* Builder::string(std::string_view bytes, SourceRange at) {
  return named(Expr::StringLit, bytes, at);
}

Expr* Builder::name(std::string_view name, SourceRange at) {
  return named(Expr::Name, name, at);
}

Expr* Builder::thread(std::string_view member, SourceRange at) {
  return named(Expr::Thread, member, at);
}

Expr* Builder::block(std::string_view member, SourceRange at) {
  return named(Expr::Block, member, at);
}

Expr* Builder::null(SourceRange at) {
  return expr(Expr::Null, at);
}

Expr* Builder::warp(std::string_view member, SourceRange at) {
  return named(Expr::Warp, member, at);
}

Expr* Builder::operatorOf(BinaryOp op, SourceRange at) {
  Expr* made = expr(Expr::OperatorRef, at);
  made->binary = op;
  return made;
}

Expr* Builder::unary(UnaryOp op, Expr* a, SourceRange at) {
  Expr* made = expr(Expr::Unary, at);
  made->unary = op, made->a = a;
  return made;
}

Expr* Builder::binary(BinaryOp op, Expr* a, Expr* b, SourceRange at) {
  Expr* made = expr(Expr::Binary, at);
  made->binary = op, made->a = a, made->b = b;
  return made;
}

Expr* Builder::assign(Expr* to, Expr* value, SourceRange at) {
  Expr* made = expr(Expr::Assign, at);
  made->a = to, made->b = value;
  return made;
}

Expr* Builder::update(BinaryOp op, Expr* to, Expr* value, SourceRange at) {
  Expr* made = assign(to, value, at);
  made->binary = op, made->has_op = true;
  return made;
}

Expr* Builder::choose(Expr* condition, Expr* yes, Expr* no, SourceRange at) {
  Expr* made = expr(Expr::Conditional, at);
  made->a = condition, made->b = yes, made->c = no;
  return made;
}

Expr* Builder::call(Expr* function, const std::vector<Expr*>& arguments, SourceRange at) {
  Expr* made = expr(Expr::Call, at);
  made->a = function, made->args = keep(arguments);
  return made;
}

Expr* Builder::call(std::string_view function, const std::vector<Expr*>& arguments, SourceRange at) {
  return call(name(function, at), arguments, at);
}

Expr* Builder::index(Expr* array, Expr* place, SourceRange at) {
  Expr* made = expr(Expr::Index, at);
  made->a = array, made->b = place;
  return made;
}

Expr* Builder::index(Expr* array, const std::vector<Expr*>& places, SourceRange at) {
  Expr* made = index(array, places.empty() ? nullptr : places[0], at);
  if (places.size() > 1)
    made->args = keep(std::vector<Expr*>(places.begin() + 1, places.end()));
  return made;
}

Expr* Builder::member(Expr* of, std::string_view name, SourceRange at) {
  Expr* made = named(Expr::Member, name, at);
  made->a = of;
  return made;
}

Expr* Builder::cast(TypeExpr* to, Expr* value, SourceRange at) {
  Expr* made = expr(Expr::Cast, at);
  made->type = to, made->a = value;
  return made;
}

Expr* Builder::construct(TypeExpr* type, const std::vector<Expr*>& arguments, SourceRange at) {
  Expr* made = expr(Expr::Construct, at);
  made->type = type, made->args = keep(arguments);
  return made;
}

Expr* Builder::values(const std::vector<Expr*>& parts, SourceRange at) {
  Expr* made = expr(Expr::InitList, at);
  made->args = keep(parts);
  return made;
}

Expr* Builder::sizeOf(TypeExpr* type, SourceRange at) {
  Expr* made = expr(Expr::SizeofType, at);
  made->type = type;
  return made;
}

Expr* Builder::release(Expr::Alloc where, Expr* pointer, SourceRange at) {
  Expr* made = expr(Expr::Delete, at);
  made->alloc = where, made->a = pointer;
  return made;
}

// Its name is one that no text can spell.
Expr* Builder::lambda(const std::vector<Param>& parameters, Stmt* body, const std::vector<std::string_view>& copies,
                      SourceRange at) {
  Expr* made = named(Expr::Lambda, "lambda#" + std::to_string(lambdas_.size()), at);
  made->has_op = true;
  std::vector<Expr*> names;
  for (std::string_view copy : copies)
    names.push_back(name(copy, at));
  made->args = keep(names);
  lambdas_.push_back(function(automatic(at), made->name, parameters, body, at));
  lambdas_.back()->is_inline = true, lambdas_.back()->family = ast::Family::Lambda;
  return made;
}

Expr* Builder::allocate(Expr::Alloc where, TypeExpr* of, Expr* count, SourceRange at) {
  Expr* made = expr(Expr::New, at);
  made->alloc = where, made->type = of, made->a = count;
  return made;
}

Expr* Builder::allocate(Expr::Alloc where, TypeExpr* of, const std::vector<Expr*>& extents, SourceRange at) {
  Expr* made = allocate(where, of, extents.empty() ? nullptr : extents[0], at);
  if (extents.size() > 1)
    made->args = keep(std::vector<Expr*>(extents.begin() + 1, extents.end()));
  return made;
}

// ---- statements -----------------------------------------------------------------------------------------------------

Stmt* Builder::expression(Expr* e) {
  Stmt* made = stmt(Stmt::ExprStmt, e ? e->range : SourceRange{});
  made->expr = e;
  return made;
}

Stmt* Builder::declare(TypeExpr* type, std::string_view name, Expr* value, SourceRange at) {
  Stmt* made = stmt(Stmt::Decl, at);
  Declarator declarator = field(type, name, at);
  declarator.init = value;
  made->decls = keep<Declarator>({declarator});
  made->is_const = type && isConst(*type);
  return made;
}

Stmt* Builder::reference(TypeExpr* type, std::string_view name, Expr* place, SourceRange at) {
  Stmt* made = declare(type, name, place, at);
  made->decls[0].by_reference = true;
  return made;
}

Stmt* Builder::shared(TypeExpr* type, std::string_view name, SourceRange at) {
  Stmt* made = declare(type, name, nullptr, at);
  made->decls[0].is_shared = true;
  return made;
}

Stmt* Builder::block(const std::vector<Stmt*>& statements, SourceRange at) {
  Stmt* made = stmt(Stmt::Block, at);
  made->stmts = keep(statements);
  return made;
}

Stmt* Builder::branch(Expr* condition, Stmt* yes, Stmt* no, SourceRange at) {
  Stmt* made = stmt(Stmt::If, at);
  made->expr = condition, made->body = yes, made->otherwise = no;
  return made;
}

Stmt* Builder::loop(Stmt* init, Expr* condition, Expr* step, Stmt* body, SourceRange at) {
  Stmt* made = stmt(Stmt::For, at);
  made->init = init, made->expr = condition, made->step = step, made->body = body;
  return made;
}

Stmt* Builder::loopWhile(Expr* condition, Stmt* body, SourceRange at) {
  Stmt* made = stmt(Stmt::While, at);
  made->expr = condition, made->body = body;
  return made;
}

Stmt* Builder::doWhile(Stmt* body, Expr* condition, SourceRange at) {
  Stmt* made = stmt(Stmt::Do, at);
  made->body = body, made->expr = condition;
  return made;
}

Stmt* Builder::unrolled(Stmt* loop, Expr* count) {
  if (loop)
    loop->unrolled = true, loop->count = count;
  return loop;
}

Stmt* Builder::wavefront(Stmt* loop) {
  if (loop)
    loop->is_wavefront = true;
  return loop;
}

Stmt* Builder::switchOn(Expr* value, const std::vector<Stmt*>& statements, SourceRange at) {
  Stmt* made = stmt(Stmt::Switch, at);
  made->expr = value, made->body = block(statements, at);
  return made;
}

Stmt* Builder::caseOf(Expr* value, SourceRange at) {
  Stmt* made = stmt(Stmt::Case, at);
  made->expr = value;
  return made;
}

Stmt* Builder::otherwise(SourceRange at) {
  return stmt(Stmt::Default, at);
}

Stmt* Builder::leave(SourceRange at) {
  return stmt(Stmt::Break, at);
}

Stmt* Builder::next(SourceRange at) {
  return stmt(Stmt::Continue, at);
}

Stmt* Builder::giveBack(Expr* value, SourceRange at) {
  Stmt* made = stmt(Stmt::Return, at);
  made->expr = value;
  return made;
}

Stmt* Builder::spawn(Expr* size, Stmt* body, SourceRange at, Expr* block, Expr* width) {
  return spawn(std::vector<Expr*>{size}, body, at, block, width);
}

Stmt* Builder::spawn(const std::vector<Expr*>& extents, Stmt* body, SourceRange at, Expr* block, Expr* width) {
  Stmt* made = stmt(Stmt::Spawn, at);
  made->expr = extents.empty() ? nullptr : extents.front(), made->body = body;
  made->count = block, made->step = width;
  if (extents.size() > 1)
    made->extents = keep(std::vector<Expr*>(extents.begin() + 1, extents.end()));
  return made;
}

Stmt* Builder::partition(Stmt* spawn) {
  if (spawn)
    spawn->is_partition = true;
  return spawn;
}

Stmt* Builder::barrier(SourceRange at, bool reassigned) {
  Stmt* made = stmt(Stmt::Barrier, at);
  made->reassigned = reassigned;
  return made;
}

Stmt* Builder::require(const std::vector<Stmt*>& statements, SourceRange at) {
  Stmt* made = stmt(Stmt::Require, at);
  made->body = block(statements, at);
  return made;
}

Stmt* Builder::par(const std::vector<Stmt*>& arms, SourceRange at) {
  Stmt* made = stmt(Stmt::Par, at);
  made->body = block(arms, at);
  return made;
}

} // namespace bsgp::ast
