// Finds the values that place a thread in its block (rank, block.rank, block.id, block.size) in the arithmetic on
// ranks that the contract promises.
#pragma once

#include <optional>

#include <llvm/IR/Function.h>

#include "plan/plan.h"

namespace bsgp::target {

// One instruction each; null: it is not used.
struct BlockTerms {
  llvm::Instruction* rank = nullptr;
  llvm::Instruction* lane = nullptr; // block.rank, in the type of ranks
  llvm::Instruction* id = nullptr;   // block.id
  llvm::Instruction* size = nullptr; // block.size, in the type of ranks

  bool asked() const { return lane || id || size; }
  bool is(const llvm::Instruction& instruction) const {
    return &instruction == rank || &instruction == lane || &instruction == id || &instruction == size;
  }
};

// Merges the equal instructions of each term into one.
BlockTerms findBlockTerms(llvm::Function& thread, const plan::Kernel& kernel, uint32_t block);

// A comparison of block.rank, or of the rank, with a value that does not depend on them.
struct LaneTest {
  llvm::CmpInst::Predicate predicate; // of the lane (left) and the bound (right)
  llvm::Value* bound = nullptr;
  bool of_rank = false;
};
std::optional<LaneTest> laneTest(llvm::Value& condition, const BlockTerms& terms);

} // namespace bsgp::target
