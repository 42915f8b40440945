// The product of two halves is exact in float. Its sum with the third is rounded to odd: the part that is lost (S.
// Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008)
// sets the last bit, so that the conversion to half rounds as if it saw all of it.
//
//   p = x*y;  s = p + z;  e = what s lacks (D. E. Knuth, TwoSum)
//   bits of s: one up or down, towards e, where e != 0 and the last one is 0
#include "target/cpu/workarounds/half_fma.h"

#include <llvm/IR/IRBuilder.h>

namespace bsgp::target {

using namespace llvm;

namespace {

// Computes what is lost when p + z is rounded to s.
Value* lostIn(IRBuilder<>& builder, Value* s, Value* p, Value* z) {
  Value* z_part = builder.CreateFSub(s, p);
  Value* p_part = builder.CreateFSub(s, z_part);
  return builder.CreateFAdd(builder.CreateFSub(p, p_part), builder.CreateFSub(z, z_part));
}

Value* roundedOnce(IRBuilder<>& builder, Value* x, Value* y, Value* z) {
  Type *real = builder.getFloatTy(), *half = x->getType();
  Value* wide = builder.CreateFPExt(z, real);
  Value* p = builder.CreateFMul(builder.CreateFPExt(x, real), builder.CreateFPExt(y, real));
  Value* s = builder.CreateFAdd(p, wide);
  Value *e = lostIn(builder, s, p, wide), *zero = ConstantFP::getZero(real);
  Value* bits = builder.CreateBitCast(s, builder.getInt32Ty());
  Value* even = builder.CreateIsNull(builder.CreateAnd(bits, builder.getInt32(1)));
  Value* away = builder.CreateICmpEQ(builder.CreateFCmpOGT(e, zero), builder.CreateFCmpOGT(s, zero));
  Value* odd = builder.CreateAdd(bits, builder.CreateSelect(away, builder.getInt32(1), builder.getInt32(-1)));
  Value* lost = builder.CreateFCmpONE(e, zero); // not if it is NaN: s is infinite then, or NaN
  Value* kept = builder.CreateSelect(builder.CreateAnd(lost, even), odd, bits);
  return builder.CreateFPTrunc(builder.CreateBitCast(kept, real), half);
}

} // namespace

void roundHalfFmaOnce(Module& module) {
  Function* fma = module.getFunction("llvm.fma.f16");
  if (!fma)
    return;
  for (User* user : make_early_inc_range(fma->users())) {
    auto& call = cast<CallInst>(*user);
    IRBuilder<> builder(&call); // without the flags of fast mathematics
    call.replaceAllUsesWith(roundedOnce(builder, call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)));
    call.eraseFromParent();
  }
}

} // namespace bsgp::target
