#include "target/ptx/gpu_module.h"

#include <llvm/Transforms/Utils/Cloning.h>

namespace bsgp::target {

using namespace llvm;

namespace {

bool isKernel(const GlobalValue& value) {
  auto* function = dyn_cast<Function>(&value);
  return function && function->getCallingConv() == CallingConv::PTX_Kernel;
}

// Constants and shared variables.
bool isMemoryOfKernels(const GlobalValue& value) {
  auto* global = dyn_cast<GlobalVariable>(&value);
  return global && (global->isConstant() || global->getAddressSpace() != 0);
}

bool dropUnused(Module& module) {
  SmallVector<GlobalValue*, 32> unused;
  for (GlobalValue& value : module.global_values()) {
    value.removeDeadConstantUsers();
    if (value.use_empty() && !isKernel(value))
      unused.push_back(&value);
  }
  for (GlobalValue* value : unused)
    value->eraseFromParent();
  return !unused.empty();
}

} // namespace

std::unique_ptr<Module> extractKernels(Module& program) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> kernels =
      CloneModule(program, map, [](const GlobalValue* value) { return isKernel(*value) || isMemoryOfKernels(*value); });
  while (dropUnused(*kernels)) {
  }
  for (GlobalVariable& global : kernels->globals())
    if (global.hasInitializer()) // each program has its own
      global.setLinkage(GlobalValue::InternalLinkage);
  for (Function& function : make_early_inc_range(program))
    if (isKernel(function))
      function.eraseFromParent();
  if (NamedMDNode* annotations = program.getNamedMetadata("nvvm.annotations"))
    annotations->eraseFromParent();
  return kernels;
}

} // namespace bsgp::target
