// What is watched of host code: its variables.
#pragma once

#include <llvm/IR/Function.h>

namespace bsgp::check {

// Was the function marked by irgen: does it hold anything to watch?
bool hasMarks(const llvm::Function& function);

// Tests in host code become calls of the runtime; its positions, which nothing asks for any more, go.
void finishHostCode(llvm::Function& function);

} // namespace bsgp::check
