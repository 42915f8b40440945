// Compared values grow by the same from lane to lane and do not wrap. So a test that holds for the first and for the
// last lane holds for those between, and a division by a constant tells for how long it goes on holding.
#include "target/cpu/vectorize/assumption_checks.h"

namespace bsgp::target {

using namespace llvm;

Value* AssumptionChecks::hold(IRBuilder<>& builder, ArrayRef<Value*> counters) {
  builder_ = &builder, counters_ = counters;
  Value* all = builder.getTrue();
  for (const LaneShapes::Assumption& assumption : assumptions_) {
    bool alike = isa<ICmpInst>(assumption.of);
    all = builder.CreateAnd(all, alike               ? isAlike(assumption)
                                 : assumption.chosen ? isInside(assumption)
                                                     : isOneQuotient(assumption));
    for (const LaneShapes::Growth& growing : assumption.growing)
      all = builder.CreateAnd(all, goesOn(growing));
  }
  return all;
}

Value* AssumptionChecks::vectors(IRBuilder<>& builder, Value* most) {
  for (const Bound& bound : bounds_) {
    Value* more = builder.CreateSub(bound.top, bound.from);
    more = builder.CreateUDiv(more, ConstantInt::get(more->getType(), bound.step));
    more = builder.CreateAdd(builder.CreateZExt(more, builder.getInt64Ty()), builder.getInt64(1));
    most = builder.CreateBinaryIntrinsic(Intrinsic::umin, most, more);
  }
  return most;
}

int64_t AssumptionChecks::step(size_t assumption) const {
  const LaneShapes::Assumption& made = assumptions_[assumption];
  return LaneShapes::isQuotient(*made.of) ? 0 : made.stride * int64_t(width_);
}

Value* AssumptionChecks::isOneQuotient(const LaneShapes::Assumption& row) {
  Value* dividend = again(row.of->getOperand(0));
  Type* type = dividend->getType();
  Value *zero = ConstantInt::get(type, 0), *one = ConstantInt::get(type, 1);
  Value* divisor = builder_->CreateFreeze(row.of->getOperand(1)); // where it may be 0, no thread divides
  divisor = builder_->CreateBinaryIntrinsic(Intrinsic::umax, divisor, one);
  Value* quotient = builder_->CreateUDiv(dividend, divisor);
  Value* remainder = builder_->CreateSub(dividend, builder_->CreateMul(quotient, divisor));
  values_.push_back(LaneShapes::isQuotient(*row.of) ? quotient : remainder);
  Value* last = builder_->CreateAdd(remainder, ConstantInt::get(type, row.stride * (width_ - 1)));
  bounds_.push_back({builder_->CreateSub(divisor, one), last, perVector(row.stride)});
  APInt most = APInt::getOneBitSet(type->getIntegerBitWidth(), type->getIntegerBitWidth() - 2);
  Value* plain = builder_->CreateAnd(builder_->CreateICmpSGE(dividend, zero),
                                     builder_->CreateICmpULE(divisor, ConstantInt::get(type, most)));
  return builder_->CreateAnd(plain, builder_->CreateICmpULT(last, divisor));
}

Value* AssumptionChecks::isInside(const LaneShapes::Assumption& inside) {
  values_.push_back(again(inside.chosen));
  Value* all = builder_->getTrue();
  for (const LaneShapes::Test& test : inside.tests)
    all = builder_->CreateAnd(all, builder_->CreateFreeze(holds(test)));
  return all;
}

Value* AssumptionChecks::isAlike(const LaneShapes::Assumption& alike) {
  const LaneShapes::Test& test = alike.tests.front();
  if (shapes_.decided().contains(test.compare)) {
    values_.push_back(builder_->getInt1(test.is_true));
    return builder_->CreateFreeze(holds(test));
  }
  bool truth = test.is_true, grows = test.tested.stride > 0;
  Value* first = builder_->CreateFreeze(again(test.tested.value));
  Value* limit = builder_->CreateFreeze(again(test.limit));
  Value* by = ConstantInt::getSigned(first->getType(), test.tested.stride * int64_t(width_ - 1));
  Value* last = builder_->CreateAdd(first, by);
  Value* at_first = builder_->CreateICmp(test.holds, first, limit);
  Value* at_last = builder_->CreateICmp(test.holds, last, limit);
  values_.push_back(truth ? at_first : builder_->CreateNot(at_first));
  boundAlike(test, at_first, last, limit);
  return builder_->CreateAnd(builder_->CreateICmpEQ(at_first, at_last),
                             grows ? builder_->CreateICmpSGT(last, first) : builder_->CreateICmpSLT(last, first));
}

// Bounds a test up to its limit if the value grows towards it, else up to the end of the type. If the value has no
// sign, that is the end of the signed type, as `growing` asks.
void AssumptionChecks::boundAlike(const LaneShapes::Test& test, Value* holds, Value* last, Value* limit) {
  bool grows = test.tested.stride > 0, has_sign = ICmpInst::isSigned(test.holds);
  CmpInst::Predicate up = grows ? test.holds : ICmpInst::getSwappedPredicate(test.holds);
  bool until_false = ICmpInst::isLT(up) || ICmpInst::isLE(up);
  bool strict = until_false ? ICmpInst::isLT(up) : ICmpInst::isGE(up); // it ends where it comes to the limit
  unsigned bits = last->getType()->getIntegerBitWidth();
  APInt least = has_sign ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  Value* farthest = ConstantInt::get(last->getType(), grows ? APInt::getSignedMaxValue(bits) : least);
  Value* beside = builder_->CreateAdd(limit, ConstantInt::getSigned(last->getType(), !strict ? 0 : grows ? -1 : 1));
  Value* end =
      until_false ? builder_->CreateSelect(holds, beside, farthest) : builder_->CreateSelect(holds, farthest, beside);
  uint64_t step = perVector(test.tested.stride);
  bounds_.push_back(grows ? Bound{end, last, step} : Bound{last, end, step});
}

Value* AssumptionChecks::holds(const LaneShapes::Test& test) {
  Value *first = again(test.tested.value), *limit = builder_->CreateFreeze(again(test.limit));
  Value* at_first = builder_->CreateICmp(test.holds, first, limit);
  int64_t by = test.tested.stride * int64_t(width_ - 1);
  if (by == 0) // in all vectors that have these quotients
    return at_first;
  Value* last = builder_->CreateAdd(first, ConstantInt::getSigned(first->getType(), by));
  bound(test, last, limit);
  if (test.holds != CmpInst::ICMP_NE)
    return builder_->CreateAnd(at_first, builder_->CreateICmp(test.holds, last, limit));
  Value* from_low = builder_->CreateSub(limit, by > 0 ? first : last); // the limit is not between them
  return builder_->CreateICmpUGT(from_low, ConstantInt::get(first->getType(), std::abs(by)));
}

// Bounds a test for as long as the last lane does not come to the limit that the value grows towards.
void AssumptionChecks::bound(const LaneShapes::Test& test, Value* last, Value* limit) {
  bool grows = test.tested.stride > 0;
  Value* one = ConstantInt::get(last->getType(), 1);
  CmpInst::Predicate up = grows ? test.holds : ICmpInst::getSwappedPredicate(test.holds); // towards a limit above
  bool strict = ICmpInst::isLT(up), towards = strict || ICmpInst::isLE(up);
  if (test.holds != CmpInst::ICMP_NE && !towards)
    return;
  Value* end = towards && !strict ? limit : grows ? builder_->CreateSub(limit, one) : builder_->CreateAdd(limit, one);
  if (test.holds == CmpInst::ICMP_NE) { // it may lie behind
    unsigned bits = last->getType()->getIntegerBitWidth();
    Value* ahead = grows ? builder_->CreateICmpSGT(limit, last) : builder_->CreateICmpSLT(limit, last);
    ahead = grows ? ahead
                  : builder_->CreateAnd(ahead, builder_->CreateICmpSGE(limit, Constant::getNullValue(last->getType())));
    APInt farthest = grows ? APInt::getSignedMaxValue(bits) : APInt::getZero(bits);
    end = builder_->CreateSelect(ahead, end, ConstantInt::get(last->getType(), farthest));
  }
  uint64_t step = perVector(test.tested.stride);
  bounds_.push_back(grows ? Bound{end, last, step} : Bound{last, end, step});
}

// True (i1) if the value, as a signed number, is negative nowhere from the first lane to the last, so that it does
// not wrap.
Value* AssumptionChecks::goesOn(const LaneShapes::Growth& growth) {
  if (shapes_.isAssumed(growth.value)) // asked already
    return builder_->getTrue();
  Value* first = again(growth.value);
  const LaneCounter* counter = lanes_.counter(growth.value);
  if (counter && counter->no_wrap && growth.stride > 0) // all lanes are there
    return builder_->CreateICmpSGE(first, Constant::getNullValue(first->getType()));
  Value* by = ConstantInt::getSigned(first->getType(), growth.stride * int64_t(width_ - 1));
  Value* last = builder_->CreateAdd(first, by);
  unsigned bits = first->getType()->getIntegerBitWidth();
  Value* largest = ConstantInt::get(first->getType(), APInt::getSignedMaxValue(bits));
  Value* zero = Constant::getNullValue(first->getType());
  uint64_t step = perVector(growth.stride);
  bounds_.push_back(growth.stride > 0 ? Bound{largest, last, step} : Bound{last, zero, step});
  return builder_->CreateICmpSGE(builder_->CreateOr(first, last), zero);
}

// Computes a value of the first lane again, from counters, from what does not change, and from what is assumed.
Value* AssumptionChecks::again(Value* value) {
  if (!lanes_.contains(value))
    return value;
  for (auto [counter, scalar] : zip_equal(lanes_.counters, counters_))
    if (counter.phi == value)
      return scalar;
  for (auto [assumption, known] : zip_equal(assumptions_.take_front(values_.size()), values_))
    if (assumption.of == value)
      return known;
  Instruction* made = cast<Instruction>(value)->clone();
  for (Use& use : made->operands())
    use.set(again(use));
  made->dropPoisonGeneratingFlags();
  return builder_->Insert(made);
}

} // namespace bsgp::target
