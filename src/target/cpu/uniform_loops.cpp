// A loop in a thread keeps LLVM from vectorizing the loop over the lanes around it. Where all threads of a block go
// through it alike, the two can change places:
//
//   for lane:                       for k < n:
//     for k < n: body(lane, k)  =>    for lane: body(lane, k)
//
// What a thread carries from turn to turn is then kept in arrays of the block, a load and a store for each turn: worth
// it for a few values. Loops that are unrolled anyway stay where they are, and so do loops that walk along memory in
// each thread and, with the lanes inside, would jump from one place to another: x[rank*n + k].
#include "target/cpu/uniform_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>

#include "target/cpu/access_shape.h"
#include "target/cpu/block_crossing.h"
#include "target/cpu/machine.h"

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned kMostCarried = 16;
constexpr int64_t kNear = 64;                                          // bytes
constexpr unsigned kMostUnrolled = 200, kMostUnrolledOnRequest = 2000; // instructions

class LoopCutter {
public:
  LoopCutter(Function& thread, Regions& regions, const BlockTerms& terms)
      : thread_(thread), regions_(regions), terms_(terms),
        library_(libraryFunctions(Triple(thread.getParent()->getTargetTriple()))), library_info_(library_),
        assumptions_(thread), dominators_(thread), loops_(dominators_),
        evolution_(thread, library_info_, assumptions_, dominators_, loops_) {}

  bool run() {
    bool any = false;
    for (Loop* loop : loops_)
      any |= cutNest(*loop);
    return any;
  }

private:
  // A loop with all loops in it, or, where syncs have cut it, those in it each by itself.
  bool cutNest(Loop& loop) {
    if (regions_.isLeader(loop.getHeader())) {
      bool any = false;
      for (Loop* inner : loop)
        any |= cutNest(*inner);
      return any;
    }
    SmallVector<Loop*, 4> nest;
    collect(loop, nest);
    if (nest.empty() || !all_of(nest, [this](Loop* one) { return mayBeCut(*one); }))
      return false;
    Regions::Cuts before = regions_.cuts();
    SmallVector<BasicBlock*, 8> branches;
    for (Loop* one : nest)
      one->getExitingBlocks(branches);
    regions_.decideAt(branches);
    if (isWorthIt(nest, branches))
      return true;
    regions_.restore(std::move(before));
    return false;
  }

  // Without those that are going to be unrolled.
  void collect(Loop& loop, SmallVectorImpl<Loop*>& nest) {
    if (isUnrolled(loop))
      return;
    nest.push_back(&loop);
    for (Loop* inner : loop)
      collect(*inner, nest);
  }

  bool isUnrolled(Loop& loop) {
    uint64_t turns = evolution_.getSmallConstantTripCount(&loop), size = 0;
    for (BasicBlock* block : loop.blocks())
      size += block->size();
    bool asked =
        findOptionMDForLoop(&loop, "llvm.loop.unroll.full") || findOptionMDForLoop(&loop, "llvm.loop.unroll.enable");
    bool inner = all_of(loop, [this](Loop* one) { return isUnrolled(*one); });
    return inner && turns && turns * size <= (asked ? kMostUnrolledOnRequest : kMostUnrolled);
  }

  // Lanes can take turns within it: nothing in it tells the order of threads apart or belongs to one of them.
  static bool mayBeCut(Loop& loop) {
    for (BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block) {
        bool plain = isa<LoadInst>(instruction) || isa<StoreInst>(instruction);
        if (instruction.isAtomic() || instruction.isVolatile() || (!plain && instruction.mayHaveSideEffects()))
          return false;
        if (Value* pointer = getLoadStorePointerOperand(&instruction);
            pointer && isa<AllocaInst>(getUnderlyingObject(pointer, 0)))
          return false;
      }
    SmallVector<BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    return loop.getLoopPreheader() && !exiting.empty() &&
           all_of(exiting, [](BasicBlock* block) { return isa<BranchInst>(block->getTerminator()); });
  }

  bool isWorthIt(ArrayRef<Loop*> nest, ArrayRef<BasicBlock*> branches) {
    UniformValues uniform(thread_, regions_, terms_, true);
    bool alike = all_of(nest, [this](Loop* loop) { return regions_.isLeader(loop->getHeader()); }) &&
                 all_of(branches, [&](BasicBlock* block) {
                   auto* branch = cast<BranchInst>(block->getTerminator());
                   return branch->isConditional() && uniform.has(*branch->getCondition());
                 });
    return alike && all_of(nest, [&](Loop* loop) {
             return valuesInto(*loop->getHeader(), uniform, terms_) <= kMostCarried && !jumps(*loop, uniform);
           });
  }

  // Is there an access that goes on to what is near from turn to turn, but not from lane to lane?
  bool jumps(Loop& loop, const UniformValues& uniform) {
    const DataLayout& layout = thread_.getDataLayout();
    Shapes by_lane(layout, [&](const Value& value) -> std::optional<Shape> {
      if (&value == terms_.rank || &value == terms_.lane)
        return Shape::linear(1);
      return uniform.has(value) ? std::optional(Shape{Shape::Same, 0}) : std::nullopt;
    });
    Shapes by_turn(layout, [&](const Value& value) { return inLoop(loop, value); });
    return any_of(loop.blocks(), [&](BasicBlock* block) {
      return any_of(*block, [&](Instruction& instruction) {
        Value* pointer = getLoadStorePointerOperand(&instruction);
        return pointer && isNear(by_turn.of(*pointer)) && isFar(by_lane.of(*pointer));
      });
    });
  }

  static bool isNear(Shape shape) { return shape.kind == Shape::Linear && std::abs(shape.step) <= kNear; }

  static bool isFar(Shape shape) {
    return shape.kind == Shape::Other || (shape.kind == Shape::Linear && std::abs(shape.step) > kNear);
  }

  // What does not change in the loop, and what counts its turns.
  static std::optional<Shape> inLoop(Loop& loop, const Value& value) {
    if (loop.isLoopInvariant(&value))
      return Shape{Shape::Same, 0};
    auto* phi = dyn_cast<PHINode>(&value);
    BasicBlock* latch = loop.getLoopLatch();
    if (!phi || phi->getParent() != loop.getHeader() || !latch)
      return std::nullopt;
    const APInt* step;
    if (match(phi->getIncomingValueForBlock(latch), m_c_Add(m_Specific(phi), m_APInt(step))) &&
        step->getSignificantBits() <= 32)
      return Shape::linear(step->getSExtValue());
    return Shape(); // whatever it is: not what it was in the first turn
  }

  Function& thread_;
  Regions& regions_;
  const BlockTerms& terms_;
  TargetLibraryInfoImpl library_;
  TargetLibraryInfo library_info_;
  AssumptionCache assumptions_;
  DominatorTree dominators_;
  LoopInfo loops_;
  ScalarEvolution evolution_;
};

} // namespace

bool cutUniformLoops(Function& thread, Regions& regions, const BlockTerms& terms) {
  return LoopCutter(thread, regions, terms).run();
}

} // namespace bsgp::target
