// A thread's own control flow. What it calls that is collective only gets and puts: the bodies take the place of the
// calls, where these stand.
#include "expand/flattener.h"
#include "expand/visit.h"
#include "support/check.h"

namespace bsgp::expand {

// The statement, and before it what its calls became. Requires join the superstep: what they read, no thread changes.
Stmt* Flattener::inThread(Stmt* s) {
  if (!s || !hasCollective(s))
    return s;
  Steps own(1);
  Steps* outer = std::exchange(steps_, &own);
  threadFlow(s);
  steps_ = outer;
  BSGP_CHECK(own.size() == 1, "a thread's own control flow has %zu supersteps", own.size());
  FlatSuperstep &from = own.front(), &to = steps_->back();
  std::vector<Stmt*> list;
  for (FlatItem& item : from.items) {
    if (item.require)
      to.items.push_back(item);
    else
      list.push_back(item.stmt);
  }
  to.freed_scopes.insert(to.freed_scopes.end(), from.freed_scopes.begin(), from.freed_scopes.end());
  return nodes_.sequence(list, s->range);
}

// A loop's condition has no calls of that kind.
void Flattener::threadFlow(Stmt* s) {
  switch (s->kind) {
  case Stmt::Block:
  case Stmt::Sequence:
  case Stmt::Switch:
    for (Stmt*& inner : s->stmts)
      inner = inThread(inner);
    break;
  case Stmt::Loop:
    if (hasCollective(s->init)) {
      add(inThread(s->init));
      s->init = nullptr;
    }
    break;
  case Stmt::If:
  case Stmt::Return:
  case Stmt::Break:
  case Stmt::Continue:
    break;
  default:
    return statement(s);
  }
  if (s->kind != Stmt::Loop)
    s->expr = hoist(s->expr);
  s->body = inThread(s->body), s->otherwise = inThread(s->otherwise);
  add(s);
}

} // namespace bsgp::expand
