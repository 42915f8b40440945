// From a scalar thread function to a function that runs it for a range of ranks, one in each turn of a loop. Later the
// vectorizers (vectorize/, and LLVM's own) let a turn run many.
#pragma once

#include <llvm/IR/Function.h>

#include "plan/plan.h"

namespace bsgp::target {

// The attribute of the functions that hold a rank loop: they get the kernels' pipeline.
inline constexpr char kKernelAttribute[] = "bsgp-ranks";
// The threads of a block, as a number: they run ranks from a multiple of it on.
inline constexpr char kBlockSizeAttribute[] = "bsgp-block-size";
uint64_t blockSizeOf(const llvm::Function& function); // 1 where it does not say
// How many threads are to run at once, as a number, where the program says so.
inline constexpr char kWidthAttribute[] = "bsgp-width";
// Of those among them whose outermost loop is one over blocks: block_kernel.h.
inline constexpr char kBlockByBlockAttribute[] = "bsgp-block-by-block";
// Of those among them whose one loop over threads runs vectors of them, by the vectorizer of whole functions: what
// other loops are outermost belongs to the threads of the last vector.
inline constexpr char kVectorizedAttribute[] = "bsgp-vectorized";
// Of those among them that run for one block of a launch at most: made vectors by the shortest way.
inline constexpr char kPartBlockAttribute[] = "bsgp-rarely";

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
  // Where to go on from the exit when a thread has failed; null: as if none had.
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
