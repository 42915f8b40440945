// Operands are evaluated from left to right. In v[k] = f(k) and x += f(x), a collective f that changes k or x runs in supersteps of its
// own, before the assignment: the place keeps the index, and += the value, that it has before.
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

// `changed` are those that collectives to the right of the place change.
void Flattener::keepIndices(Expr* place, const Variables& changed) {
  switch (place->kind) {
  case Expr::Field:
  case Expr::Swizzle:
    return keepIndices(place->a, changed);
  case Expr::Index:
    if (!place->a->type->isPointer())
      keepIndices(place->a, changed);
    else if (names(place->a, changed))
      place->a = keepValue(hoist(place->a));
    if (names(place->b, changed))
      place->b = keepValue(hoist(place->b));
    return;
  case Expr::Deref:
    if (names(place->a, changed))
      place->a = keepValue(hoist(place->a));
    return;
  default:
    return;
  }
}

// a op= b becomes a = (type)(old op b) where b changes a.
void Flattener::keepAssigned(Expr* e) {
  Variables changed = changedIn(e->b);
  if (changed.empty() || !names(e->a, changed))
    return;
  keepIndices(e->a, changed);
  if (e->kind != Expr::CompoundAssign || !names(e->a, changed))
    return;
  auto typed = [&](Expr::Kind kind, const Type* type, Expr* a) {
    Expr* made = make(kind, type, e->range);
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
