// Accesses that LLVM 19 has no pattern for on this machine, as the PTX that they are; all in the scope of one GPU.
//
//   load acquire p          ld.acquire.gpu.SPACE.bN
//   store release v, p      st.release.gpu.SPACE.bN
//   fence                   fence.acq_rel.gpu, or .sc
//   prefetch p              prefetch.global.L2
//   store !nontemporal      st.global.cs
#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "ir/operations.h"
#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

namespace {

const char* spaceName(unsigned space) {
  return space == ir::kDeviceSpace ? ".global" : space == ir::kSharedSpace ? ".shared" : "";
}

struct Width {
  Type* type;       // an integer
  const char* name; // constraint
  unsigned bits;
};

Width widthOf(Type* type) {
  unsigned bits = std::max(type->getPrimitiveSizeInBits().getFixedValue(), uint64_t(16));
  return {IntegerType::get(type->getContext(), bits), bits == 64 ? "l" : bits == 32 ? "r" : "h", bits};
}

CallInst* emitAsm(IRBuilder<>& builder, Type* result, const std::string& text, const std::string& constraints,
                  ArrayRef<Value*> arguments) {
  SmallVector<Type*, 4> types;
  for (Value* argument : arguments)
    types.push_back(argument->getType());
  auto* type = FunctionType::get(result, types, false);
  CallInst* call = builder.CreateCall(InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true), arguments);
  call->setDoesNotThrow();
  return call;
}

void lowerLoad(LoadInst& load) {
  IRBuilder<> builder(&load);
  Width width = widthOf(load.getType());
  const char* semantics = load.getOrdering() == AtomicOrdering::Monotonic ? "relaxed" : "acquire";
  std::string text =
      fmt::format("ld.{}.gpu{}.b{} $0, [$1];", semantics, spaceName(load.getPointerAddressSpace()), width.bits);
  Value* loaded =
      emitAsm(builder, width.type, text, fmt::format("={},l,~{{memory}}", width.name), {load.getPointerOperand()});
  load.replaceAllUsesWith(builder.CreateBitCast(loaded, load.getType()));
  load.eraseFromParent();
}

void lowerStore(StoreInst& store, const char* semantics, const char* space, const char* cache) {
  IRBuilder<> builder(&store);
  Width width = widthOf(store.getValueOperand()->getType());
  std::string text = fmt::format("st{}{}{}.b{} [$0], $1;", semantics, space, cache, width.bits);
  emitAsm(builder, builder.getVoidTy(), text, fmt::format("l,{},~{{memory}}", width.name),
          {store.getPointerOperand(), builder.CreateBitCast(store.getValueOperand(), width.type)});
  store.eraseFromParent();
}

void lowerFence(FenceInst& fence) {
  IRBuilder<> builder(&fence);
  bool total = fence.getOrdering() == AtomicOrdering::SequentiallyConsistent;
  emitAsm(builder, builder.getVoidTy(), total ? "fence.sc.gpu;" : "fence.acq_rel.gpu;", "~{memory}", {});
  fence.eraseFromParent();
}

void lowerPrefetch(IntrinsicInst& call) {
  IRBuilder<> builder(&call);
  Value* pointer = call.getArgOperand(0);
  if (pointer->getType()->getPointerAddressSpace() == ir::kDeviceSpace)
    emitAsm(builder, builder.getVoidTy(), "prefetch.global.L2 [$0];", "l", {pointer});
  call.eraseFromParent();
}

bool isStreaming(const StoreInst& store) {
  Type* type = store.getValueOperand()->getType();
  return store.hasMetadata(LLVMContext::MD_nontemporal) && store.getPointerAddressSpace() == ir::kDeviceSpace &&
         !type->isVectorTy() && !type->isPointerTy() && type->getPrimitiveSizeInBits() >= 16;
}

void lower(Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (load->isAtomic())
      lowerLoad(*load);
  } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    if (store->isAtomic())
      lowerStore(*store, ".release.gpu", spaceName(store->getPointerAddressSpace()), "");
    else if (isStreaming(*store))
      lowerStore(*store, "", ".global", ".cs");
  } else if (auto* fence = dyn_cast<FenceInst>(&instruction)) {
    lowerFence(*fence);
  } else if (auto* call = dyn_cast<IntrinsicInst>(&instruction)) {
    if (call->getIntrinsicID() == Intrinsic::prefetch)
      lowerPrefetch(*call);
  }
}

} // namespace

void lowerGpuMemory(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    lower(instruction);
}

} // namespace bsgp::target
