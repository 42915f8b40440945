#include "ir/position.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>

namespace bsgp::ir {

namespace {

constexpr const char* kPlace = "bsgp.place"; // metadata: begin and end of a SourceRange

} // namespace

Position positionOf(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc();
  if (!location)
    return {};
  const llvm::DILocation* outermost = location;
  while (outermost->getInlinedAt())
    outermost = outermost->getInlinedAt();
  return {location->getLine(), outermost == location ? 0 : outermost->getLine()};
}

void markPlace(llvm::Instruction& instruction, SourceRange place) {
  auto number = [&](SourcePos at) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(instruction.getContext()), at));
  };
  instruction.setMetadata(
      kPlace,
      place.valid() ? llvm::MDNode::get(instruction.getContext(), {number(place.begin), number(place.end)}) : nullptr);
}

SourceRange markedPlace(const llvm::Instruction& instruction) {
  const llvm::MDNode* place = instruction.getMetadata(kPlace);
  auto number = [&](unsigned i) {
    return SourcePos(llvm::mdconst::extract<llvm::ConstantInt>(place->getOperand(i))->getZExtValue());
  };
  return place ? SourceRange{number(0), number(1)} : SourceRange{};
}

} // namespace bsgp::ir
