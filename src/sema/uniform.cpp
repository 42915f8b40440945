// Decides whether the host can compute a value: for barriers in control flow and for assignments to host variables.
#include <fmt/format.h>

#include "sema/services.h"

namespace bsgp::sema {

namespace {

bool blame(const Expr* e, NotOfHost::Kind kind, std::string why, NotOfHost* reason) {
  if (reason)
    *reason = {kind, std::move(why), e->range};
  return false;
}

bool blame(const Expr* e, std::string why, NotOfHost* reason) {
  return blame(e, NotOfHost::Other, std::move(why), reason);
}

bool blameMemory(const Expr* e, NotOfHost* reason) {
  return blame(e, NotOfHost::Memory, "memory read here may differ from thread to thread", reason);
}

} // namespace

bool isHostValued(const Expr* e, NotOfHost* reason) {
  if (!e)
    return true;
  switch (e->kind) {
  case Expr::Var:
    if (e->variable->side == Side::Host && e->variable->kind != Variable::Shared)
      return true;
    return blame(e, fmt::format("'{}' is a variable of each thread", e->variable->name), reason);
  case Expr::ThreadRank:
    return blame(e, "'thread.rank' is different in every thread", reason);
  case Expr::BlockRank:
    return blame(e, "'block.rank' is different in every thread", reason);
  case Expr::BlockSize:
  case Expr::BlockId:
    return blame(e, fmt::format("'block.{}' differs between blocks", e->kind == Expr::BlockId ? "id" : "size"), reason);
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
    return blame(e, warpDifference(e->kind), reason);
  case Expr::Get:
    return blame(e, "'thread.get' reads a variable of a thread", reason);
  case Expr::Deref:
    return blameMemory(e, reason);
  case Expr::Index:
    if (e->a->type->isPointer())
      return blameMemory(e, reason);
    break;
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    return blame(e, "an assignment is no uniform value", reason);
  case Expr::AddrOf:
  case Expr::Decay:
    return blame(e, "an address inside a thread is no uniform value", reason);
  case Expr::Call:
    if (e->function->collective && e->function->host_result)
      return true;
    if (e->function->collective)
      return blame(e, fmt::format("'{}' gives each thread a value of its own", e->function->name), reason);
    if (e->on_host) // the host has its arguments
      return true;
    return blame(e, fmt::format("the call of '{}' runs in each thread", e->function->name), reason);
  case Expr::BuiltinCall:
    if (e->builtin >= Builtin::Printf)
      return blame(e, "this call runs in each thread", reason);
    break;
  default:
    break;
  }
  for (const Expr* part : {e->a, e->b, e->c})
    if (!isHostValued(part, reason))
      return false;
  for (const Expr* arg : e->args)
    if (!isHostValued(arg, reason))
      return false;
  return true;
}

std::string warpDifference(Expr::Kind kind) {
  return fmt::format("'warp.{}' differs between the threads of a block", kind == Expr::WarpRank ? "rank"
                                                                         : kind == Expr::WarpId ? "id"
                                                                                                : "size");
}

bool isLvalue(const Expr* e) {
  switch (e->kind) {
  case Expr::Var:
  case Expr::Deref:
    return true;
  case Expr::Field:
  case Expr::Swizzle:
    return isLvalue(e->a);
  case Expr::Index:
    return e->a->type->isPointer() || isLvalue(e->a);
  case Expr::ThreadSize:
    return true;
  default:
    return false;
  }
}

bool isConst(const Expr* e) {
  if (e->is_const)
    return true;
  switch (e->kind) {
  case Expr::Var:
    return e->variable->is_const || e->variable->kind == Variable::Constant;
  case Expr::Deref:
    return e->a->type->to_const;
  case Expr::Index:
    return e->a->type->isPointer() ? e->a->type->to_const : isConst(e->a);
  case Expr::Field:
    return e->a->type->structure->fields[e->index].is_const || isConst(e->a);
  case Expr::Swizzle:
    return isConst(e->a);
  default:
    return false;
  }
}

bool isTemporary(const Expr* e) {
  bool part = e->kind == Expr::Field || (e->kind == Expr::Index && !e->a->type->isPointer());
  return part ? isTemporary(e->a) : e->kind == Expr::Call || e->kind == Expr::Construct;
}

bool isListElement(const Expr* e) {
  while (e->kind == Expr::Field || e->kind == Expr::Swizzle || (e->kind == Expr::Index && !e->a->type->isPointer()))
    e = e->a;
  return e->kind == Expr::Index && e->a->kind == Expr::DListData;
}

const Variable* rootVariable(const Expr* e) {
  for (;;) {
    switch (e->kind) {
    case Expr::Var:
      return e->variable;
    case Expr::Field:
    case Expr::Swizzle:
      e = e->a;
      break;
    case Expr::Index:
      if (e->a->type->isPointer())
        return nullptr;
      e = e->a;
      break;
    default:
      return nullptr;
    }
  }
}

} // namespace bsgp::sema
