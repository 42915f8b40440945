#include "target/cpu/vectorize/lane_costs.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kSerial = 40, kGather = 10, kDivision = 8;

unsigned costOfAccess(const Instruction& instruction, const LaneShapes& shapes) {
  LaneShape shape = shapes.of(getLoadStorePointerOperand(&instruction));
  return shape.kind == LaneShape::Uniform ? 1 : shape.kind == LaneShape::Linear ? 2 : kGather;
}

} // namespace

bool isIgnored(const Instruction& instruction) {
  auto* call = dyn_cast<IntrinsicInst>(&instruction);
  return call && (call->isLifetimeStartOrEnd() || call->isAssumeLikeIntrinsic());
}

bool isWidenedCall(const CallInst& call) {
  auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  return intrinsic && isTriviallyVectorizable(intrinsic->getIntrinsicID());
}

unsigned costOfLanes(const Instruction& instruction, const LaneShapes& shapes) {
  if (isIgnored(instruction) || isa<PHINode, BranchInst>(instruction))
    return 0;
  if (isa<LoadInst, StoreInst>(instruction))
    return costOfAccess(instruction, shapes);
  if (instruction.getType()->isVoidTy() || instruction.isAtomic())
    return kSerial;
  if (shapes.of(&instruction).kind < LaneShape::Varying)
    return isa<GetElementPtrInst>(instruction) ? 0 : 1;
  if (auto* call = dyn_cast<CallInst>(&instruction))
    return isWidenedCall(*call) ? 2 : kSerial;
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return 3 * kDivision;
  case Instruction::FDiv:
    return kDivision;
  case Instruction::GetElementPtr:
    return 0;
  default:
    return instruction.getType()->getScalarSizeInBits() > 32 ? 2 : 1;
  }
}

bool isRiskyForNone(const Instruction& instruction, const LaneShapes& shapes, const PrivateArrays& arrays) {
  if (isIgnored(instruction) || isa<PHINode, BranchInst>(instruction))
    return false;
  if (const Value* pointer = getLoadStorePointerOperand(&instruction))
    return shapes.isUniform(pointer) && !arrays.interleaved(pointer);
  bool scalar = !instruction.getType()->isVoidTy() && shapes.of(&instruction).kind < LaneShape::Varying;
  return scalar && !isSafeToSpeculativelyExecute(&instruction);
}

} // namespace bsgp::target
