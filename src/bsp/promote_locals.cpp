#include "bsp/promote_locals.h"

#include <vector>

#include <llvm/IR/Instructions.h>

#include "ir/promote_variables.h"

namespace bsgp::bsp {

using namespace llvm;

PreservedAnalyses PromoteLocalsPass::run(Function& function, FunctionAnalysisManager&) {
  std::vector<AllocaInst*> variables;
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* variable = dyn_cast<AllocaInst>(&instruction))
      variables.push_back(variable);
  ir::promoteAcrossBlocks(function, variables);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::bsp
