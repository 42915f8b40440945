// One region of a block kernel: a loop over the lanes of the block with a copy of the region's blocks in it.
//
//   start:  uniform values of the region; which lanes have something to do
//   lanes:  lane = phi [first, next], rank = phi;  the blocks;  edges out -> lane.end
//   after:  uniform phis of the next region are set;  br start of the next region
//
// Watched accesses of shared memory make two such loops of it, one of which runs (check_lanes.h).
//
// Requires: nothing but uniform values, rank, lane and addresses of allocas comes from other regions.
#include "bsp/region.h"
#include "ir/operations.h"
#include "target/cpu/blocks/block_frame.h"
#include "target/cpu/blocks/check_lanes.h"
#include "target/cpu/blocks/lane_range.h"
#include "target/cpu/calls/device_calls.h"
#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/ranks/shuffled_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

class RegionLoop {
public:
  RegionLoop(const BlockKernel& kernel, BlockFrame& frame, unsigned number)
      : kernel_(kernel), frame_(frame), region_(kernel.regions->all()[number]), number_(number),
        context_(frame.function->getContext()), values_(kernel, frame, region_), exit_(kernel, frame, region_, values_),
        sync_(passedSync(region_)) {}

  void run() {
    values_.load();
    tellOfSync();
    if (!acts())
      return exit_.branchToNext(*values_.start());
    findLanes();
    entering_ = values_.start();
    loop_.exit = newBlock("after");
    LaneChecks checks(kernel_, frame_, region_, guard_ ? &*guard_ : nullptr);
    if (kernel_.reference || exit_.lanesChoose() || !checks.mayBeShown() || !placeTwice(checks)) {
      placeLoop();
      first_ = head_;
    }
    exit_.branchToNext(*loop_.exit);
    enterLoop();
    if (gate_)
      dropChecks(checks);
    for (auto& [loop, blocks] : placed_)
      lowerCalls(loop, blocks);
  }

private:
  // True if it comes from outside of the loop over lanes: place in the block, memory, uniform values, reports made
  // once.
  bool isOutside(const Instruction& instruction) const {
    return &instruction == sync_ || kernel_.terms->is(instruction) || isa<AllocaInst>(instruction) ||
           kernel_.uniform->has(instruction);
  }

  bool acts() const {
    auto has_effect = [this](const Instruction& instruction) {
      return !isOutside(instruction) && instruction.mayHaveSideEffects();
    };
    return exit_.lanesChoose() ||
           any_of(region_.blocks, [&](const BasicBlock* block) { return any_of(*block, has_effect); });
  }

  void tellOfSync() {
    if (!sync_)
      return;
    IRBuilder<> builder(values_.start());
    Type* word = builder.getInt64Ty();
    FunctionCallee tell = frame_.function->getParent()->getOrInsertFunction(
        "bsgp_rt_check_all_synced", builder.getVoidTy(), builder.getPtrTy(), word);
    builder.CreateCall(tell, {frame_.function->getArg(RankLoop::kLaunch), builder.CreateSExt(frame_.begin, word)});
  }

  void findLanes() {
    range_ = {ConstantInt::get(frame_.rankType(), 0), frame_.count, true, nullptr};
    if (kernel_.reference || exit_.lanesChoose() || region_.decision)
      return;
    guard_ = findLaneGuard(region_, *kernel_.regions, *kernel_.uniform, *kernel_.terms);
    if (!guard_)
      return;
    Value* bound = values_.uniform(guard_->test.bound);
    IRBuilder<> builder(values_.start());
    range_ = lanesThatHold(builder, guard_->test, bound, frame_.begin, frame_.count);
  }

  // ---- opening

  BasicBlock* newBlock(const char* name) {
    return BasicBlock::Create(context_, name, frame_.function, frame_.block_end);
  }

  void placeLoop() {
    blocks_.clear();
    openLoop();
    placeBlocks();
    closeLoop();
    placed_.emplace_back(loop_, blocks_);
  }

  // False: the loop is to be watched in any case.
  bool placeTwice(LaneChecks& checks) {
    BasicBlock* ask = newBlock("ask");
    IRBuilder<> builder(ask);
    Value* end = range_.only ? builder.CreateAdd(range_.first, ConstantInt::get(frame_.rankType(), 1)) : range_.end;
    if (!checks.findLines(builder, values_, range_.first, end, firstRank())) {
      ask->eraseFromParent();
      return false;
    }
    entering_ = first_ = ask;
    placeLoop();
    BasicBlock* watched = head_;
    placeLoop();
    gate_ = builder.CreateCondBr(builder.getFalse(), head_, watched);
    return true;
  }

  void dropChecks(LaneChecks& checks) {
    IRBuilder<> builder(gate_);
    if (checks.drop(*copy_, blocks_))
      gate_->setCondition(checks.ask(builder));
  }

  Value* firstRank() {
    if (!first_rank_)
      first_rank_ = IRBuilder<>(values_.start()).CreateAdd(frame_.begin, range_.first, "", true, true);
    return first_rank_;
  }

  void openLoop() {
    loop_.function = frame_.function;
    loop_.entry = frame_.entry;
    loop_.before = entering_;
    head_ = newBlock("lanes");
    if (kernel_.reference)
      openShuffled();
    else
      openInOrder();
    loop_.latch = newBlock("lane.end");
    if (!region_.next.empty())
      loop_.give_up = frame_.block_end;
  }

  void openInOrder() {
    Value* first = firstRank();
    IRBuilder<> builder(head_);
    body_ = head_;
    lane_ = range_.first;
    loop_.rank = first;
    if (range_.only)
      return;
    counter_ = builder.CreatePHI(builder.getInt32Ty(), 2, "lane");
    loop_.rank = builder.CreatePHI(frame_.rankType(), 2, "rank");
    lane_ = builder.CreateZExt(counter_, frame_.rankType(), "lane.wide", /*IsNonNeg=*/true);
  }

  void openShuffled() {
    IRBuilder<> builder(values_.start());
    order_ = orderOf(builder, *frame_.function->getArg(0), frame_.begin, frame_.count, number_);
    builder.SetInsertPoint(head_);
    turn_ = builder.CreatePHI(builder.getInt64Ty(), 2, "turn");
    shuffled_ = laneOf(builder, order_, turn_);
    body_ = newBlock("lane.found");
    builder.SetInsertPoint(body_);
    lane_ = builder.CreateTrunc(shuffled_, frame_.rankType(), "lane");
    loop_.rank = builder.CreateAdd(frame_.begin, lane_, "rank", true, true);
  }

  // A number of lanes as the loop counts it: in 32 bits, so that as many of them make a vector where ranks have 64.
  Value* inLanes(Value* number) {
    IRBuilder<> builder(values_.start());
    return builder.CreateTrunc(number, builder.getInt32Ty());
  }

  // ---- the blocks

  void placeBlocks() {
    copy_.emplace(region_.blocks, nullptr, *frame_.function,
                  [this](const Instruction& instruction) { return isOutside(instruction); });
    bsp::RegionCopy& copy = *copy_;
    loop_.body = copy.entry();
    if (kernel_.terms->rank)
      copy.set(kernel_.terms->rank, loop_.rank);
    if (kernel_.terms->lane)
      copy.set(kernel_.terms->lane, lane_);
    for (BasicBlock* leader : region_.next)
      if (leader != region_.leader())
        copy.set(leader, loop_.latch);
    copy.connect([&](Instruction& value) {
      Value* found = isa<AllocaInst>(value) ? addressOf(cast<AllocaInst>(value)) : values_.uniform(&value);
      copy.set(&value, found);
      return found;
    });
    for (BasicBlock* block : region_.blocks)
      blocks_.push_back(cast<BasicBlock>(copy.lookup(block)));
    placeEnds(copy);
    BranchInst::Create(loop_.body, body_);
  }

  void placeEnds(bsp::RegionCopy& copy) {
    for (auto [original, end] : copy.instructions()) {
      if (!original->isTerminator() || !exit_.place(*original, *end, *loop_.latch))
        continue;
      if (guard_ && guard_->exact && original == guard_->branch)
        cast<BranchInst>(end)->setCondition(ConstantInt::getBool(context_, guard_->side == 0));
    }
  }

  Value* addressOf(const AllocaInst& alloca) {
    Value* place = frame_.storage.lookup(&alloca);
    if (!frame_.per_lane.contains(&alloca))
      return place;
    IRBuilder<> builder(body_);
    return builder.CreateInBoundsGEP(alloca.getAllocatedType(), place, lane_, alloca.getName());
  }

  // ---- closing

  void enterLoop() {
    IRBuilder<> builder(values_.start());
    if (range_.never_empty)
      builder.CreateBr(first_);
    else
      builder.CreateCondBr(range_.only ? range_.only : builder.CreateICmpULT(range_.first, range_.end), first_,
                           loop_.exit);
  }

  void closeLoop() {
    IRBuilder<> builder(loop_.latch);
    if (kernel_.reference)
      closeShuffled(builder);
    else if (range_.only)
      builder.CreateBr(loop_.exit);
    else
      closeInOrder(builder);
  }

  void closeInOrder(IRBuilder<>& builder) {
    auto* rank = cast<PHINode>(loop_.rank);
    Value* next = builder.CreateAdd(counter_, builder.getInt32(1), "lane.next", true, true);
    rank->addIncoming(first_rank_, entering_);
    rank->addIncoming(builder.CreateAdd(rank, ConstantInt::get(frame_.rankType(), 1), "rank.next", true, true),
                      loop_.latch);
    counter_->addIncoming(inLanes(range_.first), entering_);
    counter_->addIncoming(next, loop_.latch);
    builder.CreateCondBr(builder.CreateICmpEQ(next, inLanes(range_.end)), loop_.exit, head_)
        ->setMetadata(LLVMContext::MD_loop, loopOverThreads(context_));
  }

  void closeShuffled(IRBuilder<>& builder) {
    Value* next = builder.CreateAdd(turn_, builder.getInt64(1), "turn.next");
    builder.CreateCondBr(builder.CreateICmpEQ(next, order_.turns), loop_.exit, head_);
    turn_->addIncoming(builder.getInt64(0), values_.start());
    turn_->addIncoming(next, loop_.latch);
    builder.SetInsertPoint(head_);
    builder.CreateCondBr(builder.CreateICmpULT(shuffled_, order_.lanes), body_, loop_.latch);
  }

  void lowerCalls(RankLoop& loop, ArrayRef<BasicBlock*> blocks) {
    bool in_place = kernel_.reference || region_.loops;
    lowerDeviceCalls(loop, blocks, in_place ? AssertMode::Call : AssertMode::Defer);
  }

  const BlockKernel& kernel_;
  BlockFrame& frame_;
  const Region& region_;
  unsigned number_;
  LLVMContext& context_;
  RegionValues values_;
  RegionExit exit_;

  Instruction* const sync_;
  RankLoop loop_; // the one that is being placed
  std::vector<std::pair<RankLoop, SmallVector<BasicBlock*, 16>>> placed_;
  BasicBlock *entering_ = nullptr, *first_ = nullptr; // the block that leads to the loop; where the lanes begin
  std::optional<bsp::RegionCopy> copy_;               // of the last loop
  BranchInst* gate_ = nullptr;                        // to the loop without checks, or to the watched one
  LaneRange range_{};
  std::optional<LaneGuard> guard_;
  BasicBlock* head_ = nullptr;
  BasicBlock* body_ = nullptr; // where lane and rank are known
  PHINode* counter_ = nullptr; // of the loop
  Value* lane_ = nullptr;      // the same in the type of ranks
  Value* first_rank_ = nullptr;
  SmallVector<BasicBlock*, 16> blocks_; // the copies
  LaneOrder order_{};                   // of the reference target
  PHINode* turn_ = nullptr;
  Value* shuffled_ = nullptr;
};

} // namespace

void emitRegion(const BlockKernel& kernel, BlockFrame& frame, unsigned number) {
  RegionLoop(kernel, frame, number).run();
}

} // namespace bsgp::target
