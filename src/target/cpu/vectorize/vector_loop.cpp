// Of a small body there are two copies, so that whole vectors need no masks:
//
//   whole = threads & -W;  for (i = 0; i < whole; i += W) body(all lanes);  if (threads > whole) body(threads - whole)
//
// A large one stands there once: for (i = 0; i < threads; i += W) body(min(threads - i, W) lanes); and so does one that
// never has more than W threads, without a loop.
//
// Where a thread's place in a matrix is computed from its rank, most vectors lie in one row, and the first copy is for
// those: for (...) if (whole && no row ends within) body in a row else body(min(threads - i, W) lanes)
#include "target/cpu/vectorize/vector_loop.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kLargeBody = 300, kLargeWhenBrief = 40; // instructions

class VectorLoop {
public:
  VectorLoop(LaneProgram& program, LaneProgram* in_rows, const ThreadCount& count,
             SmallVectorImpl<AllocaInst*>& variables)
      : program_(program), in_rows_(in_rows), lanes_(program.lanes), width_(program.width),
        function_(*program.lanes.header->getParent()), context_(function_.getContext()), threads_(count.threads),
        one_vector_(count.one_vector), variables_(variables) {}

  void run() {
    IRBuilder<> builder(lanes_.preheader->getTerminator());
    auto* constant = dyn_cast<ConstantInt>(threads_);
    unsigned size = 0;
    for (BasicBlock* block : lanes_.loop->blocks())
      size += block->size();
    bool whole = constant && constant->getZExtValue() % width_ == 0;
    if (whole || in_rows_)
      writeLoop(builder, threads_, !whole, lanes_.exit);
    else if (one_vector_)
      writeOnce(builder);
    else if (size > (program_.brief ? kLargeWhenBrief : kLargeBody))
      writeLoop(builder, threads_, true, lanes_.exit);
    else
      writeLoopAndRest(builder);
    dropLoop();
  }

private:
  BasicBlock* newBlock(const char* name) { return BasicBlock::Create(context_, name, &function_, lanes_.exit); }

  // The counter's value `turns` (i64) turns after the first one.
  Value* counterAt(IRBuilder<>& builder, const LaneCounter& counter, Value* turns) {
    if (counter.phi->getType()->isPointerTy())
      return builder.CreateGEP(builder.getInt8Ty(), counter.start,
                               builder.CreateMul(turns, builder.getInt64(counter.step)));
    Type* type = counter.phi->getType();
    Value* by = builder.CreateMul(builder.CreateZExtOrTrunc(turns, type), ConstantInt::get(type, counter.step, true));
    return builder.CreateAdd(counter.start, by);
  }

  BasicBlock* writeBody(LaneProgram& program, BasicBlock& begin, ArrayRef<Value*> counters, Value* mask) {
    LaneBody body(program);
    if (&program == in_rows_)
      for (auto [row, value] : zip_equal(program.shapes.rows(), of_rows_))
        body.know(*row.division, value);
    BasicBlock* end = body.write(begin, counters, mask);
    variables_.append(body.variables().begin(), body.variables().end());
    return end;
  }

  // A loop over vectors for the first `count` (i64) threads, which is not 0; then goes on at `next`. `masked`: the last
  // vector may have fewer threads.
  void writeLoop(IRBuilder<>& builder, Value* count, bool masked, BasicBlock* next) {
    BasicBlock *before = builder.GetInsertBlock(), *head = newBlock("vectors"), *latch = newBlock("vectors.next");
    if (lanes_.preheader == before)
      start_ = head;
    else
      builder.CreateBr(head);
    builder.SetInsertPoint(head);
    PHINode* at = builder.CreatePHI(builder.getInt64Ty(), 2, "first");
    SmallVector<Value*, 4> counters;
    for (const LaneCounter& counter : lanes_.counters)
      counters.push_back(builder.CreatePHI(counter.phi->getType(), 2, counter.phi->getName()));
    Value* left = masked ? builder.CreateSub(count, at) : nullptr;
    if (in_rows_) {
      BasicBlock *row = newBlock("row"), *rows = newBlock("rows");
      builder.CreateCondBr(isOneRow(builder, counters, left), row, rows);
      BranchInst::Create(latch, writeBody(*in_rows_, *row, counters, nullptr));
      builder.SetInsertPoint(rows);
    }
    Value* mask = left ? lanesBelow(builder, left) : nullptr;
    BranchInst::Create(latch, writeBody(program_, *builder.GetInsertBlock(), counters, mask));
    builder.SetInsertPoint(latch);
    Value* next_at = builder.CreateAdd(at, builder.getInt64(width_), "next", true, true);
    at->addIncoming(builder.getInt64(0), before);
    at->addIncoming(next_at, latch);
    for (auto [counter, value] : zip_equal(lanes_.counters, counters)) {
      auto* phi = cast<PHINode>(value);
      int64_t step = counter.step * int64_t(width_);
      Value* stepped = phi->getType()->isPointerTy()
                           ? builder.CreateConstGEP1_64(builder.getInt8Ty(), phi, step)
                           : builder.CreateAdd(phi, ConstantInt::get(phi->getType(), step, true));
      phi->addIncoming(counter.start, before);
      phi->addIncoming(stepped, latch);
    }
    BranchInst* back = builder.CreateCondBr(builder.CreateICmpULT(next_at, count), head, next);
    back->setMetadata(LLVMContext::MD_loop, properties());
    if (next == lanes_.exit)
      comeToExit(latch);
  }

  void writeOnce(IRBuilder<>& builder) {
    start_ = BasicBlock::Create(context_, "lanes", &function_, lanes_.exit);
    builder.SetInsertPoint(start_);
    writePart(builder, builder.getInt64(0), threads_);
  }

  // One vector, under a mask, for the last `count` threads, from `first` on: at most as many as there are lanes.
  void writePart(IRBuilder<>& builder, Value* first, Value* count) {
    SmallVector<Value*, 4> counters;
    for (const LaneCounter& counter : lanes_.counters)
      counters.push_back(counterAt(builder, counter, first));
    BasicBlock* end = writeBody(program_, *builder.GetInsertBlock(), counters, lanesBelow(builder, count));
    BranchInst::Create(lanes_.exit, end);
    comeToExit(end);
  }

  void writeLoopAndRest(IRBuilder<>& builder) {
    Value* whole = builder.CreateAnd(threads_, builder.getInt64(-int64_t(width_)), "whole");
    BasicBlock *some = newBlock("whole.vectors"), *left = newBlock("left"), *rest = newBlock("rest");
    start_ = BasicBlock::Create(context_, "lanes", &function_, some);
    builder.SetInsertPoint(start_);
    builder.CreateCondBr(builder.CreateIsNotNull(whole), some, left);
    builder.SetInsertPoint(some);
    writeLoop(builder, whole, false, left);
    builder.SetInsertPoint(left);
    Value* remaining = builder.CreateSub(threads_, whole);
    builder.CreateCondBr(builder.CreateIsNotNull(remaining), rest, lanes_.exit);
    comeToExit(left);
    builder.SetInsertPoint(rest);
    writePart(builder, whole, remaining);
  }

  // Are all lanes there, and has each of the program's divisions one quotient for all of them? `left`: how many threads
  // there are still; null: enough.
  Value* isOneRow(IRBuilder<>& builder, ArrayRef<Value*> counters, Value* left) {
    Value* all = left ? builder.CreateICmpUGE(left, builder.getInt64(width_)) : builder.getTrue();
    for (const LaneShapes::Row& row : in_rows_->shapes.rows()) {
      Value* dividend = again(builder, row.division->getOperand(0), counters);
      Type* type = dividend->getType();
      Value *zero = ConstantInt::get(type, 0), *one = ConstantInt::get(type, 1);
      Value* divisor = builder.CreateFreeze(row.division->getOperand(1)); // where it may be 0, no thread divides
      divisor = builder.CreateBinaryIntrinsic(Intrinsic::umax, divisor, one);
      Value* quotient = builder.CreateUDiv(dividend, divisor);
      Value* remainder = builder.CreateSub(dividend, builder.CreateMul(quotient, divisor));
      bool divides = row.division->getOpcode() == Instruction::UDiv || row.division->getOpcode() == Instruction::SDiv;
      of_rows_.push_back(divides ? quotient : remainder);
      Value* last = builder.CreateAdd(remainder, ConstantInt::get(type, row.stride * (width_ - 1)));
      Value* plain = builder.CreateAnd(builder.CreateICmpSGE(dividend, zero), builder.CreateICmpSGT(divisor, zero));
      all = builder.CreateAnd(all, builder.CreateAnd(plain, builder.CreateICmpULT(last, divisor)));
      all = builder.CreateAnd(all, goesOn(builder, {row.division->getOperand(0), row.stride}, counters));
      for (const LaneShapes::Growth& extended : row.extended)
        all = builder.CreateAnd(all, goesOn(builder, extended, counters));
    }
    return all;
  }

  // Is the value, as a signed number, nowhere negative from the first lane to the last, so that it does not wrap either?
  Value* goesOn(IRBuilder<>& builder, const LaneShapes::Growth& growth, ArrayRef<Value*> counters) {
    Value* first = again(builder, growth.value, counters);
    const LaneCounter* counter = lanes_.counter(growth.value);
    bool known_to_go_on = counter && counter->no_wrap && growth.stride > 0; // all lanes are there
    Value* by = ConstantInt::getSigned(first->getType(), growth.stride * int64_t(width_ - 1));
    Value* signs = known_to_go_on ? first : builder.CreateOr(first, builder.CreateAdd(first, by));
    return builder.CreateICmpSGE(signs, Constant::getNullValue(first->getType()));
  }

  // What the first lane computes of counters and what does not change.
  Value* again(IRBuilder<>& builder, Value* value, ArrayRef<Value*> counters) {
    if (!lanes_.contains(value))
      return value;
    for (auto [counter, scalar] : zip_equal(lanes_.counters, counters))
      if (counter.phi == value)
        return scalar;
    Instruction* made = cast<Instruction>(value)->clone();
    for (Use& use : made->operands())
      use.set(again(builder, use, counters));
    made->dropPoisonGeneratingFlags();
    return builder.Insert(made);
  }

  Value* lanesBelow(IRBuilder<>& builder, Value* count) {
    Value* limit = builder.CreateBinaryIntrinsic(Intrinsic::umin, count, builder.getInt64(width_));
    Value* all = builder.CreateVectorSplat(width_, builder.CreateTrunc(limit, builder.getInt32Ty()));
    SmallVector<Constant*, 16> numbers;
    for (unsigned lane = 0; lane != width_; ++lane)
      numbers.push_back(builder.getInt32(lane));
    return builder.CreateICmpULT(ConstantVector::get(numbers), all, "lanes");
  }

  MDNode* properties() {
    auto property = [&](const char* name, Metadata* value = nullptr) {
      SmallVector<Metadata*, 2> operands{MDString::get(context_, name)};
      if (value)
        operands.push_back(value);
      return MDNode::get(context_, operands);
    };
    Metadata* one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context_), 1));
    MDNode* id = MDNode::getDistinct(
        context_, {nullptr, property("llvm.loop.isvectorized", one), property("llvm.loop.unroll.disable")});
    id->replaceOperandWith(0, id);
    return id;
  }

  void comeToExit(BasicBlock* from) {
    for (PHINode& phi : lanes_.exit->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(lanes_.latch), from);
  }

  void dropLoop() {
    SmallVector<BasicBlock*, 16> blocks(lanes_.loop->blocks());
    lanes_.preheader->getTerminator()->replaceSuccessorWith(lanes_.header, start_);
    DeleteDeadBlocks(blocks);
  }

  LaneProgram& program_;
  LaneProgram* in_rows_;
  const LaneLoop& lanes_;
  const unsigned width_;
  Function& function_;
  LLVMContext& context_;
  Value* const threads_;
  const bool one_vector_; // it is known that there are never more threads than lanes
  SmallVectorImpl<AllocaInst*>& variables_;
  BasicBlock* start_ = nullptr;    // in place of the header
  SmallVector<Value*, 4> of_rows_; // the first lane's quotients and remainders
};

} // namespace

ThreadCount countThreads(const LaneLoop& lanes, unsigned width, ScalarEvolution& evolution) {
  Type* i64 = Type::getInt64Ty(lanes.header->getContext());
  const SCEV* last = evolution.getNoopOrZeroExtend(lanes.last_turn, i64);
  SCEVExpander expander(evolution, lanes.header->getDataLayout(), "threads");
  ThreadCount count;
  count.threads =
      expander.expandCodeFor(evolution.getAddExpr(last, evolution.getOne(i64)), i64, lanes.preheader->getTerminator());
  const SCEV* threads = evolution.getAddExpr(lanes.last_turn, evolution.getOne(lanes.last_turn->getType()));
  APInt most = evolution.getUnsignedRangeMax(threads);
  count.one_vector = !most.isZero() && most.ule(width);
  return count;
}

void replaceLoop(LaneProgram& program, LaneProgram* in_rows, const ThreadCount& count,
                 SmallVectorImpl<AllocaInst*>& variables) {
  VectorLoop(program, in_rows, count, variables).run();
}

void promoteVariables(Function& function, ArrayRef<AllocaInst*> variables) {
  SmallVector<AllocaInst*, 64> used;
  for (AllocaInst* variable : variables)
    if (variable->use_empty())
      variable->eraseFromParent();
    else
      used.push_back(variable);
  DominatorTree dominators(function);
  PromoteMemToReg(used, dominators);
}

} // namespace bsgp::target
