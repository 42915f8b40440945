// The rank loop of the reference target: one lane at a time, each lane of the block once, in an order that a program
// must not rely on.
//
// Requires: a range that is one block. Ensures: as buildRankLoop.
//
// With P the smallest power of two not below the number of lanes, i -> a*(x ^ (x >> s)), x = a*i + b, all modulo P, is
// a bijection for every odd a; lanes past the end are skipped. a = 1, b = 0 and a long shift leave the lanes in order.
#include "target/cpu/ranks/shuffled_loop.h"

#include "plan/plan_abi.h"

namespace bsgp::target {

using namespace llvm;

namespace {

Value* hash(IRBuilder<>& builder, Value* seed, Value* begin, uint64_t salt) {
  auto constant = [&](uint64_t value) { return builder.getInt64(value); };
  Value* mixed = builder.CreateXor(seed, builder.CreateMul(begin, constant(0x9E3779B97F4A7C15)));
  mixed = builder.CreateXor(mixed, constant(salt * 0xD6E8FEB86659FD93));
  mixed = builder.CreateMul(mixed, constant(0xBF58476D1CE4E5B9));
  mixed = builder.CreateXor(mixed, builder.CreateLShr(mixed, constant(29)));
  mixed = builder.CreateMul(mixed, constant(0x94D049BB133111EB));
  return builder.CreateXor(mixed, builder.CreateLShr(mixed, constant(32)));
}

// Turns for that many lanes.
Value* turnsFor(IRBuilder<>& builder, Value* lanes) {
  Value* zeros =
      builder.CreateBinaryIntrinsic(Intrinsic::ctlz, builder.CreateSub(lanes, builder.getInt64(1)), builder.getFalse());
  Value* bits = builder.CreateAnd(builder.CreateSub(builder.getInt64(64), zeros), builder.getInt64(63));
  return builder.CreateShl(builder.getInt64(1), bits, "turns");
}

} // namespace

LaneOrder orderOf(IRBuilder<>& builder, Value& launch, Value* begin, Value* count, uint64_t salt) {
  Type* i64 = builder.getInt64Ty();
  LaneOrder order;
  order.lanes = builder.CreateZExt(count, i64, "lanes");
  order.turns = turnsFor(builder, order.lanes);
  Value* seed = builder.CreateLoad(
      i64, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &launch, offsetof(bsgp_launch, shuffle)), "seed");
  Value* shuffled = builder.CreateICmpNE(seed, builder.getInt64(0));
  Value* mixed = hash(builder, seed, builder.CreateZExt(begin, i64), salt);
  order.factor = builder.CreateSelect(shuffled, builder.CreateOr(mixed, builder.getInt64(1)), builder.getInt64(1));
  order.offset = builder.CreateSelect(shuffled, builder.CreateLShr(mixed, builder.getInt64(32)), builder.getInt64(0));
  order.shift = builder.CreateSelect(shuffled, builder.getInt64(3), builder.getInt64(63));
  return order;
}

Value* laneOf(IRBuilder<>& builder, const LaneOrder& order, Value* turn) {
  Value* mask = builder.CreateSub(order.turns, builder.getInt64(1));
  Value* x = builder.CreateAnd(builder.CreateAdd(builder.CreateMul(turn, order.factor), order.offset), mask);
  x = builder.CreateXor(x, builder.CreateLShr(x, order.shift));
  return builder.CreateAnd(builder.CreateMul(x, order.factor), mask, "lane");
}

RankLoop buildShuffledLoop(Function& thread, const plan::Kernel& kernel, IntegerType* rank_type) {
  RankLoop loop = startLoop(thread, kernel, rank_type);
  LLVMContext& context = thread.getContext();
  auto* start = BasicBlock::Create(context, "start", loop.function, loop.latch);
  auto* header = BasicBlock::Create(context, "loop", loop.function, loop.latch);
  auto* lane_found = BasicBlock::Create(context, "lane.found", loop.function, loop.latch);
  moveBody(thread, loop);

  IRBuilder<> builder(loop.entry);
  builder.CreateCondBr(builder.CreateICmpSLT(loop.begin(), loop.end()), start, loop.exit);
  builder.SetInsertPoint(start);
  Value* count = builder.CreateSub(loop.end(), loop.begin());
  LaneOrder order = orderOf(builder, *loop.launch(), loop.begin(), count, 0);
  builder.CreateBr(header);

  builder.SetInsertPoint(header);
  PHINode* turn = builder.CreatePHI(builder.getInt64Ty(), 2, "turn");
  Value* lane = laneOf(builder, order, turn);
  builder.CreateCondBr(builder.CreateICmpULT(lane, order.lanes), lane_found, loop.latch);

  builder.SetInsertPoint(lane_found);
  loop.rank = builder.CreateAdd(loop.begin(), builder.CreateTrunc(lane, rank_type), "rank", true, true);
  builder.CreateBr(loop.body);

  builder.SetInsertPoint(loop.latch);
  Value* next = builder.CreateAdd(turn, builder.getInt64(1), "turn.next");
  builder.CreateCondBr(builder.CreateICmpEQ(next, order.turns), loop.exit, header);
  turn->addIncoming(builder.getInt64(0), start);
  turn->addIncoming(next, loop.latch);
  return loop;
}

} // namespace bsgp::target
