// What the text of a function holds, before any of it is checked: decides on which side it may run and how its
// parameters bind. One walk per declaration.
#include "sema/checker.h"
#include "sema/tree_walk.h"

namespace bsgp::sema {

namespace {

bool isThread(const ast::Expr* e, std::string_view name) {
  return e->kind == ast::Expr::Thread && e->name == name;
}

} // namespace

// A condition made of target_is_gpu() and its like: known before anything is checked.
std::optional<bool> Sema::knownCondition(const ast::Expr* e) const {
  if (e->kind == ast::Expr::Call && e->a->kind == ast::Expr::Name && !functions_.count(e->a->name))
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

const Traits& Sema::traits(const ast::Function& function) {
  auto [it, fresh] = traits_.try_emplace(&function);
  if (!fresh)
    return it->second;
  Traits found;
  for (const ast::Param& param : function.params)
    found.thread |= param.type->space == ast::Space::Shared;
  std::vector<std::string> called, returned; // names
  auto host = [&](SourceRange place) {
    if (!found.host_only)
      found.host_only = true, found.host_place = place;
  };
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        if (s->kind == ast::Stmt::Spawn)
          host(s->range);
        if (s->kind == ast::Stmt::Barrier || s->kind == ast::Stmt::Require || s->kind == ast::Stmt::Par)
          found.barriers = true;
        if (s->kind == ast::Stmt::Return && s->expr && s->expr->kind == ast::Expr::Call)
          returned.push_back(calledName(s->expr->a));
        for (const ast::Declarator& d : s->decls)
          found.thread |= d.is_shared;
        return s->kind != ast::Stmt::Spawn && s->kind != ast::Stmt::Require;
      },
      [&](const ast::Expr* e) {
        if (e->kind == ast::Expr::New || e->kind == ast::Expr::Delete)
          host(e->range);
        if (isThread(e, "get") || isThread(e, "put") || isThread(e, "oldrank"))
          found.barriers = true;
        if (e->kind == ast::Expr::Thread || e->kind == ast::Expr::Block || e->kind == ast::Expr::Warp)
          found.thread = true;
        if (e->kind == ast::Expr::Call)
          if (std::string name = calledName(e->a); !name.empty()) {
            found.thread |= isDeviceCall(name) && !functions_.count(name);
            found.asks_use |= name == "__is_used";
            if (name == "__instead")
              found.instead = e->args[0]->name;
            called.push_back(std::move(name));
          }
      },
      [&](const ast::Expr* e) { return knownCondition(e); });
  found.barriers_inside = found.barriers, found.reaches_thread = found.thread;
  traits_[&function] = found;
  for (const std::string& name : called) // after the entry exists: recursion ends there
    if (auto set = functions_.find(name); set != functions_.end())
      for (const ast::Function* callee : set->second) {
        if (!callee->body)
          continue;
        const Traits& inside = traits(*callee);
        found.barriers_inside |= inside.barriers_inside, found.reaches_thread |= inside.reaches_thread;
      }
  for (const std::string& name : returned)
    if (auto set = functions_.find(name); set != functions_.end())
      for (const ast::Function* callee : set->second)
        found.asks_use |= callee->body && traits(*callee).asks_use;
  return traits_[&function] = found;
}

// Does the body assign to its parameter of this name, take its address, pass it where it may be written, or name it in
// thread.get? Then it is a variable of the thread whatever the argument is. Or is it what
// a thread.get reads? Then each thread needs one of its own.
bool Sema::writesParameter(const ast::Function& function, std::string_view name) {
  bool written = false;
  auto root = [](const ast::Expr* e) {
    while (e && (e->kind == ast::Expr::Member || e->kind == ast::Expr::Index))
      e = e->a;
    return e && e->kind == ast::Expr::Name ? e->name : std::string_view();
  };
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        for (const ast::AsmOperand& output : s->outputs)
          written |= root(output.value) == name;
        return true;
      },
      [&](const ast::Expr* e) {
        bool writes =
            e->kind == ast::Expr::Assign ||
            (e->kind == ast::Expr::Unary && (e->unary >= ast::UnaryOp::PreInc || e->unary == ast::UnaryOp::AddrOf));
        if (writes && root(e->a) == name)
          written = true;
        bool of_thread = e->kind == ast::Expr::Call && e->a->kind == ast::Expr::Thread;
        if (of_thread && ((e->a->name == "put" && e->args.size() == 3) || (e->a->name == "get" && e->args.size() == 2)))
          written |= root(e->args[1]) == name;
        auto set = e->kind == ast::Expr::Call ? functions_.find(calledName(e->a)) : functions_.end();
        if (set == functions_.end())
          return;
        for (const ast::Function* callee : set->second)
          for (size_t i = 0; i < e->args.size() && i < callee->params.size(); ++i)
            written |= callee->params[i].by_reference && root(e->args[i]) == name;
      },
      [&](const ast::Expr* e) { return knownCondition(e); });
  return written;
}

} // namespace bsgp::sema
