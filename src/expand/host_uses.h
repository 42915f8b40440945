// Finds the host variables that the arms of a par share.
#pragma once

#include <algorithm>
#include <vector>

#include "expand/visit.h"
#include "sema/sema.h"

namespace bsgp::expand {

// The host variables that an arm of a par reads and writes, each with the first place where it does. A field or an
// element with a constant number is a variable of its own.
class HostUses {
public:
  struct Use {
    const Variable* variable;
    std::vector<uint32_t> path; // fields and elements down to the part that is meant
    SourceRange range;
    bool sameAs(const Use& other) const { return variable == other.variable && path == other.path; }
    bool meets(const Use& other) const {
      size_t common = std::min(path.size(), other.path.size());
      return variable == other.variable &&
             std::equal(path.begin(), path.begin() + ptrdiff_t(common), other.path.begin());
    }
  };

  void add(Stmt* s) {
    visitExprs(s, [&](Expr* e) { return add(e); });
  }
  const std::vector<Use>& writes() const { return writes_; }
  const Use* meeting(const Use& use) const {
    for (const std::vector<Use>* list : {&writes_, &reads_})
      for (const Use& other : *list)
        if (other.meets(use))
          return &other;
    return nullptr;
  }

private:
  // False if the parts have been looked at.
  bool add(Expr* e) {
    bool written =
        isAssignment(*e) || (e->kind == Expr::BuiltinCall && changesDList(e->builtin)) || e->kind == Expr::AddrOf;
    if (written)
      write(e->a);
    if (e->kind == Expr::BuiltinCall && e->builtin == Builtin::DListSwap)
      write(e->b);
    if (e->kind == Expr::Call)
      for (size_t i = 0; i < e->args.size() && i < e->function->params.size(); ++i)
        if (e->function->params[i]->by_reference)
          write(e->args[i]);
    if (!isHostPlace(e))
      return true;
    note(reads_, e);
    for (; e->kind != Expr::Var; e = e->a)
      if (e->kind == Expr::Index)
        visitExpr(e->b, [&](Expr* inner) { return add(inner); });
    return false;
  }

  void write(Expr* place) {
    while (place && !isHostPlace(place))
      place = place->a;
    if (place)
      note(writes_, place);
  }

  static bool isHostPlace(const Expr* e) {
    if (e->kind != Expr::Var && e->kind != Expr::Field && e->kind != Expr::Swizzle && e->kind != Expr::Index)
      return false;
    const Variable* root = sema::rootVariable(e);
    return root && root->side == Side::Host && root->kind != Variable::Constant;
  }

  static void note(std::vector<Use>& list, const Expr* place) {
    Use use{sema::rootVariable(place), {}, place->range};
    for (const Expr* at = place; at->kind != Expr::Var; at = at->a) {
      bool one = at->kind == Expr::Field || (at->kind == Expr::Swizzle && at->lane_count == 1) ||
                 (at->kind == Expr::Index && at->b->kind == Expr::Constant);
      if (!one) // any of the parts: what is named further in says no more
        use.path.clear();
      else
        use.path.push_back(at->kind == Expr::Field     ? at->index
                           : at->kind == Expr::Swizzle ? at->lanes[0]
                                                       : static_cast<uint32_t>(at->b->value.integer));
    }
    std::reverse(use.path.begin(), use.path.end());
    for (const Use& known : list)
      if (known.sameAs(use))
        return;
    list.push_back(std::move(use));
  }

  std::vector<Use> reads_, writes_;
};

} // namespace bsgp::expand
