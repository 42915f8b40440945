// Metadata from irgen to src/check.
#pragma once

#include <optional>
#include <string>

#include <llvm/IR/Instruction.h>

#include "support/source.h"

namespace bsgp::ir {

// Of a bsgp.param: a variable of the host that may have no value; its slot's offset in the frame.
constexpr const char* kMayBeUnset = "bsgp.unset";
// Of a freeze: it says where a variable that has no address is read, and is nothing else.
constexpr const char* kRead = "bsgp.read";

// What begins without a value.
struct Cause {
  unsigned kind = 0; // bsgp_check_cause_kind: a variable, the result of a function
  std::string name;  // "x", "p.second"
  SourcePos at = 0;  // where it is declared
};

// Of a bsgp.check.undefined, a bsgp.check.unset and of a param that may be unset.
void setCause(llvm::Instruction& instruction, const Cause& cause);
std::optional<Cause> causeOf(const llvm::Instruction& instruction);

} // namespace bsgp::ir
