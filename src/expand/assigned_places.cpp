// Operands are evaluated from left to right. In v[k] = f(k) and x += f(x), a collective f that changes k or x runs in supersteps of its
// own, before the assignment: the place keeps the index, and += the value, that it has before.
#include <unordered_set>

#include "expand/clone.h"
#include "expand/flattener.h"
#include "expand/visit.h"
#include "sema/sema.h"

namespace bsgp::expand {

namespace {

using Variables = std::unordered_set<const Variable*>;

// The variables that collective calls in it take by reference; null: memory.
Variables changedIn(Expr* e) {
  Variables changed;
  visitExpr(e, [&](Expr* at) {
    if (at->kind == Expr::Call && at->function->collective)
      for (size_t i = 0; i < at->function->params.size(); ++i)
        if (const Variable* param = at->function->params[i]; param->by_reference && !param->is_const)
          changed.insert(sema::rootVariable(at->args[i]));
    return true;
  });
  return changed;
}

bool names(Expr* e, const Variables& variables) {
  bool found = false;
  visitExpr(e, [&](Expr* at) {
    bool reads_memory = at->kind == Expr::Deref || (at->kind == Expr::Index && at->a->type->isPointer());
    found |= (at->kind == Expr::Var && variables.count(at->variable)) || (reads_memory && variables.count(nullptr));
    return !found;
  });
  return found;
}

} // namespace

// Evaluates the index and pointer expressions of a place once, here, where `keeps` says so.
Expr* Flattener::stabilize(Expr* place, const std::function<bool(Expr*)>& keeps) {
  auto kept = [&](Expr* e) { return keeps(e) ? keepValue(hoist(e)) : e; };
  switch (place->kind) {
  case Expr::Field:
  case Expr::Swizzle:
    place->a = stabilize(place->a, keeps);
    return place;
  case Expr::Index:
    place->a = place->a->type->isPointer() ? kept(place->a) : stabilize(place->a, keeps);
    place->b = kept(place->b);
    return place;
  case Expr::Deref:
    place->a = kept(place->a);
    return place;
  default:
    return place;
  }
}

// a op= b becomes a = (type)(old op b) where b changes a.
void Flattener::keepAssigned(Expr* e) {
  Variables changed = changedIn(e->b);
  if (changed.empty() || !names(e->a, changed))
    return;
  stabilize(e->a, [&](Expr* part) { return names(part, changed); });
  if (e->kind != Expr::CompoundAssign || !names(e->a, changed))
    return;
  auto typed = [&](Expr::Kind kind, const Type* type, Expr* a) {
    Expr* made = nodes_.make(kind, type, e->range);
    made->a = a, made->strict = e->strict;
    return made;
  };
  Expr* old = keepValue(Cloner(program_, &host_).clone(e->a));
  bool of_pointer = e->a->type->isPointer();
  if (!of_pointer && old->type != e->compute)
    old = typed(Expr::Cast, e->compute, old);
  Expr* value = typed(of_pointer ? Expr::PtrAdd : Expr::Binary, of_pointer ? e->a->type : e->compute, old);
  value->op = e->op, value->b = e->b;
  e->b = value->type == e->a->type ? value : typed(Expr::Cast, e->a->type, value);
  e->kind = Expr::Assign, e->compute = nullptr;
}

} // namespace bsgp::expand
