#include "sema/verify.h"

#include <ranges>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "sema/binary_operators.h"
#include "sema/sema.h"
#include "sema/visit.h"
#include "support/check.h"

namespace bsgp::sema {

namespace {

// Spaces, const and the names of enums aside.
bool isOneType(const Type* a, const Type* b) {
  if (a == b)
    return true;
  if (!a || !b || a->kind != b->kind || a->bits != b->bits || a->count != b->count || a->is_signed != b->is_signed ||
      bool(a->element) != bool(b->element))
    return false;
  if (a->structure != b->structure && !a->isView())
    return false;
  return !a->element || isOneType(a->element, b->element);
}

bool isTruth(const Type* type) {
  return laneType(type)->isBool();
}
bool isNumber(const Type* type) {
  return laneType(type)->isScalar();
}

// The rule that the expression breaks, whose parts have types; null: none.
const char* brokenBinary(const Expr& e) {
  if (!isNumber(e.a->type) && !e.a->type->isPointer())
    return "an operator of what is no number";
  if (!isShift(e.op) && !isOneType(e.a->type, e.b->type))
    return "operands of two types";
  if (isComparison(e.op))
    return isTruth(e.type) ? nullptr : "a comparison that gives no bool";
  return isOneType(e.type, e.a->type) ? nullptr : "an operator that gives another type than it takes";
}

const char* brokenPlace(const Expr& e) {
  const Type* of = e.a->type;
  if (e.kind == Expr::Field) {
    if (!of->isStruct() || (e.index >= of->structure->fields.size()))
      return "a field of what has no such field";
    return isOneType(e.type, of->structure->fields[e.index].type) ? nullptr : "a field of another type";
  }
  if (e.kind == Expr::Swizzle) {
    if (!of->isVector() || e.lane_count < 1 || e.lane_count > 4)
      return "components of what is no vector";
    return isOneType(laneType(e.type), of->element) ? nullptr : "components of another type";
  }
  if (e.kind == Expr::Index && (!e.b->type->isInt() || !of->element))
    return "an index that is no integer, or of what has no elements";
  return isOneType(e.type, of->element) ? nullptr : "an element of another type";
}

const char* brokenAssignment(const Expr& e) {
  if (!isLvalue(e.a))
    return "an assignment to what is no lvalue";
  if (!isOneType(e.type, e.a->type))
    return "an assignment that gives another type than its place has";
  if (e.kind == Expr::Assign)
    return isOneType(e.a->type, e.b->type) ? nullptr : "an assignment of another type";
  if (e.kind == Expr::CompoundAssign)
    return e.compute ? nullptr : "a compound assignment that is computed in no type";
  return nullptr;
}

const char* brokenCall(const Expr& e) {
  const Function* f = e.function;
  if (!f)
    return "a call of nothing";
  if (e.args.size() < f->params.size() || (e.args.size() > f->params.size() && !f->is_variadic))
    return "a call with another number of arguments";
  for (size_t i = 0; i < f->params.size(); ++i)
    if (!isOneType(e.args[i]->type, f->params[i]->type))
      return "an argument of another type";
  return isOneType(e.type, f->result) ? nullptr : "a call of another type than the function's result";
}

// How many of a, b, c an expression needs.
unsigned partsOf(const Expr& e) {
  switch (e.kind) {
  case Expr::Conditional:
    return 3;
  case Expr::Index:
  case Expr::Binary:
  case Expr::PtrAdd:
  case Expr::PtrDiff:
  case Expr::LogicalAnd:
  case Expr::LogicalOr:
  case Expr::Comma:
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::Get:
    return 2;
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::Deref:
  case Expr::AddrOf:
  case Expr::Decay:
  case Expr::Neg:
  case Expr::Not:
  case Expr::BitNot:
  case Expr::IncDec:
  case Expr::Cast:
  case Expr::DListData:
  case Expr::DListCount:
    return 1;
  default:
    return 0;
  }
}

const char* broken(const Expr& e) {
  if (!e.type || e.type->isError())
    return "an expression without a type";
  unsigned parts = partsOf(e);
  if ((parts > 0 && !e.a) || (parts > 1 && !e.b) || (parts > 2 && !e.c))
    return "an expression with a part missing";
  switch (e.kind) {
  case Expr::Var:
    return !e.variable                           ? "a use of no variable"
           : isOneType(e.type, e.variable->type) ? nullptr
                                                 : "a variable of another type";
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::Index:
  case Expr::Deref:
    return brokenPlace(e);
  case Expr::Neg:
  case Expr::BitNot:
    return isOneType(e.type, e.a->type) ? nullptr : "an operator that gives another type than it takes";
  case Expr::Not:
    return isTruth(e.a->type) && isTruth(e.type) ? nullptr : "'!' of what is no bool";
  case Expr::LogicalAnd:
  case Expr::LogicalOr:
    return e.a->type->isBool() && e.b->type->isBool() ? nullptr : "'&&' or '||' of what is no bool";
  case Expr::Binary:
    return brokenBinary(e);
  case Expr::PtrAdd:
    return e.a->type->isPointer() && e.b->type->isInt() ? nullptr : "a sum of no pointer and an integer";
  case Expr::Conditional:
    if (!isTruth(e.a->type))
      return "a choice by what is no bool";
    return isOneType(e.b->type, e.c->type) && isOneType(e.type, e.b->type) ? nullptr : "a choice of two types";
  case Expr::Comma:
    return isOneType(e.type, e.b->type) ? nullptr : "a comma of another type than its second part";
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    return brokenAssignment(e);
  case Expr::Call:
    return brokenCall(e);
  case Expr::Get:
    return isOneType(e.type, e.b->type) ? nullptr : "a thread.get of another type than its place";
  default:
    return nullptr;
  }
}

const char* broken(const Stmt& s, const Function& in, bool in_spawn) {
  switch (s.kind) {
  case Stmt::Decl:
    if (!s.variable || !s.variable->type || s.variable->type->isError())
      return "a declaration of nothing, or without a type";
    return !s.expr || isOneType(s.expr->type, s.variable->type) ? nullptr : "a variable that begins with another type";
  case Stmt::If:
    return s.expr && s.expr->type->isBool() ? nullptr : "an if without a bool";
  case Stmt::Loop:
    return !s.expr || s.expr->type->isBool() ? nullptr : "a loop without a bool";
  case Stmt::Switch:
    return s.expr && s.expr->type->isInt() ? nullptr : "a switch without an integer";
  case Stmt::Return:
    if (!s.expr)
      return nullptr; // main gives 0, and a thread ends
    return !in_spawn && isOneType(s.expr->type, in.result) ? nullptr
                                                           : "a return of another type than the function's result";
  case Stmt::HostAssign:
    return s.expr && s.expr->kind == Expr::Assign ? nullptr : "an assignment of the host's that is none";
  case Stmt::Put:
    if (!s.expr || !s.target || !s.value)
      return "a thread.put with a part missing";
    return isOneType(s.target->type, s.value->type) ? nullptr : "a thread.put of another type than its place";
  case Stmt::Spawn:
    return s.expr && s.expr->type->isInt() ? nullptr : "a spawn without a size";
  default:
    return nullptr;
  }
}

class Verifier {
public:
  void add(const Function& f) {
    if (!violation.empty() || !seen_.insert(&f).second || !f.body)
      return;
    if (!f.result || f.result->isError())
      return fail(f, "it has no result type");
    std::vector<const Expr*> all;
    forEachExprIn(f.body, [&](const Expr* e) { all.push_back(e); });
    for (const Expr* e : std::views::reverse(all)) // parts before what they are part of
      if (const char* rule = violation.empty() ? broken(*e) : nullptr)
        fail(f, fmt::format("{} (expression of kind {})", rule, int(e->kind)));
    statement(f.body, f, false);
    forEachExprIn(f.body, [&](const Expr* e) {
      for (const Function* callee : {e->function, e->on_host})
        if (callee && violation.empty())
          add(*callee);
    });
  }

  std::string violation;

private:
  void fail(const Function& f, std::string_view rule) {
    if (violation.empty())
      violation = fmt::format("function {}: {}", f.name, rule);
  }

  void statement(const Stmt* s, const Function& f, bool in_spawn) {
    visitStmt(s, [&](const Stmt* at) {
      if (!violation.empty())
        return false;
      if (const char* rule = broken(*at, f, in_spawn))
        fail(f, fmt::format("{} (statement of kind {})", rule, int(at->kind)));
      if (at->kind != Stmt::Spawn)
        return true;
      statement(at->body, f, true);
      return false;
    });
  }

  std::unordered_set<const Function*> seen_;
};

} // namespace

std::string verify(const Program& program) {
  Verifier verifier;
  for (const Function* f : program.functions)
    verifier.add(*f);
  return verifier.violation;
}

void check(const Program& program) {
  std::string violation = verify(program);
  BSGP_CHECK(violation.empty(), "after sema: %s", violation.c_str());
}

} // namespace bsgp::sema
