// LLVM's pass manager for single functions.
#pragma once

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// The managers of LLVM's analyses, tied to each other.
class FunctionPasses {
public:
  // `machine`: whose costs the passes ask for; null: some machine's. `callbacks` may be null.
  FunctionPasses(const llvm::Triple& triple, llvm::TargetMachine* machine,
                 llvm::PassInstrumentationCallbacks* callbacks);
  void run(llvm::Function& function, llvm::FunctionPassManager& passes);

private:
  llvm::PassBuilder builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

} // namespace bsgp::target
