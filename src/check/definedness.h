// Finds uses of undefined values.
#pragma once

#include <llvm/IR/Function.h>

#include "check/sites.h"

namespace bsgp::check {

// Moving a value (a load, a store, a phi, thread.get, a copy) is no use of it; all else is, and tests it once.
// Requires: scalar variables are SSA values, accesses are watched, CheckUndefined and CheckUnset stand where irgen put
// them. Ensures: CheckUnset is gone.
void watchDefinedness(llvm::Function& function, Sites& sites);

} // namespace bsgp::check
