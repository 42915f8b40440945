// Loops whose condition asks for what nothing in them changes, or whose step leads away from where they end.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "sema/traits.h"
#include "sema/tree_walk.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;
using ast::UnaryOp;
using Names = std::unordered_set<std::string_view>;

// Collects the names in a condition of names and numbers. False: there is more in it.
bool collectNames(const ast::Expr& e, std::vector<std::string_view>& names) {
  switch (e.kind) {
  case ast::Expr::IntLit:
  case ast::Expr::FloatLit:
  case ast::Expr::CharLit:
    return true;
  case ast::Expr::Name:
    names.push_back(e.name);
    return true;
  case ast::Expr::Unary:
    return (e.unary == UnaryOp::Neg || e.unary == UnaryOp::Not) && collectNames(*e.a, names);
  case ast::Expr::Binary:
    return e.binary != BinaryOp::Comma && collectNames(*e.a, names) && collectNames(*e.b, names);
  default:
    return false;
  }
}

// The name of the variable that a place is a part of; empty: none.
std::string_view rootOf(const ast::Expr* e) {
  while (e && (e->kind == ast::Expr::Member || e->kind == ast::Expr::Index))
    e = e->a;
  return e && e->kind == ast::Expr::Name ? e->name : std::string_view();
}

bool leaves(std::string_view called) {
  return called == "assert" || called == "exit" || called == "abort";
}

struct LoopParts {
  Names changed;
  bool may_leave = false; // otherwise than by its condition
};

constexpr std::string_view kBuiltins[] = {"printf", "assert", "static_assert", "peek", "poke", "copy"};

// May the call change the variable that is this argument? It cannot if no function of its name takes a reference there.
bool takesPlace(const Sema& sema, const ast::Expr& call, size_t argument) {
  std::span<const ast::Function* const> called = callees(sema, call);
  if (called.empty())
    return call.a->kind != ast::Expr::Name || std::ranges::find(kBuiltins, call.a->name) == std::end(kBuiltins);
  return std::ranges::any_of(called, [&](const ast::Function* callee) {
    return argument < callee->params.size() && callee->params[argument].by_reference;
  });
}

void addChanged(const Sema& sema, const ast::Expr* e, LoopParts& parts) {
  bool by_address = e->kind == ast::Expr::Unary && e->unary == UnaryOp::AddrOf;
  if (e->kind == ast::Expr::Assign || isCount(e) || by_address)
    parts.changed.insert(rootOf(e->a));
  parts.may_leave |= e->kind == ast::Expr::Thread && e->name != "rank" && e->name != "size";
  if (e->kind != ast::Expr::Call)
    return;
  parts.may_leave |= leaves(calledName(e->a));
  eachArgument(*e, [&](size_t i, const ast::Expr* argument) {
    if (takesPlace(sema, *e, i))
      parts.changed.insert(rootOf(argument));
  });
}

LoopParts partsOf(const Sema& sema, const ast::Stmt* s) {
  LoopParts parts;
  ast::walk(
      s,
      [&](const ast::Stmt* inner) {
        parts.may_leave |=
            inner->kind == ast::Stmt::Break || inner->kind == ast::Stmt::Return || inner->kind == ast::Stmt::Asm;
        return true;
      },
      [&](const ast::Expr* e) { addChanged(sema, e, parts); }, [](const ast::Expr*) { return std::optional<bool>(); });
  return parts;
}

// The variables that the function declares with a type, or takes by value, and hands nobody the place of.
Names ownVariables(const ast::Function& function) {
  Names own, shared;
  bool refers = false;
  for (const ast::Param& param : function.params)
    (param.by_reference ? shared : own).insert(param.name);
  ast::walk(
      function.body,
      [&](const ast::Stmt* s) {
        for (const ast::Declarator& d : s->decls) {
          refers |= d.by_reference;
          (d.is_shared ? shared : own).insert(d.name);
        }
        return true;
      },
      [&](const ast::Expr* e) {
        if (e->kind == ast::Expr::Unary && e->unary == UnaryOp::AddrOf)
          shared.insert(rootOf(e->a));
      },
      [](const ast::Expr*) { return std::optional<bool>(); });
  for (std::string_view name : shared)
    own.erase(name);
  return refers ? Names() : own;
}

bool isUnsigned(const ast::Stmt& loop, std::string_view name) {
  if (!loop.init)
    return false;
  return std::ranges::any_of(loop.init->decls, [&](const ast::Declarator& d) {
    return d.name == name &&
           (d.type->kind != ast::TypeExpr::Named || d.type->name.starts_with('u') || d.type->name == "size_t");
  });
}

// 1: the step counts the variable up, -1: down, 0: it does something else.
int directionOf(const ast::Expr* step, std::string_view name) {
  if (!step || rootOf(step->a) != name || step->a->kind != ast::Expr::Name)
    return 0;
  if (isCount(step))
    return step->unary == UnaryOp::PreInc || step->unary == UnaryOp::PostInc ? 1 : -1;
  bool by_number = step->kind == ast::Expr::Assign && step->has_op && step->b->kind == ast::Expr::IntLit;
  return !by_number ? 0 : step->binary == BinaryOp::Add ? 1 : step->binary == BinaryOp::Sub ? -1 : 0;
}

// for (i = 0; i < n; i--)
bool leadsAway(const ast::Stmt& loop) {
  const ast::Expr& condition = *loop.expr;
  bool order =
      condition.kind == ast::Expr::Binary && condition.binary >= BinaryOp::Lt && condition.binary <= BinaryOp::Ge;
  if (!order || condition.a->kind != ast::Expr::Name || isUnsigned(loop, condition.a->name))
    return false;
  bool below = condition.binary == BinaryOp::Lt || condition.binary == BinaryOp::Le;
  return directionOf(loop.step, condition.a->name) == (below ? -1 : 1);
}

// A body that does nothing is meant to wait, or is told of (warn_empty_bodies.cpp).
bool isEmpty(const ast::Stmt& body) {
  return body.kind == ast::Stmt::Empty || (body.kind == ast::Stmt::Block && body.stmts.empty());
}

// The step with another variable, or the other way.
std::string otherStep(std::string step, std::string_view name, std::string_view by) {
  for (size_t at = step.find(name); at != std::string::npos; at = step.find(name, at + by.size()))
    step.replace(at, name.size(), by);
  return step;
}

std::string turned(std::string step) {
  for (char& c : step)
    c = c == '+' ? '-' : c == '-' ? '+' : c;
  return step;
}

} // namespace

void warnOfEndlessLoop(const ast::Stmt& loop, const ast::Function& function, Sema& sema) {
  Diagnostics& diagnostics = sema.warnings;
  bool has_condition =
      (loop.kind == ast::Stmt::For && loop.step) || loop.kind == ast::Stmt::While || loop.kind == ast::Stmt::Do;
  std::vector<std::string_view> names;
  if (!has_condition || !loop.expr || isEmpty(*loop.body) || !collectNames(*loop.expr, names) || names.empty())
    return;
  auto text = [&](const ast::Expr* part) { return std::string(diagnostics.sources().text(part->range)); };
  LoopParts body = partsOf(sema, loop.body), all = body; // without its first values
  for (const ast::Expr* part : {loop.expr, loop.step})
    ast::walk(part, [&](const ast::Expr* e) { addChanged(sema, e, all); });
  if (all.may_leave)
    return;
  if (loop.kind == ast::Stmt::For && leadsAway(loop) && !body.changed.contains(loop.expr->a->name))
    return diagnostics.report(Diag::endless_loop, loop.expr->range, text(loop.expr),
                              fmt::format("'{}' leads away from there", text(loop.step)),
                              fmt::format("write {} in place of {}", turned(text(loop.step)), text(loop.step)));
  if (std::ranges::any_of(names, [&](std::string_view name) { return all.changed.contains(name); }))
    return;
  Names own = ownVariables(function);
  if (!std::ranges::all_of(names, [&](std::string_view name) { return own.contains(name); }))
    return;
  std::string_view stepped = loop.kind == ast::Stmt::For ? rootOf(loop.step->a) : std::string_view();
  diagnostics.report(
      Diag::endless_loop, loop.expr->range, text(loop.expr), fmt::format("nothing in it changes '{}'", names.front()),
      stepped.empty() ? fmt::format("change {} in its body", names.front())
                      : fmt::format("write {} in place of {}", otherStep(text(loop.step), stepped, names.front()),
                                    text(loop.step)));
}

} // namespace bsgp::sema
