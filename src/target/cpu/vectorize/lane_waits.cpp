#include "target/cpu/device_calls.h"
#include "target/cpu/vectorize/lane_costs.h"
#include "target/cpu/vectorize/lane_plan.h"

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

// Stores by scatter for some lanes: the machine goes through all lanes for one; a thread alone passes it by.
void addPartialScatters(const LanePlan& plan, Waits& waits) {
  LaneAnalysis& analysis = plan.best();
  for (BasicBlock* block : plan.lanes.loop->blocks()) {
    const FlowLevel& level = analysis.flow.levelOf(block);
    if (!level.nodes[level.number.lookup(block)].partial)
      continue;
    for (Instruction& instruction : *block)
      if (isa<StoreInst>(instruction) && analysis.shapes.isVarying(getLoadStorePointerOperand(&instruction)))
        waits.push_back({ir::positionOf(instruction), "some lanes store here, each to a place of its own"});
  }
}

} // namespace

Waits findWaits(const LanePlan& plan) {
  Waits waits;
  addDivergentLoops(plan, waits);
  addSerial(plan, waits);
  addPartialScatters(plan, waits);
  return waits;
}

} // namespace bsgp::target
