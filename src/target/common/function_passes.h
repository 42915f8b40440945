// LLVM's pass manager for single functions.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace bsgp::target {

// The only library functions that LLVM may use and recognise are memcpy, memmove and memset. A function of the
// program that is named like one of libm's is the program's.
llvm::TargetLibraryInfoImpl libraryFunctions(const llvm::Triple& triple);

// Unrolls loops whose trip count is a constant that is small enough, or that say `unroll`.
void addFullUnroll(llvm::FunctionPassManager& passes);

// On a CPU: loops whose trip count is a constant that is small enough, and what the program asks for. `before`: what each
// loop goes through first.
void addUnrolling(llvm::FunctionPassManager& passes, llvm::LoopPassManager before = llvm::LoopPassManager());

// InstCombine with one iteration: LLVM's own pipelines do not run it until nothing changes either.
llvm::InstCombinePass instCombine();

// Counts the back edges.
unsigned loopsIn(const llvm::Function& function);

// The managers of LLVM's analyses, tied to each other.
class FunctionPasses {
public:
  // `machine`: passes ask it for costs; null: those of a generic machine. `callbacks` may be null.
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
