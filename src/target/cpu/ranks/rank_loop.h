// Makes a scalar thread function one that runs it for a range of ranks, one in each iteration of a loop. Later the
// vectorizers (vectorize/, and LLVM's own) let an iteration run many.
#pragma once

#include <llvm/IR/Function.h>

#include "plan/plan.h"
#include "target/common/attributes.h"

namespace bsgp::target {

uint64_t blockSizeOf(const llvm::Function& function); // kBlockSizeAttribute; 1 where there is none

// `void @spawn.N.k.ranks(ptr launch, iN begin, iN end, args...)`: the ranks begin, begin+1, ... end-1. Its arguments
// from `kFirstArgument` on are those of the thread function.
struct RankLoop {
  static constexpr unsigned kLaunch = 0, kBegin = 1, kEnd = 2, kFirstArgument = 3;

  llvm::Function* function = nullptr;
  llvm::Value* rank = nullptr;        // of the thread the body runs
  llvm::BasicBlock* entry = nullptr;  // runs once; allocas stand here
  llvm::BasicBlock* before = nullptr; // runs right before the first thread
  llvm::BasicBlock* body = nullptr;   // the thread's first instruction
  llvm::BasicBlock* latch = nullptr;  // a branch to it ends the thread
  llvm::BasicBlock* exit = nullptr;   // after the last thread
  // The block that follows the exit when a thread has failed; null: the same as if none had.
  llvm::BasicBlock* give_up = nullptr;

  llvm::Argument* launch() const { return function->getArg(kLaunch); }
  llvm::Argument* begin() const { return function->getArg(kBegin); }
  llvm::Argument* end() const { return function->getArg(kEnd); }
};

// The loop of the CPU target: ranks in order, in the form LLVM's loop vectorizer likes. Takes the body out of `thread`.
RankLoop buildRankLoop(llvm::Function& thread, const plan::Kernel& kernel, llvm::IntegerType* rank_type);

// The loop of the reference target: ranks in an order that launch->shuffle chooses, in order if that is 0. Each range
// it is given is one block.
RankLoop buildShuffledLoop(llvm::Function& thread, const plan::Kernel& kernel, llvm::IntegerType* rank_type);

// ---- for the two builders

// The function with its blocks, empty but for the body.
RankLoop startLoop(llvm::Function& thread, const plan::Kernel& kernel, llvm::IntegerType* rank_type);

// Moves the thread's blocks into the loop: arguments become the loop's, returns branches to the latch, allocas go to
// the entry (one thread at a time uses them).
void moveBody(llvm::Function& thread, RankLoop& loop);

} // namespace bsgp::target
