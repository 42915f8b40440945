// LLVM's code generator, without passes that do not pay.
#pragma once

#include <string_view>

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

namespace bsgp::target {

// Uses up the module. `without`: names of passes (Pass::getPassName) that a target does not ask for by an option of its
// own; what is left must be right without them.
llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType kind,
                                    llvm::ArrayRef<std::string_view> without);

} // namespace bsgp::target
