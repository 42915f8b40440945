// Addresses of a host function's variables in places that last longer than the call: global = &a; s.p = &a of a parameter s.
//
// A place that gets another value further down is silent, and so is main, whose variables last as long as the program.
#include <algorithm>
#include <vector>

#include "sema/sema.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

const Expr* withoutCasts(const Expr* e) {
  while (e->kind == Expr::Cast && e->type->isPointer())
    e = e->a;
  return e;
}

// The variable of the function whose address a value is; null: it is none.
const Variable* addressed(const Expr* value) {
  const Expr* address = withoutCasts(value);
  bool is_address = address->kind == Expr::AddrOf || address->kind == Expr::Decay;
  const Variable* root = is_address ? rootVariable(address->a) : nullptr;
  return root && root->kind == Variable::Local && root->side == Side::Host && !root->by_reference ? root : nullptr;
}

bool isAssigned(const Variable* pointer, const Function& function) {
  bool found = false;
  forEachExprIn(function.body, [&](const Expr* e) {
    found |= (isAssignment(*e) || e->kind == Expr::AddrOf) && e->a->kind == Expr::Var && e->a->variable == pointer;
  });
  return found;
}

// Does the place last longer than the call? A place behind a pointer does if the pointer is a parameter or a global one.
bool outlives(const Expr& place, const Function& function) {
  const Expr* at = &place;
  bool behind_pointer = false;
  while (at->kind != Expr::Var) {
    if (at->kind != Expr::Field && at->kind != Expr::Index && at->kind != Expr::Deref)
      return false;
    behind_pointer |= at->kind == Expr::Deref || at->a->type->isPointer();
    at = at->a;
  }
  bool is_parameter = std::ranges::find(function.params, at->variable) != function.params.end();
  return at->variable->kind == Variable::Global || at->variable->by_reference ||
         (behind_pointer && is_parameter && !isAssigned(at->variable, function));
}

} // namespace

void warnOfKeptAddresses(const Function& function, Diagnostics& diagnostics) {
  if (function.side != Side::Host || function.name == "main")
    return;
  auto text = [&](const Expr* e) { return diagnostics.sources().text(e->range); };
  std::vector<const Expr*> kept;
  forEachExprIn(function.body, [&](const Expr* e) {
    if (e->kind != Expr::Assign || !e->range.valid())
      return;
    std::erase_if(kept, [&](const Expr* before) { return text(before->a) == text(e->a); });
    if (e->a->type->isPointer() && addressed(e->b) && outlives(*e->a, function))
      kept.push_back(e);
  });
  for (const Expr* e : kept) {
    const Variable* variable = addressed(e->b);
    diagnostics.report(Diag::local_address_kept, e->range, text(e->a), variable->name);
    diagnostics.report(Diag::note_declared, variable->range, variable->name);
  }
}

} // namespace bsgp::sema
