#include "target/cpu/workarounds/saturating_conversions.h"

#include <llvm/ADT/APSInt.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

namespace bsgp::target {

using namespace llvm;

namespace {

bool isSaturating(const Instruction& instruction) {
  auto* call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getType()->isVectorTy() &&
         (call->getIntrinsicID() == Intrinsic::fptosi_sat || call->getIntrinsicID() == Intrinsic::fptoui_sat);
}

// The bound as a number of the type; rounded towards 0 where `exact` becomes false.
Constant* boundAs(Type* floats, const APSInt& bound, bool& exact) {
  APFloat value(floats->getScalarType()->getFltSemantics());
  exact = value.convertFromAPInt(bound, bound.isSigned(), APFloat::rmTowardZero) == APFloat::opOK;
  return ConstantFP::get(floats, value);
}

// Comparisons are made so that a number that is none becomes the lower bound, and is replaced in the end.
void lower(IntrinsicInst& call) {
  IRBuilder<> builder(&call);
  Type* type = call.getType();
  unsigned bits = type->getScalarSizeInBits();
  bool is_unsigned = call.getIntrinsicID() == Intrinsic::fptoui_sat;
  Value* given = call.getArgOperand(0);
  if (given->getType()->getScalarType()->isHalfTy()) // whose largest number is below the bounds of most
    given = builder.CreateFPExt(given, type->getWithNewType(builder.getFloatTy()));
  Type* floats = given->getType();
  APSInt low = APSInt::getMinValue(bits, is_unsigned), high = APSInt::getMaxValue(bits, is_unsigned);
  bool exact = false;
  Constant* lowest = boundAs(floats, low, exact);
  Value* value = builder.CreateSelect(builder.CreateFCmpOGT(given, lowest), given, lowest);
  Constant* highest = boundAs(floats, high, exact);
  if (exact)
    value = builder.CreateSelect(builder.CreateFCmpOLT(value, highest), value, highest);
  Value* whole = is_unsigned ? builder.CreateFPToUI(value, type) : builder.CreateFPToSI(value, type);
  if (!exact) // the next number is the first that is too large
    whole = builder.CreateSelect(builder.CreateFCmpOGT(given, highest), ConstantInt::get(type, high), whole);
  Value* number = builder.CreateFCmpORD(given, Constant::getNullValue(floats));
  if (!is_unsigned)
    whole = builder.CreateSelect(number, whole, Constant::getNullValue(type));
  whole->takeName(&call);
  call.replaceAllUsesWith(whole);
  call.eraseFromParent();
}

bool isX86(const Module& module) {
  return Triple(module.getTargetTriple()).isX86();
}

} // namespace

void convertHalfToShortByFloat(Module& module) {
  Function* from_half = module.getFunction("llvm.fptosi.sat.i16.f16");
  if (!from_half || !isX86(module))
    return;
  for (User* user : make_early_inc_range(from_half->users())) {
    auto& call = cast<CallInst>(*user);
    IRBuilder<> builder(&call);
    Value* wide = builder.CreateFPExt(call.getArgOperand(0), builder.getFloatTy());
    Value* whole = builder.CreateIntrinsic(Intrinsic::fptosi_sat, {call.getType(), wide->getType()}, {wide});
    whole->takeName(&call);
    call.replaceAllUsesWith(whole);
    call.eraseFromParent();
  }
}

PreservedAnalyses SaturatingConversionsPass::run(Function& function, FunctionAnalysisManager&) {
  if (!isX86(*function.getParent()))
    return PreservedAnalyses::all();
  SmallVector<IntrinsicInst*, 16> found;
  for (Instruction& instruction : instructions(function))
    if (isSaturating(instruction))
      found.push_back(cast<IntrinsicInst>(&instruction));
  for (IntrinsicInst* call : found)
    lower(*call);
  return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace bsgp::target
