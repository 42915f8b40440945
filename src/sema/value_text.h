// Facts about a value that the text of an expression shows, before anything is checked.
#pragma once

#include <algorithm>

#include "sema/host_locals.h"
#include "sema/misplaced.h"
#include "sema/traits.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

class ValueText {
public:
  explicit ValueText(Sema& sema) : sema_(sema) {}

  // True, by its text, for memory, ranks, and results of functions without barriers, which may differ from thread to
  // thread. Indices for which `inPlace` is true choose an element of a variable: not of memory.
  template <class InPlace> bool isOfThread(const ast::Expr* value, const InPlace& inPlace) const {
    bool found = false;
    eachPart(value, [&](const ast::Expr* part) {
      if (isCollective(part)) {
        found |= givesThreads(part);
        return;
      }
      bool of_thread = part->kind == ast::Expr::Thread && part->name != "size";
      bool memory = part->kind == ast::Expr::Arrow || (part->kind == ast::Expr::Index && !inPlace(*part));
      found |= memory || of_thread || part->kind == ast::Expr::Block || part->kind == ast::Expr::Warp ||
               (part->kind == ast::Expr::Unary && part->unary == ast::UnaryOp::Deref) ||
               (part->kind == ast::Expr::Call && !callees(sema_, *part).empty() && !isMath(part));
    });
    return found;
  }
  bool isMath(const ast::Expr* call) const {
    auto all = callees(sema_, *call);
    return !all.empty() &&
           std::all_of(all.begin(), all.end(), [&](auto* callee) { return sema::isMath(sema_, *callee); });
  }
  // True if each collective that the call may mean gives every thread a value of its own.
  bool givesThreads(const ast::Expr* call) const {
    auto all = callees(sema_, *call);
    return std::all_of(all.begin(), all.end(), [&](const ast::Function* callee) {
      bool meant = ast::takes(*callee, argumentCount(*call)) && callee->body && traits(sema_, *callee).barriers_inside;
      return !meant || hostLocals(sema_, *callee).gives_threads;
    });
  }
  bool isCollective(const ast::Expr* call) const {
    if (call->kind != ast::Expr::Call)
      return false;
    auto all = callees(sema_, *call);
    return std::any_of(all.begin(), all.end(), [&](const ast::Function* callee) {
      return ast::takes(*callee, argumentCount(*call)) && callee->body && traits(sema_, *callee).synchronizes;
    });
  }

  // sizeof and __counts(op, x) only use the types of their operands.
  static bool asksForTypes(const ast::Expr* e) {
    return e->kind == ast::Expr::SizeofExpr || (e->kind == ast::Expr::Call && calledName(e->a) == "__counts");
  }

  // Visits the parts that a value is made of: not the arguments of a collective.
  template <class F> void eachPart(const ast::Expr* value, const F& visit) const {
    if (!value)
      return;
    visit(value);
    if (isCollective(value) || asksForTypes(value))
      return;
    for (const ast::Expr* part : {value->a, value->b, value->c})
      eachPart(part, visit);
    for (const ast::Expr* arg : value->args)
      eachPart(arg, visit);
  }

private:
  Sema& sema_;
};

} // namespace bsgp::sema
