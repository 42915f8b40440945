// What the text of a function holds, before any of it is checked: decides on which side it may run and how its
// parameters bind. One walk per declaration.
#include <algorithm>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

// A condition made of target_is_gpu() and its like: known before anything is checked.
std::optional<bool> Sema::knownCondition(const ast::Expr* e) const {
  if (e->kind == ast::Expr::Call && e->a->kind == ast::Expr::Name && !hasFunction(e->a->name, scopeOf(e->range)))
    return constantQuery(e->a->name);
  if (e->kind == ast::Expr::Unary && e->unary == ast::UnaryOp::Not) {
    std::optional<bool> inner = knownCondition(e->a);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  bool is_and = e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::LogicalAnd;
  if (!is_and && !(e->kind == ast::Expr::Binary && e->binary == ast::BinaryOp::LogicalOr))
    return std::nullopt;
  std::optional<bool> first = knownCondition(e->a);
  return first && *first == is_and ? knownCondition(e->b) : first;
}

// All overloads; of a method those of all structs, as types are not known yet.
std::span<const ast::Function* const> Sema::callees(const ast::Expr& call) const {
  Scope scope = scopeOf(call.range);
  return isMethodCall(call) ? overloads(methods_, call.a->name, scope)
                            : overloads(functions_, calledName(call.a), scope);
}

const Traits& Sema::traits(const ast::Function& function) {
  auto [it, fresh] = traits_.try_emplace(&function);
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
          found.thread |= isDeviceCall(name) && !hasFunction(name, scopeOf(e->range));
          found.asks_use |= name == "__is_used";
          if (name == "__instead")
            found.instead = e->args[0]->name;
          called.push_back(e);
        }
      },
      [&](const ast::Expr* e) { return knownCondition(e); });
  found.barriers_inside = found.barriers, found.reaches_thread = found.thread;
  traits_[&function] = found;
  for (const ast::Expr* call : called) // after the entry exists: recursion ends there
    for (const ast::Function* callee : callees(*call)) {
      if (!callee->body)
        continue;
      const Traits& inside = traits(*callee);
      found.barriers_inside |= inside.barriers_inside, found.synchronizes |= inside.synchronizes;
      found.reaches_thread |= inside.reaches_thread;
    }
  for (const ast::Expr* call : returned)
    for (const ast::Function* callee : callees(*call))
      found.asks_use |= callee->body && traits(*callee).asks_use;
  return traits_[&function] = found;
}

// What of a variable counts as it: also its parts, its fields, or nothing but the whole.
enum class Reach : uint8_t { Parts, Fields, Whole };

// Does the function write to what it names so? writesTo(callee, parameter): does that function write
// there? known: a condition that is.
template <class WritesTo, class Known>
static bool writes(const Sema& sema, const ast::Function& function, std::string_view name, Reach reach,
                   const WritesTo& writesTo, const Known& known) {
  bool written = false;
  auto names = [&](const ast::Expr* e) {
    while (e && ((e->kind == ast::Expr::Member && reach != Reach::Whole) ||
                 (e->kind == ast::Expr::Index && reach == Reach::Parts)))
      e = e->a;
    return e && e->kind == ast::Expr::Name && e->name == name;
  };
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        for (const ast::AsmOperand& output : s->outputs)
          written |= names(output.value);
        for (const ast::Declarator& d : s->decls)
          written |= d.by_reference && !sema.isConst(d.type) && names(d.init);
        return !written;
      },
      [&](const ast::Expr* e) {
        bool assigns =
            e->kind == ast::Expr::Assign ||
            (e->kind == ast::Expr::Unary && (e->unary >= ast::UnaryOp::PreInc || e->unary == ast::UnaryOp::AddrOf));
        written |= assigns && names(e->a);
        if (written || e->kind != ast::Expr::Call)
          return;
        if (const ast::Expr* variable = variableReached(*e))
          written |= names(variable);
        eachArgument(*e, [&](size_t i, const ast::Expr* argument) {
          if (!names(argument))
            return;
          for (const ast::Function* callee : sema.callees(*e))
            written |= i < callee->params.size() && callee->params[i].by_reference &&
                       !sema.isConst(callee->params[i].type) && writesTo(*callee, callee->params[i]);
        });
      },
      known);
  return written;
}

// Does the body assign to its parameter, take its address, pass it where it may be written, or name it in thread.get?
// Then it is a variable of the thread whatever the argument is.
bool Sema::writesParameter(const ast::Function& function, const ast::Param& param) {
  auto [it, fresh] = written_.try_emplace(&param, false); // recursion ends there
  if (fresh && function.body) {
    bool written = findWrites(function, param.name);
    return written_[&param] = written;
  }
  return it->second;
}

bool Sema::writesThis(std::string_view method) {
  Overloads set = overloads(method, Scope::Program);
  return std::any_of(set.begin(), set.end(),
                     [&](const ast::Function* node) { return writesParameter(*node, node->params[0]); });
}

bool Sema::findWrites(const ast::Function& function, std::string_view name) {
  return writes(
      *this, function, name, Reach::Parts,
      [&](const ast::Function& callee, const ast::Param& param) { return writesParameter(callee, param); },
      [&](const ast::Expr* e) { return knownCondition(e); });
}

// A parameter of a collective is a host value when its argument is, and nothing in the body writes to it or it lives with
// the host; a reference is whatever it refers to. What a pointer points to is not written in it.
bool Sema::hostParameter(const ast::Function& node, const ast::Param& param, const Argument& argument,
                         bool by_reference, bool collective) {
  if (by_reference)
    return hostArgument(argument, true);
  if (!collective || !hostArgument(argument, false))
    return false;
  return !isWritten(node, param, argument) || hostLocals(node).declarations.count(&param);
}

bool Sema::isWritten(const ast::Function& node, const ast::Param& param, const Argument& argument) {
  const Type* given = argument.value ? argument.value->type : nullptr;
  if (!given || !given->space)
    return writesParameter(node, param);
  return writes(
      *this, node, param.name, given->isView() ? Reach::Fields : Reach::Whole,
      [&](const ast::Function& callee, const ast::Param& inner) { return writesParameter(callee, inner); },
      [&](const ast::Expr* e) { return knownCondition(e); });
}

} // namespace bsgp::sema
