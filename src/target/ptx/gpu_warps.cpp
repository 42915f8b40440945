// Lowers the operations of a warp to its instructions. Threads that have returned take no part.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

namespace {

Value* wholeWarp(IRBuilder<>& builder) {
  return builder.getInt32(~0u);
}

Value* shuffleWord(IRBuilder<>& builder, Value* word, Value* lane) {
  constexpr uint32_t kWholeWarp = 31; // lanes are numbered in all of it
  return builder.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {},
                                 {wholeWarp(builder), word, lane, builder.getInt32(kWholeWarp)});
}

// Shuffles an integer of any width, by words of 32 bits.
Value* shuffleBits(IRBuilder<>& builder, Value* bits, Value* lane) {
  Type* i32 = builder.getInt32Ty();
  unsigned width = bits->getType()->getIntegerBitWidth();
  if (width <= 32)
    return builder.CreateTrunc(shuffleWord(builder, builder.CreateZExt(bits, i32), lane), bits->getType());
  Value* low = shuffleWord(builder, builder.CreateTrunc(bits, i32), lane);
  Value* high = shuffleWord(builder, builder.CreateTrunc(builder.CreateLShr(bits, 32), i32), lane);
  return builder.CreateOr(builder.CreateZExt(low, bits->getType()),
                          builder.CreateShl(builder.CreateZExt(high, bits->getType()), 32));
}

} // namespace

Value* shuffleInWarp(IRBuilder<>& builder, Value* value, Value* lane) {
  Type* type = value->getType();
  if (type->isPointerTy()) {
    Value* bits = shuffleBits(builder, builder.CreatePtrToInt(value, builder.getInt64Ty()), lane);
    return builder.CreateIntToPtr(bits, type);
  }
  Type* integer = builder.getIntNTy(type->getPrimitiveSizeInBits());
  return builder.CreateBitCast(shuffleBits(builder, builder.CreateBitCast(value, integer), lane), type);
}

Value* ballotInWarp(IRBuilder<>& builder, Value* condition) {
  return builder.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {}, {wholeWarp(builder), condition});
}

void syncWarp(IRBuilder<>& builder) {
  builder.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {}, {wholeWarp(builder)});
}

} // namespace bsgp::target
