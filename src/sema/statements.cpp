#include "sema/statements.h"

#include "sema/asm.h"
#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expressions.h"
#include "sema/host_assign.h"
#include "sema/lists.h"
#include "sema/place_text.h"
#include "sema/rounds.h"
#include "sema/scopes.h"
#include "sema/stmt_branch.h"
#include "sema/stmt_declare.h"
#include "sema/stmt_loop.h"
#include "sema/stmt_parallel.h"
#include "sema/stmt_return.h"
#include "sema/tree_walk.h"
#include "sema/views.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

bool returns(const Stmt& s) {
  const Stmt* last = &s;
  while ((last->kind == Stmt::Block || last->kind == Stmt::Sequence) && !last->stmts.empty())
    last = last->stmts.back();
  return last->kind == Stmt::Return;
}

} // namespace

static void declareKept(Body& body, std::vector<Stmt*>& out);
static Stmt* exprStmt(Body& body, const ast::Stmt* s);

// Code behind the return of an arm that a constant condition takes is unreachable: like an arm that is not taken, it
// is not checked.
void stmts(Body& body, std::span<ast::Stmt*> list, std::vector<Stmt*>& out) {
  std::vector<Stmt*> of_outer = std::exchange(body.kept, {}); // those of its condition, or of the extents of a spawn
  for (ast::Stmt* s : list) {
    Stmt* made = stmt(body, s);
    declareKept(body, out);
    if (made)
      out.push_back(made);
    if (made && s->kind == ast::Stmt::If && returns(*made))
      break;
  }
  body.kept = std::move(of_outer);
}

// Checks a statement without braces and a scope; null if it does nothing.
Stmt* alone(Body& body, const ast::Stmt* s) {
  ast::Stmt* written = const_cast<ast::Stmt*>(s);
  std::vector<Stmt*> list;
  stmts(body, std::span(&written, 1), list);
  return list.size() > 1 ? behind(body, list, nullptr) : list.empty() ? nullptr : list[0];
}

// Declares the variables that an expression of the statement needs, in front of it.
static void declareKept(Body& body, std::vector<Stmt*>& out) {
  out.insert(out.end(), body.kept.begin(), body.kept.end());
  body.kept.clear();
}

Stmt* stmt(Body& body, const ast::Stmt* s) {
  switch (s->kind) {
  case ast::Stmt::Empty:
    return nullptr;
  case ast::Stmt::ExprStmt:
    return exprStmt(body, s);
  case ast::Stmt::Decl:
    return declaration(body, s);
  case ast::Stmt::Block:
    return block(body, s);
  case ast::Stmt::If:
    return ifStmt(body, s);
  case ast::Stmt::For:
  case ast::Stmt::While:
  case ast::Stmt::Do:
    return isWrittenOut(body, s) ? writtenOut(body, s) : loop(body, s);
  case ast::Stmt::Switch:
    return switchStmt(body, s);
  case ast::Stmt::Case:
  case ast::Stmt::Default:
    return nullptr; // outside of a switch: the parser reported it
  case ast::Stmt::Break:
  case ast::Stmt::Continue: {
    bool is_break = s->kind == ast::Stmt::Break;
    if (!body.mode.loops && !(is_break && body.mode.switches)) {
      body.sema.diag.report(body.mode.in_round     ? Diag::leaves_round
                            : body.mode.in_require ? Diag::leaves_require
                            : body.mode.in_par     ? Diag::leaves_par
                                                   : Diag::break_outside_loop,
                            s->range, is_break ? "break" : "continue");
      return nullptr;
    }
    return body.sema.nodes.make(is_break ? Stmt::Break : Stmt::Continue, s->range);
  }
  case ast::Stmt::Return:
    return returnStmt(body, s);
  case ast::Stmt::Spawn:
    return spawn(body, s);
  case ast::Stmt::Barrier:
    return barrier(body, s);
  case ast::Stmt::Require:
    return require(body, s);
  case ast::Stmt::Par:
    return par(body, s);
  case ast::Stmt::Asm:
    return inlineAssembly(body, s);
  }
  return nullptr;
}

Stmt* wrap(Body& body, Expr* e) {
  Stmt* made = body.sema.nodes.make(Stmt::Expr, e->range);
  made->expr = e;
  return made;
}

Stmt* block(Body& body, const ast::Stmt* s, const char* scope) {
  pushScope(body);
  std::vector<Stmt*> list;
  stmts(body, s->stmts, list);
  popScope(body, scope);
  Stmt* made = body.sema.nodes.make(Stmt::Block, s->range);
  made->stmts = body.sema.nodes.keep(list);
  return made;
}

// True for i = 0, k++ of variables that exist.
static bool onlyAssigns(Body& body, const ast::Expr* e) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma)
    return onlyAssigns(body, e->a) && onlyAssigns(body, e->b);
  const ast::Expr* root = e->kind == ast::Expr::Assign || isCount(e) ? rootOfPlace(*e->a) : nullptr;
  return root && find(body, root->name).kind != Symbol::None;
}

// Makes the operands of commas statements: each may assign to a host variable.
static Stmt* oneByOne(Body& body, const ast::Expr* e) {
  Stmt* made = body.sema.nodes.make(Stmt::Sequence, e->range);
  std::vector<Stmt*> parts;
  for (const ast::Expr* operand : {e->a, e->b}) {
    ast::Stmt part{};
    part.kind = ast::Stmt::ExprStmt, part.range = operand->range, part.expr = const_cast<ast::Expr*>(operand);
    if (Stmt* one = exprStmt(body, &part))
      parts.push_back(one);
  }
  made->stmts = body.sema.nodes.keep(parts);
  return made;
}

static Stmt* exprStmt(Body& body, const ast::Stmt* s) {
  const ast::Expr* e = s->expr;
  bool commas = e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma;
  if (commas && onDevice(body) && onlyAssigns(body, e))
    return oneByOne(body, e);
  if (e->kind == ast::Expr::Assign && e->a->kind == ast::Expr::Thread && e->a->name == "oldrank")
    return oldRank(body, e);
  if (e->kind == ast::Expr::Call && e->a->kind == ast::Expr::Thread && e->a->name == "put")
    return put(body, e, s->range);
  if (e->kind == ast::Expr::Assign && !e->has_op && e->a->kind == ast::Expr::Name &&
      find(body, e->a->name).kind == Symbol::None)
    return implicitLocal(body, e, s->range);
  if (Expr* target = nullptr; onDevice(body) && assignsToHost(body, e, target))
    return assignToHost(body, e, target, s->range);
  else if (target && target->type->isError()) {
    e->b ? expr(body, e->b) : nullptr; // for its own errors
    return nullptr;
  }
  body.mode.unused = e;
  Expr* value = expr(body, e);
  if (value->type->holds_lists && onDevice(body))
    value = listOnDevice(body, value, "this statement");
  bool waits = body.mode.in_require && value->kind == Expr::BuiltinCall && value->builtin == Builtin::Peek; // for a GPU
  if (warns(body) && !waits)
    warnOfNoEffect(*value, body.sema);
  return value->type->isError() ? nullptr : wrap(body, decay(body, value));
}

} // namespace bsgp::sema
