// Kernels whose threads work together in blocks.
#pragma once

#include "target/common/block_terms.h"

namespace bsgp::target {

// Does the thread function say block.sync, use shared memory, or ask for its place in a block?
bool isBlockKernel(const llvm::Function& thread, const BlockTerms& terms);

struct BlockKernelOptions {
  uint32_t block = 0; // threads in a full one
  bool reference = false;
  bool one_form = false; // for whole blocks and others
};

// `void @spawn.N.k.ranks(ptr launch, iN begin, iN end, args...)` as RankLoop has it: runs the blocks of these ranks,
// one after the other. `begin` is a block's first rank.
struct BlockFunctions {
  llvm::Function* whole = nullptr; // only for whole blocks; null: use `any`
  llvm::Function* any = nullptr;   // the last one may have fewer threads; null: there are none but whole ones
};
BlockFunctions buildBlockKernel(llvm::Function& thread, const plan::Kernel& kernel, llvm::IntegerType* rank_type,
                                const BlockTerms& terms, const BlockKernelOptions& options);

} // namespace bsgp::target
