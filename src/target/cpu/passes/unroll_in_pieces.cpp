#include "target/cpu/passes/unroll_in_pieces.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "support/check.h"
#include "target/common/function_passes.h"
#include "target/cpu/workarounds/outline_loops.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Loops that look small as they call pieces.
void keepLoopsAround(Function& function, ArrayRef<Function*> pieces) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Function* piece : pieces)
    for (Loop* loop = loops.getLoopFor(cast<CallInst>(piece->user_back())->getParent()); loop;
         loop = loop->getParentLoop())
      if (hasUnrollTransformation(loop) == TM_Unspecified)
        addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
}

void inlinePiece(Function& piece) {
  for (User* call : make_early_inc_range(piece.users())) {
    InlineFunctionInfo info;
    InlineResult result = InlineFunction(*cast<CallInst>(call), info);
    BSGP_CHECK(result.isSuccess(), "%s cannot be inlined again: %s", piece.getName().str().c_str(),
               result.getFailureReason());
  }
  piece.eraseFromParent();
}

} // namespace

PreservedAnalyses UnrollInPiecesPass::run(Function& function, FunctionAnalysisManager&) {
  FunctionPassManager passes;
  addUnrolling(passes);
  FunctionPasses runner(machine_.getTargetTriple(), &machine_, nullptr);
  std::vector<Function*> pieces;
  if (!function.getSubprogram()) // whose lines and variables would be another function's
    pieces = outlineLoops(function);
  for (Function* piece : pieces)
    runner.run(*piece, passes);
  keepLoopsAround(function, pieces);
  runner.run(function, passes);
  for (Function* piece : pieces)
    inlinePiece(*piece);
  return PreservedAnalyses::none();
}

} // namespace bsgp::target
