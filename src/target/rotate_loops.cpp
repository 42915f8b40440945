#include "target/rotate_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kLargestHeader = 16; // instructions that are copied, as in LLVM's pass

} // namespace

PreservedAnalyses RotateLoopsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  DominatorTree& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  AssumptionCache& assumptions = analyses.getResult<AssumptionAnalysis>(function);
  auto& target = analyses.getResult<TargetIRAnalysis>(function);
  SimplifyQuery query(function.getDataLayout(), &analyses.getResult<TargetLibraryAnalysis>(function), &dominators,
                      &assumptions);
  bool changed = false;
  SmallVector<Loop*, 4> outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first))
    changed |= LoopRotation(loop, &loops, &target, &assumptions, &dominators, /*SE=*/nullptr, /*MSSAU=*/nullptr, query,
                            /*RotationOnly=*/false, kLargestHeader, /*IsUtilMode=*/false);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserve<DominatorTreeAnalysis>();
  preserved.preserve<LoopAnalysis>();
  return preserved;
}

void addRotation(FunctionPassManager& passes) {
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(RotateLoopsPass());
}

} // namespace bsgp::target
