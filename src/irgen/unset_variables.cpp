#include "irgen/unset_variables.h"

#include <vector>

#include "irgen/walk.h"

namespace bsgp::irgen {
namespace {

class Unset {
public:
  void look(const Stmt* code) {
    forEachStmt(code, [&](const Stmt* s) {
      if (s->kind == Stmt::Decl)
        s->expr ? assign(s->variable, s->expr) : add(s->variable, {s->variable});
    });
    forEachExprIn(code, [&](const Expr* e) {
      if (e->kind == Expr::Assign && e->a->kind == Expr::Var)
        assign(e->a->variable, e->b);
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
  void add(const Variable* variable, UnsetSource source) {
    if (found_.try_emplace(variable, source).second)
      open_.push_back(variable);
  }

  // Computing with it would be a use.
  void assign(const Variable* target, const Expr* value) {
    switch (value->kind) {
    case Expr::Cast:
      return assign(target, value->a);
    case Expr::Conditional:
      assign(target, value->b);
      return assign(target, value->c);
    case Expr::Var:
      return targets_[value->variable].push_back(target);
    case Expr::Call:
      return value->function->may_return_nothing ? add(target, {nullptr, value->function}) : void();
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
