// Operations on a condition of all lanes of a vector. They stand in scalar code in which each iteration of a loop over
// threads is a place for one thread; for a thread alone they mean what the right column says.
//
//   %n = call i32 @bsgp.lanes.count(i1 %c)     the lanes whose %c holds; zext %c
//   %i = call i32 @bsgp.lanes.feed(ptr %next)  a number for each lane that runs, from the one at %next on in their
//                                              order; that grows by their number; *%next, which grows by 1
//
// All lanes come to a count together.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace bsgp::target {

enum class LaneVote { None, Count, Feed };

LaneVote voteOf(const llvm::Instruction& instruction);
llvm::FunctionCallee declareVote(llvm::Module& module, LaneVote vote);

// Makes of those that are left what they mean for a thread alone.
class LowerVotesPass : public llvm::PassInfoMixin<LowerVotesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static llvm::StringRef name() { return "bsgp::target::LowerVotesPass"; }
};

} // namespace bsgp::target
