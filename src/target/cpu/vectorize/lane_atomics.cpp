// All lanes add to one place: the sum of what they add is added once. So with the other operations on integers whose
// order makes no difference, where nobody asks what was there before.
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// What changes nothing; null: the operation is none of those.
Constant* neutral(AtomicRMWInst::BinOp operation, Type* type) {
  unsigned bits = type->getScalarSizeInBits();
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return ConstantInt::get(type, 0);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return ConstantInt::getAllOnesValue(type);
  case AtomicRMWInst::Max:
    return ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case AtomicRMWInst::Min:
    return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  default:
    return nullptr;
  }
}

Value* reduce(IRBuilder<>& builder, AtomicRMWInst::BinOp operation, Value* values) {
  switch (operation) {
  case AtomicRMWInst::Or:
    return builder.CreateOrReduce(values);
  case AtomicRMWInst::Xor:
    return builder.CreateXorReduce(values);
  case AtomicRMWInst::And:
    return builder.CreateAndReduce(values);
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::Max:
    return builder.CreateIntMaxReduce(values, operation == AtomicRMWInst::Max);
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::Min:
    return builder.CreateIntMinReduce(values, operation == AtomicRMWInst::Min);
  default: // a sum, for both Add and Sub
    return builder.CreateAddReduce(values);
  }
}

} // namespace

// False: it has to be done lane by lane.
bool LaneBody::writeAtomic(Instruction& instruction, Value* mask) {
  auto* atomic = dyn_cast<AtomicRMWInst>(&instruction);
  bool one = atomic && atomic->use_empty() && !atomic->isVolatile() && atomic->getType()->isIntegerTy() &&
             shapes_.isUniform(atomic->getPointerOperand()) && neutral(atomic->getOperation(), atomic->getType());
  if (!one)
    return false;
  BasicBlock* done = nullptr;
  if (mask) { // for nobody there may be no such place
    auto* some = BasicBlock::Create(context_, "atomic", &function_);
    done = BasicBlock::Create(context_, "atomic.done", &function_);
    builder_.CreateCondBr(anyOf(mask), some, done);
    builder_.SetInsertPoint(some);
  }
  Instruction* made = atomic->clone();
  made->setOperand(0, scalar(atomic->getPointerOperand()));
  made->setOperand(1, combined(*atomic, mask));
  builder_.Insert(made);
  if (!done)
    return true;
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  return true;
}

Value* LaneBody::combined(AtomicRMWInst& atomic, Value* mask) {
  AtomicRMWInst::BinOp operation = atomic.getOperation();
  bool sums = operation == AtomicRMWInst::Add || operation == AtomicRMWInst::Sub;
  if (sums && shapes_.isUniform(atomic.getValOperand())) {
    Value* lanes = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop,
                                                 builder_.CreateZExt(bitsOf(orAll(mask)), builder_.getInt64Ty()));
    return builder_.CreateMul(scalar(atomic.getValOperand()), builder_.CreateZExtOrTrunc(lanes, atomic.getType()));
  }
  Value* values = vector(atomic.getValOperand());
  if (mask)
    values = builder_.CreateSelect(
        mask, values, ConstantVector::getSplat(ElementCount::getFixed(width_), neutral(operation, atomic.getType())));
  return reduce(builder_, operation, values);
}

} // namespace bsgp::target
