#include "target/cpu/shared_memory.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ReplaceConstant.h>

#include "irgen/contract.h"
#include "support/check.h"
#include "target/cpu/parallel_accesses.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint8_t kPoison = 0xCB; // as the runtime poisons device memory

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

void dropSharedMemory(Module& module) {
  for (GlobalVariable& global : make_early_inc_range(module.globals())) {
    if (!isShared(global))
      continue;
    global.removeDeadConstantUsers();
    BSGP_CHECK(global.use_empty(), "%s is used outside of kernels", global.getName().str().c_str());
    global.eraseFromParent();
  }
}

} // namespace bsgp::target
