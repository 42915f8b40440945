// Memory that host code manages: new and delete, dnew and dtempnew, copy, dlists.
#include "irgen/host_emitter.h"
#include "plan/plan_abi.h"
#include "support/check.h"

namespace bsgp::irgen {

Leaves HostEmitter::special(const Expr* e) {
  switch (e->kind) {
  case Expr::ThreadSize:
    return load(specialPlace(e));
  case Expr::DListData:
    return {b.CreateAlignedLoad(m.types.value(e->type), place(e->a).address, llvm::Align(8))};
  case Expr::DListCount:
    return {count(e)};
  case Expr::BuiltinCall:
    break;
  default:
    BSGP_CHECK(false, "an expression of device code, kind %d, on the host", int(e->kind));
  }
  switch (e->builtin) {
  case Builtin::New:
    return allocate(e, "bsgp_rt_new");
  case Builtin::Dnew:
    return allocate(e, "bsgp_rt_dnew");
  case Builtin::DtempNew:
    return allocate(e, "bsgp_rt_dtempnew");
  case Builtin::Delete:
  case Builtin::Dfree:
    runtime(e->builtin == Builtin::Delete ? "bsgp_rt_delete" : "bsgp_rt_dfree",
            {call_, plain(scalar(e->a)), m.site(e->range)});
    return {};
  case Builtin::Copy:
    return copy(e);
  case Builtin::DListResize:
  case Builtin::DListReserve: {
    llvm::Value* handle = place(e->a).address;
    runtime(e->builtin == Builtin::DListResize ? "bsgp_rt_dlist_resize" : "bsgp_rt_dlist_reserve",
            {call_, handle, scalar(e->b), b.getInt64(e->a->type->element->size), m.site(e->range)});
    return {};
  }
  case Builtin::Peek:
  case Builtin::Poke:
    return elementCall(e);
  case Builtin::DListAppend: {
    llvm::Value* handle = place(e->a).address;
    appendValues(handle, e->a->type->element, std::span<Expr* const>(&e->b, 1), e->range);
    return {};
  }
  case Builtin::DListDetach: {
    Place list = place(e->a);
    llvm::Value* data = b.CreateAlignedLoad(m.types.value(e->type), list.address, llvm::Align(8));
    clearLists(list);
    return {data};
  }
  case Builtin::DListSwap:
    swap(place(e->a).address, place(e->b).address);
    return {};
  case Builtin::DListRoom:
    return {b.CreateAlignedLoad(m.int64(), offset(place(e->a).address, 16), llvm::Align(8))};
  case Builtin::WorkerCount:
    return {callRuntime("bsgp_rt_worker_count", m.int32(), {call_})};
  default:
    BSGP_CHECK(false, "built-in function %d", int(e->builtin));
    __builtin_unreachable();
  }
}

llvm::Value* HostEmitter::count(const Expr* e) {
  llvm::Value* n = b.CreateAlignedLoad(m.int64(), offset(place(e->a).address, 8), llvm::Align(8));
  if (e->type->bits == 64)
    return n;
  failIf(b.CreateICmpSGT(n, b.getInt64(INT32_MAX)), BSGP_FAIL_ASSERT, e->range, kLengthFits);
  return b.CreateTrunc(n, m.int32());
}

Leaves HostEmitter::allocate(const Expr* e, llvm::StringRef name) {
  const Type* element = e->type->element;
  llvm::SmallVector<llvm::Value*> arguments{call_, scalar(e->a), b.getInt64(element->size)};
  if (e->builtin == Builtin::DtempNew) {
    frame_.takes_temps = true;
    arguments.push_back(b.getInt32(e->index ? e->index : require_ ? require_->scope : 0));
  }
  llvm::AllocaInst* out = newAlloca(m.types.value(e->type), llvm::Align(8), "allocated");
  arguments.append({m.site(e->range, typeName(element)), out});
  runtime(name, arguments);
  llvm::Value* made = b.CreateAlignedLoad(out->getAllocatedType(), out, llvm::Align(8));
  if (e->builtin == Builtin::DtempNew && e->of_library && m.options.checked)
    callRuntime("bsgp_rt_check_library_memory", b.getVoidTy(), {call_, plain(made)});
  return {made};
}

// Swaps the contents of two handles, which may be the same one.
void HostEmitter::swap(llvm::Value* left, llvm::Value* right) {
  for (unsigned at = 0; at != sizeof(bsgp_dlist); at += 8) {
    llvm::Value *l = offset(left, at), *r = offset(right, at);
    llvm::Value *first = b.CreateAlignedLoad(m.int64(), l, llvm::Align(8)),
                *second = b.CreateAlignedLoad(m.int64(), r, llvm::Align(8));
    b.CreateAlignedStore(second, l, llvm::Align(8));
    b.CreateAlignedStore(first, r, llvm::Align(8));
  }
}

Leaves HostEmitter::copy(const Expr* e) {
  llvm::Value *to = plain(scalar(e->args[0])), *from = plain(scalar(e->args[1])), *count = scalar(e->args[2]);
  auto space = [&](const Expr* pointer) {
    return b.getInt32(spaceOf(pointer->type) == Space::Device ? BSGP_DEVICE : BSGP_HOST);
  };
  uint64_t each = std::max(1u, e->args[0]->type->element->size);
  runtime("bsgp_rt_copy",
          {call_, to, space(e->args[0]), from, space(e->args[1]), count, b.getInt64(each), m.site(e->range)});
  return {};
}

} // namespace bsgp::irgen
