// Lane by lane, in order: calls that have no form for vectors, and volatile accesses.
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

// Runs `turn` for each lane whose bit is set, with its number, i32.
void LaneBody::writeTurns(Value* bits, function_ref<void(Value*)> turn) {
  BasicBlock* before = builder_.GetInsertBlock();
  auto* head = BasicBlock::Create(context_, "lane", &function_);
  auto* done = BasicBlock::Create(context_, "lanes.done", &function_);
  builder_.CreateCondBr(builder_.CreateIsNotNull(bits), head, done);
  builder_.SetInsertPoint(head);
  PHINode* left = builder_.CreatePHI(bits->getType(), 2, "left");
  Value* lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, left, builder_.getTrue());
  turn(builder_.CreateZExtOrTrunc(lane, builder_.getInt32Ty()));
  Value* next = builder_.CreateAnd(left, builder_.CreateSub(left, ConstantInt::get(bits->getType(), 1)));
  left->addIncoming(bits, before);
  left->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateIsNotNull(next), head, done);
  builder_.SetInsertPoint(done);
}

void LaneBody::writeSerial(Instruction& instruction, Value* mask) {
  program_.remark(instruction, "one lane after the other");
  Type* wide = instruction.getType()->isVoidTy() ? nullptr : widen(instruction.getType());
  SmallVector<Value*, 4> operands; // vectors, of those that differ
  for (Value* operand : instruction.operands())
    operands.push_back(isa<Function>(operand) || shapes_.isUniform(operand) ? nullptr : vector(operand));
  AllocaInst* results = nullptr;
  if (wide) {
    BasicBlock& entry = function_.getEntryBlock();
    results = IRBuilder<>(&entry, entry.begin()).CreateAlloca(wide);
    variables_.push_back(results);
    builder_.CreateStore(PoisonValue::get(wide), results);
  }
  writeTurns(bitsOf(orAll(mask)), [&](Value* lane) {
    Instruction* made = instruction.clone();
    for (auto [number, operand] : enumerate(operands))
      made->setOperand(number,
                       operand ? builder_.CreateExtractElement(operand, lane) : scalar(instruction.getOperand(number)));
    builder_.Insert(made);
    if (wide)
      builder_.CreateStore(insertLane(builder_, builder_.CreateLoad(wide, results), made, lane), results);
  });
  if (wide)
    define(instruction, builder_.CreateLoad(wide, results));
}

} // namespace bsgp::target
