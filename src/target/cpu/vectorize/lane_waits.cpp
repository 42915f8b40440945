#include "target/cpu/calls/device_calls.h"
#include "target/cpu/vectorize/lane_costs.h"
#include "target/cpu/vectorize/lane_plan.h"

#include <cstdlib>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr double kLittle = 0.05; // of a thread's work: to wait for less makes no second form

using Waits = SmallVector<LaneWait, 4>;

// A call or an atomic operation that the lanes do one after the other. Calls of the runtime do not count: they print or
// report a failure, which is rare.
bool isSerial(const Instruction& instruction, const LaneShapes& shapes) {
  if (callsRuntime(instruction))
    return false;
  auto* atomic = dyn_cast<AtomicRMWInst>(&instruction);
  bool together = atomic && atomic->use_empty() && atomic->getType()->isIntegerTy() &&
                  shapes.isUniform(atomic->getPointerOperand());
  return isOneByOne(instruction) && !together;
}

void addDivergentLoops(const LanePlan& plan, Waits& waits) {
  for (Loop* loop : plan.lanes.loop->getLoopsInPreorder())
    if (loop != plan.lanes.loop && plan.best().divergence.isDivergent(loop))
      waits.push_back({ir::positionIn(loop->blocks()), "lanes leave this loop at different times"});
}

void addSerial(const LanePlan& plan, Waits& waits) {
  const LaneShapes& shapes = plan.best().shapes;
  auto serial = [&](const Instruction& instruction) { return isSerial(instruction, shapes); };
  if (costOfThread(plan.lanes, shapes, serial) < kLittle * costOfThread(plan.lanes, shapes))
    return;
  for (BasicBlock* block : plan.lanes.loop->blocks())
    for (const Instruction& instruction : *block)
      if (serial(instruction))
        waits.push_back({ir::positionOf(instruction), "lanes do this one after the other"});
}

// True if the lanes' places lie apart from each other: at random, or each in a structure of its own.
bool isScattered(const StoreInst& store, const LaneShapes& shapes) {
  LaneShape place = shapes.of(store.getPointerOperand());
  auto bytes = int64_t(store.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType()));
  return place.kind == LaneShape::Varying || (place.kind == LaneShape::Linear && std::abs(place.stride) > 2 * bytes);
}

// Stores by scatter for some lanes: the machine goes through all lanes for one; a thread alone passes it by.
void addPartialScatters(const LanePlan& plan, Waits& waits) {
  LaneAnalysis& analysis = plan.best();
  for (BasicBlock* block : plan.lanes.loop->blocks()) {
    const FlowLevel& level = analysis.flow.levelOf(block);
    if (!level.nodes[level.number.lookup(block)].partial)
      continue;
    for (Instruction& instruction : *block)
      if (auto* store = dyn_cast<StoreInst>(&instruction); store && isScattered(*store, analysis.shapes))
        waits.push_back({ir::positionOf(instruction), "some lanes store here, each to a place of its own"});
  }
}

using Blocks = SmallPtrSet<const BasicBlock*, 16>;

// The blocks of the iteration from which a thread comes to the loop, and those to which it comes from there.
Blocks blocksBefore(const LaneLoop& lanes, const Loop& loop) {
  Blocks found;
  SmallVector<const BasicBlock*, 16> pending{loop.getHeader()};
  while (!pending.empty())
    if (const BasicBlock* block = pending.pop_back_val(); found.insert(block).second && block != lanes.header)
      pending.append(pred_begin(block), pred_end(block));
  return found;
}
Blocks blocksBehind(const LaneLoop& lanes, const Loop& loop) {
  Blocks found;
  SmallVector<BasicBlock*, 16> pending;
  loop.getExitBlocks(pending);
  while (!pending.empty())
    if (BasicBlock* block = pending.pop_back_val();
        block != lanes.header && lanes.loop->contains(block) && found.insert(block).second)
      pending.append(succ_begin(block), succ_end(block));
  return found;
}

} // namespace

Waits findWaits(const LanePlan& plan) {
  Waits waits;
  addDivergentLoops(plan, waits);
  addSerial(plan, waits);
  addPartialScatters(plan, waits);
  return waits;
}

// Lanes do side by side what stands in a loop, and in the order of the blocks what stands before and behind it. So a
// store that a loop waits for must not stand behind it, nor on another side of a branch around it.
std::optional<ir::Position> findEndlessWait(const LaneLoop& lanes, const LoopInfo& loops, ir::DominatorTrees trees) {
  auto inside = lanes.loop->getLoopsInPreorder();
  for (const ir::WaitingLoop& waiting : ir::findWaitingLoops(ArrayRef(inside).drop_front(), loops, trees)) {
    Blocks before = blocksBefore(lanes, *waiting.loop), behind = blocksBehind(lanes, *waiting.loop);
    auto ends_it = [&](const Instruction& write) {
      return ir::isSharedWrite(write) && any_of(waiting.reads, [&](Instruction* read) {
               return ir::mayBeOnePlace(*ir::sharedPlaceOf(*read), *ir::sharedPlaceOf(write));
             });
    };
    for (const BasicBlock* block : lanes.loop->blocks())
      if (!waiting.loop->contains(block) && (behind.contains(block) || !before.contains(block)) &&
          any_of(*block, ends_it))
        return ir::positionOf(*waiting.reads.front());
  }
  return std::nullopt;
}

} // namespace bsgp::target
