#include "ir/unset.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

namespace bsgp::ir {

using namespace llvm;

namespace {
constexpr const char* kCause = "bsgp.cause"; // kind, name, position
} // namespace

void setCause(Instruction& instruction, const Cause& cause) {
  LLVMContext& context = instruction.getContext();
  auto number = [&](uint32_t value) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value));
  };
  instruction.setMetadata(
      kCause, MDNode::get(context, {number(cause.kind), MDString::get(context, cause.name), number(cause.at)}));
}

std::optional<Cause> causeOf(const Instruction& instruction) {
  const MDNode* said = instruction.getMetadata(kCause);
  if (!said)
    return std::nullopt;
  auto number = [&](unsigned operand) {
    return uint32_t(mdconst::extract<ConstantInt>(said->getOperand(operand))->getZExtValue());
  };
  return Cause{number(0), cast<MDString>(said->getOperand(1))->getString().str(), number(2)};
}

} // namespace bsgp::ir
