#include "ir/position.h"

#include <llvm/IR/DebugInfoMetadata.h>

namespace bsgp::ir {

Position positionOf(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location)
    return {};
  const llvm::DILocation* outermost = location;
  while (outermost->getInlinedAt())
    outermost = outermost->getInlinedAt();
  return {location->getLine(), outermost == location ? 0 : outermost->getLine()};
}

} // namespace bsgp::ir
