#include "target/ptx/gpu_regions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "ir/operations.h"

namespace bsgp::target {

using namespace llvm;

namespace {

using Syncs = DenseMap<const BasicBlock*, CallInst*>; // by the block that they end

Syncs cutAtSyncs(Function& function) {
  SmallVector<CallInst*, 8> calls;
  for (Instruction& instruction : instructions(function))
    if (ir::opOf(instruction) == ir::Op::BlockSync)
      calls.push_back(cast<CallInst>(&instruction));
  Syncs syncs;
  for (CallInst* call : calls) {
    call->getParent()->splitBasicBlock(std::next(call->getIterator()), "synced");
    syncs[call->getParent()] = call;
  }
  return syncs;
}

class Walk {
public:
  Walk(const Syncs& syncs, const BasicBlock& exit) : syncs_(syncs), exit_(exit) {}

  // False: the region that begins there ends at more than one place, or was passed before.
  bool region(BasicBlock& entry, GpuRegion& made) {
    made.blocks.push_back(&entry);
    for (unsigned i = 0; i != made.blocks.size(); ++i)
      if (!seen_.insert(made.blocks[i]).second || !leave(*made.blocks[i], made))
        return false;
    return true;
  }

private:
  bool leave(BasicBlock& block, GpuRegion& made) {
    if (CallInst* sync = syncs_.lookup(&block)) {
      made.sync = sync;
      return goOn(*block.getSingleSuccessor(), made);
    }
    for (BasicBlock* after : successors(&block))
      if (after == &exit_) {
        if (!goOn(*after, made))
          return false;
      } else if (!is_contained(made.blocks, after)) {
        made.blocks.push_back(after);
      }
    return true;
  }

  static bool goOn(BasicBlock& next, GpuRegion& made) {
    bool same = !made.next || made.next == &next;
    made.next = &next;
    return same;
  }

  const Syncs& syncs_;
  const BasicBlock& exit_;
  DenseSet<const BasicBlock*> seen_;
};

} // namespace

SmallVector<GpuRegion, 8> regionsBetweenSyncs(BasicBlock& entry, const BasicBlock& exit) {
  Syncs syncs = cutAtSyncs(*entry.getParent());
  Walk walk(syncs, exit);
  SmallVector<GpuRegion, 8> regions;
  for (BasicBlock* at = &entry; at != &exit; at = regions.back().next) {
    regions.emplace_back();
    if (!walk.region(*at, regions.back()) || !regions.back().next)
      return {};
  }
  return regions;
}

} // namespace bsgp::target
