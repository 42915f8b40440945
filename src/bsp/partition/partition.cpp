#include "bsp/partition/partition.h"

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "bsp/partition/block_kernels.h"
#include "bsp/partition/describe.h"
#include "bsp/partition/kept_values.h"
#include "bsp/partition/regions.h"
#include "ir/operations.h"
#include "ir/position.h"
#include "ir/waiting_loops.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

bool isOfSeveralThreads(Op op) {
  switch (op) {
  case Op::BlockSync:
  case Op::WarpShuffle:
  case Op::WarpBallot:
  case Op::WarpSync:
  case Op::TileRank:
  case Op::TileSize:
  case Op::TileId:
  case Op::Append:
  case Op::AppendTake:
    return true;
  default:
    return false;
  }
}

bool isShared(const Value& value) {
  return value.getType()->isPointerTy() && value.getType()->getPointerAddressSpace() == ir::kSharedSpace;
}

bool needsOthers(Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& instruction) {
    return isOfSeveralThreads(opOf(instruction)) ||
           any_of(instruction.operands(), [](const Use& use) { return isShared(*use.get()); });
  });
}

class Partitioner {
public:
  Partitioner(Module& module, const ir::Spawn& spawn, const BitVector& waiting, bool describes, plan::Plan& plan,
              plan::Report& report)
      : module_(module), spawn_(spawn), waiting_(waiting), describes_(describes), plan_(plan), report_(report) {}

  std::vector<PartitionStreamRange> run() {
    for (plan::Kernel& kernel : std::exchange(plan_.kernels, {}))
      if (!cut(kernel))
        plan_.kernels.push_back(std::move(kernel));
    return std::move(streams_);
  }

private:
  // False: the superstep stays one kernel.
  bool cut(const plan::Kernel& kernel) {
    Function& whole = *module_.getFunction(kernel.symbol);
    if (waiting_.test(kernel.superstep))
      return tell(kernel, "one kernel: a thread waits there for another one"), false;
    if (needsOthers(whole))
      return tell(kernel, "one kernel: threads of a block work together there"), false;
    Regions regions = cutIntoRegions(whole);
    if (regions.all.size() == 1)
      return tell(kernel, "one kernel: it has no loop"), false;
    KeptValues kept = findKeptValues(whole, regions);
    if (kept.keeps_struct)
      return tell(kernel, "one kernel: what lives across a loop cannot be stored"), false;
    if (describes_)
      report_.partitions.push_back(describePartition(kernel.superstep, whole, regions, kept));
    uint32_t first = uint32_t(plan_.streams.size());
    makeBlockKernels(whole, kernel, regions, kept, plan_);
    whole.eraseFromParent();
    streams_.push_back({first, uint32_t(plan_.streams.size())});
    tellOfBlocks(kernel, plan_.partitions.back(), kept);
    return true;
  }

  void tellOfBlocks(const plan::Kernel& kernel, const plan::Partition& partition, const KeptValues& kept) {
    uint32_t bytes = 0;
    for (uint32_t stream = streams_.back().first; stream < streams_.back().end; ++stream)
      bytes += plan_.streams[stream].bytes;
    size_t count = kept.streams.size();
    tell(kernel, fmt::format("{} kernels, of {} basic blocks; {} value{} between them, {} bytes per thread in streams",
                             partition.blocks.size(), partition.basic_blocks, count, count == 1 ? "" : "s", bytes));
  }

  void tell(const plan::Kernel& kernel, const std::string& what) {
    report_.partition.push_back({spawn_.range.begin, fmt::format("superstep {} runs as {}", kernel.superstep, what)});
  }

  Module& module_;
  const ir::Spawn& spawn_;
  const BitVector& waiting_;
  const bool describes_;
  plan::Plan& plan_;
  plan::Report& report_;
  std::vector<PartitionStreamRange> streams_;
};

} // namespace

BitVector waitingSupersteps(const ir::Spawn& spawn, const ir::Supersteps& steps, Diagnostics& diagnostics) {
  BitVector waiting(steps.count() + 1);
  Function& function = *spawn.function;
  bool any = any_of(instructions(function), [](const Instruction& instruction) { return instruction.isAtomic(); });
  if (!any)
    return waiting;
  DominatorTree dominators(function);
  PostDominatorTree post_dominators(function);
  LoopInfo loops(dominators);
  auto before = [&]() -> DominatorTree& { return dominators; };
  auto behind = [&]() -> PostDominatorTree& { return post_dominators; };
  for (const ir::WaitingLoop& loop : ir::findWaitingLoops(loops.getLoopsInPreorder(), loops, {before, behind})) {
    const Instruction& read = *loop.reads.front();
    if (!steps.reached(read))
      continue;
    waiting.set(steps.stepOf(read));
    if (SourceRange place = ir::markedPlace(read); place.valid() && spawn.is_partition)
      diagnostics.report(Diag::partition_waits, place);
  }
  return waiting;
}

std::vector<PartitionStreamRange> partitionKernels(Module& module, const ir::Spawn& spawn, const BitVector& waiting,
                                                   const PartitionOptions& options, plan::Plan& plan,
                                                   plan::Report& report) {
  return Partitioner(module, spawn, waiting, options.describe, plan, report).run();
}

} // namespace bsgp::bsp
