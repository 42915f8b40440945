#include "sema/host_values.h"

#include <algorithm>
#include <unordered_map>

#include "sema/sema.h"

namespace bsgp::sema {

namespace {

struct Local {
  bool declared = false, barred = false; // barred: changed as only a thread can, or where not all threads come by
  std::vector<Stmt*> assigned;
  std::vector<const Stmt*> around; // control flow around its assignments
};

struct Walk {
  const HostQuestion& question;
  std::unordered_map<const Variable*, Local> locals;
  std::vector<const Variable*> order;
  std::vector<const Expr*> returned;
  bool returns_alone = false; // a thread does, by itself
  std::vector<const Stmt*> around{};
  std::unordered_map<const Stmt*, std::vector<const Stmt*>>
      left{};           // loops, and what stands around jumps that leave them
  bool all_come = true; // to the place that is looked at

  void bar(const Expr* place) {
    if (const Variable* root = place ? rootVariable(place) : nullptr)
      locals[root].barred = true;
  }

  void assigned(const Variable* v, Stmt* by) {
    Local& local = locals[v];
    local.barred |= !all_come;
    local.assigned.push_back(by);
    local.around.insert(local.around.end(), around.begin(), around.end());
  }

  // An expression that is a statement, or the step of a loop.
  void whole(const Expr* e, Stmt* of) {
    const Variable* root = e && isAssignment(*e) ? rootVariable(e->a) : nullptr;
    if (!root)
      return expression(e);
    assigned(root, of);
    expression(e->b);
    for (const Expr* at = e->a; at->kind != Expr::Var; at = at->a)
      expression(at->b);
  }

  void expression(const Expr* e) {
    if (!e)
      return;
    if (isAssignment(*e) || e->kind == Expr::AddrOf || e->kind == Expr::Decay)
      bar(e->a);
    if (e->kind == Expr::Get)
      bar(e->b);
    for (size_t i = 0; e->kind == Expr::Call && i < std::min(e->args.size(), e->function->params.size()); ++i)
      if (e->function->params[i]->by_reference)
        bar(e->args[i]);
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::Asm)
      for (const Expr* arg : e->args)
        bar(arg);
    expression(e->a), expression(e->b), expression(e->c);
    for (const Expr* arg : e->args)
      if (arg != e->a)
        expression(arg);
  }

  void statements(std::span<Stmt* const> list) {
    for (Stmt* s : list)
      statement(s);
  }

  // Looks at the parts of a statement that stand under its condition.
  template <class F> void inside(const Stmt* s, const F& look) {
    bool outer = all_come;
    all_come &= question.flow.contains(s);
    around.push_back(s);
    look();
    around.pop_back();
    all_come = outer;
  }

  // With a break, a continue or a return: if not all threads take it, they part.
  void jump(const Stmt* s) {
    for (size_t i = around.size(); i-- > 0;) {
      bool target = around[i]->kind == Stmt::Loop || (around[i]->kind == Stmt::Switch && s->kind == Stmt::Break);
      if (s->kind == Stmt::Return || target)
        left[around[i]].insert(left[around[i]].end(), around.begin() + ptrdiff_t(i), around.end());
      if (target && s->kind != Stmt::Return)
        return;
    }
  }

  void statement(Stmt* s) {
    if (!s)
      return;
    switch (s->kind) {
    case Stmt::Decl:
      if (std::exchange(locals[s->variable].declared, true))
        locals[s->variable].barred = true;
      order.push_back(s->variable);
      assigned(s->variable, s);
      return expression(s->expr);
    case Stmt::Expr:
      return whole(s->expr, s);
    case Stmt::If:
    case Stmt::Loop:
    case Stmt::Switch:
      statement(s->init);
      return inside(s, [&] {
        expression(s->expr), statement(s->body), statement(s->otherwise), statements(s->stmts);
        whole(s->step, s);
      });
    case Stmt::Return:
      returned.push_back(s->expr);
      returns_alone |= !all_come;
      jump(s);
      return expression(s->expr);
    case Stmt::Break:
    case Stmt::Continue:
      return jump(s);
    case Stmt::Put:
      bar(s->target);
      return expression(s->expr), expression(s->value);
    case Stmt::Par: // its arms hold no control flow of the host, and share none of its variables
      return inside(s, [&] { statements(s->stmts); });
    case Stmt::Require:
      return;
    case Stmt::HostAssign:
      return expression(s->expr->b);
    default:
      expression(s->expr);
      return statements(s->stmts);
    }
  }
};

bool isNumber(const Type* type) {
  return type->isScalar() || type->isVector();
}

// Does the host know the value that the statement gives a variable?
bool isGivenByHost(const Stmt& s) {
  if (s.kind == Stmt::Decl)
    return isHostValued(s.expr);
  const Expr& e = s.kind == Stmt::Loop ? *s.step : *s.expr;
  bool place = true; // its indices
  for (const Expr* at = e.a; at->kind != Expr::Var; at = at->a)
    place &= isHostValued(at->b);
  return place && isHostValued(e.b);
}

bool isGivenByHost(const Walk& walk, const Local& local) {
  auto known = [](const Stmt* s) { return isHostValued(s->expr); };
  auto runs = [&](const Stmt* s) {
    auto left = walk.left.find(s);
    return known(s) && (left == walk.left.end() || std::all_of(left->second.begin(), left->second.end(), known));
  };
  return std::all_of(local.assigned.begin(), local.assigned.end(), [](const Stmt* s) { return isGivenByHost(*s); }) &&
         std::all_of(local.around.begin(), local.around.end(), runs);
}

template <class F> void eachVariable(const Expr* e, const F& visit) {
  if (!e)
    return;
  if (e->kind == Expr::Var)
    visit(e->variable);
  eachVariable(e->a, visit), eachVariable(e->b, visit), eachVariable(e->c, visit);
  for (const Expr* arg : e->args)
    eachVariable(arg, visit);
}

} // namespace

std::vector<FoundLocal> takeHostLocals(Stmt* body, const HostQuestion& question) {
  Walk walk{question, {}, {}, {}};
  walk.statement(body);
  std::vector<Variable*> may_be; // the host's
  for (const Variable* v : walk.order)
    if (const Local& local = walk.locals[v];
        !local.barred && v->side == Side::Device && v->kind == Variable::Local && isNumber(v->type))
      may_be.push_back(const_cast<Variable*>(v));
  for (Variable* v : may_be)
    v->side = Side::Host;
  for (bool more = true; more;)
    more = std::erase_if(may_be, [&](Variable* v) {
      bool given = isGivenByHost(walk, walk.locals[v]);
      v->side = given ? Side::Host : Side::Device;
      return !given;
    });
  std::vector<const Expr*> needed;
  for (const Expr* e : question.needed)
    if (isHostValued(e))
      needed.push_back(e);
  bool all_returned =
      question.results && !walk.returns_alone &&
      std::all_of(walk.returned.begin(), walk.returned.end(), [](const Expr* e) { return isHostValued(e); });
  if (all_returned)
    needed.insert(needed.end(), walk.returned.begin(), walk.returned.end());
  std::unordered_set<const Variable*> given(may_be.begin(), may_be.end()), wanted;
  while (!needed.empty()) {
    const Expr* e = needed.back();
    needed.pop_back();
    eachVariable(e, [&](const Variable* v) {
      if (!given.contains(v) || !wanted.insert(v).second)
        return;
      for (const Stmt* s : walk.locals[v].assigned)
        needed.push_back(s->kind == Stmt::Loop ? s->step : s->expr);
      for (const Stmt* s : walk.locals[v].around)
        needed.push_back(s->expr);
    });
  }
  std::vector<FoundLocal> found;
  for (Variable* v : may_be) {
    v->side = wanted.contains(v) ? Side::Host : Side::Device;
    if (wanted.contains(v))
      found.push_back({v, walk.locals[v].assigned});
  }
  return found;
}

} // namespace bsgp::sema
