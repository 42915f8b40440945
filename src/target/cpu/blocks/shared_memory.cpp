#include "target/cpu/blocks/shared_memory.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/check_code.h"
#include "ir/operations.h"
#include "plan/plan_abi.h"
#include "target/cpu/calls/device_calls.h"
#include "target/cpu/ranks/parallel_accesses.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint64_t kMostOnStack = 128 << 10; // bytes of a function's arrays
constexpr uint8_t kPoison = 0xCB;            // as the runtime poisons device memory

bool isShared(const GlobalVariable& global) {
  return global.getAddressSpace() == ir::kSharedSpace;
}

bool namesShared(const Constant& constant, unsigned depth = 0) {
  if (auto* global = dyn_cast<GlobalVariable>(&constant))
    return isShared(*global);
  return isa<ConstantExpr>(constant) && depth < 8 &&
         any_of(
             constant.operands(), [&](const Use& use) { return namesShared(*cast<Constant>(use.get()), depth + 1); });
}

// Vectors of any width may be aligned there.
AllocaInst* createMemory(const GlobalVariable& global, IRBuilder<>& entry) {
  AllocaInst* memory = entry.CreateAlloca(global.getValueType(), nullptr, global.getName());
  memory->setAlignment(std::max(Align(64), global.getAlign().valueOrOne()));
  memory->setMetadata(kLanes, MDNode::get(global.getContext(), {}));
  return memory;
}

void place(GlobalVariable& global, Function& function, BasicBlock* poisoned_in) {
  convertUsersOfConstantsToInstructions({&global}, &function, /*RemoveDeadConstants=*/false);
  SmallVector<Use*, 16> uses;
  for (Use& use : global.uses())
    if (auto* user = dyn_cast<Instruction>(use.getUser()); user && user->getFunction() == &function)
      uses.push_back(&use);
  if (uses.empty())
    return;
  BasicBlock& block = function.getEntryBlock();
  IRBuilder<> builder(&block, block.begin());
  AllocaInst* memory = createMemory(global, builder);
  builder.SetInsertPoint(&block, block.getFirstNonPHIOrDbgOrAlloca());
  Value* pointer = builder.CreateAddrSpaceCast(memory, global.getType());
  for (Use* use : uses)
    use->set(pointer);
  if (!poisoned_in)
    return;
  builder.SetInsertPoint(poisoned_in->getTerminator());
  uint64_t bytes = function.getDataLayout().getTypeAllocSize(global.getValueType());
  builder.CreateMemSet(memory, builder.getInt8(kPoison), bytes, memory->getAlign());
}

} // namespace

bool usesSharedMemory(const Instruction& instruction) {
  return any_of(instruction.operands(), [](const Use& use) {
    auto* constant = dyn_cast<Constant>(use.get());
    return constant && namesShared(*constant);
  });
}

void placeSharedMemory(Function& function, BasicBlock* poisoned_in) {
  SmallVector<GlobalVariable*, 8> shared;
  for (GlobalVariable& global : function.getParent()->globals())
    if (isShared(global))
      shared.push_back(&global);
  for (GlobalVariable* global : shared)
    place(*global, function, poisoned_in);
}

namespace {

// The runtime keeps at least twice kMostOnStack of each stack free for itself and for kernels (stackBounds).
SmallVector<AllocaInst*, 8> arraysForHeap(BasicBlock& entry) {
  const DataLayout& layout = entry.getDataLayout();
  auto bytes = [&](const AllocaInst* array) { return array->getAllocationSize(layout)->getFixedValue(); };
  SmallVector<AllocaInst*, 8> arrays;
  uint64_t sum = 0;
  for (Instruction& instruction : entry)
    if (auto* array = dyn_cast<AllocaInst>(&instruction); array && array->hasMetadata(kLanes)) {
      arrays.push_back(array);
      sum += bytes(array);
    }
  stable_sort(arrays, [&](AllocaInst* a, AllocaInst* b) { return bytes(a) > bytes(b); });
  unsigned moved = 0;
  for (; moved != arrays.size() && sum > kMostOnStack; ++moved)
    sum -= bytes(arrays[moved]);
  arrays.truncate(moved);
  return arrays;
}

CallInst* takeFromHeap(IRBuilder<>& builder, const AllocaInst& array) {
  Module& module = *builder.GetInsertBlock()->getModule();
  Type *i64 = builder.getInt64Ty(), *pointer = builder.getPtrTy();
  uint64_t bytes = array.getAllocationSize(module.getDataLayout())->getFixedValue();
  uint64_t align = array.getAlign().value();
  CallInst* taken = builder.CreateCall(module.getOrInsertFunction("aligned_alloc", pointer, i64, i64),
                                       {builder.getInt64(align), builder.getInt64(alignTo(bytes, align))});
  taken->addRetAttr(Attribute::NoAlias);
  taken->addRetAttr(Attribute::getWithAlignment(module.getContext(), array.getAlign()));
  taken->setMetadata(kLanes, array.getMetadata(kLanes));
  return taken;
}

void giveBack(IRBuilder<>& builder, ArrayRef<CallInst*> memory) {
  Module& module = *builder.GetInsertBlock()->getModule();
  FunctionCallee free = module.getOrInsertFunction("free", builder.getVoidTy(), builder.getPtrTy());
  for (CallInst* taken : memory)
    builder.CreateCall(free, {taken});
}

// At the builder's place: if there was no memory for one of them, reports the size of all and goes to `end`.
void leaveWhereMissing(IRBuilder<>& builder, ArrayRef<CallInst*> memory, BasicBlock& end) {
  uint64_t bytes = 0;
  Value* missing = builder.getFalse();
  for (CallInst* taken : memory) {
    bytes += cast<ConstantInt>(taken->getArgOperand(1))->getZExtValue();
    missing = builder.CreateOr(missing, builder.CreateIsNull(taken));
  }
  Instruction* at = SplitBlockAndInsertIfThen(missing, builder.GetInsertPoint(), /*Unreachable=*/false,
                                              ir::unlikely(builder.getContext()));
  at->getParent()->setName("no.memory");
  builder.SetInsertPoint(at);
  Value* launch = end.getParent()->getArg(RankLoop::kLaunch);
  reportFailure(builder, launch, BSGP_FAIL_MEMORY, builder.getInt64(bytes),
                ConstantPointerNull::get(builder.getPtrTy()));
  giveBack(builder, memory);
  at->setSuccessor(0, &end);
}

} // namespace

void moveLargeArraysToHeap(Function& kernel, BasicBlock& exit) {
  BasicBlock& entry = kernel.getEntryBlock();
  SmallVector<AllocaInst*, 8> arrays = arraysForHeap(entry);
  if (arrays.empty())
    return;
  BasicBlock::iterator first = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction& instruction : make_early_inc_range(make_range(first, entry.end())))
    if (isa<AllocaInst>(instruction))
      instruction.moveBefore(entry, first);
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  SmallVector<CallInst*, 8> memory;
  for (AllocaInst* array : arrays) {
    memory.push_back(takeFromHeap(builder, *array));
    array->replaceAllUsesWith(memory.back());
  }
  BasicBlock* end = exit.splitBasicBlock(exit.getTerminator(), "end");
  leaveWhereMissing(builder, memory, *end);
  builder.SetInsertPoint(exit.getTerminator());
  giveBack(builder, memory);
  for (AllocaInst* array : arrays)
    array->eraseFromParent();
}

} // namespace bsgp::target
