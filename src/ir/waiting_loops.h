// Loops that a thread leaves only once another thread has changed memory: spin locks, and flags that are waited for.
//
//   while (atomic_cas(lock, 0, 1) != 0);                                  waits
//   while (atomic_load(&ready[r]) == 0);                                  waits
//   do old = atomic_load(p); while (atomic_cas(p, old, f(old)) != old);   no: a thread fails only if another succeeded
//   while (atomic_cas(&table[h], FREE, key) != FREE) h = next(h);         no: each iteration asks another place
//   while (atomic_add(room, 1) >= 4) atomic_add(room, -1);                waits
//   while (atomic_add(next, 1) < n);                                      no: the counter passes n
//   for (k = 0; k < 100 && atomic_cas(lock, 0, 1) != 0; k++);             no: it ends by itself
//
// The answer errs on one side: a loop that is not named ends although no other thread runs meanwhile.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

namespace bsgp::ir {

struct WaitingLoop {
  const llvm::Loop* loop = nullptr;
  // As long as these give what they gave, the loop goes on. In the order of the code.
  llvm::SmallVector<llvm::Instruction*, 2> reads;
};

// The function's, asked for only where a loop has an atomic operation.
struct DominatorTrees {
  llvm::function_ref<llvm::DominatorTree&()> before;
  llvm::function_ref<llvm::PostDominatorTree&()> behind;
};

// Finds those that wait among the suspects. The answers are in the same order.
llvm::SmallVector<WaitingLoop, 0> findWaitingLoops(llvm::ArrayRef<llvm::Loop*> suspects, const llvm::LoopInfo& loops,
                                                   DominatorTrees trees);

// Is it an atomic load, or an operation that changes nothing and is used as one?
bool isOnlyRead(const llvm::Instruction& read);
// The place of an access to memory that threads share, be it a load, a store or an atomic operation; else null. Shared memory of a
// block is an alloca once its threads are a loop; then only its atomic operations count.
const llvm::Value* sharedPlaceOf(const llvm::Instruction& access);
// A write to memory that threads share: a store, or an atomic operation that is more than a read.
bool isSharedWrite(const llvm::Instruction& access);
// Might the two places be one? In two threads, that is: what they compute of their ranks may be anything.
bool mayBeOnePlace(const llvm::Value& a, const llvm::Value& b);

} // namespace bsgp::ir
