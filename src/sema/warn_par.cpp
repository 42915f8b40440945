// Variables of threads that one arm of a par writes and another one uses. Of host variables that is an error (src/expand).
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "sema/constant.h"
#include "sema/sema.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

// A use of a part of a variable: the path of s.v is "0." where v is the first field.
struct Use {
  const Variable* variable;
  std::string path;
  SourceRange range;
  bool writes;
};

// True if one of the parts of their variable is in the other one.
bool mayMeet(const Use& a, const Use& b) {
  return a.path.starts_with(b.path) || b.path.starts_with(a.path);
}

// Can the call write what its parameter stands for?
bool writesParameter(const Function& function, const Variable& parameter, unsigned depth = 0) {
  constexpr unsigned kDeepest = 8;
  if (!function.body || depth == kDeepest)
    return true;
  bool found = false;
  forEachStmt(function.body, [&](const Stmt* s) { found |= s->target && rootVariable(s->target) == &parameter; });
  forEachExprIn(function.body, [&](const Expr* e) {
    found |= (isAssignment(*e) || e->kind == Expr::AddrOf) && rootVariable(e->a) == &parameter;
    for (size_t i = 0; e->kind == Expr::Call && i < e->function->params.size() && i < e->args.size(); ++i)
      found |= e->function->params[i]->by_reference && rootVariable(e->args[i]) == &parameter &&
               writesParameter(*e->function, *e->function->params[i], depth + 1);
  });
  return found;
}

class Arm {
public:
  explicit Arm(const Stmt* arm) {
    forEachStmt(arm, [&](const Stmt* s) {
      if (s->kind == Stmt::Decl)
        uses_.push_back({s->variable, "", s->range, true});
      for (const Expr* e : {s->expr, s->value, s->step})
        value(e);
      if (s->target)
        place(s->target, true);
    });
  }
  const std::vector<Use>& uses() const { return uses_; }

private:
  // Fields and elements with known numbers are parts of their own.
  void place(const Expr* e, bool writes) {
    SourceRange range = e->range;
    std::vector<std::string> parts;
    for (; e->kind == Expr::Field || (e->kind == Expr::Index && !e->a->type->isPointer()) || e->kind == Expr::Swizzle;
         e = e->a) {
      ConstValue at;
      if (e->kind == Expr::Index && !constantValue(e->b, at))
        return value(e->a), value(e->b); // it is not known which one
      parts.push_back(e->kind == Expr::Field   ? fmt::format("{}.", e->index)
                      : e->kind == Expr::Index ? fmt::format("{}.", at.integer)
                      : e->lane_count == 1     ? fmt::format("{}.", e->lanes[0])
                                               : "");
      if (e->kind == Expr::Swizzle && e->lane_count > 1)
        parts.clear();
    }
    if (e->kind != Expr::Var)
      return value(e);
    bool of_thread = e->variable->kind == Variable::Local && e->variable->side == Side::Device;
    if (!of_thread)
      return;
    std::string path;
    std::for_each(parts.rbegin(), parts.rend(), [&](const std::string& part) { path += part; });
    uses_.push_back({e->variable, path, range, writes});
  }

  void value(const Expr* e) {
    if (!e)
      return;
    bool is_place = e->kind == Expr::Var || e->kind == Expr::Field || e->kind == Expr::Swizzle ||
                    (e->kind == Expr::Index && !e->a->type->isPointer());
    if (is_place)
      return place(e, false);
    if (isAssignment(*e))
      return place(e->a, true), value(e->b);
    for (const Expr* part : {e->a, e->b, e->c})
      value(part);
    for (size_t i = 0; i < e->args.size(); ++i)
      argument(*e, i);
  }

  void argument(const Expr& e, size_t i) {
    const Variable* param = e.kind == Expr::Call && i < e.function->params.size() ? e.function->params[i] : nullptr;
    bool refers = param && param->by_reference && rootVariable(e.args[i]);
    refers ? place(e.args[i], !param->is_const && writesParameter(*e.function, *param)) : value(e.args[i]);
  }

  std::vector<Use> uses_;
};

// A write of one arm, and a use of another one that it meets; nothing: there is no such pair.
std::optional<std::pair<Use, Use>> meeting(const std::vector<Arm>& arms) {
  std::unordered_map<const Variable*, std::vector<std::pair<const Arm*, const Use*>>> all;
  for (const Arm& arm : arms)
    for (const Use& use : arm.uses())
      all[use.variable].emplace_back(&arm, &use);
  for (const Arm& arm : arms)
    for (const Use& written : arm.uses()) {
      if (!written.writes || !written.range.valid())
        continue;
      for (auto [other, use] : all[written.variable])
        if (other != &arm && mayMeet(written, *use) && use->range.valid())
          return std::pair(written, *use);
    }
  return std::nullopt;
}

} // namespace

void warnOfArms(const Stmt& body, Diagnostics& diagnostics) {
  forEachStmt(&body, [&](const Stmt* s) {
    if (s->kind != Stmt::Par)
      return;
    std::vector<Arm> arms;
    for (const Stmt* arm : s->stmts)
      arms.emplace_back(arm);
    auto found = meeting(arms);
    if (!found)
      return;
    diagnostics.report(Diag::par_thread_conflict, found->first.range, found->first.variable->name);
    diagnostics.report(Diag::note_other_arm, found->second.range);
  });
}

} // namespace bsgp::sema
