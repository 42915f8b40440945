#include "ir/supersteps.h"

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "support/check.h"

namespace bsgp::ir {

using namespace llvm;

// Reverse post-order: when a block's turn comes, a predecessor has told it its superstep; the others must agree.
Supersteps::Supersteps(Function& function) {
  Superstep first;
  steps_.push_back(first);
  first_of_generation_.push_back(1);
  DenseMap<const BasicBlock*, unsigned> begins_in{{&function.getEntryBlock(), 1u}};
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
    unsigned step = walkBlock(*block, begins_in.lookup(block));
    if (!violation_.empty())
      return;
    for (BasicBlock* next : successors(block))
      if (auto [known, added] = begins_in.try_emplace(next, step); !added && known->second != step) {
        violation_ = fmt::format("control flow joins the supersteps {} and {}", known->second, step);
        return;
      }
  }
  for (Instruction* instruction : order_)
    if (isa<ReturnInst>(instruction) && stepOf(*instruction) != count()) {
      violation_ = fmt::format("superstep {} returns before the last barrier", stepOf(*instruction));
      return;
    }
}

unsigned Supersteps::walkBlock(BasicBlock& block, unsigned step) {
  for (Instruction& instruction : block) {
    Op op = opOf(instruction);
    auto* call = dyn_cast<CallInst>(&instruction);
    if (op == Op::Enter)
      steps_[0].begin = call;
    if (op == Op::OldRank)
      steps_[step - 1].oldrank = call;
    if (op == Op::Barrier || op == Op::Reassign) {
      if (!beginNext(*call, op == Op::Reassign, step))
        return step;
      ++step;
    }
    std::vector<BasicBlock*>& blocks = steps_[step - 1].blocks;
    if (blocks.empty() || blocks.back() != &block)
      blocks.push_back(&block);
    places_[&instruction] = {step, unsigned(order_.size())};
    order_.push_back(&instruction);
  }
  return step;
}

bool Supersteps::beginNext(CallInst& barrier, bool reassigned, unsigned step) {
  if (!isa<ConstantInt>(barrier.getArgOperand(0)) || constantArgument(barrier, 0) != step || count() != step) {
    violation_ = fmt::format("a barrier is out of order in superstep {}", step);
    return false;
  }
  Superstep next;
  next.number = step + 1;
  next.begin = &barrier;
  next.reassigned = reassigned;
  next.generation = steps_.back().generation + reassigned;
  steps_.back().end = &barrier;
  if (reassigned)
    first_of_generation_.push_back(next.number);
  steps_.push_back(std::move(next));
  return true;
}

unsigned stepOfEpoch(const Value& epoch) {
  auto* call = dyn_cast<CallInst>(&epoch);
  if (!call)
    return 0;
  switch (opOf(*call)) {
  case Op::Enter:
    return 1;
  case Op::Barrier:
  case Op::Reassign:
    return constantArgument(*call, 0) + 1;
  default:
    return 0;
  }
}

bool isHandle(const Instruction& value) {
  Op op = opOf(value);
  return stepOfEpoch(value) || op == Op::Require || op == Op::Snapshot;
}

unsigned constantArgument(const CallInst& call, unsigned index) {
  auto* constant = dyn_cast<ConstantInt>(call.getArgOperand(index));
  BSGP_CHECK(constant, "argument %u of %s is not constant", index, call.getCalledFunction()->getName().str().c_str());
  return unsigned(constant->getZExtValue());
}

void cutAtBarriers(Function& function) {
  SmallVector<Instruction*, 32> barriers;
  for (Instruction& instruction : instructions(function))
    if (Op op = opOf(instruction); op == Op::Barrier || op == Op::Reassign)
      barriers.push_back(&instruction);
  // From the last to the first: a cut moves what follows it, and moves it once.
  for (Instruction* barrier : reverse(barriers))
    barrier->getParent()->splitBasicBlock(barrier->getIterator(), "superstep");
}

} // namespace bsgp::ir
