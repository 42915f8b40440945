#include "target/cpu/machine/entry.h"

#include <llvm/IR/IRBuilder.h>

namespace bsgp::target {

void addEntry(ir::Kernels& program) {
  llvm::Module& module = *program.module;
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* i32 = builder.getInt32Ty();
  llvm::Type* ptr = builder.getPtrTy();
  auto run = module.getOrInsertFunction("bsgp_rt_main", i32, i32, ptr, ptr);
  auto* main = llvm::Function::Create(llvm::FunctionType::get(i32, {i32, ptr}, false), llvm::Function::ExternalLinkage,
                                      "main", module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", main));
  builder.CreateRet(builder.CreateCall(run, {main->getArg(0), main->getArg(1), module.getFunction("bsgp_main")}));
}

} // namespace bsgp::target
