// Liveness of private arrays over the blocks of a spawn.
//
// An array's contents cross a barrier if a read behind it may see a write before it. Two data-flow problems answer
// that: backward, "may be read before its lifetime ends"; forward, "may have been written since its lifetime began".
// The lifetime markers kill in both directions; a write kills nothing, because it may cover a part only.
#include "bsp/private_arrays.h"

#include <algorithm>

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

struct Event {
  unsigned order = 0;
  const BasicBlock* block = nullptr;
  unsigned step = 0;
  bool reads = false, writes = false, kills = false;
};

class ArrayFlow {
public:
  ArrayFlow(const ir::Supersteps& steps, AllocaInst& alloca, std::vector<StoredPointer>& stored)
      : steps_(steps), alloca_(alloca), stored_(stored) {}

  PrivateArray run() {
    PrivateArray array;
    array.alloca = &alloca_;
    array.bytes = alloca_.getAllocationSize(alloca_.getModule()->getDataLayout())->getFixedValue();
    collectEvents();
    array.touched.resize(steps_.count() + 1);
    array.modified = array.early = array.needed = array.crosses = array.touched;
    for (const Event& event : events_) {
      if (event.reads || event.writes)
        array.touched.set(event.step);
      if (event.writes)
        array.modified.set(event.step);
      const Instruction* oldrank = steps_.step(event.step).oldrank;
      if (!event.kills && oldrank && event.order < steps_.order(*oldrank))
        array.early.set(event.step);
    }
    if (array.touched.count() > 1 || (array.touched.any() && !steps_.isLine()))
      markCrossings(array);
    return array;
  }

private:
  void collectEvents() {
    SmallVector<const Value*, 16> pointers{&alloca_};
    DenseSet<const Value*> seen{&alloca_};
    while (!pointers.empty()) {
      const Value* pointer = pointers.pop_back_val();
      for (const Use& use : pointer->uses())
        if (const Value* derived = visitUse(use); derived && seen.insert(derived).second)
          pointers.push_back(derived);
    }
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.order < b.order; });
  }

  // Notes what the user does to the array; returns a pointer that it derives.
  const Value* visitUse(const Use& use) {
    auto& user = *cast<Instruction>(use.getUser());
    if (!steps_.reached(user) || isa<ICmpInst>(user))
      return nullptr;
    if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst, FreezeInst>(user))
      return &user;
    Event event{steps_.order(user), user.getParent(), steps_.stepOf(user)};
    if (isa<LoadInst>(user)) {
      event.reads = true;
    } else if (isa<StoreInst>(user) && use.getOperandNo() == StoreInst::getPointerOperandIndex()) {
      event.writes = true;
    } else if (user.isLifetimeStartOrEnd()) {
      if (use.get() != &alloca_)
        return nullptr;
      event.kills = true;
    } else if (auto* memory = dyn_cast<MemIntrinsic>(&user)) {
      event.writes = use.getOperandNo() == 0 && memory->getRawDest() == use.get();
      event.reads = !event.writes;
    } else {
      event.reads = event.writes = true; // atomics, calls; or the pointer is stored
      if (auto* store = dyn_cast<StoreInst>(&user))
        stored_.push_back({&alloca_, getUnderlyingObject(store->getPointerOperand(), 0), event.step});
    }
    events_.push_back(event);
    return nullptr;
  }

  void markCrossings(PrivateArray& array) {
    DenseSet<const BasicBlock*> live = liveAtBegin(), written = writtenAtBegin();
    for (const ir::Superstep& step : steps_.all().drop_front()) {
      if (step.blocks.empty() || !live.count(step.blocks.front()) || !written.count(step.blocks.front()))
        continue;
      array.needed.set(step.number);
      for (unsigned from : step.from)
        array.crosses.set(from);
    }
  }

  // Blocks whose beginning a later read may look back to.
  DenseSet<const BasicBlock*> liveAtBegin() const {
    DenseSet<const BasicBlock*> live,
        decided; // decided: an event says whether it is live, what follows does not matter
    SmallVector<const BasicBlock*, 16> work;
    for (const Event& event : events_) { // the first read or kill of each block
      if ((!event.reads && !event.kills) || !decided.insert(event.block).second)
        continue;
      if (event.reads && live.insert(event.block).second)
        work.push_back(event.block);
    }
    DenseSet<const BasicBlock*> killing = blocksWithKill();
    while (!work.empty())
      for (const BasicBlock* before : predecessors(work.pop_back_val()))
        if (!killing.count(before) && live.insert(before).second)
          work.push_back(before);
    return live;
  }

  // Blocks at whose beginning the array may hold something.
  DenseSet<const BasicBlock*> writtenAtBegin() const {
    DenseMap<const BasicBlock*, bool> at_end; // as the last write or kill says
    for (const Event& event : events_)
      if (event.writes || event.kills)
        at_end[event.block] = event.writes;
    DenseSet<const BasicBlock*> written;
    SmallVector<const BasicBlock*, 16> work;
    for (auto [block, holds] : at_end)
      if (holds)
        work.push_back(block);
    while (!work.empty())
      for (const BasicBlock* after : successors(work.pop_back_val()))
        if (written.insert(after).second && !at_end.count(after))
          work.push_back(after);
    return written;
  }

  DenseSet<const BasicBlock*> blocksWithKill() const {
    DenseSet<const BasicBlock*> blocks;
    for (const Event& event : events_)
      if (event.kills)
        blocks.insert(event.block);
    return blocks;
  }

  const ir::Supersteps& steps_;
  AllocaInst& alloca_;
  std::vector<StoredPointer>& stored_;
  std::vector<Event> events_;
};

} // namespace

PrivateMemory findPrivateArrays(const ir::Supersteps& steps) {
  PrivateMemory memory;
  for (Instruction* instruction : steps.inOrder())
    if (auto* alloca = dyn_cast<AllocaInst>(instruction))
      memory.arrays.push_back(ArrayFlow(steps, *alloca, memory.stored).run());
  return memory;
}

} // namespace bsgp::bsp
