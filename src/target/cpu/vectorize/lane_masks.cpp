// Masks are vectors of bits. Where the machine has no registers for those they are kept between blocks as vectors of 0
// and -1, as wide as what they select: LLVM would make bytes or words of the bits, and unpack them at each use.
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

Type* LaneBody::storedMaskType() const {
  Type* element = program_.mask_registers ? Type::getInt1Ty(context_) : Type::getInt32Ty(context_);
  return FixedVectorType::get(element, width_);
}

Value* LaneBody::toStored(Value* mask) {
  return program_.mask_registers ? mask : builder_.CreateSExt(mask, storedMaskType());
}

Value* LaneBody::fromStored(Value* stored) {
  return program_.mask_registers ? stored : builder_.CreateICmpSLT(stored, Constant::getNullValue(storedMaskType()));
}

Value* LaneBody::allLanes() const {
  return Constant::getAllOnesValue(FixedVectorType::get(Type::getInt1Ty(context_), width_));
}

Value* LaneBody::bitsOf(Value* mask) {
  return builder_.CreateBitCast(mask, builder_.getIntNTy(width_));
}

Value* LaneBody::anyOf(Value* mask) {
  return builder_.CreateIsNotNull(bitsOf(mask));
}

// The condition of a lane outside of the mask may be poison.
Value* LaneBody::both(Value* mask, Value* condition) {
  return mask ? builder_.CreateLogicalAnd(mask, condition) : condition;
}

// The number of the first lane, i32; any, if there is none.
Value* LaneBody::firstOf(Value* mask) {
  if (!mask)
    return builder_.getInt32(0);
  Value* zeros = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bitsOf(mask), builder_.getFalse());
  return builder_.CreateAnd(builder_.CreateZExtOrTrunc(zeros, builder_.getInt32Ty()), builder_.getInt32(width_ - 1));
}

// The number of the last lane, i32.
Value* LaneBody::lastOf(Value* mask) {
  if (!mask)
    return builder_.getInt32(width_ - 1);
  Value* zeros = builder_.CreateBinaryIntrinsic(Intrinsic::ctlz, bitsOf(mask), builder_.getFalse());
  return builder_.CreateSub(builder_.getInt32(width_ - 1), builder_.CreateZExtOrTrunc(zeros, builder_.getInt32Ty()));
}

} // namespace bsgp::target
