// Statements that are the same on both sides. Loops and switches stand in loops.cpp.
#include "irgen/emitter.h"
#include "support/check.h"

namespace bsgp::irgen {

void Emitter::stmts(std::span<Stmt* const> list) {
  for (const Stmt* s : list)
    stmt(s);
}

void Emitter::stmt(const Stmt* s) {
  if (!s || !live())
    return;
  size_t lists = temporaryLists();
  // Debuggers show the statement where an expression has no place of its own; checks report places of expressions alone.
  PositionScope at(*this, m.debug() && !m.options.checked ? s->range : SourceRange());
  plainStmt(s);
  endStatement(lists);
}

void Emitter::plainStmt(const Stmt* s) {
  switch (s->kind) {
  case Stmt::Expr:
    if (s->expr && isLarge(s->expr->type))
      inMemory(s->expr);
    else if (s->expr)
      value(s->expr);
    return;
  case Stmt::Decl:
    return declaration(s);
  case Stmt::Block:
    openScope();
    stmts(s->stmts);
    return closeScope();
  case Stmt::Sequence:
    return stmts(s->stmts);
  case Stmt::If:
    return ifStmt(s);
  case Stmt::Loop:
    return loop(s);
  case Stmt::Switch:
    return switchStmt(s);
  case Stmt::Break:
    return leave(targets_.back(), targets_.back().to_break);
  case Stmt::Continue: {
    auto target = targets_.rbegin();
    while (!target->to_continue)
      ++target;
    return leave(*target, target->to_continue);
  }
  case Stmt::Return:
    return returnFrom(s);
  default:
    return special(s);
  }
}

void Emitter::declaration(const Stmt* s) {
  if (!s->expr) {
    declare(s->variable);
    return;
  }
  // The value comes before the variable exists: it cannot mean itself.
  bool list = s->expr->kind == Expr::Construct && s->variable->type->isArray();
  if (isLarge(s->variable->type) && !list) {
    Place initial = inMemory(s->expr);
    return copy(declare(s->variable), initial);
  }
  begin(s->variable, value(s->expr));
}

void Emitter::begin(const Variable* v, const Leaves& value) {
  store(declare(v), value);
}

void Emitter::ifStmt(const Stmt* s) {
  llvm::BasicBlock *then = newBlock("then"), *otherwise = newBlock("else"), *end = newBlock("end");
  ++branches_;
  branch(s->expr, then, s->otherwise ? otherwise : end);
  auto arm = [&](llvm::BasicBlock* block, const Stmt* body) {
    enter(block);
    openScope();
    stmt(body);
    closeScope();
    jump(end);
  };
  arm(then, s->body);
  if (s->otherwise)
    arm(otherwise, s->otherwise);
  else
    delete otherwise;
  --branches_;
  enter(end);
}

void Emitter::leave(const Target& target, llvm::BasicBlock* block) {
  endLifetimes(target.scopes);
  jump(block);
}

} // namespace bsgp::irgen
