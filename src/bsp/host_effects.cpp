// Follows pointers through host code as irgen makes it: each variable an alloca, frames by constant offsets. What it
// does not recognize may do anything.
#include "bsp/host_effects.h"

#include <algorithm>
#include <optional>

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "bsp/supersteps.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

constexpr unsigned kDeepest = 8; // calls of host functions
constexpr unsigned kFrameArgument = 1, kPlanOfRun = 1, kFrameOfRun = 2, kPlaceOfAllocation = 5, kToSpaceOfCopy = 2;

StringRef calleeOf(const CallInst& call) {
  return call.getCalledFunction() ? call.getCalledFunction()->getName() : "";
}

// Free no memory but what they have allocated, and write none of the device's.
bool isHarmless(StringRef name) {
  static const StringSet<> names{"bsgp_rt_dtempnew",   "bsgp_rt_fail",        "bsgp_rt_enter", "bsgp_rt_leave",
                                 "bsgp_rt_scope_open", "bsgp_rt_scope_close", "bsgp_rt_print"};
  return names.contains(name);
}

// The constant distance from a frame, or from the variable that is one.
std::optional<uint64_t> offsetFrom(const Value& pointer, const Value& frame) {
  const DataLayout& layout = isa<Argument>(frame) ? cast<Argument>(frame).getParent()->getDataLayout()
                                                  : cast<Instruction>(frame).getDataLayout();
  APInt offset(64, 0);
  if (pointer.stripAndAccumulateConstantOffsets(layout, offset, true) != &frame || offset.isNegative())
    return std::nullopt;
  return offset.getZExtValue();
}

bool overlaps(const StoreInst& store, uint64_t at, uint64_t offset) {
  uint64_t bytes = store.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType());
  return at < offset + 8 && offset < at + bytes;
}

// The stores to these 8 bytes of a frame; nullopt: it is used in other ways, too.
std::optional<std::vector<const StoreInst*>> storesTo(const Value& frame, uint64_t offset) {
  std::vector<const StoreInst*> stores;
  SmallVector<const Value*, 8> work{&frame};
  while (!work.empty())
    for (const Value* pointer = work.pop_back_val(); const User* user : pointer->users()) {
      auto* store = dyn_cast<StoreInst>(user);
      auto* call = dyn_cast<CallInst>(user);
      if (isa<GetElementPtrInst>(user) && offsetFrom(*user, frame)) {
        work.push_back(user);
      } else if (store && store->getValueOperand() != pointer) {
        if (overlaps(*store, *offsetFrom(*pointer, frame), offset))
          stores.push_back(store);
      } else if (!isa<LoadInst>(user) && !(call && calleeOf(*call) == "bsgp_rt_run")) {
        return std::nullopt;
      }
    }
  return stores;
}

} // namespace

// A function with what is known of its arguments.
struct HostEffects::Place {
  const Function* function;
  const ir::Spawn* spawn = nullptr; // whose require it is; null: an ordinary function
  std::vector<bool> fresh_arguments;
  unsigned depth = 0;
};

HostEffects::HostEffects(const ir::Compiled& compiled) : compiled_(compiled) {
  for (const ir::Spawn& spawn : compiled.spawns)
    by_plan_[spawn.plan.symbol] = &spawn;
}

const Function* HostEffects::requireFunction(const ir::Spawn& spawn, uint32_t require) const {
  const Function* function = compiled_.module->getFunction(spawn.plan.requires_[require]);
  return function && !function->isDeclaration() ? function : nullptr;
}

// A null among them: something may be stored that is not seen.
std::vector<const StoreInst*> HostEffects::storesByRequires(const Offset& offset) const {
  std::vector<const StoreInst*> all;
  for (uint32_t require = 0; require != offset.first->plan.requires_.size(); ++require) {
    const Function* function = requireFunction(*offset.first, require);
    auto stores = function ? storesTo(*function->getArg(kFrameArgument), offset.second) : std::nullopt;
    if (!stores)
      return {nullptr};
    all.insert(all.end(), stores->begin(), stores->end());
  }
  return all;
}

bool HostEffects::isFromBefore(const ir::Spawn& spawn, uint32_t slot) const {
  return storesByRequires({&spawn, spawn.plan.slots[slot].offset}).empty();
}

bool HostEffects::isFresh(const ir::Spawn& spawn, uint32_t slot) const {
  return isFreshOffset({&spawn, spawn.plan.slots[slot].offset});
}

// Does who runs the spawn set it?
bool HostEffects::isSetOutside(const Offset& offset) const {
  for (const Function& function : *compiled_.module)
    for (const Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if (!call || calleeOf(*call) != "bsgp_rt_run" ||
          call->getArgOperand(kPlanOfRun)->getName() != offset.first->plan.symbol)
        continue;
      auto* frame = dyn_cast<AllocaInst>(call->getArgOperand(kFrameOfRun));
      auto stores = frame ? storesTo(*frame, offset.second) : std::nullopt;
      if (!stores || !stores->empty())
        return true;
    }
  return false;
}

bool HostEffects::isFreshOffset(const Offset& offset) const {
  auto [known, added] = fresh_.try_emplace(offset, true);
  if (!added)
    return known->second;
  auto stores = storesByRequires(offset);
  bool fresh = !stores.empty() && !isSetOutside(offset) && all_of(stores, [&](const StoreInst* store) {
    return store && isFreshValue(*store->getValueOperand(), {store->getFunction(), offset.first, {}, 0});
  });
  return fresh_[offset] = fresh;
}

bool HostEffects::isFreshValue(const Value& value, const Place& place) const {
  if (isa<ConstantPointerNull>(value))
    return true;
  if (auto* argument = dyn_cast<Argument>(&value))
    return !place.spawn && place.fresh_arguments[argument->getArgNo()];
  if (isa<GetElementPtrInst, AddrSpaceCastInst>(value))
    return isFreshValue(*cast<Instruction>(value).getOperand(0), place);
  auto* load = dyn_cast<LoadInst>(&value);
  if (!load || !load->getType()->isPointerTy())
    return false;
  if (auto* variable = dyn_cast<AllocaInst>(load->getPointerOperand()))
    return isFreshVariable(*variable, place);
  if (!place.spawn)
    return false;
  auto offset = offsetFrom(*load->getPointerOperand(), *place.function->getArg(kFrameArgument));
  return offset && isFreshOffset({place.spawn, *offset});
}

bool HostEffects::isFreshVariable(const AllocaInst& variable, const Place& place) const {
  if (!variable.getAllocatedType()->isPointerTy() || place.depth > kDeepest)
    return false;
  Place inside = place;
  ++inside.depth; // variables set from each other
  return all_of(variable.users(), [&](const User* user) {
    if (auto* store = dyn_cast<StoreInst>(user))
      return store->getValueOperand() != &variable && isFreshValue(*store->getValueOperand(), inside);
    auto* call = dyn_cast<CallInst>(user);
    bool allocates = call && (calleeOf(*call) == "bsgp_rt_dtempnew" || calleeOf(*call) == "bsgp_rt_dnew");
    return isa<LoadInst>(user) || (allocates && call->getArgOperand(call->arg_size() - 1) == &variable);
  });
}

bool HostEffects::leavesAlone(const ir::Spawn& spawn, uint32_t require) const {
  const Function* function = requireFunction(spawn, require);
  return function && functionLeavesAlone({function, &spawn, {}, 0});
}

bool HostEffects::functionLeavesAlone(const Place& place) const {
  return place.depth <= kDeepest && all_of(instructions(*place.function), [&](const Instruction& instruction) {
           if (auto* call = dyn_cast<CallInst>(&instruction))
             return callLeavesAlone(*call, place);
           auto* store = dyn_cast<StoreInst>(&instruction);
           return store ? store->getPointerAddressSpace() == 0 : !instruction.mayWriteToMemory();
         });
}

bool HostEffects::callLeavesAlone(const CallInst& call, const Place& place) const {
  const Function* callee = call.getCalledFunction();
  if (!callee)
    return false;
  if (isHarmless(callee->getName()) || !call.mayWriteToMemory())
    return true;
  if (callee->getName() == "bsgp_rt_dnew")
    return true;
  if (callee->getName() == "bsgp_rt_copy") {
    auto* space = dyn_cast<ConstantInt>(call.getArgOperand(kToSpaceOfCopy));
    return space && space->isZero(); // to the host's memory
  }
  if (callee->getName() == "bsgp_rt_run")
    return runLeavesAlone(call, place);
  if (callee->isIntrinsic())
    return none_of(call.args(), [](const Use& use) {
      return use->getType()->isPointerTy() && use->getType()->getPointerAddressSpace() != 0;
    });
  if (callee->isDeclaration())
    return false;
  Place inside{callee, nullptr, {}, place.depth + 1};
  for (const Use& argument : call.args())
    inside.fresh_arguments.push_back(argument->getType()->isPointerTy() && isFreshValue(*argument, place));
  return functionLeavesAlone(inside);
}

// Every store of the spawn goes through a pointer in its frame, which is fresh there.
bool HostEffects::runLeavesAlone(const CallInst& call, const Place& place) const {
  const ir::Spawn* spawn = by_plan_.lookup(call.getArgOperand(kPlanOfRun)->getName());
  auto* frame = dyn_cast<AllocaInst>(call.getArgOperand(kFrameOfRun));
  if (!spawn || !spawn->function || !frame || !spawn->plan.requires_.empty())
    return false;
  for (const Instruction& instruction : instructions(*spawn->function)) {
    if (!instruction.mayWriteToMemory() || ir::opOf(instruction) != ir::Op::None || isa<AssumeInst>(instruction) ||
        instruction.isLifetimeStartOrEnd())
      continue;
    auto* store = dyn_cast<StoreInst>(&instruction);
    const Value* pointer = store ? store->getPointerOperand() : nullptr;
    const Value* object = pointer ? getUnderlyingObject(pointer, 0) : nullptr;
    if (object && (isa<AllocaInst>(object) || object->getType()->getPointerAddressSpace() == ir::kSharedSpace))
      continue;
    auto* param = dyn_cast_or_null<CallInst>(object);
    if (!param || ir::opOf(*param) != ir::Op::Param)
      return false;
    auto stores = storesTo(*frame, spawn->plan.slots[constantArgument(*param, 0)].offset);
    bool fresh = stores && !stores->empty() && all_of(*stores, [&](const StoreInst* store) {
                   return isFreshValue(*store->getValueOperand(), place);
                 });
    if (!fresh)
      return false;
  }
  return true;
}

} // namespace bsgp::bsp
