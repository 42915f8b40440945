#include "target/cpu/wavefront/wavefront_pass.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include "ir/loop_marks.h"
#include "ir/operations.h"
#include "ir/waiting_loops.h"
#include "target/common/attributes.h"
#include "target/cpu/blocks/shared_memory.h"
#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/ranks/rank_loop.h"
#include "target/cpu/vectorize/lane_plan.h"
#include "target/cpu/vectorize/vector_loop.h"
#include "target/cpu/wavefront/run_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kLongRound = 24;          // instructions of an iteration
constexpr unsigned kMostAlive = 16;          // values that come from outside of it
constexpr unsigned kPlacesOfOne = 4;         // where threads run one by one: to test
constexpr unsigned kMostInstructions = 2500; // of a kernel; the vectorizer leaves much larger ones alone

class WavefrontMaker {
public:
  WavefrontMaker(Function& function, FunctionAnalysisManager& analyses, const WavefrontOptions& options)
      : function_(function), analyses_(analyses), options_(options),
        machine_(analyses.getResult<TargetIRAnalysis>(function)) {}

  void run() {
    bool any = false;
    if (function_.getInstructionCount() <= kMostInstructions && blockSizeOf(function_) >= lanes()) {
      LowerSwitchPass().run(function_, analyses_);
      analyses_.invalidate(function_, PreservedAnalyses::none());
      while (cutNext())
        any = true;
    }
    if (!any && function_.hasFnAttribute(kWavefrontAttribute))
      function_.addFnAttr(kDroppedAttribute);
    if (any)
      keepStackSmall();
  }

private:
  // The arrays of a run may be large.
  void keepStackSmall() {
    for (BasicBlock& block : function_)
      if (isa<ReturnInst>(block.getTerminator()))
        return moveLargeArraysToHeap(function_, block);
  }

  unsigned lanes() const { return options_.width ? options_.width : registerBits() / 32; }
  unsigned registerBits() const {
    return machine_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  }

  // Cuts the first loop over threads that has a region. False: none is left.
  bool cutNext() {
    for (Loop* loop : loopsOverThreads(function_, analyses_.getResult<LoopAnalysis>(function_)))
      if (!findOptionMDForLoop(loop, kPlaces) && cut(*loop)) {
        analyses_.invalidate(function_, PreservedAnalyses::none());
        function_.addFnAttr(kBlockByBlockAttribute);
        return true;
      }
    return false;
  }

  bool cut(Loop& loop) {
    simplifyLaneLoop(loop, function_, analyses_);
    LoopInfo& loops = analyses_.getResult<LoopAnalysis>(function_);
    ScalarEvolution& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function_);
    DominatorTree& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    std::string reason;
    auto lanes = describeLaneLoop(loop, evolution, reason);
    if (!lanes)
      return refuse(reason);
    dropCuts(*lanes);
    bringAddressesIn(*lanes);
    auto divergent = divergentLoops(*lanes, loops);
    if (divergent.empty())
      return false;
    if (!isAllowed(*lanes, loops))
      return false;
    ThreadCount count = countThreads(*lanes, this->lanes(), evolution);
    auto region =
        cutRegion(*lanes, loops, dominators, [&](const Loop& inner) { return divergent.contains(&inner); }, reason);
    if (!region)
      return refuse(reason);
    unsigned places = this->lanes() * vectorsFor(*lanes, *region);
    StringRef forms = function_.getFnAttribute(kFormsAttribute).getValueAsString();
    bool counts = function_.hasFnAttribute(kWavefrontAttribute) && !forms.empty();
    RunShape shape{count.threads, kThreadsOfRun, places,
                   counts ? function_.getParent()->getNamedGlobal(forms) : nullptr,
                   registerBits() >= 512 ? Flags::Bits : Flags::Words};
    if (unsigned most = evolution.getSmallConstantMaxTripCount(&loop))
      shape.run = std::min(shape.run, most);
    note(*region, loops, places);
    SmallVector<AllocaInst*, 16> variables = writeRuns(*lanes, *region, shape);
    promoteVariables(function_, variables);
    return true;
  }

  SmallPtrSet<const Loop*, 8> divergentLoops(const LaneLoop& lanes, LoopInfo& loops) {
    SmallPtrSet<const Loop*, 8> found;
    PrivateArrays arrays(lanes);
    LaneAnalysis analysis(lanes, loops, arrays, this->lanes(), Assume::Nothing);
    for (Loop* loop : lanes.loop->getLoopsInPreorder())
      if (loop != lanes.loop && analysis.divergence.isDivergent(loop) &&
          (options_.loops != Wavefronts::Marked || ir::isWavefront(*loop)))
        found.insert(loop);
    return found;
  }

  // Vectors side by side hide the latency of long computations; short ones have few registers' worth of masks.
  unsigned vectorsFor(const LaneLoop& lanes, const WavefrontRegion& region) {
    if (this->lanes() == 1)
      return kPlacesOfOne;
    unsigned work = 0;
    SmallPtrSet<const Value*, 16> alive;
    for (const Segment& segment : region.segments) {
      if (!segment.station)
        continue;
      unsigned of_station = 0;
      for (BasicBlock* block : segment.blocks)
        for (Instruction& instruction : *block) {
          of_station += !instruction.isTerminator() && !isa<PHINode, GetElementPtrInst>(instruction);
          for (Value* operand : instruction.operands())
            if (auto* value = dyn_cast<Instruction>(operand);
                value && lanes.contains(value) &&
                region.segment_of.lookup(value->getParent()) != region.segment_of.lookup(block))
              alive.insert(value);
        }
      work = std::max(work, of_station);
    }
    return work >= kLongRound && alive.size() <= kMostAlive ? 4 : 2;
  }

  void note(const WavefrontRegion& region, LoopInfo& loops, unsigned places) {
    if (!options_.remark)
      return;
    for (const Segment& segment : region.segments) {
      Loop* loop = loops.getLoopFor(segment.point);
      if (segment.station)
        options_.remark(placeOf(*loop),
                        "this loop is a station of a wavefront: " + std::to_string(places) +
                            " threads are in it at once, and others take the places of those that leave it");
      else if (loop->getHeader() == segment.point && ir::isWavefront(*loop))
        options_.remark(placeOf(*loop), "threads of this wavefront run on to the loop inside, which is its station");
    }
  }

  static ir::Position placeOf(const Loop& loop) {
    SourceRange place = ir::placeOfWavefront(loop);
    return ir::isWavefront(loop) ? ir::Position{place.begin} : ir::positionIn(loop.blocks());
  }

  // Appends are in the order of ranks, and nobody may wait for a thread that has no place yet.
  bool isAllowed(const LaneLoop& lanes, LoopInfo& loops) {
    for (BasicBlock* block : lanes.loop->blocks())
      for (Instruction& instruction : *block)
        if (ir::appends(ir::opOf(instruction)))
          return refuse("threads append in their order");
    auto before = [this]() -> DominatorTree& { return analyses_.getResult<DominatorTreeAnalysis>(function_); };
    auto behind = [this]() -> PostDominatorTree& { return analyses_.getResult<PostDominatorTreeAnalysis>(function_); };
    auto inside = lanes.loop->getLoopsInPreorder();
    if (!ir::findWaitingLoops(ArrayRef(inside).drop_front(), loops, {before, behind}).empty())
      return refuse("a loop that a thread leaves only when another one has stored");
    return true;
  }

  bool refuse(const std::string& reason) {
    if (options_.remark)
      options_.remark(ir::positionIn(make_pointer_range(function_)), "there is no wavefront: " + reason);
    return false;
  }

  Function& function_;
  FunctionAnalysisManager& analyses_;
  const WavefrontOptions& options_;
  const TargetTransformInfo& machine_;
};

} // namespace

PreservedAnalyses WavefrontPass::run(Function& function, FunctionAnalysisManager& analyses) {
  WavefrontMaker(function, analyses, options_).run();
  return PreservedAnalyses::none();
}

} // namespace bsgp::target
