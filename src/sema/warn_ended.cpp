// Memory that ends with its host function, and is returned: return l.data; of a local list, return p; of p = dtempnew[n]T.
//
// A variable counts that holds nothing else: each value it is given is such memory.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sema/sema.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

struct Ended {
  const Variable* list = nullptr;   // whose elements it is, or
  const Expr* allocation = nullptr; // the dtempnew that made it

  bool found() const { return list || allocation; }
};

bool isOwn(const Variable& variable) {
  return variable.kind == Variable::Local && variable.side == Side::Host && !variable.by_reference;
}

class EndedSearch {
public:
  explicit EndedSearch(const Function& function) : function_(function) {}

  // The memory that ends with the function and that the value leads to.
  Ended in(const Expr* value) {
    switch (value->kind) {
    case Expr::Cast:
    case Expr::PtrAdd:
      return in(value->a);
    case Expr::Comma:
      return in(value->b);
    case Expr::Conditional: {
      Ended one = in(value->b);
      return one.found() ? one : in(value->c);
    }
    case Expr::Construct:
      return inParts(*value);
    case Expr::DListData: {
      const Variable* root = rootVariable(value->a);
      return {root && isOwn(*root) ? root : nullptr, nullptr};
    }
    case Expr::BuiltinCall:
      return {nullptr, value->builtin == Builtin::DtempNew ? value : nullptr};
    case Expr::Var:
      return carriedBy(*value->variable);
    default:
      return {};
    }
  }

private:
  Ended inParts(const Expr& construct) {
    for (const Expr* part : construct.args)
      if (Ended ended = in(part); ended.found())
        return ended;
    return {};
  }

  Ended carriedBy(const Variable& variable) {
    bool leads = variable.type->isPointer() || (variable.type->isStruct() && !variable.type->holds_lists);
    bool is_parameter = std::ranges::find(function_.params, &variable) != function_.params.end();
    bool followed = std::ranges::find(within_, &variable) != within_.end();
    if (!leads || is_parameter || followed || !isOwn(variable) || variable.address_taken)
      return {};
    within_.push_back(&variable);
    Ended all = inValuesOf(variable);
    within_.pop_back();
    return all.list && givesItsMemoryAway(*all.list) ? Ended{} : all;
  }

  Ended inValuesOf(const Variable& variable) {
    Ended all;
    bool other = false;
    auto take = [&](const Expr* value) {
      Ended ended = in(value);
      other |= !ended.found() && value->kind != Expr::Null && !isItself(*value, variable);
      all = ended.found() ? ended : all;
    };
    forEachStmt(function_.body, [&](const Stmt* s) {
      if (s->kind == Stmt::Decl && s->variable == &variable && s->expr)
        isEmpty(*s->expr) ? void() : take(s->expr);
    });
    forEachExprIn(function_.body, [&](const Expr* e) {
      if (e->kind == Expr::Assign && rootVariable(e->a) == &variable &&
          (e->a->type->isPointer() || e->a->type->isStruct()))
        take(e->b);
      if (e->kind == Expr::Call)
        other |= std::ranges::any_of(e->args, [&](const Expr* arg) { return isChangedBy(*e, *arg, variable); });
    });
    return other ? Ended{} : all;
  }

  static bool isChangedBy(const Expr& call, const Expr& arg, const Variable& variable) {
    for (size_t i = 0; i < std::min(call.args.size(), call.function->params.size()); ++i)
      if (call.args[i] == &arg)
        return call.function->params[i]->by_reference && rootVariable(&arg) == &variable;
    return false;
  }

  // p = p + 1
  static bool isItself(const Expr& value, const Variable& variable) {
    const Expr* at = &value;
    while (at->kind == Expr::Cast || at->kind == Expr::PtrAdd)
      at = at->a;
    return at->kind == Expr::Var && at->variable == &variable;
  }

  // The value of a struct that nothing is said of.
  static bool isEmpty(const Expr& value) {
    return value.kind == Expr::Construct && std::ranges::all_of(value.args, [](const Expr* part) {
             return part->kind == Expr::Null || part->kind == Expr::Constant || isEmpty(*part);
           });
  }

  bool givesItsMemoryAway(const Variable& list) const {
    bool found = false;
    forEachExprIn(function_.body, [&](const Expr* e) {
      bool gives =
          e->kind == Expr::BuiltinCall && (e->builtin == Builtin::DListDetach || e->builtin == Builtin::DListSwap);
      found |= gives && (rootVariable(e->a) == &list || (e->b && rootVariable(e->b) == &list));
    });
    return found;
  }

  const Function& function_;
  std::vector<const Variable*> within_; // whose values are being looked at
};

} // namespace

void warnOfEndedMemory(const Function& function, Diagnostics& diagnostics) {
  if (function.side != Side::Host)
    return;
  forEachStmt(function.body, [&](const Stmt* s) {
    if (s->kind != Stmt::Return || !s->expr || !s->range.valid())
      return;
    Ended ended = EndedSearch(function).in(s->expr);
    if (ended.list) {
      diagnostics.report(
          Diag::returns_local_address, s->range,
          fmt::format("the elements of the list '{}', which end with this function", ended.list->name),
          "take them over with .detach() in place of .data, and free them with dfree; .n is 0 behind that. "
          "Or return the list itself");
      diagnostics.report(Diag::note_declared, ended.list->range, ended.list->name);
    } else if (ended.allocation) {
      diagnostics.report(Diag::returns_local_address, s->range, "memory of dtempnew, which ends with this function",
                         "write dnew in place of dtempnew; the caller frees it with dfree");
      diagnostics.report(Diag::note_why, ended.allocation->range, "it is allocated here");
    }
  });
}

} // namespace bsgp::sema
