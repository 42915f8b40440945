#pragma once

#include <llvm/IR/Function.h>

namespace bsgp::bsp {

// Brings a spawn into the form that the analyses of crossing values want. See prepare.cpp.
void prepareSpawn(llvm::Function& function);

} // namespace bsgp::bsp
