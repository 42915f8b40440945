// Finds the memory that a kernel reads and writes through its parameters.
#pragma once

#include <llvm/IR/Function.h>

#include "plan/plan.h"

namespace bsgp::bsp {

// Sets Param::reads and Param::writes of all parameters of a kernel, one for each argument, from its code. A thread's own
// element is the one at index thread.rank; an access whose index or pointer cannot be followed counts as one to any element.
void findAccesses(llvm::Function& kernel, std::vector<plan::Param>& params);

} // namespace bsgp::bsp
