// Does the work of LLVM's ADCE without its search for branches that decide nothing: SimplifyCFG finds those that a
// superstep has. On a spawn of hundreds of supersteps that search takes a fifth of all passes here.
#include "bsp/drop_unused.h"

#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

// Returns the instructions that have an effect, and their operands, recursively.
DenseSet<Instruction*> usedIn(Function& function) {
  DenseSet<Instruction*> used;
  std::vector<Instruction*> open;
  auto use = [&](Instruction* instruction) {
    if (used.insert(instruction).second)
      open.push_back(instruction);
  };
  for (Instruction& instruction : instructions(function))
    if (instruction.isTerminator() || instruction.mayHaveSideEffects())
      use(&instruction);
  while (!open.empty()) {
    Instruction* instruction = open.back();
    open.pop_back();
    for (Value* operand : instruction->operands())
      if (auto* needed = dyn_cast<Instruction>(operand))
        use(needed);
  }
  return used;
}

} // namespace

PreservedAnalyses DropUnusedPass::run(Function& function, FunctionAnalysisManager&) {
  DenseSet<Instruction*> used = usedIn(function);
  std::vector<Instruction*> unused;
  for (Instruction& instruction : instructions(function))
    if (!used.contains(&instruction))
      unused.push_back(&instruction);
  for (Instruction* instruction : unused)
    instruction->dropAllReferences();
  for (Instruction* instruction : unused)
    instruction->eraseFromParent();
  if (unused.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace bsgp::bsp
