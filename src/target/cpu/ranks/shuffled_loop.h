// The order in which the reference target takes the lanes of a block.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

// All i64.
struct LaneOrder {
  llvm::Value* lanes = nullptr;
  // the power of two not below `lanes`; an iteration whose lane does not exist is skipped
  llvm::Value* turns = nullptr;
  llvm::Value *factor = nullptr, *offset = nullptr, *shift = nullptr;
};

// For the `count` lanes from rank `begin` on, as launch->shuffle says; another order for each `salt`.
LaneOrder orderOf(llvm::IRBuilder<>& builder, llvm::Value& launch, llvm::Value* begin, llvm::Value* count,
                  uint64_t salt);

llvm::Value* laneOf(llvm::IRBuilder<>& builder, const LaneOrder& order, llvm::Value* turn);

} // namespace bsgp::target
