#include "sema/traits.h"

#include <algorithm>

#include "sema/arguments.h"
#include "sema/expr_memory.h"
#include "sema/name_scopes.h"
#include "sema/services.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

// A condition made of target_is_gpu() and its like: known before anything is checked.
std::optional<bool> knownCondition(const Sema& sema, const ast::Expr* e) {
  if (e->kind == ast::Expr::Call && e->a->kind == ast::Expr::Name &&
      !hasFunction(sema, e->a->name, scopeOf(sema, e->range)))
    return constantQuery(sema, e->a->name);
  if (e->kind == ast::Expr::Unary && e->unary == ast::UnaryOp::Not) {
    std::optional<bool> inner = knownCondition(sema, e->a);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  bool is_and = e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::LogicalAnd;
  if (!is_and && !(e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::LogicalOr))
    return std::nullopt;
  std::optional<bool> first = knownCondition(sema, e->a);
  return first && *first == is_and ? knownCondition(sema, e->b) : first;
}

// All overloads; of a method those of all structs, as types are not known yet.
std::span<const ast::Function* const> callees(const Sema& sema, const ast::Expr& call) {
  Scope scope = scopeOf(sema, call.range);
  return isMethodCall(call) ? overloads(sema, sema.functions.methods, call.a->name, scope)
                            : overloads(sema, sema.functions.all, calledName(call.a), scope);
}

const Traits& traits(Sema& sema, const ast::Function& function) {
  auto [it, fresh] = sema.texts.traits.try_emplace(&function);
  if (!fresh)
    return it->second;
  Traits found;
  for (const ast::Param& param : function.params)
    found.thread |= param.type->space == ast::Space::Shared;
  std::vector<const ast::Expr*> called, returned; // calls
  auto host = [&](SourceRange place) {
    if (!found.host_only)
      found.host_only = true, found.host_place = place;
  };
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        if (s->kind == ast::Stmt::Spawn)
          host(s->range);
        found.barriers |= isCollective(*s);
        found.synchronizes |= isCollective(*s);
        if (s->kind == ast::Stmt::Return && s->expr && s->expr->kind == ast::Expr::Call)
          returned.push_back(s->expr);
        for (const ast::Declarator& d : s->decls)
          found.thread |= d.is_shared;
        return s->kind != ast::Stmt::Spawn && s->kind != ast::Stmt::Require;
      },
      [&](const ast::Expr* e) {
        if (e->kind == ast::Expr::New || e->kind == ast::Expr::Delete)
          host(e->range);
        found.barriers |= isCollective(*e);
        found.synchronizes |= isCollective(*e) && !isExchange(*e);
        if (e->kind == ast::Expr::Thread || e->kind == ast::Expr::Block || e->kind == ast::Expr::Warp)
          found.thread = true;
        if (e->kind == ast::Expr::Call) {
          std::string name = calledName(e->a);
          found.thread |= isDeviceCall(name) && !hasFunction(sema, name, scopeOf(sema, e->range));
          found.asks_use |= name == "__is_used";
          if (name == "__instead")
            found.instead = e->args[0]->name;
          called.push_back(e);
        }
      },
      [&](const ast::Expr* e) { return knownCondition(sema, e); });
  found.barriers_inside = found.barriers, found.reaches_thread = found.thread;
  sema.texts.traits[&function] = found;
  for (const ast::Expr* call : called) // after the entry exists: recursion ends there
    for (const ast::Function* callee : callees(sema, *call)) {
      if (!callee->body)
        continue;
      const Traits& inside = traits(sema, *callee);
      found.barriers_inside |= inside.barriers_inside, found.synchronizes |= inside.synchronizes;
      found.reaches_thread |= inside.reaches_thread;
    }
  for (const ast::Expr* call : returned)
    for (const ast::Function* callee : callees(sema, *call))
      found.asks_use |= callee->body && traits(sema, *callee).asks_use;
  return sema.texts.traits[&function] = found;
}

bool isMath(Sema& sema, const ast::Function& function) {
  bool of_parts = function.name.find('.') != std::string_view::npos; // block.sum, warp.shuffle
  if (!function.body || of_parts || !sema.diag.sources().ofLibrary(function.range))
    return false;
  auto is_value = [](const ast::Param& param) {
    return !param.by_reference && (param.type->kind == ast::TypeExpr::Named || param.type->kind == ast::TypeExpr::Open);
  };
  const Traits& found = traits(sema, function);
  return std::all_of(function.params.begin(), function.params.end(), is_value) && !found.barriers_inside &&
         !found.reaches_thread && !found.host_only;
}

} // namespace bsgp::sema
