#include "target/common/rotate_loops.h"

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
  AssumptionCache& assumptions = analyses.getResult<AssumptionAnalysis>(function);
  auto& target = analyses.getResult<TargetIRAnalysis>(function);
  // No dominator tree is kept up to date: each change would walk all blocks behind it. It is made anew once.
  SimplifyQuery query(function.getDataLayout(), &analyses.getResult<TargetLibraryAnalysis>(function), /*DT=*/nullptr,
                      &assumptions);
  bool changed = false;
  SmallVector<Loop*, 4> outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first))
    changed |=
        LoopRotation(loop, &loops, &target, &assumptions, /*DT=*/nullptr, /*SE=*/nullptr, /*MSSAU=*/nullptr, query,
                     /*RotationOnly=*/false, kLargestHeader, /*IsUtilMode=*/false);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserve<LoopAnalysis>();
  return preserved;
}

void addRotation(FunctionPassManager& passes) {
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(RotateLoopsPass());
}

} // namespace bsgp::target
