// Lane by lane, in order: calls that have no form for vectors, and atomic and volatile accesses.
//
//   bits = mask;  while (bits)  { lane = count trailing zeros of bits;  bits &= bits - 1;  ... }
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Structures of vectors are what structures are for one lane.
Value* insertLane(IRBuilder<>& builder, Value* into, Value* value, Value* lane) {
  if (!value->getType()->isStructTy())
    return builder.CreateInsertElement(into, value, lane);
  for (unsigned member = 0; member != value->getType()->getStructNumElements(); ++member) {
    Value* vector = builder.CreateExtractValue(into, member);
    vector = builder.CreateInsertElement(vector, builder.CreateExtractValue(value, member), lane);
    into = builder.CreateInsertValue(into, vector, member);
  }
  return into;
}

} // namespace

void LaneBody::writeSerial(Instruction& instruction, Value* mask) {
  program_.remark(instruction, "one lane after the other");
  Type* bits_type = builder_.getIntNTy(width_);
  BasicBlock* before = builder_.GetInsertBlock();
  Value* bits = bitsOf(orAll(mask));
  bool valued = !instruction.getType()->isVoidTy();
  Type* wide = valued ? widen(instruction.getType()) : nullptr;
  SmallVector<Value*, 4> operands; // vectors, of those that differ
  for (Value* operand : instruction.operands())
    operands.push_back(isa<Function>(operand) || shapes_.isUniform(operand) ? nullptr : vector(operand));
  auto* turn = BasicBlock::Create(context_, "lane", &function_);
  auto* done = BasicBlock::Create(context_, "lanes.done", &function_);
  if (mask)
    builder_.CreateCondBr(builder_.CreateIsNotNull(bits), turn, done);
  else
    builder_.CreateBr(turn);

  builder_.SetInsertPoint(turn);
  PHINode* left = builder_.CreatePHI(bits_type, 2, "left");
  PHINode* results = valued ? builder_.CreatePHI(wide, 2) : nullptr;
  Value* lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, left, builder_.getTrue());
  lane = builder_.CreateZExtOrTrunc(lane, builder_.getInt32Ty());
  Instruction* made = instruction.clone();
  for (auto [number, operand] : enumerate(operands))
    made->setOperand(number,
                     operand ? builder_.CreateExtractElement(operand, lane) : scalar(instruction.getOperand(number)));
  builder_.Insert(made);
  Value* next_results = valued ? insertLane(builder_, results, made, lane) : nullptr;
  Value* next = builder_.CreateAnd(left, builder_.CreateSub(left, ConstantInt::get(bits_type, 1)));
  builder_.CreateCondBr(builder_.CreateIsNotNull(next), turn, done);
  left->addIncoming(bits, before);
  left->addIncoming(next, turn);

  builder_.SetInsertPoint(done);
  if (!valued)
    return;
  results->addIncoming(PoisonValue::get(wide), before);
  results->addIncoming(next_results, turn);
  Value* all = next_results;
  if (mask) {
    PHINode* either = builder_.CreatePHI(wide, 2);
    either->addIncoming(PoisonValue::get(wide), before);
    either->addIncoming(next_results, turn);
    all = either;
  }
  define(instruction, all);
}

} // namespace bsgp::target
