// thread.get of a variable right behind a call of the library that changes it, as scan does: it gets the value of before, for
// the barrier that the call has stands in front of the change.
#include <unordered_map>

#include "expand/flattener.h"
#include "expand/visit.h"

namespace bsgp::expand {

namespace {

using Changes = std::unordered_map<const Variable*, SourceRange>; // by which call of the library, in this superstep

const Variable* rootOf(const Expr* place) {
  while (place && place->kind != Expr::Var)
    place = place->a;
  return place ? place->variable : nullptr;
}

// The name in front of the parenthesis: scan of scan(+, x)
std::string_view nameOf(SourceRange call, const SourceManager& sources) {
  std::string_view text = sources.text(call);
  return text.substr(0, text.find_first_of("( \n"));
}

// A value that the program assigns itself is no longer the call's.
void take(const FlatItem& item, Changes& changes) {
  visitExprs(item.stmt, [&](Expr* e) {
    const Variable* root = isAssignment(*e) ? rootOf(e->a) : nullptr;
    if (root && item.called_at.valid())
      changes[root] = item.called_at;
    else if (root)
      changes.erase(root);
    return true;
  });
}

} // namespace

void warnOfGetsBehindChanges(FlatSpawn& spawn, Diagnostics& diag) {
  for (FlatSuperstep& step : spawn.supersteps) {
    if (step.reassigned)
      continue; // warnOfOldRanks
    Changes changes;
    for (const FlatItem& item : step.items) {
      if (!item.called_at.valid())
        visitExprs(item.stmt, [&](Expr* e) {
          auto change = e->kind == Expr::Get ? changes.find(rootOf(e->b)) : changes.end();
          if (change != changes.end())
            diag.report(Diag::get_behind_change, e->range, nameOf(change->second, diag.sources()), change->first->name);
          return true;
        });
      take(item, changes);
    }
  }
}

} // namespace bsgp::expand
