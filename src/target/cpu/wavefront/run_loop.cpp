#include "target/cpu/wavefront/run_loop.h"

#include <llvm/ADT/SmallSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "target/common/attributes.h"
#include "target/cpu/ranks/parallel_accesses.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint64_t kMostBytesOfRun = 8 << 20; // of private arrays

class RunWriter {
public:
  RunWriter(const LaneLoop& lanes, const WavefrontRegion& region, const RunShape& shape)
      : lanes_(lanes), region_(region), function_(*lanes.header->getParent()), context_(function_.getContext()),
        shape_(shape) {}

  SmallVector<AllocaInst*, 16> run() {
    findSides();
    findSpreadArrays();
    openRuns();
    openBefore();
    openBehind();
    PlaceLoopWriter machine(region_, frame_, shape_.places, count_, shape_.forms, shape_.flags);
    machine.openSegments();
    ThreadValues values(lanes_, region_, frame_, {before_.begin(), before_.end()});
    for (AllocaInst* array : spread_)
      values.spread(*array);
    findValues(values);
    PlaceLoop loop = machine.write(values);
    for (auto& [use, value] : found_)
      use->set(value);
    connect(loop);
    SmallVector<AllocaInst*, 16> variables(machine.variables());
    append_range(variables, values.variables());
    return variables;
  }

private:
  BasicBlock* newBlock(const Twine& name) { return BasicBlock::Create(context_, name, &function_); }

  // The blocks of an iteration in front of the region, and behind it.
  void findSides() {
    SmallVector<BasicBlock*, 16> pending{region_.before};
    while (!pending.empty())
      if (BasicBlock* block = pending.pop_back_val(); before_.insert(block) && block != lanes_.header)
        append_range(pending, predecessors(block));
    for (BasicBlock* block : lanes_.loop->blocks())
      if (!before_.contains(block) && !region_.contains(block))
        behind_.push_back(block);
  }

  void openRuns() {
    frame_.run = threadsOfRun();
    frame_.entry = &function_.getEntryBlock();
    runs_ = newBlock("runs"), next_run_ = newBlock("runs.next");
    IRBuilder<> builder(runs_);
    PHINode* first = builder.CreatePHI(builder.getInt64Ty(), 2, "run.first");
    frame_.first = first;
    Value* left = builder.CreateSub(shape_.threads, first, "", true, true);
    Value* count = builder.CreateBinaryIntrinsic(Intrinsic::umin, left, builder.getInt64(frame_.run));
    count_ = builder.CreateTrunc(count, builder.getInt32Ty(), "run.count");
    for (const LaneCounter& counter : lanes_.counters)
      starts_.push_back(counterAfter(builder, counter, frame_.first));
    builder.CreateBr(lanes_.header);
    builder.SetInsertPoint(next_run_);
    Value* next = builder.CreateAdd(first, builder.getInt64(frame_.run), "", true, true);
    builder.CreateCondBr(builder.CreateICmpULT(next, shape_.threads), runs_, lanes_.exit);
    first->addIncoming(builder.getInt64(0), lanes_.preheader);
    first->addIncoming(next, next_run_);
    lanes_.preheader->getTerminator()->replaceSuccessorWith(lanes_.header, runs_);
    for (PHINode& phi : lanes_.exit->phis())
      phi.addIncoming(phi.getIncomingValueForBlock(lanes_.latch), next_run_);
  }

  Value* stepped(IRBuilder<>& builder, const LaneCounter& counter, Value* value) {
    Type* type = value->getType();
    if (type->isPointerTy())
      return builder.CreateConstGEP1_64(builder.getInt8Ty(), value, counter.step);
    return builder.CreateAdd(value, ConstantInt::get(type, counter.step, true), "", false, counter.no_wrap);
  }

  // Closes a loop over the threads of the run, with an index that its header begins with.
  void closeLoop(BasicBlock* latch, BasicBlock* header, PHINode* index, ArrayRef<PHINode*> counters, BasicBlock* exit) {
    IRBuilder<> builder(latch);
    Value* next = builder.CreateAdd(index, builder.getInt32(1), "", true, true);
    index->addIncoming(next, latch);
    for (auto [counter, phi] : zip_equal(lanes_.counters, counters))
      phi->addIncoming(stepped(builder, counter, phi), latch);
    builder.CreateCondBr(builder.CreateICmpEQ(next, count_), exit, header)
        ->setMetadata(LLVMContext::MD_loop, loopOverThreads(context_));
  }

  // The header of the loop stays; its counters begin anew in each run.
  void openBefore() {
    BasicBlock *latch = newBlock("before.next"), *header = lanes_.header;
    PHINode* index = PHINode::Create(Type::getInt32Ty(context_), 2, "index", header->begin());
    index->addIncoming(ConstantInt::get(index->getType(), 0), runs_);
    frame_.index_before = index;
    SmallVector<PHINode*, 4> phis;
    for (auto [counter, start] : zip_equal(lanes_.counters, starts_)) {
      phis.push_back(counter.phi);
      while (counter.phi->getNumIncomingValues())
        counter.phi->removeIncomingValue(0u, false);
      counter.phi->addIncoming(start, runs_);
    }
    region_.before->getTerminator()->replaceSuccessorWith(region_.entry, latch);
    before_done_ = newBlock("before.done");
    closeLoop(latch, header, index, phis, before_done_);
  }

  void openBehind() {
    BasicBlock *header = newBlock("behind"), *latch = newBlock("behind.next");
    behind_begin_ = newBlock("behind.begin");
    IRBuilder<> builder(behind_begin_);
    builder.CreateBr(header);
    builder.SetInsertPoint(header);
    PHINode* index = builder.CreatePHI(builder.getInt32Ty(), 2, "index");
    index->addIncoming(builder.getInt32(0), behind_begin_);
    frame_.index_behind = index;
    for (auto [counter, start] : zip_equal(lanes_.counters, starts_)) {
      behind_phis_.push_back(builder.CreatePHI(counter.phi->getType(), 2, counter.phi->getName()));
      behind_phis_.back()->addIncoming(start, behind_begin_);
    }
    builder.CreateBr(region_.behind);
    frame_.top_behind = header;
    ReplaceInstWithInst(lanes_.latch->getTerminator(), BranchInst::Create(latch));
    for (PHINode& phi : lanes_.exit->phis())
      phi.removeIncomingValue(lanes_.latch, false);
    closeLoop(latch, header, index, behind_phis_, next_run_);
  }

  // Private arrays that are used on both sides of a cut.
  void findSpreadArrays() {
    for (Instruction& instruction : function_.getEntryBlock()) {
      auto* array = dyn_cast<AllocaInst>(&instruction);
      if (!array || array->hasMetadata(kLanes))
        continue;
      SmallSet<unsigned, 4> sides;
      collectSides(*array, sides);
      if (sides.size() > 1)
        spread_.push_back(array);
    }
  }

  // Fewer where the arrays of each are large.
  uint32_t threadsOfRun() const {
    uint64_t bytes = 1;
    for (AllocaInst* array : spread_)
      bytes += array->getAllocationSize(array->getDataLayout()).value_or(TypeSize::getFixed(0)).getFixedValue();
    return std::min<uint64_t>(shape_.run, std::max<uint64_t>(kMostBytesOfRun / bytes, shape_.places));
  }

  // Segments are one side: a place has one thread at a time.
  void collectSides(const Instruction& address, SmallSet<unsigned, 4>& sides) {
    for (const User* user : address.users()) {
      auto* instruction = cast<Instruction>(user);
      if (!lanes_.contains(instruction))
        continue;
      const BasicBlock* block = instruction->getParent();
      if (!instruction->isLifetimeStartOrEnd())
        sides.insert(before_.contains(const_cast<BasicBlock*>(block)) ? 0 : region_.contains(block) ? 1 : 2);
      if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(instruction) &&
          seen_.insert(instruction).second)
        collectSides(*instruction, sides);
    }
  }

  // Finds for each use the value on its own side. Values are made again of others as the thread has them: uses are
  // set when all are found.
  void findValues(ThreadValues& values) {
    for (auto [counter, phi] : zip_equal(lanes_.counters, behind_phis_))
      values.know(*counter.phi, ThreadValues::kBehind, *phi);
    for (auto [number, segment] : enumerate(region_.segments))
      for (BasicBlock* block : segment.blocks)
        findValues(values, *block, number);
    for (BasicBlock* block : behind_)
      findValues(values, *block, ThreadValues::kBehind);
    if (!spread_.empty())
      for (BasicBlock* block : before_)
        findValues(values, *block, ThreadValues::kBefore);
  }

  void findValues(ThreadValues& values, BasicBlock& block, unsigned side) {
    for (Instruction& instruction : make_early_inc_range(block)) {
      if (instruction.isLifetimeStartOrEnd()) {
        instruction.eraseFromParent();
        continue;
      }
      auto* phi = dyn_cast<PHINode>(&instruction);
      if (phi && side < region_.segments.size() && region_.segments[side].point == &block)
        continue; // set on the edges
      for (Use& use : instruction.operands()) {
        unsigned there = phi ? values.sideOf(phi->getIncomingBlock(use)) : side;
        if (isa<Instruction>(use))
          if (Value* found = values.at(use, there); found != use)
            found_.emplace_back(&use, found);
      }
    }
  }

  void connect(const PlaceLoop& loop) {
    BranchInst::Create(loop.first, before_done_);
    BranchInst::Create(behind_begin_, loop.exit);
    if (none_of(before_, acts))
      runs_->getTerminator()->replaceSuccessorWith(lanes_.header, before_done_);
    if (none_of(behind_, acts))
      behind_begin_->getTerminator()->setSuccessor(0, next_run_);
    EliminateUnreachableBlocks(function_);
  }

  // Blocks that act on nothing else have all been copied to where their values are used.
  static bool acts(BasicBlock* block) {
    return any_of(*block, [](const Instruction& instruction) {
      return !instruction.isTerminator() && instruction.mayHaveSideEffects();
    });
  }

  const LaneLoop& lanes_;
  const WavefrontRegion& region_;
  Function& function_;
  LLVMContext& context_;
  const RunShape shape_;
  ThreadFrame frame_;
  SetVector<BasicBlock*> before_;
  SmallVector<BasicBlock*, 16> behind_;
  SmallVector<Value*, 4> starts_; // of the counters in this run
  Value* count_ = nullptr;        // threads of this run, i32
  BasicBlock *runs_ = nullptr, *next_run_ = nullptr, *before_done_ = nullptr, *behind_begin_ = nullptr;
  SmallVector<PHINode*, 4> behind_phis_;
  SmallVector<AllocaInst*, 4> spread_;
  std::vector<std::pair<Use*, WeakTrackingVH>> found_;
  SmallPtrSet<const Instruction*, 16> seen_;
};

} // namespace

SmallVector<AllocaInst*, 16> writeRuns(const LaneLoop& lanes, const WavefrontRegion& region, const RunShape& shape) {
  return RunWriter(lanes, region, shape).run();
}

} // namespace bsgp::target
