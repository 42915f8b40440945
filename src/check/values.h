// What is watched of values: arithmetic, and what irgen marks.
#pragma once

#include <llvm/IR/Function.h>

#include "check/sites.h"

namespace bsgp::check {

// Signed arithmetic that is to be watched becomes arithmetic that wraps, beside a test.
void watchArithmetic(llvm::Function& function, Sites& sites);

// Gives the tests that irgen wrote, which know their place alone, their sites; `checks`: bits of bsgp_check_kind, drops
// those that nobody asked for.
void placeValueChecks(llvm::Function& function, Sites& sites, uint32_t checks);

// No instruction promises what may not hold.
void dropPromises(llvm::Function& function);

} // namespace bsgp::check
