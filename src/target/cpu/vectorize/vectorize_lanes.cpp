#include "target/cpu/vectorize/vectorize_lanes.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include "ir/loop_marks.h"
#include "target/cpu/blocks/shared_memory.h"
#include "target/cpu/calls/device_calls.h"
#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/ranks/two_forms.h"
#include "target/cpu/vectorize/gather_rows.h"
#include "target/cpu/vectorize/lane_costs.h"
#include "target/cpu/vectorize/lane_plan.h"
#include "target/cpu/vectorize/vector_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostInstructions = 4000; // of a kernel

std::string nameOf(const Instruction& instruction) {
  if (isa<LoadInst, StoreInst>(instruction))
    return isa<LoadInst>(instruction) ? "the load" : "the store";
  if (callsRuntime(instruction))
    return cast<CallInst>(instruction).getCalledFunction()->getName() == kPrintFunction ? "printf"
                                                                                        : "the failed assert";
  return instruction.isAtomic() ? "the atomic operation" : std::string("the operation ") + instruction.getOpcodeName();
}

bool hasCalls(const Loop& loop) {
  return any_of(loop.blocks(), [](BasicBlock* block) { return any_of(*block, isOneByOne); });
}

class Vectorizer {
public:
  Vectorizer(Function& function, FunctionAnalysisManager& analyses, const VectorizeOptions& options)
      : function_(function), analyses_(analyses), options_(options),
        machine_(analyses.getResult<TargetIRAnalysis>(function)) {}

  // True if anything was changed.
  bool run() {
    unsigned bits = machine_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    width_ = options_.width ? options_.width : bits / 32;
    mask_registers_ = bits >= 512;
    bool fit = options_.take == Take::All || isFit();
    if (isWavefront() && !fit)
      function_.addFnAttr(kDroppedAttribute);
    if (width_ < 2 || candidates().empty() || !fit)
      return false;
    copyForms();
    lowerSwitches();
    makePlans();
    if (!plans_.empty())
      writePlans();
    if (untouched_ && !alone_)
      untouched_->eraseFromParent();
    return changed_;
  }

private:
  // The workers may take a single block at a time, so blocks must fill a vector. A larger kernel compiles for seconds as it is.
  bool isFit() {
    if (function_.getInstructionCount() <= kMostInstructions)
      return blockSizeOf(function_) >= width_;
    if (options_.take == Take::WhatLlvmLeft)
      refuse("the kernel has more than " + std::to_string(kMostInstructions) + " instructions");
    return false;
  }

  bool isBlockByBlock() const { return function_.hasFnAttribute(kBlockByBlockAttribute); }

  SmallVector<Loop*, 8> candidates() {
    SmallVector<Loop*, 8> loops = loopsOverThreads(function_, analyses_.getResult<LoopAnalysis>(function_));
    erase_if(loops, [](Loop* loop) { return getBooleanLoopAttribute(loop, "llvm.loop.isvectorized"); });
    return loops;
  }

  // ---- before anything is planned

  // True if there are stores that not all iterations reach.
  bool mayPassStores(Loop& loop) {
    BasicBlock* latch = loop.getLoopLatch();
    DominatorTree& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    return any_of(loop.blocks(), [&](BasicBlock* block) {
      return !(latch && dominators.dominates(block, latch)) &&
             any_of(*block, [](Instruction& instruction) { return isa<StoreInst>(instruction); });
    });
  }

  // Before anything is changed.
  void copyForms() {
    if (options_.wavefronts == Wavefronts::All || options_.take != Take::WhatLlvmCannot ||
        !function_.hasFnAttribute(kFormsAttribute) || isAlone() || isWavefront())
      return;
    LoopInfo& loops = analyses_.getResult<LoopAnalysis>(function_);
    SmallVector<Loop*, 8> over_threads = loopsOverThreads(function_, loops);
    bool wavefront = any_of(over_threads, [&](Loop* loop) { return mayBeWavefront(*loop); });
    if (any_of(over_threads,
               [&](Loop* loop) { return !loop->isInnermost() || hasCalls(*loop) || mayPassStores(*loop); }))
      untouched_ = &copyAlone(function_);
    if (wavefront)
      copyWavefront(function_);
  }

  // Whether lanes leave the loops at different times is not known yet.
  bool mayBeWavefront(const Loop& over_threads) const {
    auto inside = over_threads.getLoopsInPreorder();
    return any_of(ArrayRef(inside).drop_front(), [&](const Loop* loop) {
      return options_.wavefronts == Wavefronts::Auto ||
             (options_.wavefronts == Wavefronts::Marked && ir::isWavefront(*loop));
    });
  }

  bool isWavefront() const { return function_.hasFnAttribute(kWavefrontAttribute); }
  bool isAlone() const { return function_.hasFnAttribute(kAloneAttribute); }

  void lowerSwitches() {
    bool any = any_of(function_, [](BasicBlock& block) { return isa<SwitchInst>(block.getTerminator()); });
    if (!any)
      return;
    changed_ = true;
    LowerSwitchPass().run(function_, analyses_);
    analyses_.invalidate(function_, PreservedAnalyses::none());
  }

  // ---- plans

  // If threads are not taken block by block, one loop runs them all.
  void makePlans() {
    SmallVector<Loop*, 8> loops = candidates();
    for (Loop* loop : loops)
      changed_ |= simplifyLaneLoop(*loop, function_, analyses_);
    for (Loop* loop : loops) {
      if (std::unique_ptr<LanePlan> plan = planOf(*loop))
        plans_.push_back(std::move(plan));
      if (!plans_.empty() && !isBlockByBlock())
        return;
    }
  }

  // A loop over places is one vector wide. Null if its flow cannot be that of lanes: the form is dropped.
  std::unique_ptr<LanePlan> planOfPlaces(Loop& loop) {
    std::unique_ptr<LanePlan> plan = describe(loop);
    ScalarEvolution& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function_);
    if (plan) {
      plan->width = evolution.getSmallConstantTripCount(&loop);
      takeGeneral(*plan, analyses_.getResult<LoopAnalysis>(function_));
    }
    if (plan && plan->general->flow.isPossible())
      return plan;
    function_.addFnAttr(kDroppedAttribute);
    return plan ? refuse("its control flow") : nullptr;
  }

  // Null if threads of the loop go on running one by one.
  std::unique_ptr<LanePlan> planOf(Loop& loop) {
    if (findOptionMDForLoop(&loop, kPlaces))
      return planOfPlaces(loop);
    std::unique_ptr<LanePlan> plan = describe(loop);
    if (!plan)
      return nullptr;
    auto before = [this]() -> DominatorTree& { return analyses_.getResult<DominatorTreeAnalysis>(function_); };
    auto behind = [this]() -> PostDominatorTree& { return analyses_.getResult<PostDominatorTreeAnalysis>(function_); };
    if (auto wait = findEndlessWait(plan->lanes, analyses_.getResult<LoopAnalysis>(function_), {before, behind}))
      return refuse("a loop that a thread leaves when another one has stored, behind it, what it waits for", *wait);
    chooseForm(*plan, analyses_.getResult<LoopAnalysis>(function_), width_, machine_, options_);
    SmallVector<LaneWait, 4> waits = findWaits(*plan);
    if (!waits.empty() && isAlone())
      return nullptr;
    if (options_.take == Take::WhatLlvmCannot && !isInvolved(loop, *plan)) {
      keepAlone(waits);
      return nullptr;
    }
    if (std::string reason = reasonAgainst(*plan, machine_, options_); !reason.empty())
      return refuse(reason);
    keepAlone(waits);
    return plan;
  }

  std::unique_ptr<LanePlan> describe(Loop& loop) {
    std::string reason;
    auto lanes = describeLaneLoop(loop, analyses_.getResult<ScalarEvolutionAnalysis>(function_), reason);
    if (!lanes)
      return refuse(reason);
    changed_ |= dropCuts(*lanes);
    changed_ |= bringAddressesIn(*lanes);
    auto plan = std::make_unique<LanePlan>(std::move(*lanes));
    return plan->arrays.areSupported() ? std::move(plan) : refuse("private memory is used outside of the threads");
  }

  // True if LLVM's vectorizer cannot take the loop, or misses some of its structure.
  bool isInvolved(Loop& loop, const LanePlan& plan) {
    const LaneShapes& shapes = plan.best().shapes;
    return !loop.isInnermost() || hasCalls(loop) || plan.in_rows || seesMore(loop, shapes) || choosesMemory(loop) ||
           any_of(loop.blocks(), [&](BasicBlock* block) { return hasRows(*block, shapes, plan.arrays); });
  }

  // True if a condition that is the same in all iterations guards an access to memory. LLVM's vectorizer makes a masked
  // access of it. One with an empty mask takes hundreds of cycles where no page is mapped, as at a null pointer.
  bool choosesMemory(Loop& loop) {
    DominatorTree& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    SmallVector<std::pair<DomTreeNode*, bool>, 16> open{{dominators.getNode(loop.getHeader()), false}};
    while (!open.empty()) {
      auto [node, chosen] = open.pop_back_val();
      if (chosen && accessesMemory(*node->getBlock()))
        return true;
      for (DomTreeNode* child : node->children())
        if (loop.contains(child->getBlock()))
          open.push_back({child, chosen || isChosen(*child->getBlock(), loop)});
    }
    return false;
  }

  // True if the block is an arm of a branch that takes the same edge in all iterations.
  static bool isChosen(BasicBlock& arm, Loop& loop) {
    BasicBlock* before = arm.getSinglePredecessor();
    auto* branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    return branch && branch->isConditional() && loop.isLoopInvariant(branch->getCondition());
  }

  static bool accessesMemory(BasicBlock& block) {
    return any_of(block, [](Instruction& instruction) { return instruction.mayReadOrWriteMemory(); });
  }

  // True if lanes load structures, each at a place of its own: LLVM's vectorizer gathers their fields one by one.
  bool hasRows(BasicBlock& block, const LaneShapes& shapes, const PrivateArrays& arrays) {
    return any_of(findGatherRows(block, shapes, arrays), [&](const GatherRow& row) {
      return row.length >= 3 && shapes.isVarying(getLoadStorePointerOperand(row.fields.front().access));
    });
  }

  // True if there are accesses side by side that LLVM's vectorizer takes for scattered ones.
  bool seesMore(Loop& loop, const LaneShapes& shapes) {
    ScalarEvolution& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function_);
    return any_of(loop.blocks(), [&](BasicBlock* block) {
      return any_of(*block, [&](Instruction& instruction) {
        Value* pointer = getLoadStorePointerOperand(&instruction);
        if (!pointer || shapes.isVarying(pointer))
          return false;
        const SCEV* address = evolution.getSCEV(pointer);
        auto* steps = dyn_cast<SCEVAddRecExpr>(address);
        return !evolution.isLoopInvariant(address, &loop) &&
               !(steps && steps->getLoop() == &loop && isa<SCEVConstant>(steps->getStepRecurrence(evolution)));
      });
    });
  }

  void keepAlone(ArrayRef<LaneWait> waits) {
    if (waits.empty() || !untouched_)
      return;
    alone_ = true;
    if (options_.remark)
      for (const LaneWait& wait : waits)
        options_.remark(wait.at, std::string(wait.why) + "; there is code for threads one by one, too: what is faster "
                                                         "is measured when it runs");
  }

  std::nullptr_t refuse(const std::string& reason, ir::Position at = {}) {
    if (options_.remark)
      options_.remark(at.at ? at : ir::positionIn(make_pointer_range(function_)), "threads run one by one: " + reason);
    return nullptr;
  }

  // ---- code

  void writePlans() {
    changed_ = true;
    ScalarEvolution& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function_);
    SmallVector<ThreadCount, 8> counts; // before the first loop is replaced, and with it the analyses of the function
    for (const auto& plan : plans_)
      counts.push_back(countThreads(plan->lanes, plan->width, evolution));
    SmallVector<AllocaInst*, 64> variables;
    for (auto [plan, count] : zip_equal(plans_, counts))
      write(*plan, count, variables);
    promoteVariables(function_, variables);
    keepStackSmall();
    if (!isBlockByBlock())
      function_.addFnAttr(kVectorizedAttribute);
  }

  void write(LanePlan& plan, const ThreadCount& count, SmallVectorImpl<AllocaInst*>& variables) {
    plan.arrays.create(plan.width, function_.getEntryBlock());
    if (plan.width > width_ && hasMasks(plan))
      function_.addFnAttr(kSideBySideAttribute, std::to_string(plan.width));
    auto remark = [this](const Instruction& instruction, const char* became) { note(instruction, became); };
    auto silent = [](const Instruction&, const char*) {};
    auto program = [&](LaneAnalysis& analysis, LaneRemark remark) {
      return LaneProgram{plan.lanes,      analysis.shapes,        analysis.flow,  plan.arrays,      plan.width,
                         mask_registers_, hasGathers(plan.width), options_.brief, std::move(remark)};
    };
    LaneProgram whole = program(*plan.general, plan.in_rows ? LaneRemark(silent) : LaneRemark(remark));
    std::optional<LaneProgram> in_row, at_border;
    if (plan.in_rows)
      in_row.emplace(program(*plan.in_rows, remark));
    if (plan.at_border)
      at_border.emplace(program(*plan.at_border, silent));
    replaceLoop({whole, in_row ? &*in_row : nullptr, at_border ? &*at_border : nullptr}, count, variables);
  }

  // True if lanes leave loops at different times: masks of several vectors are better apart.
  static bool hasMasks(const LanePlan& plan) {
    return findOptionMDForLoop(plan.lanes.loop, kPlaces) ||
           any_of(plan.lanes.loop->getLoopsInPreorder(),
                  [&](const Loop* loop) { return plan.best().divergence.isDivergent(loop); });
  }

  bool hasGathers(unsigned width) const {
    auto* vector = FixedVectorType::get(Type::getFloatTy(function_.getContext()), width);
    return machine_.isLegalMaskedGather(vector, Align(4)) && !machine_.forceScalarizeMaskedGather(vector, Align(4));
  }

  // Arrays of all lanes may be large.
  void keepStackSmall() {
    SmallVector<BasicBlock*, 2> ends;
    for (BasicBlock& block : function_)
      if (isa<ReturnInst>(block.getTerminator()))
        ends.push_back(&block);
    if (ends.size() == 1)
      moveLargeArraysToHeap(function_, *ends.front());
  }

  void note(const Instruction& instruction, const char* became) {
    if (options_.remark && ir::positionOf(instruction).at)
      options_.remark(ir::positionOf(instruction), nameOf(instruction) + " becomes " + became);
  }

  Function& function_;
  FunctionAnalysisManager& analyses_;
  const VectorizeOptions& options_;
  const TargetTransformInfo& machine_;
  unsigned width_ = 0;
  bool mask_registers_ = false;
  std::vector<std::unique_ptr<LanePlan>> plans_;
  bool changed_ = false;          // the function has changed, be it only its form
  Function* untouched_ = nullptr; // a copy, if lanes may wait for each other
  bool alone_ = false;            // lanes wait for each other, and this is the other form
};

// Remarks on the code of LLVM's vectorizer: its own remarks do not know our lines.
void noteGathers(const Function& function, const VectorizeOptions& options) {
  for (const Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<IntrinsicInst>(&instruction);
    bool gather = call && call->getIntrinsicID() == Intrinsic::masked_gather;
    bool scatter = call && call->getIntrinsicID() == Intrinsic::masked_scatter;
    ir::Position position = ir::positionOf(instruction);
    if (position.at && (gather || scatter))
      options.remark(position, gather ? "the load becomes a gather" : "the store becomes a scatter");
  }
}

} // namespace

PreservedAnalyses VectorizeLanesPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (options_.take == Take::WhatLlvmLeft && options_.remark)
    noteGathers(function, options_);
  if (options_.width == 1)
    return PreservedAnalyses::all();
  return Vectorizer(function, analyses, options_).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace bsgp::target
