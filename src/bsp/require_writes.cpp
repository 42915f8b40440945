// irgen knows which host code runs which spawns on fresh memory. The slots through which those spawns write are known
// here: the optimizer has followed the pointers of expanded calls, which irgen leaves in variables of each thread,
// back to parameters.
#include "bsp/require_writes.h"

#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "ir/operations.h"
#include "ir/supersteps.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

bool writesDeviceMemory(const Instruction& instruction) {
  if (!instruction.mayWriteToMemory() || opOf(instruction) != Op::None || isa<AssumeInst>(instruction) ||
      instruction.isLifetimeStartOrEnd())
    return false;
  auto* store = dyn_cast<StoreInst>(&instruction);
  return !store || (store->getPointerAddressSpace() != ir::kSharedSpace &&
                    !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0)));
}

namespace {

// nullopt: through something else, too.
using Slots = std::optional<SmallVector<unsigned, 4>>;

Slots slotsWritten(const Function& function) {
  Slots slots(std::in_place);
  for (const Instruction& instruction : instructions(function)) {
    if (!writesDeviceMemory(instruction))
      continue;
    auto* store = dyn_cast<StoreInst>(&instruction);
    auto* param = store ? dyn_cast<CallInst>(getUnderlyingObject(store->getPointerOperand(), 0)) : nullptr;
    if (!param || opOf(*param) != Op::Param)
      return std::nullopt;
    slots->push_back(ir::constantArgument(*param, 0));
  }
  return slots;
}

} // namespace

std::vector<bool> hostCodeThatLeavesAlone(const ir::Spawns& spawns) {
  std::vector<std::optional<Slots>> known(spawns.spawns.size());
  auto writesFresh = [&](const ir::HostCode::Run& run) {
    std::optional<Slots>& slots = known[run.spawn];
    if (!slots)
      slots = slotsWritten(*spawns.spawns[run.spawn].function);
    return slots->has_value() && all_of(**slots, [&](unsigned slot) { return run.fresh[slot]; });
  };
  std::vector<bool> leaves_alone;
  for (const ir::HostCode& code : spawns.facts.code)
    leaves_alone.push_back(!code.anything && all_of(code.runs, writesFresh) &&
                           all_of(code.calls, [&](uint32_t callee) { return leaves_alone[callee]; }));
  return leaves_alone;
}

} // namespace bsgp::bsp
