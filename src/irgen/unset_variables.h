// Finds the host variables that may be undefined when device code reads them. Only --check needs it.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "sema/program.h"

namespace bsgp::irgen {

// The source of the undefined value: a variable that is declared without a value, or a function that may return
// nothing. Neither is set if it is not known.
struct UnsetSource {
  const Variable* variable = nullptr;
  const Function* function = nullptr;
};

// Finds variables that are declared without a value, those that such a variable is assigned to as it is, and those
// whose value comes from memory, through references or from functions. Those of the program are not among them.
llvm::DenseMap<const Variable*, UnsetSource> mayBeUnset(const Function& function);

} // namespace bsgp::irgen
