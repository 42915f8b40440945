// Places the shared variables of a kernel. The assembler places up to 48 KiB; if a kernel has more, they lie behind
// each other in one array whose size the launch gives.
#include <llvm/IR/ReplaceConstant.h>

#include "ir/operations.h"
#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint64_t kMostPlaced = 48 << 10;

bool isUsedIn(const GlobalVariable& global, const Function& function) {
  return any_of(global.users(), [&](const User* user) {
    auto* instruction = dyn_cast<Instruction>(user);
    return instruction && instruction->getFunction() == &function;
  });
}

GlobalVariable* launchArray(Module& module, const std::string& name) {
  auto* type = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  auto* array = new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
                                   name + "_shared", nullptr, GlobalValue::NotThreadLocal, ir::kSharedSpace);
  array->setAlignment(Align(16));
  return array;
}

} // namespace

SmallVector<GlobalVariable*, 8> sharedVariables(Function& function) {
  SmallVector<GlobalVariable*, 8> all, used;
  SmallVector<Constant*, 8> constants;
  for (GlobalVariable& global : function.getParent()->globals())
    if (global.getAddressSpace() == ir::kSharedSpace) {
      all.push_back(&global);
      constants.push_back(&global);
    }
  convertUsersOfConstantsToInstructions(constants, &function, /*RemoveDeadConstants=*/false);
  copy_if(all, std::back_inserter(used), [&](GlobalVariable* global) { return isUsedIn(*global, function); });
  return used;
}

void placeGpuSharedMemory(GpuKernel& kernel) {
  Module& module = *kernel.function->getParent();
  const DataLayout& layout = module.getDataLayout();
  SmallVector<GlobalVariable*, 8> shared = sharedVariables(*kernel.function);
  SmallVector<uint64_t, 8> offsets;
  uint64_t end = 0;
  for (GlobalVariable* global : shared) {
    offsets.push_back(alignTo(end, Align(16)));
    end = offsets.back() + layout.getTypeAllocSize(global->getValueType());
  }
  if (end <= kMostPlaced)
    return;
  GlobalVariable* array = launchArray(module, kernel.name);
  IRBuilder<> builder(&kernel.function->getEntryBlock(),
                      kernel.function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (auto [global, offset] : zip(shared, offsets)) {
    Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), array, offset);
    global->replaceUsesWithIf(place, [&](Use& use) {
      auto* user = dyn_cast<Instruction>(use.getUser());
      return user && user->getFunction() == kernel.function;
    });
  }
  kernel.shared_bytes = static_cast<uint32_t>(end);
}

} // namespace bsgp::target
