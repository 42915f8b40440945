#include "bsp/endless_waits.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <vector>

#include "ir/loop_marks.h"
#include "ir/position.h"
#include "ir/waiting_loops.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

// Do the threads of a block, or all threads, come together here?
bool comeTogether(const Instruction& instruction) {
  Op op = opOf(instruction);
  return ir::isBarrier(op) || op == Op::BlockSync || op == Op::WarpSync;
}

// The analyses of a spawn with loops that wait.
struct Flow {
  explicit Flow(Function& spawn)
      : dominators(spawn), post_dominators(spawn), loops(dominators),
        library(TargetLibraryInfoImpl(Triple(spawn.getParent()->getTargetTriple()))), assumptions(spawn),
        evolution(spawn, library, assumptions, dominators, loops) {}
  DominatorTree dominators;
  PostDominatorTree post_dominators;
  LoopInfo loops;
  TargetLibraryInfo library;
  AssumptionCache assumptions;
  ScalarEvolution evolution;
};

// ---- which threads a value is the same for

enum class Varies { No, WithRank, WithData };

// With what values differ from thread to thread: with the rank alone, or with what was read or chosen by it, too. Each
// instruction is looked at once.
class Variation {
public:
  Varies of(const Value& value) {
    SmallVector<const Value*, 16> pending{&value}; // a value stands below its operands
    while (!pending.empty()) {
      auto* at = dyn_cast<Instruction>(pending.back());
      if (!at || known_.contains(at)) {
        pending.pop_back();
      } else if (isLeaf(*at) || !begun_.insert(at).second) {
        known_[at] = judge(*at);
        pending.pop_back();
      } else {
        append_range(pending, at->operand_values());
      }
    }
    return known(value);
  }

private:
  static bool isLeaf(const Instruction& instruction) { return isa<PHINode, CallInst>(instruction); }

  Varies judge(const Instruction& instruction) const {
    Op op = opOf(instruction);
    if (op == Op::Param || op == Op::Size)
      return Varies::No;
    if (op == Op::Rank)
      return Varies::WithRank;
    if (isLeaf(instruction))
      return Varies::WithData;
    Varies all = Varies::No;
    for (const Value* operand : instruction.operand_values())
      all = std::max(all, known(*operand));
    return all != Varies::No && instruction.mayReadFromMemory() ? Varies::WithData : all;
  }

  Varies known(const Value& value) const {
    auto* instruction = dyn_cast<Instruction>(&value);
    return instruction ? known_.lookup(instruction) : Varies::No;
  }

  DenseMap<const Instruction*, Varies> known_;
  DenseSet<const Instruction*> begun_;
};

// True if only some threads come to the block, as the rank decides: a branch on all paths to it shows that.
bool isForSome(const BasicBlock& block, const DominatorTree& dominators, Variation& variation) {
  for (auto* node = dominators.getNode(&block)->getIDom(); node; node = node->getIDom()) {
    auto* branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    bool sides = branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
    if (sides && variation.of(*branch->getCondition()) != Varies::No &&
        any_of(successors(branch), [&](const BasicBlock* side) {
          return dominators.dominates(BasicBlockEdge(node->getBlock(), side), &block);
        }))
      return true;
  }
  return false;
}

// ---- locks

// Is it an update that an iteration tries again after seeing what it would write itself: a lock that is taken?
bool takesLock(const Instruction& read, const Loop& loop) {
  using namespace PatternMatch;
  const Value* written = nullptr;
  SmallVector<const Value*, 2> found;
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&read)) {
    written = exchange->getNewValOperand();
    for (const User* part : exchange->users())
      if (auto* value = dyn_cast<ExtractValueInst>(part); value && value->getIndices().front() == 0)
        found.push_back(value);
  } else if (auto* update = dyn_cast<AtomicRMWInst>(&read); update && update->getOperation() == AtomicRMWInst::Xchg) {
    written = update->getValOperand();
    found.push_back(update);
  }
  auto* constant = dyn_cast_or_null<ConstantInt>(written);
  if (!constant)
    return false;
  for (const Value* value : found)
    for (const User* user : value->users()) {
      auto* compare = dyn_cast<ICmpInst>(user);
      auto* limit = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
      if (!limit)
        continue;
      bool holds = ICmpInst::compare(constant->getValue(), limit->getValue(), compare->getPredicate());
      for (const User* asks : compare->users())
        if (auto* branch = dyn_cast<BranchInst>(asks))
          return loop.contains(branch->getSuccessor(holds ? 0 : 1));
    }
  return false;
}

struct Meeting {
  const Instruction* at = nullptr; // where the thread first meets others; null: its superstep ends
  bool may_write = false;          // on some path to there, to the place that was read
};
Meeting followHolder(const Instruction& read, ArrayRef<Instruction*> reads) {
  Meeting meeting;
  SmallPtrSet<const BasicBlock*, 16> seen;
  SmallVector<const Instruction*, 16> pending{read.getNextNode()};
  while (!pending.empty() && !meeting.may_write) {
    const Instruction* at = pending.pop_back_val();
    for (; at; at = at->getNextNode()) {
      if (comeTogether(*at)) {
        meeting.at = meeting.at ? meeting.at : at;
        break;
      }
      meeting.may_write |= ir::isSharedWrite(*at) && !is_contained(reads, at) &&
                           ir::mayBeOnePlace(*ir::sharedPlaceOf(*at), *ir::sharedPlaceOf(read));
      if (at->isTerminator())
        for (const BasicBlock* next : successors(at->getParent()))
          if (seen.insert(next).second)
            pending.push_back(&next->front());
    }
  }
  return meeting;
}

// ---- the awaited place

class Judge {
public:
  Judge(const ir::Spawn& spawn, const ir::Supersteps& steps, Diagnostics& diagnostics)
      : spawn_(spawn), steps_(steps), diagnostics_(diagnostics), flow_(*spawn.function) {}

  void run() {
    auto before = [this]() -> DominatorTree& { return flow_.dominators; };
    auto behind = [this]() -> PostDominatorTree& { return flow_.post_dominators; };
    for (const ir::WaitingLoop& waiting :
         ir::findWaitingLoops(flow_.loops.getLoopsInPreorder(), flow_.loops, {before, behind}))
      if (steps_.reached(*waiting.reads.front())) {
        if (SourceRange place = ir::placeOfWavefront(*waiting.loop); place.valid())
          diagnostics_.report(Diag::wavefront_waits, place);
        judge(waiting);
      }
  }

private:
  void judge(const ir::WaitingLoop& waiting) {
    for (Instruction* read : waiting.reads)
      if (takesLock(*read, *waiting.loop))
        return judgeLock(waiting, *read);
    if (all_of(waiting.reads, [](Instruction* read) { return ir::isOnlyRead(*read); }) && waiting.reads.size() == 1)
      judgeFlag(waiting, *waiting.reads.front());
  }

  // All threads that want the lock come to where its holder waits for them.
  void judgeLock(const ir::WaitingLoop& waiting, const Instruction& read) {
    const Value& place = *ir::sharedPlaceOf(read);
    if (variation_.of(place) == Varies::WithRank || isForSome(*waiting.loop->getHeader(), flow_.dominators, variation_))
      return;
    Meeting meeting = followHolder(read, waiting.reads);
    if (meeting.may_write)
      return;
    const char* until = !meeting.at                          ? "its superstep ends"
                        : opOf(*meeting.at) == Op::BlockSync ? "block.sync, where it waits for them"
                        : opOf(*meeting.at) == Op::WarpSync  ? "warp.sync, where it waits for them"
                                                             : "the barrier, where it waits for them";
    report(Diag::lock_is_kept, read, until);
  }

  // The writes to shared memory in a superstep.
  struct Writes {
    SmallVector<const Instruction*, 4> known;
    bool unknown = false; // assembly may write, too
  };
  const Writes& writesOf(unsigned step) {
    if (writes_.empty()) {
      writes_.resize(steps_.count() + 1);
      for (const Instruction& instruction : instructions(*spawn_.function)) {
        if (!steps_.reached(instruction))
          continue;
        Writes& writes = writes_[steps_.stepOf(instruction)];
        auto* call = dyn_cast<CallInst>(&instruction);
        writes.unknown |= call && call->isInlineAsm();
        if (ir::isSharedWrite(instruction))
          writes.known.push_back(&instruction);
      }
    }
    return writes_[step];
  }

  void judgeFlag(const ir::WaitingLoop& waiting, const Instruction& read) {
    const Writes& all = writesOf(steps_.stepOf(read));
    if (all.unknown)
      return;
    SmallVector<const Instruction*, 4> writes;
    copy_if(all.known, std::back_inserter(writes), [&](const Instruction* write) {
      return ir::mayBeOnePlace(*ir::sharedPlaceOf(*write), *ir::sharedPlaceOf(read));
    });
    if (writes.empty())
      return report(Diag::wait_for_nobody, read);
    auto later = [&](const Instruction* write) { return writerOf(read, *write).value_or(0) > 0; };
    if (all_of(writes, later))
      return report(Diag::wait_for_later, read, fmt::format("thread.rank + {}", *writerOf(read, *writes.front())));
    const BasicBlock* header = waiting.loop->getHeader();
    auto done = [&](const Instruction* write) {
      return !waiting.loop->contains(write) && flow_.dominators.dominates(write->getParent(), header);
    };
    if (variation_.of(*ir::sharedPlaceOf(read)) == Varies::No && all_of(writes, done) && !areAtOnePlaceAlone(writes))
      report(Diag::wait_for_later, read, "every other thread");
  }

  // Stores of constants: what a thread has written itself may be what it waits for.
  static bool areAtOnePlaceAlone(ArrayRef<const Instruction*> writes) {
    return all_of(writes, [](const Instruction* write) {
      auto* store = dyn_cast<StoreInst>(write);
      return store && isa<Constant>(store->getValueOperand());
    });
  }

  // By how much the rank of the thread that writes a place is above that of who reads it, where the rank says which place.
  std::optional<int64_t> writerOf(const Instruction& read, const Instruction& write) {
    const Value *from = ir::sharedPlaceOf(read), *to = ir::sharedPlaceOf(write);
    const SCEV* place = flow_.evolution.getSCEV(const_cast<Value*>(from));
    const SCEV* written = flow_.evolution.getSCEV(const_cast<Value*>(to));
    auto* distance = dyn_cast<SCEVConstant>(flow_.evolution.getMinusSCEV(place, written));
    std::optional<int64_t> bytes = bytesOfRank(*written);
    if (!distance || !bytes || *bytes == 0)
      return std::nullopt;
    int64_t apart = distance->getAPInt().getSExtValue();
    return apart % *bytes == 0 ? std::optional(apart / *bytes) : std::nullopt;
  }

  // The address grows by so many bytes from rank to rank. 0: it does not depend on the rank; nullopt: it does so
  // otherwise.
  std::optional<int64_t> bytesOfRank(const SCEV& address) {
    auto isRank = [](const SCEV* part) {
      while (auto* cast = dyn_cast<SCEVCastExpr>(part))
        part = cast->getOperand();
      auto* value = dyn_cast<SCEVUnknown>(part);
      auto* call = value ? dyn_cast<CallInst>(value->getValue()) : nullptr;
      return call && opOf(*call) == Op::Rank;
    };
    auto hasRank = [&](const SCEV* part) { return SCEVExprContains(part, isRank); };
    if (isRank(&address))
      return 1;
    if (auto* product = dyn_cast<SCEVMulExpr>(&address); product && product->getNumOperands() == 2)
      if (auto* factor = dyn_cast<SCEVConstant>(product->getOperand(0)); factor && isRank(product->getOperand(1)))
        return factor->getAPInt().getSExtValue();
    if (auto* sum = dyn_cast<SCEVAddExpr>(&address)) {
      int64_t all = 0;
      for (const SCEV* part : sum->operands()) {
        auto bytes = bytesOfRank(*part);
        if (!bytes)
          return std::nullopt;
        all += *bytes;
      }
      return all;
    }
    return hasRank(&address) ? std::nullopt : std::optional<int64_t>(0);
  }

  template <class... Arguments> void report(Diag kind, const Instruction& read, const Arguments&... arguments) {
    if (SourceRange place = ir::markedPlace(read); place.valid())
      diagnostics_.report(kind, place, arguments...);
  }

  const ir::Spawn& spawn_;
  const ir::Supersteps& steps_;
  Diagnostics& diagnostics_;
  Flow flow_;
  Variation variation_;
  std::vector<Writes> writes_; // by superstep, made where they are asked for
};

} // namespace

void reportEndlessWaits(const ir::Spawn& spawn, const ir::Supersteps& steps, Diagnostics& diagnostics) {
  SmallVector<Instruction*, 8> marked;
  for (Instruction& instruction : instructions(*spawn.function))
    if (ir::markedPlace(instruction).valid())
      marked.push_back(&instruction);
  if (marked.empty())
    return;
  Judge(spawn, steps, diagnostics).run();
  for (Instruction* instruction : marked)
    ir::markPlace(*instruction, {});
}

} // namespace bsgp::bsp
