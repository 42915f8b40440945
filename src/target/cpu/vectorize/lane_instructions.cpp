#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/PatternMatch.h>

#include "ir/operations.h"
#include "target/cpu/vectorize/lane_body.h"
#include "target/cpu/vectorize/lane_costs.h"
#include "target/cpu/vectorize/lane_votes.h"

namespace bsgp::target {

using namespace llvm;

void LaneBody::write(Instruction& instruction, Value* mask) {
  if (isIgnored(instruction) || scalars_.contains(&instruction)) // known before
    return;
  auto* load = dyn_cast<LoadInst>(&instruction);
  auto* store = dyn_cast<StoreInst>(&instruction);
  Type* memory = load ? load->getType() : store ? store->getValueOperand()->getType() : nullptr;
  const DataLayout& layout = function_.getDataLayout();
  bool whole = memory && memory->isSingleValueType() && layout.typeSizeEqualsStoreSize(memory) &&
               layout.getTypeStoreSize(memory) == layout.getTypeAllocSize(memory);
  if (load && load->isSimple() && whole)
    return this->load(*load, mask);
  if (store && store->isSimple() && whole)
    return this->store(*store, mask);
  if (ir::opOf(instruction) == ir::Op::Append)
    return append(cast<CallInst>(instruction), mask);
  if (voteOf(instruction) != LaneVote::None)
    return vote(cast<CallInst>(instruction), mask);
  bool pure = !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects();
  if (instruction.isAtomic() && writeAtomic(instruction, mask))
    return;
  if (!pure || memory)
    return writeSerial(instruction, mask);
  if (program_.arrays.interleaved(&instruction))
    return; // its accesses see to it
  if (!shapes_.isVarying(&instruction))
    return writeScalar(instruction, mask);
  auto* call = dyn_cast<CallInst>(&instruction);
  if (call && !isWidenedCall(*call))
    return writeSerial(instruction, mask);
  writeVector(instruction, mask);
}

// The first lane may be one that does not run: what would be poison for it alone must not spoil the others.
void LaneBody::writeScalar(Instruction& instruction, Value* mask) {
  auto is_linear = [this](const Value* value) { return shapes_.of(value).kind == LaneShape::Linear; };
  bool linear = any_of(instruction.operands(), is_linear);
  if (linear && isa<SExtInst, ZExtInst>(instruction)) { // zext: of a value that is not negative where lanes run
    scalars_[&instruction] = widened(instruction.getOperand(0), instruction.getType(), mask);
    return;
  }
  Instruction* made;
  if (instruction.getOpcode() == Instruction::Or && shapes_.of(&instruction).kind == LaneShape::Linear)
    // A sum, as bits are disjoint; in lanes that run, that is.
    made = BinaryOperator::CreateAdd(instruction.getOperand(0), instruction.getOperand(1));
  else
    made = instruction.clone();
  Type* i64 = builder_.getInt64Ty();
  bool indexes = isa<GetElementPtrInst>(instruction);
  for (Use& use : made->operands()) {
    bool narrow = indexes && use->getType()->isIntegerTy() && use->getType()->getIntegerBitWidth() < 64;
    use.set(narrow && is_linear(use) ? widened(use, i64, mask) : scalar(use));
  }
  if (linear)
    made->dropPoisonGeneratingAnnotations();
  scalars_[&instruction] = builder_.Insert(made, instruction.getName());
}

void LaneBody::writeVector(Instruction& instruction, Value* mask) {
  if (auto* gep = dyn_cast<GetElementPtrInst>(&instruction))
    return define(instruction, address(*gep));
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return define(instruction, widenedCall(*intrinsic));
  if (auto* operation = dyn_cast<BinaryOperator>(&instruction); operation && operation->isIntDivRem())
    return define(instruction, division(*operation, mask));
  if (auto* choice = dyn_cast<SelectInst>(&instruction)) {
    Value* condition =
        shapes_.isUniform(choice->getCondition()) ? scalar(choice->getCondition()) : vector(choice->getCondition());
    Value* made =
        choose(condition, vector(choice->getTrueValue()), vector(choice->getFalseValue()), instruction.getName());
    if (auto* select = dyn_cast<SelectInst>(made); select && isa<FPMathOperator>(select))
      select->copyFastMathFlags(&instruction);
    return define(instruction, made);
  }
  Instruction* made = instruction.clone();
  for (Use& use : made->operands())
    use.set(vector(use));
  made->mutateType(widen(instruction.getType()));
  define(instruction, builder_.Insert(made, instruction.getName()));
}

Value* LaneBody::address(GetElementPtrInst& gep) {
  auto operand = [this](Value* value) { return shapes_.isUniform(value) ? scalar(value) : vector(value); };
  SmallVector<Value*, 4> indices;
  for (Value* index : gep.indices())
    indices.push_back(operand(index));
  Value* base = operand(gep.getPointerOperand());
  Value* made = builder_.CreateGEP(gep.getSourceElementType(), base, indices, gep.getName(), gep.getNoWrapFlags());
  return made->getType()->isVectorTy() ? made : builder_.CreateVectorSplat(width_, made);
}

Value* LaneBody::widenedCall(IntrinsicInst& call) {
  Intrinsic::ID id = call.getIntrinsicID();
  SmallVector<Value*, 4> arguments;
  SmallVector<Type*, 4> types;
  if (auto* both = dyn_cast<WithOverflowInst>(&call))
    types.push_back(widen(both->getLHS()->getType()));
  else if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
    types.push_back(widen(call.getType()));
  for (auto [number, argument] : enumerate(call.args())) {
    Value* value = isVectorIntrinsicWithScalarOpAtArg(id, number) ? scalar(argument) : vector(argument);
    arguments.push_back(value);
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, number))
      types.push_back(value->getType());
  }
  CallInst* made = builder_.CreateCall(Intrinsic::getDeclaration(function_.getParent(), id, types), arguments);
  if (isa<FPMathOperator>(made))
    made->copyFastMathFlags(&call);
  return made;
}

// ---- division
//
// Vector units do not divide integers. Up to 32 bits a double holds dividend and divisor exactly, and its quotient,
// rounded, never reaches the next integer: that would take a relative error of 2^-32, and it is 2^-53. Floats do
// for 16.

Value* LaneBody::division(BinaryOperator& operation, Value* mask) {
  Value* divisor = operation.getOperand(1);
  unsigned bits = operation.getType()->getIntegerBitWidth();
  if (!isa<Constant>(divisor) && bits <= 32)
    return divisionOfFloats(operation, bits <= 16 ? builder_.getFloatTy() : builder_.getDoubleTy());
  Value* by = vector(divisor);
  if (mask && !isa<Constant>(divisor)) // lanes that do not run may hold 0
    by = builder_.CreateSelect(mask, by, ConstantInt::get(by->getType(), 1));
  return builder_.CreateBinOp(operation.getOpcode(), vector(operation.getOperand(0)), by);
}

Value* LaneBody::divisionOfFloats(BinaryOperator& operation, Type* floats) {
  bool is_signed = operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::SRem;
  bool quotient = operation.getOpcode() == Instruction::SDiv || operation.getOpcode() == Instruction::UDiv;
  Type* wide = widen(floats);
  Value *a = vector(operation.getOperand(0)), *b = vector(operation.getOperand(1));
  auto to_float = [&](Value* value) {
    return is_signed ? builder_.CreateSIToFP(value, wide) : builder_.CreateUIToFP(value, wide);
  };
  Value* ratio = builder_.CreateFDiv(to_float(a), to_float(b));
  Value* whole = is_signed ? builder_.CreateFPToSI(ratio, a->getType()) : builder_.CreateFPToUI(ratio, a->getType());
  return quotient ? whole : builder_.CreateSub(a, builder_.CreateMul(whole, b));
}

} // namespace bsgp::target
