#include "bsp/hidden_tests.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

constexpr size_t kMany = 256;
constexpr const char* kName = "bsgp.test";

SmallVector<BranchInst*, 16> conditionalBranches(Function& function) {
  SmallVector<BranchInst*, 16> found;
  for (BasicBlock& block : function)
    if (auto* branch = dyn_cast<BranchInst>(block.getTerminator());
        branch && branch->isConditional() && isa<Instruction>(branch->getCondition()))
      found.push_back(branch);
  return found;
}

// Calls with different numbers are different values, and touch no memory.
Function* declareTest(Module& module) {
  LLVMContext& context = module.getContext();
  Type* boolean = Type::getInt1Ty(context);
  auto* type = FunctionType::get(boolean, {boolean, Type::getInt32Ty(context)}, false);
  auto* test = cast<Function>(module.getOrInsertFunction(kName, type).getCallee());
  test->setDoesNotAccessMemory();
  test->setDoesNotThrow();
  test->setWillReturn();
  return test;
}

} // namespace

PreservedAnalyses HideTestsPass::run(Function& function, FunctionAnalysisManager&) {
  auto branches = conditionalBranches(function);
  if (branches.size() < kMany)
    return PreservedAnalyses::all();
  Function* test = declareTest(*function.getParent());
  IRBuilder<> builder(function.getContext());
  for (size_t i = 0; i < branches.size(); ++i) {
    builder.SetInsertPoint(branches[i]);
    branches[i]->setCondition(builder.CreateCall(test, {branches[i]->getCondition(), builder.getInt32(unsigned(i))}));
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses ShowTestsPass::run(Function& function, FunctionAnalysisManager&) {
  Function* test = function.getParent()->getFunction(kName);
  if (!test)
    return PreservedAnalyses::all();
  for (User* user : make_early_inc_range(test->users())) {
    auto* call = cast<CallInst>(user);
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  test->eraseFromParent();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::bsp
