// Optimizes each spawn across its supersteps (paper, 4.2 step 2), so that unused and constant values do not cross a
// barrier.
//
// Requires: the contract. Ensures: the contract; every scalar variable is an SSA value.
//
//   f~ = alloca; store (rank e1)/3, f~            %f = udiv (rank e1), 3
//   barrier 1                               =>    barrier 1
//   store (load f~), pf[...]                      store %f, pf[...]
//
// Only these passes, and only with these options. Others are right for a function that runs at one go, but wrong or
// costly where barriers cut it: combining and sinking make other values cross, partial redundancy elimination makes new
// ones, hoisting and tables move code over a barrier. They run on the kernels, later.
#include "bsp/optimize.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "bsp/decided_tests.h"
#include "bsp/drop_unused.h"
#include "bsp/hidden_tests.h"
#include "bsp/promote_locals.h"
#include "bsp/search_choices.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

SimplifyCFGPass simplifyControlFlow() {
  return SimplifyCFGPass(SimplifyCFGOptions()
                             .sinkCommonInsts(false)
                             .hoistCommonInsts(false)
                             .convertSwitchRangeToICmp(false)
                             .convertSwitchToLookupTable(false)
                             .forwardSwitchCondToPhi(false));
}

GVNPass numberValues() {
  return GVNPass(GVNOptions().setPRE(false).setLoadPRE(false).setLoadInLoopPRE(false).setLoadPRESplitBackedge(false));
}

FunctionPassManager pipeline(unsigned opt_level) {
  FunctionPassManager passes;
  passes.addPass(PromoteLocalsPass());
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  if (opt_level == 0)
    return passes;
  passes.addPass(HideTestsPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(ShowTestsPass());
  passes.addPass(SCCPPass());
  passes.addPass(SearchChoicesPass());
  passes.addPass(DecidedTestsPass());
  passes.addPass(simplifyControlFlow());
  passes.addPass(HideTestsPass());
  passes.addPass(numberValues());
  passes.addPass(ShowTestsPass());
  passes.addPass(InstSimplifyPass());
  passes.addPass(DropUnusedPass());
  passes.addPass(simplifyControlFlow());
  return passes;
}

// SimplifyCFG merges all blocks that end in `unreachable` (the default of a switch that covers its cases) into one,
// which supersteps would then share. Each branch gets a block of its own again.
void separateImpossible(Function& function) {
  std::vector<BasicBlock*> impossible;
  for (BasicBlock& block : function)
    if (isa<UnreachableInst>(block.getFirstNonPHI()))
      impossible.push_back(&block);
  for (BasicBlock* block : impossible) {
    SmallVector<BasicBlock*> from(predecessors(block));
    SmallPtrSet<BasicBlock*, 8> seen;
    for (BasicBlock* branch : from) {
      if (!seen.insert(branch).second || seen.size() == 1)
        continue;
      BasicBlock* own = BasicBlock::Create(function.getContext(), "impossible", &function);
      new UnreachableInst(function.getContext(), own);
      for (BasicBlock* edge : from)
        if (edge == branch)
          block->removePredecessor(branch);
      branch->getTerminator()->replaceSuccessorWith(block, own);
    }
  }
}

} // namespace

void optimizeSpawns(ir::Spawns& spawns, unsigned opt_level) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  FunctionPassManager passes = pipeline(opt_level);
  for (ir::Spawn& spawn : spawns.spawns) {
    passes.run(*spawn.function, functions);
    functions.clear(*spawn.function, spawn.function->getName());
    separateImpossible(*spawn.function);
  }
}

} // namespace bsgp::bsp
