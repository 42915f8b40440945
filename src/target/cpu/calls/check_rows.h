// Kernels of a program that watches itself exist twice. Accesses that are proven for all threads before they run are
// not watched in the *proven* copy, which can become vectors again:
//
//   define void @k.blocks(launch, first_block, end_block) {
//     reaches[i] = base, address in thread 0, address in the last thread, is it a line in between
//     while (first_block < end_block):
//       next = bsgp_rt_check_rows(launch, first_block, end_block, rows, reaches, exact)
//       next >= 0 ?  @k.proven.blocks(launch, first_block, next)  :  @k.watched.blocks(launch, first_block, next = ~next)
//
// In the copy, accesses that are lines of the rank (rank_lines.h) have no checks. Others whose base is one of some
// parameters are marked: they are compared with its memory in place, and call the runtime only if that is not enough.
#pragma once

#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "target/common/attributes.h"

namespace bsgp::target {

// Folds, in these blocks, conditions that depend on constants alone, and drops reports that are never made.
void dropKnown(llvm::ArrayRef<llvm::BasicBlock*> blocks);

// The calls of a watched access that ask whether its place was written, and those that mark it as written.
struct WrittenCalls {
  llvm::SmallVector<llvm::CallInst*, 2> asks, sets;
};
WrittenCalls writtenCallsOf(llvm::CallInst& check); // also of the lanes of a vector

// Tells whether a thread has watched accesses to device memory, and whether something may be proven of them.
enum class CheckedAccesses { None, Showable, Unshowable };
CheckedAccesses kindOfAccesses(llvm::Function& thread);
// True if threads may order each other, or see what others do, before the next barrier.
bool mayTellOthers(llvm::Function& thread);

// Returns the parameters of which the base of an access is one. Empty if that is not known.
llvm::SmallVector<llvm::Argument*, 4> parametersOf(llvm::Value& base);

struct ProvenCopy {
  llvm::Function* thread;           // the copy of the thread's function
  llvm::Function *watched, *proven; // stand for functions of type bsgp_kernel_fn, which are still to be made
};

// Makes @`symbol`.blocks. The copy is named `copy`.
ProvenCopy splitProven(llvm::Function& thread, const std::string& symbol, const std::string& copy);

} // namespace bsgp::target
