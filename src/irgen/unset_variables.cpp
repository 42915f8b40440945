#include "irgen/unset_variables.h"

#include <vector>

#include "expand/flat.h"
#include "sema/visit.h"

namespace bsgp::irgen {
namespace {

// Returns the variable that this is, or is a part of; null if it is none.
const Variable* rootOf(const Expr* e) {
  while (e->kind == Expr::Field || e->kind == Expr::Swizzle || (e->kind == Expr::Index && !e->a->type->isPointer()))
    e = e->a;
  return e->kind == Expr::Var ? e->variable : nullptr;
}

// True for an expression that computes: it uses its operands, or has none.
bool isComputed(const Expr& e) {
  switch (e.kind) {
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::Index:
  case Expr::Deref:
    return false;
  case Expr::BuiltinCall:
    return e.builtin != Builtin::Peek;
  default:
    return true;
  }
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

  // Adds a variable with a source; the first source that is found is the one that is reported.
  void add(const Variable* variable, UnsetSource source) {
    if (found_.try_emplace(variable, source).second)
      open_.push_back(variable);
  }

private:
  // A computed value is not followed: computing is a use. A value from memory, by reference or out of a function may
  // be undefined.
  void assign(const Variable* target, const Expr* value) {
    if (const Variable* source = rootOf(value)) {
      targets_[source].push_back(target);
      return mayChangeElsewhere(*source) ? add(target, {}) : void();
    }
    switch (value->kind) {
    case Expr::Cast:
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
    case Expr::Call: {
      const Function& callee = value->on_host ? *value->on_host : *value->function;
      return callee.is_extern ? void() : add(target, {nullptr, callee.may_return_nothing ? &callee : nullptr});
    }
    default:
      return isComputed(*value) ? void() : add(target, {});
    }
  }

  static bool mayChangeElsewhere(const Variable& variable) {
    return variable.kind == Variable::Global || variable.by_reference || variable.address_taken;
  }

  llvm::DenseMap<const Variable*, UnsetSource> found_;
  std::vector<const Variable*> open_;
  llvm::DenseMap<const Variable*, std::vector<const Variable*>> targets_;
};

} // namespace

llvm::DenseMap<const Variable*, UnsetSource> mayBeUnset(const Function& function) {
  Unset unset;
  for (const Variable* param : function.params) // a scalar argument is a use
    if (param->by_reference || !param->type->isScalar())
      unset.add(param, {});
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
