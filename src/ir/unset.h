// Metadata from irgen to src/check.
#pragma once

#include <optional>
#include <string>

#include <llvm/IR/Instruction.h>

#include "support/source.h"

namespace bsgp::ir {

// Metadata of a bsgp.param: a host variable that may be undefined; its slot's offset in the frame.
constexpr const char* kMayBeUnset = "bsgp.unset";
// Metadata of a freeze that only marks the place where a variable without an address is read.
constexpr const char* kRead = "bsgp.read";

// The source of an undefined value.
struct Cause {
  unsigned kind = 0; // bsgp_check_cause_kind: a variable, the result of a function
  std::string name;  // "x", "p.second"
  SourcePos at = 0;  // where it is declared
};

// For a bsgp.check.undefined, a bsgp.check.unset, and a param that may be unset.
void setCause(llvm::Instruction& instruction, const Cause& cause);
std::optional<Cause> causeOf(const llvm::Instruction& instruction);

} // namespace bsgp::ir
