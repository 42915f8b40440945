// Machine code in memory, for the file writers and the JIT.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include "target/cpu/cpu_target.h"

namespace bsgp::target {

// Gets the module ready for the generation of its code, debug lines too, and makes the machine that generates it.
Result<std::unique_ptr<llvm::TargetMachine>> machineFor(llvm::Module& module, const CpuOptions& options);

// Object file or assembly. Code generation changes the module: it is good for nothing afterwards.
Result<llvm::SmallVector<char, 0>> generateCode(ir::Kernels& program, const CpuOptions& options,
                                                llvm::CodeGenFileType kind);

Result<void> writeObject(llvm::StringRef code, const std::string& path);

} // namespace bsgp::target
