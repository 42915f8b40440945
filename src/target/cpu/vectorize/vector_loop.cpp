// A small body is written twice, so that whole vectors need no masks:
//
//   whole = threads & -W;  for (i = 0; i < whole; i += W) body(all lanes);  if (threads > whole) body(threads - whole)
//
// A large body is written once: for (i = 0; i < threads; i += W) body(min(threads - i, W) lanes). So is one that
// never has more than W threads, without a loop.
//
// If a thread's place in a matrix is computed from its rank, most vectors lie in one row; if an index is clamped to
// bounds, most are inside. The first copy is for those (lane_assumptions.cpp):
//
//   for (i = 0; i < threads;)
//     if (whole && no row or border within) for (as many vectors as that holds of) body as assumed
//     else if (whole && no row within) body as in one row
//     else body(min(threads - i, W) lanes)
//
// The second of these is there only if a border is tested beside the row.
#include "target/cpu/vectorize/vector_loop.h"

#include "ir/promote_variables.h"
#include "target/cpu/vectorize/assumption_checks.h"
#include "target/cpu/vectorize/lane_body.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kLargeBody = 300, kLargeWhenBrief = 40; // instructions

class VectorLoop {
public:
  VectorLoop(LanePrograms programs, const ThreadCount& count, SmallVectorImpl<AllocaInst*>& variables)
      : program_(programs.general), in_rows_(programs.in_rows), at_border_(programs.at_border), lanes_(program_.lanes),
        width_(program_.width), function_(*lanes_.header->getParent()), context_(function_.getContext()),
        threads_(count.threads), one_vector_(count.one_vector), variables_(variables) {}

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

  BasicBlock* writeBody(LaneBody& body, BasicBlock& begin, ArrayRef<Value*> counters, Value* mask) {
    BasicBlock* end = body.write(begin, counters, mask);
    variables_.append(body.variables().begin(), body.variables().end());
    return end;
  }

  // The beginning of the next vector, computed at the end of `end`.
  struct Next {
    BasicBlock* end;
    Value* first; // thread, i64
    SmallVector<Value*, 4> counters;
  };
  Next nextBehind(BasicBlock* end, Value* first, ArrayRef<Value*> counters) {
    IRBuilder<> builder(end);
    Next next{end, builder.CreateAdd(first, builder.getInt64(width_), "next", true, true), {}};
    for (auto [counter, value] : zip_equal(lanes_.counters, counters)) {
      int64_t step = counter.step * int64_t(width_);
      Type* type = value->getType();
      next.counters.push_back(type->isPointerTy() ? builder.CreateConstGEP1_64(builder.getInt8Ty(), value, step)
                                                  : builder.CreateAdd(value, ConstantInt::get(type, step, true)));
    }
    return next;
  }

  SmallVector<PHINode*, 4> counterPhis(IRBuilder<>& builder) {
    SmallVector<PHINode*, 4> phis;
    for (const LaneCounter& counter : lanes_.counters)
      phis.push_back(builder.CreatePHI(counter.phi->getType(), 2, counter.phi->getName()));
    return phis;
  }

  // Writes a loop over vectors for the first `count` (i64) threads, which is not 0; then goes on at `next`. `masked`:
  // the last vector may have fewer threads.
  void writeLoop(IRBuilder<>& builder, Value* count, bool masked, BasicBlock* next) {
    BasicBlock *before = builder.GetInsertBlock(), *head = newBlock("vectors"), *latch = newBlock("vectors.next");
    if (lanes_.preheader == before)
      start_ = head;
    else
      builder.CreateBr(head);
    builder.SetInsertPoint(head);
    PHINode* at = builder.CreatePHI(builder.getInt64Ty(), 2, "first");
    SmallVector<PHINode*, 4> phis = counterPhis(builder);
    SmallVector<Value*, 4> counters(phis.begin(), phis.end());
    Value* left = masked || in_rows_ ? builder.CreateSub(count, at) : nullptr;
    SmallVector<Next, 2> ways;
    if (in_rows_)
      ways.push_back(writeRow(builder, at, counters, left, latch));
    if (at_border_)
      ways.push_back(writeBorder(builder, at, counters, left, latch));
    Value* mask = masked ? lanesBelow(builder, left) : nullptr;
    LaneBody body(program_);
    ways.push_back(nextBehind(writeBody(body, *builder.GetInsertBlock(), counters, mask), at, counters));
    BranchInst::Create(latch, ways.back().end);
    builder.SetInsertPoint(latch);
    auto merged = [&](Type* type, auto of) -> Value* {
      if (ways.size() == 1)
        return of(ways[0]);
      PHINode* phi = builder.CreatePHI(type, ways.size());
      for (const Next& way : ways)
        phi->addIncoming(of(way), way.end);
      return phi;
    };
    Value* next_at = merged(at->getType(), [](const Next& way) { return way.first; });
    at->addIncoming(builder.getInt64(0), before);
    at->addIncoming(next_at, latch);
    for (auto [i, counter, phi] : enumerate(lanes_.counters, phis)) {
      phi->addIncoming(counter.start, before);
      phi->addIncoming(merged(phi->getType(), [i = i](const Next& way) { return way.counters[i]; }), latch);
    }
    BranchInst* back = builder.CreateCondBr(builder.CreateICmpULT(next_at, count), head, next);
    back->setMetadata(LLVMContext::MD_loop, properties());
    if (next == lanes_.exit)
      comeToExit(latch);
  }

  // An assumed value that grows from vector to vector. Addresses are computed from it, so it is 64 bits wide.
  struct Known {
    Instruction* of;
    PHINode* wide;
    int64_t step;
  };
  SmallVector<Known, 8> knowAssumed(IRBuilder<>& builder, LaneBody& body, AssumptionChecks& checks, BasicBlock* row) {
    const LaneShapes& shapes = in_rows_->shapes;
    SmallVector<Known, 8> known;
    for (auto [i, assumption, value] : enumerate(shapes.assumptions(), checks.values())) {
      if (checks.step(i) == 0) {
        body.know(*assumption.of, value);
        continue;
      }
      PHINode* wide = builder.CreatePHI(builder.getInt64Ty(), 2);
      wide->addIncoming(IRBuilder<>(row->getTerminator()).CreateZExt(value, wide->getType()), row); // not negative
      known.push_back({assumption.of, wide, checks.step(i)});
    }
    for (auto [of, wide, step] : known)
      body.know(*of, builder.CreateTrunc(wide, of->getType()), wide);
    for (auto [compare, found] : shapes.decided())
      body.know(*compare, builder.getInt1(found));
    return known;
  }

  // At the head of the loop: runs the vectors from this one on that fulfil the assumptions of `in_rows` in a loop of
  // their own, which does not test them again, and then goes on at `latch`. For other vectors the builder stands at a
  // new block.
  Next writeRow(IRBuilder<>& builder, PHINode* at, ArrayRef<Value*> counters, Value* left, BasicBlock* latch) {
    BasicBlock *row = newBlock("row"), *vectors = newBlock("row.vectors"), *rows = newBlock("rows");
    AssumptionChecks checks(lanes_, in_rows_->shapes);
    Value* whole = builder.CreateICmpUGE(left, builder.getInt64(width_));
    builder.CreateCondBr(builder.CreateAnd(whole, checks.hold(builder, counters)), row, rows);
    builder.SetInsertPoint(row);
    Value* count = checks.vectors(builder, builder.CreateUDiv(left, builder.getInt64(width_)));
    Value* end_of_row = builder.CreateAdd(at, builder.CreateMul(count, builder.getInt64(width_)));
    builder.CreateBr(vectors);

    builder.SetInsertPoint(vectors);
    PHINode* first = builder.CreatePHI(at->getType(), 2, "first");
    SmallVector<PHINode*, 4> phis = counterPhis(builder);
    SmallVector<Value*, 4> here(phis.begin(), phis.end());
    LaneBody body(*in_rows_);
    SmallVector<Known, 8> known = knowAssumed(builder, body, checks, row);
    Next next = nextBehind(writeBody(body, *vectors, here, nullptr), first, here);
    IRBuilder<> end(next.end);
    first->addIncoming(at, row), first->addIncoming(next.first, next.end);
    for (auto [i, phi] : enumerate(phis))
      phi->addIncoming(counters[i], row), phi->addIncoming(next.counters[i], next.end);
    for (auto [of, phi, step] : known) // a value that wraps ends the row
      phi->addIncoming(end.CreateNSWAdd(phi, end.getInt64(step)), next.end);
    BranchInst* back = end.CreateCondBr(end.CreateICmpULT(next.first, end_of_row), vectors, latch);
    back->setMetadata(LLVMContext::MD_loop, properties());
    builder.SetInsertPoint(rows);
    return next;
  }

  // Behind writeRow: runs one vector that lies in one row, without assumptions about borders.
  Next writeBorder(IRBuilder<>& builder, PHINode* at, ArrayRef<Value*> counters, Value* left, BasicBlock* latch) {
    BasicBlock *border = newBlock("border"), *others = newBlock("others");
    AssumptionChecks checks(lanes_, at_border_->shapes);
    Value* whole = builder.CreateICmpUGE(left, builder.getInt64(width_));
    builder.CreateCondBr(builder.CreateAnd(whole, checks.hold(builder, counters)), border, others);
    builder.SetInsertPoint(border);
    LaneBody body(*at_border_);
    for (auto [assumption, value] : zip_equal(at_border_->shapes.assumptions(), checks.values()))
      body.know(*assumption.of, value, builder.CreateZExt(value, builder.getInt64Ty())); // not negative
    Next next = nextBehind(writeBody(body, *border, counters, nullptr), at, counters);
    BranchInst::Create(latch, next.end);
    builder.SetInsertPoint(others);
    return next;
  }

  void writeOnce(IRBuilder<>& builder) {
    start_ = BasicBlock::Create(context_, "lanes", &function_, lanes_.exit);
    builder.SetInsertPoint(start_);
    writePart(builder, builder.getInt64(0), threads_);
  }

  // Runs one vector, under a mask, for the last `count` threads, from `first` on: at most as many as there are lanes.
  void writePart(IRBuilder<>& builder, Value* first, Value* count) {
    SmallVector<Value*, 4> counters;
    for (const LaneCounter& counter : lanes_.counters)
      counters.push_back(counterAfter(builder, counter, first));
    LaneBody body(program_);
    BasicBlock* end = writeBody(body, *builder.GetInsertBlock(), counters, lanesBelow(builder, count));
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
  LaneProgram *in_rows_, *at_border_;
  const LaneLoop& lanes_;
  const unsigned width_;
  Function& function_;
  LLVMContext& context_;
  Value* const threads_;
  const bool one_vector_; // it is known that there are never more threads than lanes
  SmallVectorImpl<AllocaInst*>& variables_;
  BasicBlock* start_ = nullptr; // in place of the header
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

void replaceLoop(LanePrograms programs, const ThreadCount& count, SmallVectorImpl<AllocaInst*>& variables) {
  VectorLoop(programs, count, variables).run();
}

void promoteVariables(Function& function, ArrayRef<AllocaInst*> variables) {
  SmallVector<AllocaInst*, 64> used;
  for (AllocaInst* variable : variables)
    if (variable->use_empty())
      variable->eraseFromParent();
    else
      used.push_back(variable);
  ir::promoteVariables(function, used);
}

} // namespace bsgp::target
