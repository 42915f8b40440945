// Statements of C: blocks, branches, loops, switch, return, declarations.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
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

// Nothing is reached behind the return of an arm that is taken by a constant condition: like an arm that is not taken, it
// is not looked at.
void Body::stmts(std::span<ast::Stmt*> list, std::vector<Stmt*>& out) {
  std::vector<Stmt*> of_outer = std::exchange(kept_, {}); // its condition, or the extents of a spawn
  for (ast::Stmt* s : list) {
    Stmt* made = stmt(s);
    declareKept(out);
    if (made)
      out.push_back(made);
    if (made && s->kind == ast::Stmt::If && returns(*made))
      break;
  }
  kept_ = std::move(of_outer);
}

// Without braces and a scope; null: it does nothing.
Stmt* Body::alone(const ast::Stmt* s) {
  ast::Stmt* written = const_cast<ast::Stmt*>(s);
  std::vector<Stmt*> list;
  stmts(std::span(&written, 1), list);
  return list.size() > 1 ? behind(list, nullptr) : list.empty() ? nullptr : list[0];
}

// What an expression of the statement keeps is declared in front of it.
void Body::declareKept(std::vector<Stmt*>& out) {
  out.insert(out.end(), kept_.begin(), kept_.end());
  kept_.clear();
}

Stmt* Body::stmt(const ast::Stmt* s) {
  switch (s->kind) {
  case ast::Stmt::Empty:
    return nullptr;
  case ast::Stmt::ExprStmt:
    return exprStmt(s);
  case ast::Stmt::Decl:
    return declaration(s);
  case ast::Stmt::Block:
    return block(s);
  case ast::Stmt::If:
    return ifStmt(s);
  case ast::Stmt::For:
  case ast::Stmt::While:
  case ast::Stmt::Do:
    return isWrittenOut(s) ? writtenOut(s) : loop(s);
  case ast::Stmt::Switch:
    return switchStmt(s);
  case ast::Stmt::Case:
  case ast::Stmt::Default:
    return nullptr; // outside of a switch: the parser said so
  case ast::Stmt::Break:
  case ast::Stmt::Continue: {
    bool is_break = s->kind == ast::Stmt::Break;
    if (!loops_ && !(is_break && switches_)) {
      sema_.diag.report(in_round_     ? Diag::leaves_round
                        : in_require_ ? Diag::leaves_require
                        : in_par_     ? Diag::leaves_par
                                      : Diag::break_outside_loop,
                        s->range, is_break ? "break" : "continue");
      return nullptr;
    }
    return sema_.make(is_break ? Stmt::Break : Stmt::Continue, s->range);
  }
  case ast::Stmt::Return:
    return returnStmt(s);
  case ast::Stmt::Spawn:
    return spawn(s);
  case ast::Stmt::Barrier:
    return barrier(s);
  case ast::Stmt::Require:
    return require(s);
  case ast::Stmt::Par:
    return par(s);
  case ast::Stmt::Asm:
    return inlineAssembly(s);
  }
  return nullptr;
}

Stmt* Body::wrap(Expr* e) {
  Stmt* made = sema_.make(Stmt::Expr, e->range);
  made->expr = e;
  return made;
}

Stmt* Body::block(const ast::Stmt* s, const char* scope) {
  pushScope();
  std::vector<Stmt*> list;
  stmts(s->stmts, list);
  popScope(scope);
  Stmt* made = sema_.make(Stmt::Block, s->range);
  made->stmts = sema_.keep(list);
  return made;
}

// Under a constant condition there is no control flow: the arm that is taken stands in the if's place, and the other
// one is not looked at, for it may make sense on another target alone.
Stmt* Body::ifStmt(const ast::Stmt* s) {
  Stmt* made = sema_.make(Stmt::If, s->range);
  made->expr = condition(s->expr);
  if (std::optional<bool> known = constantCondition(made->expr)) {
    const ast::Stmt* taken = *known ? s->body : s->otherwise;
    return taken ? stmt(taken) : nullptr;
  }
  enclosing_.push_back(
      {made->expr, s->expr->range, Construct::If, nullptr, false, made, in_par_, isHostFlow(s, *made), partedBy(s)});
  enclosing_.back().written = s->expr;
  made->body = stmt(s->body);
  enclosing_.back().negated = true;
  made->otherwise = s->otherwise ? stmt(s->otherwise) : nullptr;
  enclosing_.pop_back();
  return made->expr->type->isError() ? nullptr : made;
}

// for (i = 0, j = 5; ...) where nothing is named i or j: the loop's own.
Stmt* Body::head(const ast::Expr* e, std::vector<std::string_view>& names) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma) {
    Stmt* both = sema_.make(Stmt::Sequence, e->range);
    std::vector<Stmt*> parts;
    for (const ast::Expr* part : {e->a, e->b})
      if (Stmt* made = head(part, names))
        parts.push_back(made);
    both->stmts = sema_.keep(parts);
    return both;
  }
  bool assigns = e->kind == ast::Expr::Assign && !e->has_op && e->a->kind == ast::Expr::Name;
  if (assigns && find(e->a->name).kind == Symbol::None)
    names.push_back(e->a->name);
  ast::Stmt part{};
  part.kind = ast::Stmt::ExprStmt, part.range = e->range, part.expr = const_cast<ast::Expr*>(e);
  return stmt(&part);
}

void Body::endHead(std::string_view name) {
  auto& stack = names_[name];
  if (stack.empty()) // its first value was wrong
    return;
  const Variable* variable = stack.back().second.variable;
  stack.pop_back();
  visible_.erase(std::find(visible_.rbegin(), visible_.rend(), name).base() - 1);
  ended_[name] = {variable, kLoop};
  if (ended_heads_.try_emplace(name, variable).second)
    heads_.push_back({name, variable, marks_.size()});
}

// An assignment makes a variable of a name that was a loop's. Once that variable lived on behind the loop: of another type
// it would have been converted to that one. Device code could not assign to the host's but values of the host.
void Body::checkHeadType(std::string_view name, const Expr* value, const Type* type, SourceRange range) {
  auto ended = ended_heads_.find(name);
  if (ended == ended_heads_.end())
    return;
  const Variable* head = ended->second;
  bool was_free = onDevice() && head->side == Side::Host && !isHostValued(value);
  if (was_free || type->isError() || head->type->isError() || sema_.sameType(type, head->type))
    return;
  sema_.diag.report(Diag::loop_name_type, range, name, typeName(head->type), typeName(type));
  sema_.diag.report(Diag::note_declared, head->range, name);
}

uint32_t Body::unrollCount(const ast::Stmt* s) {
  if (!s->count)
    return kUnrollAll;
  ConstValue value;
  Expr* count = rvalue(s->count);
  if (count->type->isError())
    return 0;
  bool fine = Sema::constantValue(count, value) && count->type->isInt() && value.integer >= 1 && value.integer <= 1024;
  if (!fine)
    sema_.diag.report(Diag::bad_unroll, s->count->range);
  return fine ? static_cast<uint32_t>(value.integer) : 0;
}

Stmt* Body::loop(const ast::Stmt* s) {
  Stmt* made = sema_.make(Stmt::Loop, s->range);
  warned_of_copies_ &= inLoop();
  made->test_last = s->kind == ast::Stmt::Do;
  made->unroll = s->unrolled ? unrollCount(s) : 0;
  bool scoped = s->init && s->init->kind == ast::Stmt::Decl;
  std::vector<std::string_view> heads;
  if (scoped)
    pushScope();
  if (s->init && s->init->kind == ast::Stmt::ExprStmt)
    made->init = head(s->init->expr, heads);
  else
    made->init = s->init ? stmt(s->init) : nullptr;
  bool before = s->expr && !made->test_last;
  // No collective in the condition either: it runs each time round.
  enclosing_.push_back({number(1, types_.bool_, s->range), s->expr ? s->expr->range : s->range,
                        s->kind == ast::Stmt::For     ? Construct::For
                        : s->kind == ast::Stmt::While ? Construct::While
                                                      : Construct::Do,
                        made, false, made, in_par_, isHostFlow(s, *made), partedBy(s)});
  enclosing_.back().tests = true;
  if (before)
    made->expr = condition(s->expr);
  enclosing_.back().tests = false;
  bool never = before && constantCondition(made->expr) == false; // its body is not looked at
  if (!never)
    loopBody(s, made);
  enclosing_.pop_back();
  if (scoped)
    popScope(kLoop);
  for (; !heads.empty(); heads.pop_back())
    endHead(heads.back());
  bool broken = (made->expr && made->expr->type->isError()) || (made->step && made->step->type->isError());
  return broken ? nullptr : never ? made->init : made;
}

void Body::loopBody(const ast::Stmt* s, Stmt* made) {
  ++loops_;
  unsigned outer_switches = std::exchange(switches_, 0);
  made->body = stmt(s->body);
  switches_ = outer_switches;
  --loops_;
  enclosing_.back().tests = true;
  if (s->expr && made->test_last)
    made->expr = condition(s->expr);
  if (s->step)
    made->step = step(s->step);
}

Stmt* Body::switchStmt(const ast::Stmt* s) {
  Expr* value = rvalue(s->expr);
  if (value->type->isError())
    return nullptr;
  if (!value->type->isInt() && !value->type->isBool()) {
    sema_.diag.report(Diag::bad_switch, s->expr->range, typeName(value->type));
    return nullptr;
  }
  Stmt* made = sema_.make(Stmt::Switch, s->range);
  made->expr = cast(value, sema_.promoted(value->type));
  std::vector<SwitchCase> cases;
  std::vector<Stmt*> list;
  std::set<int64_t> seen;
  bool has_default = false;
  enclosing_.push_back({made->expr, s->expr->range, Construct::Switch, nullptr, false, made, in_par_,
                        isHostFlow(s, *made), partedBy(s)});
  ++switches_;
  pushScope();
  for (const ast::Stmt* inner : s->body->stmts) {
    if (inner->kind == ast::Stmt::Default) {
      if (has_default)
        sema_.diag.report(Diag::duplicate_case, inner->range, "default");
      has_default = true;
      cases.push_back({0, true, static_cast<uint32_t>(list.size())});
      continue;
    }
    if (inner->kind != ast::Stmt::Case) {
      if (Stmt* one = stmt(inner))
        list.push_back(one);
      continue;
    }
    ConstValue label;
    Expr* e = rvalue(inner->expr);
    if (e->type->isError())
      continue;
    if (e->type->isScalar() && !e->type->isFloat()) // as in C: what two labels become may be one number
      e = cast(e, made->expr->type);
    if (!Sema::constantValue(e, label) || e->type->isFloat())
      sema_.diag.report(Diag::not_constant, inner->expr->range, "a case label");
    else if (!seen.insert(label.integer).second)
      sema_.diag.report(Diag::duplicate_case, inner->range, label.integer);
    cases.push_back({label.integer, false, static_cast<uint32_t>(list.size())});
  }
  popScope("the switch");
  --switches_;
  enclosing_.pop_back();
  made->cases = sema_.keep(cases);
  made->stmts = sema_.keep(list);
  return made;
}

// A function that returns nothing, by what is written in front of it or by its first return, returns a value here.
void Body::rejectReturnedValue(SourceRange range) {
  const ast::Function* node = sema_.declarationOf(fn_);
  bool written = node && node->result;
  sema_.diag.report(Diag::return_from_void, range, fn_.name,
                    deduce_result_ ? "let all its returns give a value, or none"
                    : written      ? "write the type of the value in place of 'void'"
                                   : "write the type before the name, or 'auto'");
  if (return_without_value_.valid())
    sema_.diag.report(Diag::note_return_nothing, return_without_value_);
  fn_.result = types_.error; // said once, and not at its calls
}

Expr* Body::returned(const ast::Expr* value) {
  if (value->kind != ast::Expr::InitList || !fn_.result)
    return decay(expr(value));
  if (onDevice() && fn_.side == Side::Host)
    return fail(Diag::return_value_in_spawn, value->range);
  if (!fn_.result->isVoid())
    return fn_.result->isError() ? error(value->range) : initializer(value, fn_.result);
  rejectReturnedValue(value->range);
  return error(value->range);
}

Stmt* Body::returnStmt(const ast::Stmt* s) {
  Stmt* made = sema_.make(Stmt::Return, s->range);
  if (in_require_) {
    sema_.diag.report(Diag::return_in_require, s->range);
    return nullptr;
  }
  if (!fn_.result_used && !(onDevice() && fn_.side == Side::Host))
    unused_ = s->expr;
  if (in_par_) {
    sema_.diag.report(Diag::leaves_par, s->range, "return");
    return nullptr;
  }
  Expr* value = nullptr; // before the return counts: it may call a collective
  if (s->expr)
    value = returned(s->expr);
  if (onDevice()) {
    returns_.push_back(s->range);
    returned_alone_ |= std::none_of(enclosing_.begin(), enclosing_.end(), [](const Enclosing& e) { return e.by_text; });
  }
  bool in_thread = onDevice() && fn_.side == Side::Host; // directly in a spawn: ends the thread
  if (!s->expr) {
    if (gives_status_ && !in_thread)
      made->expr = number(0, types_.i32, s->range);
    else if (!in_thread && fn_.result && !fn_.result->isVoid() && !fn_.result->isError())
      sema_.diag.report(Diag::return_without_value, s->range, fn_.name, typeName(fn_.result));
    if (!in_thread && deduce_result_ && !fn_.result)
      fn_.result = types_.void_, return_without_value_ = s->range;
    return made;
  }
  bool converted = fn_.result && (fn_.result->space || fn_.result->isError());
  if (value->type->holds_lists && onDevice() && !converted)
    value = listOnDevice(value, "this return value");
  if (value->type->isError() && deduce_result_ && !fn_.result)
    fn_.result = types_.error;
  if (value->type->isError())
    return nullptr;
  if (in_thread) {
    sema_.diag.report(Diag::return_value_in_spawn, s->range);
    return nullptr;
  }
  if (deduce_result_ && !fn_.result) {
    fn_.result = value->type->kind == TypeKind::Null ? types_.pointer(types_.void_, types_.freshCell()) : value->type;
    return_without_value_ = value->type->isVoid() ? s->range : SourceRange{};
  }
  if (fn_.result->isVoid()) {
    if (value->type->isVoid()) { // return f(); of a void f
      Stmt* both = sema_.make(Stmt::Sequence, s->range);
      both->stmts = sema_.keep<Stmt*>({wrap(value), made});
      return both;
    }
    rejectReturnedValue(s->range);
    return nullptr;
  }
  if (value->kind == Expr::AddrOf || value->kind == Expr::Decay)
    if (const Variable* root = rootVariable(value->a); root && root->kind == Variable::Local && !root->by_reference)
      sema_.diag.report(Diag::returns_local_address, s->range);
  made->expr = convert(value, fn_.result, "this return value");
  return made->expr->type->isError() ? nullptr : made;
}

Variable* Body::local(std::string_view name, const Type* type, SourceRange range, Side side) {
  auto* v = sema_.arena.make<Variable>(name, type, range);
  v->side = side;
  if (side == Side::Host)
    fn_.locals.push_back(v);
  Symbol symbol;
  symbol.kind = Symbol::Variable, symbol.variable = v, symbol.type = type;
  bind(name, symbol);
  return v;
}

Stmt* Body::declaration(const ast::Stmt* s) {
  std::vector<Stmt*> list;
  for (const ast::Declarator& d : s->decls)
    if (Stmt* made = declare(d, s))
      list.push_back(made);
  if (list.size() == 1)
    return list[0];
  Stmt* made = sema_.make(Stmt::Sequence, s->range);
  made->stmts = sema_.keep(list);
  return made;
}

void Body::rejectRedefinition(const ast::Declarator& d) {
  auto it = names_.find(d.name);
  if (it == names_.end() || it->second.empty() || it->second.back().first != marks_.size() ||
      !it->second.back().second.variable)
    return;
  const Variable* before = it->second.back().second.variable;
  if (before->type->isError()) // an unknown name that was used above
    return;
  sema_.diag.report(Diag::variable_redefined, d.range, d.name);
  sema_.diag.report(Diag::note_declared, before->range, d.name);
}

Stmt* Body::declare(const ast::Declarator& d, const ast::Stmt* s) {
  if (d.is_shared)
    return declareShared(d);
  if (d.by_reference)
    if (auto made = reference(d))
      return *made;
  Expr* init = nullptr;
  const Type* type = nullptr;
  if (d.type->kind == ast::TypeExpr::Auto) {
    if (!d.init) {
      sema_.diag.report(Diag::auto_without_value, d.range, d.name);
    } else {
      init = rvalue(d.init);
      type = init->type;
    }
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count && d.init &&
             (d.init->kind == ast::Expr::InitList || d.init->kind == ast::Expr::StringLit)) {
    uint64_t count = d.init->kind == ast::Expr::StringLit ? d.init->name.size() + 1 : d.init->args.size();
    const Type* element = sema_.resolve(d.type->inner, this);
    type = element->isError() || !count ? types_.error : types_.array(element, count);
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count) {
    sema_.diag.report(Diag::bad_array_size, d.range, kAllocated);
  } else if (d.init && d.type->kind != ast::TypeExpr::Array && isPartlyOpen({d.name, d.range, d.type})) {
    sema_.diag.report(Diag::auto_here, d.type->range,
                      fmt::format("write auto {}: it takes the type of the value", d.name));
  } else {
    type = sema_.resolve(d.type, this);
  }
  if (type && (type->isVoid() || type->kind == TypeKind::Null)) {
    sema_.diag.report(Diag::bad_variable_type, d.range, d.name, typeName(type));
    type = nullptr;
  }
  if (type && type->holds_lists && onDevice()) {
    sema_.diag.report(Diag::dlist_on_device, d.range, d.name, typeWithArticle(type));
    type = nullptr;
  }
  rejectRedefinition(d);
  if (!type || type->isError()) {
    if (d.init && !init)
      d.init->kind == ast::Expr::InitList ? nullptr : rvalue(d.init);
    local(d.name, types_.error, d.range);
    return nullptr;
  }
  if (d.init && !init)
    init = initializer(d.init, type);
  else if (!d.init && sema_.givesValues(type))
    init = zero(type, d.range);
  bool on_host = becomesHost(&d, type, init);
  Variable* v = local(d.name, type, d.range, on_host ? Side::Host : side_);
  v->is_const = sema_.isConst(d.type);
  fn_.uses_temps |= type->holds_lists;
  ConstValue value;
  if (v->is_const && init && type->isScalar() && Sema::constantValue(init, value))
    v->constants.push_back(value);
  if (init && init->type->isError()) {
    v->type = types_.error;
    return nullptr;
  }
  if (on_host)
    return declareOnHost(v, init, d.range);
  Stmt* made = sema_.make(Stmt::Decl, d.range);
  made->variable = v, made->expr = init;
  return made;
}

Stmt* Body::exprStmt(const ast::Stmt* s) {
  const ast::Expr* e = s->expr;
  if (e->kind == ast::Expr::Assign && e->a->kind == ast::Expr::Thread && e->a->name == "oldrank")
    return oldRank(e);
  if (e->kind == ast::Expr::Call && e->a->kind == ast::Expr::Thread && e->a->name == "put")
    return put(e, s->range);
  if (e->kind == ast::Expr::Assign && !e->has_op && e->a->kind == ast::Expr::Name &&
      find(e->a->name).kind == Symbol::None)
    return implicitLocal(e, s->range);
  if (Expr* target = nullptr; onDevice() && assignsToHost(e, target))
    return assignToHost(e, target, s->range);
  else if (target && target->type->isError()) {
    e->b ? expr(e->b) : nullptr; // for its own mistakes
    return nullptr;
  }
  unused_ = e;
  Expr* value = expr(e);
  if (value->type->holds_lists && onDevice())
    value = listOnDevice(value, "this statement");
  if (warns())
    warnOfNoEffect(*value, sema_);
  return value->type->isError() ? nullptr : wrap(decay(value));
}

// i = 1, i += 2, i++ of a host variable, which becomes `target`.
bool Body::assignsToHost(const ast::Expr* e, Expr*& target) {
  if (e->kind != ast::Expr::Assign && !isCount(e))
    return false;
  const ast::Expr* place = e->a;
  while (place->kind == ast::Expr::Member || place->kind == ast::Expr::Index)
    place = place->a;
  Symbol named = place->kind == ast::Expr::Name ? find(place->name) : Symbol();
  bool may_be = named.kind != Symbol::None && !(named.kind == Symbol::Variable && named.variable &&
                                                named.variable->side == Side::Device && !named.variable->by_reference);
  if (!may_be)
    return false;
  target = assignedPlace(e->a);
  const Variable* root = target->type->isError() ? nullptr : rootVariable(target);
  return root && root->side == Side::Host && root->kind != Variable::Shared && !isConst(target);
}

// Of a loop: what it assigns to host variables, the host does.
Expr* Body::step(const ast::Expr* e) {
  if (e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::Comma && onDevice()) {
    Expr* both = sema_.make(Expr::Comma, types_.void_, e->range);
    both->a = step(e->a), both->b = step(e->b), both->type = both->b->type;
    return both->a->type->isError() ? both->a : both;
  }
  Expr* target = nullptr;
  if (!onDevice() || !assignsToHost(e, target)) {
    Expr* value = decay(expr(e));
    if (warns())
      warnOfNoEffect(*value, sema_);
    return value;
  }
  Stmt* made = assignToHost(e, target, e->range);
  return made ? made->expr : error(e->range);
}

HostWrite Body::hostWrite(const ast::Expr* e) const {
  HostWrite write{e};
  size_t parting = 0;
  for (const Enclosing& around : enclosing_)
    if (!isHosts(around)) {
      ++parting;
      write.construct = around.construct;
      bool holds = around.written && !around.negated && parting == 1;
      write.condition = holds ? around.written : nullptr;
    }
  return write;
}

// Device code assigns to a host variable, by =, op= or ++: the host does it.
Stmt* Body::assignToHost(const ast::Expr* e, Expr* target, SourceRange range) {
  const Variable* root = rootVariable(target);
  bool counts = isCount(e);
  Expr* value = counts ? number(1, types_.i32, e->range) : e->has_op ? decay(expr(e->b)) : assigned(e->b, target->type);
  if (value->type->isError())
    return nullptr;
  NotOfHost reason;
  bool one_place = isHostValued(target, &reason);
  if (!one_place || !isHostValued(value, &reason)) {
    const SourceManager& sources = sema_.diag.sources();
    sema_.diag.report(Diag::host_variable_written, range, root->name,
                      one_place ? reductionFor(hostWrite(e), sources)
                                : deviceMemoryFor(hostWrite(e), *target, sources));
    sema_.diag.report(Diag::note_why, reason.where, reason.why);
    return nullptr;
  }
  std::string help = counts || e->has_op ? reductionFor(hostWrite(e), sema_.diag.sources()) : "";
  if (counts && enclosing_.empty() && in_spawn_ && !alone_ && warns())
    sema_.warnings.report(Diag::counted_once, range, root->name, sourceText(target->range));
  std::vector<std::string> instead;
  if (!counts && !e->has_op)
    instead = {"ask for all threads: if (reduce(rop_or, {0})) {1} = {2}", sourceText(e->a->range),
               sourceText(e->b->range)};
  placeCollective("an assignment to a host variable", range, std::move(instead), std::move(help));
  bool down = counts && (e->unary == ast::UnaryOp::PreDec || e->unary == ast::UnaryOp::PostDec);
  if (counts || e->has_op)
    value = binaryOn(!counts ? e->binary
                     : down  ? ast::BinaryOp::Sub
                             : ast::BinaryOp::Add,
                     sema_.copyOf(target), value, e->range);
  if (!checkAssignable(target->type, e->range))
    return nullptr;
  Expr* made = sema_.make(Expr::Assign, target->type, e->range);
  made->a = target, made->b = convert(value, target->type, "this assignment");
  return made->b->type->isError() ? nullptr : hostAssign(made);
}

Stmt* Body::implicitLocal(const ast::Expr* assign, SourceRange range) {
  std::string_view name = assign->a->name;
  Expr* value =
      assign->b->kind == ast::Expr::InitList ? fail(Diag::init_list_here, assign->b->range) : rvalue(assign->b);
  const Type* type = value->type;
  if (type->kind == TypeKind::Null) {
    sema_.diag.report(Diag::null_implicit, assign->range, name);
    type = types_.error;
  }
  if (type->holds_lists && onDevice())
    type = listOnDevice(value, "this assignment")->type;
  fn_.uses_temps |= type->holds_lists;
  bool is_slip = warnNearMiss(name, assign->a->range);
  if (type->isInt() && !type->enum_name.empty())
    type = types_.i32;
  checkHeadType(name, value, type, assign->a->range);
  bool on_host = becomesHost(assign, type, value);
  Variable* v = local(name, type, assign->a->range, on_host ? Side::Host : side_);
  v->by_assignment = true;
  if (!is_slip)
    sema_.implicit_locals.insert(assign->a->range.begin);
  if (type->isError())
    return nullptr;
  if (on_host)
    return declareOnHost(v, value, range);
  Stmt* made = sema_.make(Stmt::Decl, range);
  made->variable = v, made->expr = value;
  return made;
}

} // namespace bsgp::sema
