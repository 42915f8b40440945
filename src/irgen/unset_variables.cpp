#include "irgen/unset_variables.h"

#include <vector>

#include "irgen/walk.h"

namespace bsgp::irgen {
namespace {

// The variable that this is, or is a part of; null: there is none.
const Variable* rootOf(const Expr* e) {
  while (e->kind == Expr::Field || e->kind == Expr::Swizzle || (e->kind == Expr::Index && !e->a->type->isPointer()))
    e = e->a;
  return e->kind == Expr::Var ? e->variable : nullptr;
}

class Unset {
public:
  void look(const Stmt* code) {
    forEachStmt(code, [&](const Stmt* s) {
      if (s->kind == Stmt::Decl)
        s->expr ? assign(s->variable, s->expr) : add(s->variable, {s->variable});
    });
    forEachExprIn(code, [&](const Expr* e) {
      const Variable* target = e->kind == Expr::Assign ? rootOf(e->a) : nullptr;
      if (target)
        assign(target, e->b);
    });
  }

  llvm::DenseMap<const Variable*, UnsetSource> all() {
    while (!open_.empty()) {
      const Variable* source = open_.back();
      open_.pop_back();
      for (const Variable* target : targets_.lookup(source))
        add(target, found_.lookup(source));
    }
    return found_;
  }

private:
  // The first source that is found is the one that is told.
  void add(const Variable* variable, UnsetSource source) {
    if (!variable->type->holds_lists && found_.try_emplace(variable, source).second)
      open_.push_back(variable);
  }

  // Computing with it would be a use.
  void assign(const Variable* target, const Expr* value) {
    if (const Variable* source = rootOf(value))
      return targets_[source].push_back(target);
    switch (value->kind) {
    case Expr::Cast:
    case Expr::Field:
    case Expr::Swizzle:
      return assign(target, value->a);
    case Expr::Comma:
    case Expr::Assign:
      return assign(target, value->b);
    case Expr::Conditional:
      assign(target, value->b);
      return assign(target, value->c);
    case Expr::Construct:
      for (const Expr* part : value->args)
        assign(target, part);
      return;
    case Expr::Call:
      if (const Function& callee = value->on_host ? *value->on_host : *value->function; callee.may_return_nothing)
        add(target, {nullptr, &callee});
      return;
    default:
      return;
    }
  }

  llvm::DenseMap<const Variable*, UnsetSource> found_;
  std::vector<const Variable*> open_;
  llvm::DenseMap<const Variable*, std::vector<const Variable*>> targets_;
};

} // namespace

llvm::DenseMap<const Variable*, UnsetSource> mayBeUnset(const Function& function) {
  Unset unset;
  unset.look(function.body);
  forEachStmt(function.body, [&](const Stmt* s) {
    if (s->kind == Stmt::Spawn && s->flat)
      for (const FlatRequire* require : s->flat->requires_)
        for (const Stmt* code : require->body)
          unset.look(code);
  });
  return unset.all();
}

} // namespace bsgp::irgen
