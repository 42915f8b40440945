#include "sema/stmt_control.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/asm.h"
#include "sema/block.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_assign.h"
#include "sema/expr_calls.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/field_values.h"
#include "sema/host_flow.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/references.h"
#include "sema/resolve_type.h"
#include "sema/rounds.h"
#include "sema/stmt_parallel.h"
#include "sema/suggest.h"
#include "sema/tree_walk.h"
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
static Stmt* ifStmt(Body& body, const ast::Stmt* s);
static Stmt* loop(Body& body, const ast::Stmt* s);
static void loopBody(Body& body, const ast::Stmt* s, Stmt* made);
static Stmt* switchStmt(Body& body, const ast::Stmt* s);
static Stmt* returnStmt(Body& body, const ast::Stmt* s);
static Stmt* declaration(Body& body, const ast::Stmt* s);
static Stmt* declare(Body& body, const ast::Declarator& d, const ast::Stmt* s);
static Stmt* exprStmt(Body& body, const ast::Stmt* s);
static bool assignsToHost(Body& body, const ast::Expr* e, Expr*& target);
static Expr* step(Body& body, const ast::Expr* e);
static Stmt* assignToHost(Body& body, const ast::Expr* e, Expr* target, SourceRange range);
static Stmt* implicitLocal(Body& body, const ast::Expr* assign, SourceRange range);

// Nothing is reached behind the return of an arm that is taken by a constant condition: like an arm that is not taken, it
// is not looked at.
void stmts(Body& body, std::span<ast::Stmt*> list, std::vector<Stmt*>& out) {
  std::vector<Stmt*> of_outer = std::exchange(body.kept, {}); // its condition, or the extents of a spawn
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

// Without braces and a scope; null: it does nothing.
Stmt* alone(Body& body, const ast::Stmt* s) {
  ast::Stmt* written = const_cast<ast::Stmt*>(s);
  std::vector<Stmt*> list;
  stmts(body, std::span(&written, 1), list);
  return list.size() > 1 ? behind(body, list, nullptr) : list.empty() ? nullptr : list[0];
}

// What an expression of the statement keeps is declared in front of it.
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
    return nullptr; // outside of a switch: the parser said so
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

// Under a constant condition there is no control flow: the arm that is taken stands in the if's place, and the other
// one is not looked at, for it may make sense on another target alone.
static Stmt* ifStmt(Body& body, const ast::Stmt* s) {
  Stmt* made = body.sema.nodes.make(Stmt::If, s->range);
  made->expr = condition(body, s->expr);
  if (std::optional<bool> known = constantCondition(made->expr)) {
    const ast::Stmt* taken = *known ? s->body : s->otherwise;
    return taken ? stmt(body, taken) : nullptr;
  }
  body.flow.enclosing.push_back({made->expr, s->expr->range, Construct::If, nullptr, false, made, body.mode.in_par,
                                 isHostFlow(body, s, *made), partedBy(body, s)});
  body.flow.enclosing.back().written = s->expr;
  made->body = stmt(body, s->body);
  body.flow.enclosing.back().negated = true;
  made->otherwise = s->otherwise ? stmt(body, s->otherwise) : nullptr;
  body.flow.enclosing.pop_back();
  return made->expr->type->isError() ? nullptr : made;
}

// for (i = 0, j = 5; ...) where nothing is named i or j: the loop's own.
static Stmt* head(Body& body, const ast::Expr* e, std::vector<std::string_view>& names) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma) {
    Stmt* both = body.sema.nodes.make(Stmt::Sequence, e->range);
    std::vector<Stmt*> parts;
    for (const ast::Expr* part : {e->a, e->b})
      if (Stmt* made = head(body, part, names))
        parts.push_back(made);
    both->stmts = body.sema.nodes.keep(parts);
    return both;
  }
  bool assigns = e->kind == ast::Expr::Assign && !e->has_op && e->a->kind == ast::Expr::Name;
  if (assigns && find(body, e->a->name).kind == Symbol::None)
    names.push_back(e->a->name);
  ast::Stmt part{};
  part.kind = ast::Stmt::ExprStmt, part.range = e->range, part.expr = const_cast<ast::Expr*>(e);
  return stmt(body, &part);
}

static void endHead(Body& body, std::string_view name) {
  auto& stack = body.names.symbols[name];
  if (stack.empty()) // its first value was wrong
    return;
  const Variable* variable = stack.back().second.variable;
  stack.pop_back();
  body.names.visible.erase(std::find(body.names.visible.rbegin(), body.names.visible.rend(), name).base() - 1);
  body.names.ended[name] = {variable, kLoop};
  if (body.names.ended_heads.try_emplace(name, variable).second)
    body.names.heads.push_back({name, variable, body.names.marks.size()});
}

// An assignment makes a variable of a name that was a loop's. Once that variable lived on behind the loop: of another type
// it would have been converted to that one. Device code could not assign to the host's but values of the host.
static void checkHeadType(Body& body, std::string_view name, const Expr* value, const Type* type, SourceRange range) {
  auto ended = body.names.ended_heads.find(name);
  if (ended == body.names.ended_heads.end())
    return;
  const Variable* head = ended->second;
  bool was_free = onDevice(body) && head->side == Side::Host && !isHostValued(value);
  if (was_free || type->isError() || head->type->isError() || sameType(body.sema, type, head->type))
    return;
  body.sema.diag.report(Diag::loop_name_type, range, name, typeName(head->type), typeName(type));
  body.sema.diag.report(Diag::note_declared, head->range, name);
}

static uint32_t unrollCount(Body& body, const ast::Stmt* s) {
  if (!s->count)
    return kUnrollAll;
  ConstValue value;
  Expr* count = rvalue(body, s->count);
  if (count->type->isError())
    return 0;
  bool fine = constantValue(count, value) && count->type->isInt() && value.integer >= 1 && value.integer <= 1024;
  if (!fine)
    body.sema.diag.report(Diag::bad_unroll, s->count->range);
  return fine ? static_cast<uint32_t>(value.integer) : 0;
}

static Stmt* loop(Body& body, const ast::Stmt* s) {
  Stmt* made = body.sema.nodes.make(Stmt::Loop, s->range);
  body.mode.warned_of_copies &= inLoop(body);
  made->test_last = s->kind == ast::Stmt::Do;
  made->unroll = s->unrolled ? unrollCount(body, s) : 0;
  bool scoped = s->init && s->init->kind == ast::Stmt::Decl;
  std::vector<std::string_view> heads;
  if (scoped)
    pushScope(body);
  if (s->init && s->init->kind == ast::Stmt::ExprStmt)
    made->init = head(body, s->init->expr, heads);
  else
    made->init = s->init ? stmt(body, s->init) : nullptr;
  bool before = s->expr && !made->test_last;
  // No collective in the condition either: it runs each time round.
  body.flow.enclosing.push_back({number(body, 1, body.sema.types.bool_, s->range), s->expr ? s->expr->range : s->range,
                                 s->kind == ast::Stmt::For     ? Construct::For
                                 : s->kind == ast::Stmt::While ? Construct::While
                                                               : Construct::Do,
                                 made, false, made, body.mode.in_par, isHostFlow(body, s, *made), partedBy(body, s)});
  body.flow.enclosing.back().tests = true;
  if (before)
    made->expr = condition(body, s->expr);
  body.flow.enclosing.back().tests = false;
  bool never = before && constantCondition(made->expr) == false; // its body is not looked at
  if (!never)
    loopBody(body, s, made);
  body.flow.enclosing.pop_back();
  if (scoped)
    popScope(body, kLoop);
  for (; !heads.empty(); heads.pop_back())
    endHead(body, heads.back());
  bool broken = (made->expr && made->expr->type->isError()) || (made->step && made->step->type->isError());
  return broken ? nullptr : never ? made->init : made;
}

static void loopBody(Body& body, const ast::Stmt* s, Stmt* made) {
  ++body.mode.loops;
  unsigned outer_switches = std::exchange(body.mode.switches, 0);
  made->body = stmt(body, s->body);
  body.mode.switches = outer_switches;
  --body.mode.loops;
  body.flow.enclosing.back().tests = true;
  if (s->expr && made->test_last)
    made->expr = condition(body, s->expr);
  if (s->step)
    made->step = step(body, s->step);
}

static Stmt* switchStmt(Body& body, const ast::Stmt* s) {
  Expr* value = rvalue(body, s->expr);
  if (value->type->isError())
    return nullptr;
  if (!value->type->isInt() && !value->type->isBool()) {
    body.sema.diag.report(Diag::bad_switch, s->expr->range, typeName(value->type));
    return nullptr;
  }
  Stmt* made = body.sema.nodes.make(Stmt::Switch, s->range);
  made->expr = cast(body, value, promoted(body.sema, value->type));
  std::vector<SwitchCase> cases;
  std::vector<Stmt*> list;
  std::set<int64_t> seen;
  bool has_default = false;
  body.flow.enclosing.push_back({made->expr, s->expr->range, Construct::Switch, nullptr, false, made, body.mode.in_par,
                                 isHostFlow(body, s, *made), partedBy(body, s)});
  ++body.mode.switches;
  pushScope(body);
  for (const ast::Stmt* inner : s->body->stmts) {
    if (inner->kind == ast::Stmt::Default) {
      if (has_default)
        body.sema.diag.report(Diag::duplicate_case, inner->range, "default");
      has_default = true;
      cases.push_back({0, true, static_cast<uint32_t>(list.size())});
      continue;
    }
    if (inner->kind != ast::Stmt::Case) {
      if (Stmt* one = stmt(body, inner))
        list.push_back(one);
      continue;
    }
    ConstValue label;
    Expr* e = rvalue(body, inner->expr);
    if (e->type->isError())
      continue;
    if (e->type->isScalar() && !e->type->isFloat()) // as in C: what two labels become may be one number
      e = cast(body, e, made->expr->type);
    if (!constantValue(e, label) || e->type->isFloat())
      body.sema.diag.report(Diag::not_constant, inner->expr->range, "a case label");
    else if (!seen.insert(label.integer).second)
      body.sema.diag.report(Diag::duplicate_case, inner->range, label.integer);
    cases.push_back({label.integer, false, static_cast<uint32_t>(list.size())});
  }
  popScope(body, "the switch");
  --body.mode.switches;
  body.flow.enclosing.pop_back();
  made->cases = body.sema.nodes.keep(cases);
  made->stmts = body.sema.nodes.keep(list);
  return made;
}

// A function that returns nothing, by what is written in front of it or by its first return, returns a value here.
static void rejectReturnedValue(Body& body, SourceRange range) {
  const ast::Function* node = declarationOf(body.sema, body.function);
  bool written = node && node->result;
  body.sema.diag.report(Diag::return_from_void, range, body.function.name,
                        body.result.deduced ? "let all its returns give a value, or none"
                        : written           ? "write the type of the value in place of 'void'"
                                            : "write the type before the name, or 'auto'");
  if (body.result.return_without_value.valid())
    body.sema.diag.report(Diag::note_return_nothing, body.result.return_without_value);
  body.function.result = body.sema.types.error; // said once, and not at its calls
}

static Expr* returned(Body& body, const ast::Expr* value) {
  if (value->kind != ast::Expr::InitList || !body.function.result)
    return decay(body, expr(body, value));
  if (onDevice(body) && body.function.side == Side::Host)
    return fail(body, Diag::return_value_in_spawn, value->range);
  if (!body.function.result->isVoid())
    return body.function.result->isError() ? error(body, value->range) : initializer(body, value, body.function.result);
  rejectReturnedValue(body, value->range);
  return error(body, value->range);
}

static Stmt* returnStmt(Body& body, const ast::Stmt* s) {
  Stmt* made = body.sema.nodes.make(Stmt::Return, s->range);
  if (body.mode.in_require) {
    body.sema.diag.report(Diag::return_in_require, s->range);
    return nullptr;
  }
  if (!body.function.result_used && !(onDevice(body) && body.function.side == Side::Host))
    body.mode.unused = s->expr;
  if (body.mode.in_par) {
    body.sema.diag.report(Diag::leaves_par, s->range, "return");
    return nullptr;
  }
  Expr* value = nullptr; // before the return counts: it may call a collective
  if (s->expr)
    value = returned(body, s->expr);
  if (onDevice(body)) {
    body.flow.returns.push_back(s->range);
    body.flow.returned_alone |= std::none_of(body.flow.enclosing.begin(), body.flow.enclosing.end(),
                                             [](const Enclosing& e) { return e.by_text; });
  }
  bool in_thread = onDevice(body) && body.function.side == Side::Host; // directly in a spawn: ends the thread
  if (!s->expr) {
    if (body.result.is_status && !in_thread)
      made->expr = number(body, 0, body.sema.types.i32, s->range);
    else if (!in_thread && body.function.result && !body.function.result->isVoid() && !body.function.result->isError())
      body.sema.diag.report(Diag::return_without_value, s->range, body.function.name, typeName(body.function.result));
    if (!in_thread && body.result.deduced && !body.function.result)
      body.function.result = body.sema.types.void_, body.result.return_without_value = s->range;
    return made;
  }
  bool converted = body.function.result && (body.function.result->space || body.function.result->isError());
  if (value->type->holds_lists && onDevice(body) && !converted)
    value = listOnDevice(body, value, "this return value");
  if (value->type->isError() && body.result.deduced && !body.function.result)
    body.function.result = body.sema.types.error;
  if (value->type->isError())
    return nullptr;
  if (in_thread) {
    body.sema.diag.report(Diag::return_value_in_spawn, s->range);
    return nullptr;
  }
  if (body.result.deduced && !body.function.result) {
    body.function.result = value->type->kind == TypeKind::Null
                               ? body.sema.types.pointer(body.sema.types.void_, body.sema.types.freshCell())
                               : value->type;
    body.result.return_without_value = value->type->isVoid() ? s->range : SourceRange{};
  }
  if (body.function.result->isVoid()) {
    if (value->type->isVoid()) { // return f(); of a void f
      Stmt* both = body.sema.nodes.make(Stmt::Sequence, s->range);
      both->stmts = body.sema.nodes.keep<Stmt*>({wrap(body, value), made});
      return both;
    }
    rejectReturnedValue(body, s->range);
    return nullptr;
  }
  if (value->kind == Expr::AddrOf || value->kind == Expr::Decay)
    if (const Variable* root = rootVariable(value->a); root && root->kind == Variable::Local && !root->by_reference)
      body.sema.diag.report(Diag::returns_local_address, s->range);
  made->expr = convert(body, value, body.function.result, "this return value");
  return made->expr->type->isError() ? nullptr : made;
}

Variable* local(Body& body, std::string_view name, const Type* type, SourceRange range, Side side) {
  auto* v = body.sema.arena.make<Variable>(name, type, range);
  v->side = side;
  if (side == Side::Host)
    body.function.locals.push_back(v);
  Symbol symbol;
  symbol.kind = Symbol::Variable, symbol.variable = v, symbol.type = type;
  bind(body, name, symbol);
  return v;
}

static Stmt* declaration(Body& body, const ast::Stmt* s) {
  std::vector<Stmt*> list;
  for (const ast::Declarator& d : s->decls)
    if (Stmt* made = declare(body, d, s))
      list.push_back(made);
  if (list.size() == 1)
    return list[0];
  Stmt* made = body.sema.nodes.make(Stmt::Sequence, s->range);
  made->stmts = body.sema.nodes.keep(list);
  return made;
}

void rejectRedefinition(Body& body, const ast::Declarator& d) {
  auto it = body.names.symbols.find(d.name);
  if (it == body.names.symbols.end() || it->second.empty() || it->second.back().first != body.names.marks.size() ||
      !it->second.back().second.variable)
    return;
  const Variable* before = it->second.back().second.variable;
  if (before->type->isError()) // an unknown name that was used above
    return;
  body.sema.diag.report(Diag::variable_redefined, d.range, d.name);
  body.sema.diag.report(Diag::note_declared, before->range, d.name);
}

static Stmt* declare(Body& body, const ast::Declarator& d, const ast::Stmt* s) {
  if (d.is_shared)
    return declareShared(body, d);
  if (d.by_reference)
    if (auto made = reference(body, d))
      return *made;
  Expr* init = nullptr;
  const Type* type = nullptr;
  if (d.type->kind == ast::TypeExpr::Auto) {
    if (!d.init) {
      body.sema.diag.report(Diag::auto_without_value, d.range, d.name);
    } else {
      init = rvalue(body, d.init);
      type = init->type;
    }
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count && d.init &&
             (d.init->kind == ast::Expr::InitList || d.init->kind == ast::Expr::StringLit)) {
    uint64_t count = d.init->kind == ast::Expr::StringLit ? d.init->name.size() + 1 : d.init->args.size();
    const Type* element = resolve(body.sema, d.type->inner, &body);
    type = element->isError() || !count ? body.sema.types.error : body.sema.types.array(element, count);
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count) {
    body.sema.diag.report(Diag::bad_array_size, d.range, kAllocated);
  } else if (d.init && d.type->kind != ast::TypeExpr::Array && isPartlyOpen({d.name, d.range, d.type})) {
    body.sema.diag.report(Diag::auto_here, d.type->range,
                          fmt::format("write auto {}: it takes the type of the value", d.name));
  } else {
    type = resolve(body.sema, d.type, &body);
  }
  if (type && (type->isVoid() || type->kind == TypeKind::Null)) {
    body.sema.diag.report(Diag::bad_variable_type, d.range, d.name, typeName(type));
    type = nullptr;
  }
  if (type && type->holds_lists && onDevice(body)) {
    body.sema.diag.report(Diag::dlist_on_device, d.range, d.name, typeWithArticle(type));
    type = nullptr;
  }
  rejectRedefinition(body, d);
  if (!type || type->isError()) {
    if (d.init && !init)
      d.init->kind == ast::Expr::InitList ? nullptr : rvalue(body, d.init);
    local(body, d.name, body.sema.types.error, d.range);
    return nullptr;
  }
  if (d.init && !init)
    init = initializer(body, d.init, type);
  else if (!d.init && givesValues(body.sema, type))
    init = zero(body, type, d.range);
  bool on_host = becomesHost(body, &d, type, init);
  Variable* v = local(body, d.name, type, d.range, on_host ? Side::Host : body.mode.side);
  v->is_const = isConst(body.sema, d.type);
  body.function.uses_temps |= type->holds_lists;
  ConstValue value;
  if (v->is_const && init && type->isScalar() && constantValue(init, value))
    v->constants.push_back(value);
  if (init && init->type->isError()) {
    v->type = body.sema.types.error;
    return nullptr;
  }
  if (on_host)
    return declareOnHost(body, v, init, d.range);
  Stmt* made = body.sema.nodes.make(Stmt::Decl, d.range);
  made->variable = v, made->expr = init;
  return made;
}

static Stmt* exprStmt(Body& body, const ast::Stmt* s) {
  const ast::Expr* e = s->expr;
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
    e->b ? expr(body, e->b) : nullptr; // for its own mistakes
    return nullptr;
  }
  body.mode.unused = e;
  Expr* value = expr(body, e);
  if (value->type->holds_lists && onDevice(body))
    value = listOnDevice(body, value, "this statement");
  if (warns(body))
    warnOfNoEffect(*value, body.sema);
  return value->type->isError() ? nullptr : wrap(body, decay(body, value));
}

// i = 1, i += 2, i++ of a host variable, which becomes `target`.
static bool assignsToHost(Body& body, const ast::Expr* e, Expr*& target) {
  if (e->kind != ast::Expr::Assign && !isCount(e))
    return false;
  const ast::Expr* place = e->a;
  while (place->kind == ast::Expr::Member || place->kind == ast::Expr::Index)
    place = place->a;
  Symbol named = place->kind == ast::Expr::Name ? find(body, place->name) : Symbol();
  bool may_be = named.kind != Symbol::None && !(named.kind == Symbol::Variable && named.variable &&
                                                named.variable->side == Side::Device && !named.variable->by_reference);
  if (!may_be)
    return false;
  target = assignedPlace(body, e->a);
  const Variable* root = target->type->isError() ? nullptr : rootVariable(target);
  return root && root->side == Side::Host && root->kind != Variable::Shared && !isConst(target);
}

// Of a loop: what it assigns to host variables, the host does.
static Expr* step(Body& body, const ast::Expr* e) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma && onDevice(body)) {
    Expr* both = body.sema.nodes.make(Expr::Comma, body.sema.types.void_, e->range);
    both->a = step(body, e->a), both->b = step(body, e->b), both->type = both->b->type;
    return both->a->type->isError() ? both->a : both;
  }
  Expr* target = nullptr;
  if (!onDevice(body) || !assignsToHost(body, e, target)) {
    Expr* value = decay(body, expr(body, e));
    if (warns(body))
      warnOfNoEffect(*value, body.sema);
    return value;
  }
  Stmt* made = assignToHost(body, e, target, e->range);
  return made ? made->expr : error(body, e->range);
}

static HostWrite hostWrite(const Body& body, const ast::Expr* e) {
  HostWrite write{e};
  size_t parting = 0;
  for (const Enclosing& around : body.flow.enclosing)
    if (!isHosts(body, around)) {
      ++parting;
      write.construct = around.construct;
      bool holds = around.written && !around.negated && parting == 1;
      write.condition = holds ? around.written : nullptr;
    }
  return write;
}

// Device code assigns to a host variable, by =, op= or ++: the host does it.
static Stmt* assignToHost(Body& body, const ast::Expr* e, Expr* target, SourceRange range) {
  const Variable* root = rootVariable(target);
  bool counts = isCount(e);
  Expr* value = counts      ? number(body, 1, body.sema.types.i32, e->range)
                : e->has_op ? decay(body, expr(body, e->b))
                            : assigned(body, e->b, target->type);
  if (value->type->isError())
    return nullptr;
  NotOfHost reason;
  bool one_place = isHostValued(target, &reason);
  if (!one_place || !isHostValued(value, &reason)) {
    const SourceManager& sources = body.sema.diag.sources();
    body.sema.diag.report(Diag::host_variable_written, range, root->name,
                          one_place ? reductionFor(hostWrite(body, e), sources)
                                    : deviceMemoryFor(hostWrite(body, e), *target, sources));
    body.sema.diag.report(Diag::note_why, reason.where, reason.why);
    return nullptr;
  }
  std::string help = counts || e->has_op ? reductionFor(hostWrite(body, e), body.sema.diag.sources()) : "";
  if (counts && body.flow.enclosing.empty() && body.mode.in_spawn && !body.mode.alone && warns(body))
    body.sema.warnings.report(Diag::counted_once, range, root->name, sourceText(body, target->range));
  std::vector<std::string> instead;
  if (!counts && !e->has_op)
    instead = {"ask for all threads: if (reduce(rop_or, {0})) {1} = {2}", sourceText(body, e->a->range),
               sourceText(body, e->b->range)};
  placeCollective(body, "an assignment to a host variable", range, std::move(instead), std::move(help));
  bool down = counts && (e->unary == ast::UnaryOp::PreDec || e->unary == ast::UnaryOp::PostDec);
  if (counts || e->has_op)
    value = binaryOn(body,
                     !counts ? e->binary
                     : down  ? ast::BinaryOp::Sub
                             : ast::BinaryOp::Add,
                     body.sema.nodes.copyOf(target), value, e->range);
  if (!checkAssignable(body, target->type, e->range))
    return nullptr;
  Expr* made = body.sema.nodes.make(Expr::Assign, target->type, e->range);
  made->a = target, made->b = convert(body, value, target->type, "this assignment");
  return made->b->type->isError() ? nullptr : hostAssign(body, made);
}

static Stmt* implicitLocal(Body& body, const ast::Expr* assign, SourceRange range) {
  std::string_view name = assign->a->name;
  Expr* value = assign->b->kind == ast::Expr::InitList ? fail(body, Diag::init_list_here, assign->b->range)
                                                       : rvalue(body, assign->b);
  const Type* type = value->type;
  if (type->kind == TypeKind::Null) {
    body.sema.diag.report(Diag::null_implicit, assign->range, name);
    type = body.sema.types.error;
  }
  if (type->holds_lists && onDevice(body))
    type = listOnDevice(body, value, "this assignment")->type;
  body.function.uses_temps |= type->holds_lists;
  bool is_slip = warnNearMiss(body, name, assign->a->range);
  if (type->isInt() && !type->enum_name.empty())
    type = body.sema.types.i32;
  checkHeadType(body, name, value, type, assign->a->range);
  bool on_host = becomesHost(body, assign, type, value);
  Variable* v = local(body, name, type, assign->a->range, on_host ? Side::Host : body.mode.side);
  v->by_assignment = true;
  if (!is_slip)
    body.sema.names.implicit_locals.insert(assign->a->range.begin);
  if (type->isError())
    return nullptr;
  if (on_host)
    return declareOnHost(body, v, value, range);
  Stmt* made = body.sema.nodes.make(Stmt::Decl, range);
  made->variable = v, made->expr = value;
  return made;
}

} // namespace bsgp::sema
