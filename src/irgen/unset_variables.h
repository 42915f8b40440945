// Which host variables may have no value where device code reads them. Only --check asks.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include "sema/program.h"

namespace bsgp::irgen {

// Where it may come from that they have none: a variable that is declared without a value, or a function that may return
// nothing, or neither: that is not known.
struct UnsetSource {
  const Variable* variable = nullptr;
  const Function* function = nullptr;
};

// Variables that are declared without a value, those that what has none is assigned to as it is, and those whose value comes
// from memory, through references or from functions. Those of the program are not among them.
llvm::DenseMap<const Variable*, UnsetSource> mayBeUnset(const Function& function);

} // namespace bsgp::irgen
