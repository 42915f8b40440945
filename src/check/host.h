// What is watched of host code.
#pragma once

#include <llvm/IR/Function.h>

#include "check/origins.h"
#include "check/sites.h"

namespace bsgp::check {

// Of a host function or a require whose scalars are SSA values: what it reads and writes of memory that others see.
void watchHostAccesses(llvm::Function& function, Origins& origins, Sites& sites, uint32_t checks);

// Checks in host code become calls of the runtime; its positions, which nothing asks for any more, go.
void finishHostCode(llvm::Function& function, Sites& sites);

} // namespace bsgp::check
