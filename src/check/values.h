// Watches values: arithmetic, and the tests that irgen wrote.
#pragma once

#include <llvm/IR/Function.h>

#include "check/sites.h"

namespace bsgp::check {

// Signed arithmetic that is to be watched becomes arithmetic that wraps, beside a test.
void watchArithmetic(llvm::Function& function, Sites& sites);

// Gives the tests that irgen wrote, which know their place alone, their sites. Drops those that `checks` (bits of
// bsgp_check_kind) does not ask for.
void placeValueChecks(llvm::Function& function, Sites& sites, uint32_t checks);

// Drops flags of instructions that promise what may not hold.
void dropPromises(llvm::Function& function);

} // namespace bsgp::check
