// Decides whether the host can compute a value: for barriers in control flow and for assignments to host variables.
#include "sema/services.h"

namespace bsgp::sema {

namespace {

bool differs(const Expr* e, Difference* reason, Difference::Root root, std::string_view name = "") {
  if (reason)
    *reason = {root, Difference::Direct, name, {}, e->range};
  return false;
}

} // namespace

bool isHostValued(const Expr* e, Difference* reason) {
  if (!e)
    return true;
  switch (e->kind) {
  case Expr::Var:
    if (e->variable->side == Side::Host && e->variable->kind != Variable::Shared)
      return true;
    return differs(e, reason, Difference::OfThread, e->variable->name);
  case Expr::ThreadRank:
  case Expr::BlockRank:
    return differs(e, reason, Difference::RankInThread, nameOfMember(e->kind));
  case Expr::BlockSize:
  case Expr::BlockId:
    return differs(e, reason, Difference::BlockMember, nameOfMember(e->kind));
  case Expr::WarpRank:
  case Expr::WarpId:
  case Expr::WarpSize:
    return differs(e, reason, Difference::WarpMember, nameOfMember(e->kind));
  case Expr::Get:
    return differs(e, reason, Difference::Get);
  case Expr::Deref:
    return differs(e, reason, Difference::Memory);
  case Expr::Index:
    if (e->a->type->isPointer())
      return differs(e, reason, Difference::Memory);
    break;
  case Expr::Assign:
  case Expr::CompoundAssign:
  case Expr::IncDec:
    return differs(e, reason, Difference::Assignment);
  case Expr::AddrOf:
  case Expr::Decay:
    return differs(e, reason, Difference::Address);
  case Expr::Call:
    if (e->function->collective && e->function->host_result)
      return true;
    if (e->function->collective)
      return differs(e, reason, Difference::Collective, e->function->name);
    if (e->on_host) // the host has its arguments
      return true;
    return differs(e, reason, Difference::CallInThread, e->function->name);
  case Expr::BuiltinCall:
    if (e->builtin >= Builtin::Printf)
      return differs(e, reason, Difference::BuiltinInThread);
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

std::string_view nameOfMember(Expr::Kind kind) {
  switch (kind) {
  case Expr::ThreadRank:
    return "thread.rank";
  case Expr::ThreadSize:
    return "thread.size";
  case Expr::BlockRank:
    return "block.rank";
  case Expr::BlockId:
    return "block.id";
  case Expr::BlockSize:
    return "block.size";
  case Expr::WarpRank:
    return "warp.rank";
  case Expr::WarpId:
    return "warp.id";
  case Expr::WarpSize:
    return "warp.size";
  default:
    return "";
  }
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
