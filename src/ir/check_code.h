// Code that several phases make for checks and for other rare cases.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace bsgp::ir {

// Weights of a branch whose first edge is hardly ever taken; of one whose second edge is.
llvm::MDNode* unlikely(llvm::LLVMContext& context);
llvm::MDNode* likely(llvm::LLVMContext& context);

// Each byte of some memory has a bit. `place`: the byte with the bit of byte number `offset`. Whether the bits of `bytes` bytes
// from there on are set, at most kMostBytes. Four or eight bytes are read at `place`: others may be changing them.
constexpr uint64_t kMostBytes = 32;
llvm::Value* areSet(llvm::IRBuilderBase& builder, llvm::Value* place, llvm::Value* offset, uint64_t bytes);

} // namespace bsgp::ir
