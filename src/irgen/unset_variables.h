// Which host variables may have no value where device code reads them. Only --check asks.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "sema/program.h"

namespace bsgp::irgen {

// Where it may come from that they have none: one of a variable that is declared without a value and a function that may
// return nothing.
struct UnsetSource {
  const Variable* variable = nullptr;
  const Function* function = nullptr;
};

// Variables that are declared without a value, and those that what has none is assigned to as it is.
llvm::DenseMap<const Variable*, UnsetSource> mayBeUnset(const Function& function);

} // namespace bsgp::irgen
