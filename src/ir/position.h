// Where in the program's text an instruction of device code comes from.
//
// With irgen::Options::positions, instructions of device code have debug locations whose "line" is a SourcePos, in a
// scope that stands for the whole program; one in an expanded call is inlined at the call's. Passes may lose them.
#pragma once

#include <llvm/IR/Instruction.h>

#include "support/source.h"

namespace bsgp::ir {

// An instruction's own place; and the outermost call that was expanded there, or 0.
struct Position {
  SourcePos at = 0, called_at = 0;
};
Position positionOf(const llvm::Instruction& instruction);

} // namespace bsgp::ir
