// Finds the place in the program's text that an instruction of device code comes from.
//
// With irgen::Options::positions, instructions of device code have debug locations whose "line" is a SourcePos and
// whose "column" is the length of the expression, in a scope that stands for the whole program; one in an expanded
// call is inlined at the call's. Passes may lose them.
#pragma once

#include <llvm/IR/BasicBlock.h>

#include "support/source.h"

namespace bsgp::ir {

// An instruction's own place; and the outermost call that was expanded there, or 0.
struct Position {
  SourcePos at = 0, called_at = 0;
};
Position positionOf(const llvm::Instruction& instruction);

// Atomic operations of the program's own text know their place with and without positions, up to src/bsp, which warns of
// loops around them. markPlace of an invalid range takes it away.
void markPlace(llvm::Instruction& instruction, SourceRange place);
SourceRange markedPlace(const llvm::Instruction& instruction); // invalid: it has none

// Returns the position of the first instruction that has one; {} if none has. `blocks`: a range of BasicBlock*.
template <typename Blocks> Position positionIn(Blocks&& blocks) {
  for (const llvm::BasicBlock* block : blocks)
    for (const llvm::Instruction& instruction : *block)
      if (Position position = positionOf(instruction); position.at)
        return position;
  return {};
}

} // namespace bsgp::ir
