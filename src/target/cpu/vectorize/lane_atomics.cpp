// Atomic operations of all lanes on one place, and the choice of how the others are done (lane_places.cpp).
//
// Threads have no order among each other, so lanes may be taken to come one right after the other. What they do
// together is then one operation, and what each of them found there is what the place held before and what the lanes
// before it have added:
//
//   old = add p, sum of all;  the lane's = old + sum of the lanes before it
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Returns the operand that changes nothing; null if the order of operations makes a difference.
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

// Combines two operands; for both Add and Sub by a sum.
Value* combine(IRBuilder<>& builder, AtomicRMWInst::BinOp operation, Value* a, Value* b) {
  switch (operation) {
  case AtomicRMWInst::Or:
    return builder.CreateOr(a, b);
  case AtomicRMWInst::Xor:
    return builder.CreateXor(a, b);
  case AtomicRMWInst::And:
    return builder.CreateAnd(a, b);
  case AtomicRMWInst::UMax:
    return builder.CreateBinaryIntrinsic(Intrinsic::umax, a, b);
  case AtomicRMWInst::Max:
    return builder.CreateBinaryIntrinsic(Intrinsic::smax, a, b);
  case AtomicRMWInst::UMin:
    return builder.CreateBinaryIntrinsic(Intrinsic::umin, a, b);
  case AtomicRMWInst::Min:
    return builder.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
  default:
    return builder.CreateAdd(a, b);
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
  default:
    return builder.CreateAddReduce(values);
  }
}

// Shifts the lanes `by` places up, behind as many that change nothing.
Value* shifted(IRBuilder<>& builder, Value* values, Constant* nothing, unsigned by) {
  unsigned width = cast<FixedVectorType>(values->getType())->getNumElements();
  SmallVector<int, 16> lanes;
  for (unsigned lane = 0; lane != width; ++lane)
    lanes.push_back(lane < by ? int(lane) : int(width + lane - by));
  return builder.CreateShuffleVector(ConstantVector::getSplat(ElementCount::getFixed(width), nothing), values, lanes);
}

} // namespace

// False if it has to be done lane by lane.
bool LaneBody::writeAtomic(Instruction& instruction, Value* mask) {
  if (isa<FenceInst>(instruction)) { // orders what all lanes did before, and for no lane it does no harm
    builder_.Insert(instruction.clone());
    return true;
  }
  if (instruction.isVolatile())
    return false;
  auto* atomic = dyn_cast<AtomicRMWInst>(&instruction);
  bool one = atomic && atomic->getType()->isIntegerTy() && shapes_.isUniform(atomic->getPointerOperand()) &&
             neutral(atomic->getOperation(), atomic->getType());
  if (one)
    operateOnce(*atomic, mask);
  else if (auto* load = dyn_cast<LoadInst>(&instruction))
    loadAtomic(*load, mask);
  else if (auto* store = dyn_cast<StoreInst>(&instruction))
    storeAtomic(*store, mask);
  else
    operateOnEach(instruction, mask);
  return true;
}

void LaneBody::operateOnce(AtomicRMWInst& atomic, Value* mask) {
  BasicBlock *before = builder_.GetInsertBlock(), *done = nullptr;
  if (mask) { // for no lane there may be no such place
    auto* some = BasicBlock::Create(context_, "atomic", &function_);
    done = BasicBlock::Create(context_, "atomic.done", &function_);
    builder_.CreateCondBr(anyOf(mask), some, done);
    builder_.SetInsertPoint(some);
  }
  bool asked = !atomic.use_empty();
  auto [all, earlier] = combined(atomic, mask, asked);
  Instruction* made = atomic.clone();
  made->setOperand(0, scalar(atomic.getPointerOperand()));
  made->setOperand(1, all);
  builder_.Insert(made);
  Value* found = asked ? foundBy(atomic, made, earlier) : nullptr;
  if (done) {
    BasicBlock* some = builder_.GetInsertBlock();
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
    if (asked) {
      PHINode* either = builder_.CreatePHI(found->getType(), 2);
      either->addIncoming(PoisonValue::get(found->getType()), before);
      either->addIncoming(found, some);
      found = either;
    }
  }
  if (asked)
    define(atomic, found);
}

// Returns the combined operand of the lanes that run, and, if `asked`, for each lane that of the lanes before it.
std::pair<Value*, Value*> LaneBody::combined(AtomicRMWInst& atomic, Value* mask, bool asked) {
  AtomicRMWInst::BinOp operation = atomic.getOperation();
  bool sums = operation == AtomicRMWInst::Add || operation == AtomicRMWInst::Sub;
  if (sums && shapes_.isUniform(atomic.getValOperand()))
    return sumOfSame(atomic, mask, asked);
  Constant* nothing = neutral(operation, atomic.getType());
  Value* values = vector(atomic.getValOperand());
  if (mask)
    values = builder_.CreateSelect(mask, values, ConstantVector::getSplat(ElementCount::getFixed(width_), nothing));
  if (!asked)
    return {reduce(builder_, operation, values), nullptr};
  for (unsigned by = 1; by < width_; by *= 2)
    values = combine(builder_, operation, shifted(builder_, values, nothing, by), values);
  return {builder_.CreateExtractElement(values, width_ - 1), shifted(builder_, values, nothing, 1)};
}

// All lanes add the same, so only their number counts.
std::pair<Value*, Value*> LaneBody::sumOfSame(AtomicRMWInst& atomic, Value* mask, bool asked) {
  Value* each = scalar(atomic.getValOperand());
  Value* bits = bitsOf(orAll(mask));
  Value* lanes = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, builder_.CreateZExt(bits, builder_.getInt64Ty()));
  Value* all = builder_.CreateMul(each, builder_.CreateZExtOrTrunc(lanes, atomic.getType()));
  if (!asked)
    return {all, nullptr};
  Type* number = builder_.getIntNTy(std::max(width_, 32u));
  Value* before = laneNumbers(number, 1);
  if (mask) {
    SmallVector<Constant*, 16> lower;
    for (unsigned lane = 0; lane != width_; ++lane)
      lower.push_back(ConstantInt::get(number, (uint64_t(1) << lane) - 1));
    Value* running = builder_.CreateVectorSplat(width_, builder_.CreateZExt(bits, number));
    before = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, builder_.CreateAnd(running, ConstantVector::get(lower)));
  }
  return {all, builder_.CreateMul(builder_.CreateVectorSplat(width_, each),
                                  builder_.CreateZExtOrTrunc(before, widen(atomic.getType())))};
}

// Returns the value that each lane found; `old` was there before the first.
Value* LaneBody::foundBy(AtomicRMWInst& atomic, Value* old, Value* earlier) {
  Value* all = builder_.CreateVectorSplat(width_, old);
  if (atomic.getOperation() == AtomicRMWInst::Sub)
    return builder_.CreateSub(all, earlier);
  return combine(builder_, atomic.getOperation(), all, earlier);
}

} // namespace bsgp::target
