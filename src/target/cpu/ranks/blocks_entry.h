// The beginning of functions of type bsgp_kernel_fn.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace bsgp::target {

// The values that all ranges of a launch share.
struct BlocksEntry {
  llvm::Function* function;
  llvm::Value* size; // of the launch, i64
  llvm::SmallVector<llvm::Value*, 16> parameters;
};

// `types`: of the kernel's parameters. The builder stands at the end of the first block.
BlocksEntry startBlocks(llvm::IRBuilder<>& builder, llvm::Module& module, llvm::ArrayRef<llvm::Type*> types,
                        const std::string& name);

} // namespace bsgp::target
