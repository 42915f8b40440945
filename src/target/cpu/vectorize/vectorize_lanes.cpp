#include "target/cpu/vectorize/vectorize_lanes.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include "target/cpu/parallel_accesses.h"
#include "target/cpu/rank_loop.h"
#include "target/cpu/shared_memory.h"
#include "target/cpu/two_forms.h"
#include "target/cpu/vectorize/lane_costs.h"
#include "target/cpu/vectorize/vector_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostInstructions = 4000; // of a kernel
constexpr double kWorthRows = 0.7;           // for a second copy of the code
constexpr double kLittle = 0.05;             // of a thread's work: to wait for less makes no second form

struct LaneAnalysis {
  LaneAnalysis(const LaneLoop& lanes, LoopInfo& loops, const PrivateArrays& arrays, unsigned width, bool in_rows)
      : divergence(lanes, loops), shapes(lanes, divergence, arrays, width, in_rows), flow(lanes, shapes, arrays) {}

  Divergence divergence;
  LaneShapes shapes;
  LaneFlow flow;
};

std::string nameOf(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  if (isa<LoadInst, StoreInst>(instruction))
    return isa<LoadInst>(instruction) ? "the load" : "the store";
  if (call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with("bsgp_rt_"))
    return call->getCalledFunction()->getName() == "bsgp_rt_print" ? "printf" : "the failed assert";
  return instruction.isAtomic() ? "the atomic operation" : std::string("the operation ") + instruction.getOpcodeName();
}

ir::Position positionIn(const Function& function) {
  for (const Instruction& instruction : instructions(function))
    if (ir::Position position = ir::positionOf(instruction); position.at)
      return position;
  return {};
}

// A call or an atomic operation that the lanes do one after the other. Calls of the runtime do not count: they print or
// report a failure, which is rare.
bool isSerial(const Instruction& instruction, const LaneShapes& shapes) {
  auto* call = dyn_cast<CallInst>(&instruction);
  if (call && call->getCalledFunction() && call->getCalledFunction()->getName().starts_with("bsgp_rt_"))
    return false;
  auto* atomic = dyn_cast<AtomicRMWInst>(&instruction);
  bool together = atomic && atomic->use_empty() && atomic->getType()->isIntegerTy() &&
                  shapes.isUniform(atomic->getPointerOperand());
  return isOneByOne(instruction) && !together;
}

ir::Position positionIn(const Loop& loop) {
  for (BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (ir::Position position = ir::positionOf(instruction); position.at)
        return position;
  return {};
}

// A place where lanes wait for each other. How long they do is known from the data alone, so a kernel with one has two
// forms.
struct Wait {
  ir::Position at;
  const char* why;
};
using Waits = SmallVector<Wait, 4>;

void addDivergentLoops(const LaneLoop& lanes, const LaneShapes& shapes, Waits& waits) {
  for (Loop* loop : lanes.loop->getLoopsInPreorder())
    if (loop != lanes.loop && shapes.flow().isDivergent(loop))
      waits.push_back({positionIn(*loop), "lanes leave this loop at different times"});
}

void addSerial(const LaneLoop& lanes, const LaneShapes& shapes, Waits& waits) {
  auto serial = [&](const Instruction& instruction) { return isSerial(instruction, shapes); };
  if (costOfThread(lanes, shapes, serial) < kLittle * costOfThread(lanes, shapes))
    return;
  for (BasicBlock* block : lanes.loop->blocks())
    for (const Instruction& instruction : *block)
      if (serial(instruction))
        waits.push_back({ir::positionOf(instruction), "lanes do this one after the other"});
}

// Stores by scatter for some lanes: the machine goes through all lanes for one; a thread alone passes it by.
void addPartialScatters(const LaneLoop& lanes, LaneAnalysis& analysis, Waits& waits) {
  for (BasicBlock* block : lanes.loop->blocks()) {
    const FlowLevel& level = analysis.flow.levelOf(block);
    if (!level.nodes[level.number.lookup(block)].partial)
      continue;
    for (Instruction& instruction : *block)
      if (isa<StoreInst>(instruction) && analysis.shapes.isVarying(getLoadStorePointerOperand(&instruction)))
        waits.push_back({ir::positionOf(instruction), "some lanes store here, each to a place of its own"});
  }
}

Waits findWaits(const LaneLoop& lanes, LaneAnalysis& analysis) {
  Waits waits;
  addDivergentLoops(lanes, analysis.shapes, waits);
  addSerial(lanes, analysis.shapes, waits);
  addPartialScatters(lanes, analysis, waits);
  return waits;
}

class Vectorizer {
public:
  Vectorizer(Function& function, FunctionAnalysisManager& analyses, const VectorizeOptions& options)
      : function_(function), analyses_(analyses), options_(options) {}

  // Was anything changed?
  bool run() {
    const TargetTransformInfo& machine = analyses_.getResult<TargetIRAnalysis>(function_);
    unsigned bits = machine.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    width_ = options_.width ? options_.width : bits / 32;
    mask_registers_ = bits >= 512;
    if (width_ < 2 || (options_.take != Take::All && !isFit()) || !candidate())
      return false;
    copyIfLanesMayWait();
    lowerSwitches();
    while (Loop* loop = candidate()) {
      BasicBlock* header = loop->getHeader();
      if (take(*loop)) {
        changed_ = true;
        analyses_.invalidate(function_, PreservedAnalyses::none());
      } else {
        refused_.insert(header);
      }
    }
    if (untouched_ && !alone_)
      untouched_->eraseFromParent();
    return changed_;
  }

private:
  // The workers may take a single block at a time, so blocks must fill a vector. What is large already takes the code
  // generator more than its share of time.
  bool isFit() const {
    return blockSizeOf(function_) >= width_ && function_.getInstructionCount() <= kMostInstructions;
  }

  static bool hasCalls(Loop& loop) {
    return any_of(loop.blocks(), [](BasicBlock* block) { return any_of(*block, isOneByOne); });
  }

  // Are there accesses side by side that LLVM's vectorizer takes for scattered ones?
  static bool seesMore(Loop& loop, const LaneShapes& shapes, ScalarEvolution& evolution) {
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

  Loop* candidate() {
    LoopInfo& loops = analyses_.getResult<LoopAnalysis>(function_);
    for (Loop* loop : loopsOverThreads(function_, loops))
      if (!getBooleanLoopAttribute(loop, "llvm.loop.isvectorized") && !refused_.contains(loop->getHeader()))
        return loop;
    return nullptr;
  }

  void lowerSwitches() {
    bool any = any_of(function_, [](BasicBlock& block) { return isa<SwitchInst>(block.getTerminator()); });
    if (!any)
      return;
    changed_ = true;
    LowerSwitchPass().run(function_, analyses_);
    analyses_.invalidate(function_, PreservedAnalyses::none());
  }

  // Are there stores that not all turns come to?
  bool mayPassStores(Loop& loop) {
    BasicBlock* latch = loop.getLoopLatch();
    DominatorTree& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    return any_of(loop.blocks(), [&](BasicBlock* block) {
      return !(latch && dominators.dominates(block, latch)) &&
             any_of(*block, [](Instruction& instruction) { return isa<StoreInst>(instruction); });
    });
  }

  // Before anything is changed.
  void copyIfLanesMayWait() {
    if (options_.take != Take::WhatLlvmCannot || !function_.hasFnAttribute(kFormsAttribute) || isAlone())
      return;
    LoopInfo& loops = analyses_.getResult<LoopAnalysis>(function_);
    if (any_of(loopsOverThreads(function_, loops),
               [&](Loop* loop) { return !loop->isInnermost() || hasCalls(*loop) || mayPassStores(*loop); }))
      untouched_ = &copyAlone(function_);
  }

  bool isAlone() const { return function_.hasFnAttribute(kAloneAttribute); }

  void keepAlone(const Waits& waits) {
    if (waits.empty() || !untouched_)
      return;
    alone_ = true;
    if (options_.remark)
      for (const Wait& wait : waits)
        options_.remark(wait.at, std::string(wait.why) + "; there is code for threads one by one, too: what is faster "
                                                         "is measured when it runs");
  }

  void simplify(Loop& loop, LoopInfo& loops, ScalarEvolution& evolution) {
    DominatorTree& dominators = analyses_.getResult<DominatorTreeAnalysis>(function_);
    AssumptionCache& assumptions = analyses_.getResult<AssumptionAnalysis>(function_);
    changed_ |= simplifyLoop(&loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    changed_ |= formLCSSARecursively(loop, dominators, &loops, &evolution);
  }

  bool take(Loop& loop) {
    LoopInfo& loops = analyses_.getResult<LoopAnalysis>(function_);
    ScalarEvolution& evolution = analyses_.getResult<ScalarEvolutionAnalysis>(function_);
    simplify(loop, loops, evolution);
    std::string reason;
    auto lanes = describeLaneLoop(loop, evolution, reason);
    if (!lanes)
      return refuse(reason);
    changed_ |= bringAddressesIn(*lanes);
    PrivateArrays arrays(*lanes);
    if (!arrays.areSupported())
      return refuse("private memory is used outside of the threads");
    auto analyze = [&](unsigned width, bool in_rows) {
      return std::make_unique<LaneAnalysis>(*lanes, loops, arrays, width, in_rows);
    };
    bool brief = options_.brief;
    std::unique_ptr<LaneAnalysis> in_rows = analyze(width_, !brief);
    unsigned at_once = brief || options_.take == Take::All ? 1 : chainsAtOnce(*lanes, in_rows->shapes);
    unsigned width = width_ * at_once;
    if (at_once > 1)
      in_rows = analyze(width, true);
    bool divides = !brief && !in_rows->shapes.rows().empty(); // else there is nothing to assume
    std::unique_ptr<LaneAnalysis> general = divides ? analyze(width, false) : std::move(in_rows);
    double cost = costOfTurn(*lanes, general->shapes), row_cost = divides ? costOfTurn(*lanes, in_rows->shapes) : cost;
    const TargetTransformInfo& machine = analyses_.getResult<TargetIRAnalysis>(function_);
    if (brief) // is all under masks
      cost += costOfMissing(*lanes, general->shapes, arrays, machine, width);
    bool rows = divides && in_rows->flow.isPossible() && row_cost < kWorthRows * cost;
    LaneAnalysis& best = rows ? *in_rows : *general;
    Waits waits = findWaits(*lanes, best);
    if (!waits.empty() && isAlone())
      return false;
    bool involved = !loop.isInnermost() || hasCalls(loop) || seesMore(loop, best.shapes, evolution);
    if (options_.take == Take::WhatLlvmCannot && !involved) {
      keepAlone(waits);
      return false;
    }
    if (options_.take != Take::All && (rows ? row_cost : cost) >= costOfThread(*lanes, general->shapes) * width)
      return refuse(isMostlySerial(*lanes, general->shapes) ? "vectors would be taken apart for most of their work"
                                                            : "together they would take longer");
    if (!general->flow.isPossible())
      return refuse("its control flow");
    if (hasTooManyPieces(*lanes, general->shapes, arrays, machine, width))
      return refuse("too many places of memory that the machine reads or writes for one thread at a time");
    keepAlone(waits);
    arrays.create(width, function_.getEntryBlock());
    auto remark = [this](const Instruction& instruction, const char* became) { note(instruction, became); };
    auto silent = [](const Instruction&, const char*) {};
    auto program = [&](LaneAnalysis& analysis, LaneRemark remark) {
      return LaneProgram{*lanes, analysis.shapes, analysis.flow, arrays,
                         width,  mask_registers_, brief,         std::move(remark)};
    };
    LaneProgram whole = program(*general, rows ? LaneRemark(silent) : LaneRemark(remark));
    std::optional<LaneProgram> in_row;
    if (rows)
      in_row.emplace(program(*in_rows, remark));
    replaceLoop(whole, in_row ? &*in_row : nullptr, evolution);
    keepStackSmall();
    if (!function_.hasFnAttribute(kBlockByBlockAttribute))
      function_.addFnAttr(kVectorizedAttribute);
    return true;
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

  bool refuse(const std::string& reason) {
    if (options_.remark)
      options_.remark(positionIn(function_), "threads run one by one: " + reason);
    return false;
  }

  void note(const Instruction& instruction, const char* became) {
    if (options_.remark)
      options_.remark(ir::positionOf(instruction), nameOf(instruction) + " becomes " + became);
  }

  Function& function_;
  FunctionAnalysisManager& analyses_;
  const VectorizeOptions& options_;
  unsigned width_ = 0;
  bool mask_registers_ = false;
  SmallPtrSet<const BasicBlock*, 8> refused_; // headers of loops
  bool changed_ = false;                      // the function, be it only its form
  Function* untouched_ = nullptr;             // a copy, where lanes may wait for each other
  bool alone_ = false;                        // they do: it is the other form
};

// Remarks on what LLVM's vectorizer has made: its own do not know our lines.
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
