// Watches host code.
#pragma once

#include <llvm/IR/Function.h>

#include "check/origins.h"
#include "check/sites.h"

namespace bsgp::check {

// Watches the accesses to memory that others see, in a host function or a require whose scalars are SSA values.
void watchHostAccesses(llvm::Function& function, Origins& origins, Sites& sites, uint32_t checks);

// Makes the checks in host code calls of the runtime, and drops its positions, which are no longer needed.
void finishHostCode(llvm::Function& function, Sites& sites);

} // namespace bsgp::check
