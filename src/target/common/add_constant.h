// Data of the program.
#pragma once

#include <llvm/IR/Module.h>

namespace bsgp::target {

// A private constant; its address means nothing, equal ones may become one.
llvm::GlobalVariable* addConstant(llvm::Module& module, llvm::Constant* value, const char* name);

} // namespace bsgp::target
