#include "ir/supersteps.h"

#include <fmt/format.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "support/check.h"

namespace bsgp::ir {

using namespace llvm;

namespace {

CallInst* asBarrier(Instruction* instruction) {
  return instruction && isBarrier(opOf(*instruction)) ? cast<CallInst>(instruction) : nullptr;
}

// Returns the barrier with which a superstep begins in this block, or, once blocks are cut at barriers, behind its
// phis in the next.
CallInst* barrierBehindPhis(BasicBlock& block) {
  Instruction* first = block.getFirstNonPHI();
  if (CallInst* barrier = asBarrier(first))
    return barrier;
  auto* jump = dyn_cast<BranchInst>(first);
  return jump && jump->isUnconditional() && isa<PHINode>(block.front())
             ? asBarrier(jump->getSuccessor(0)->getFirstNonPHI())
             : nullptr;
}

// Returns the jump to the barrier from the block before, or the barrier itself.
Instruction& leavingBefore(Instruction& barrier) {
  BasicBlock* block = barrier.getParent();
  BasicBlock* before = &barrier == &block->front() ? block->getUniquePredecessor() : nullptr;
  return before ? *before->getTerminator() : barrier;
}

} // namespace

// Reverse post-order: when a block is walked, all its predecessors have been, except over back edges.
Supersteps::Supersteps(Function& function) {
  steps_.emplace_back();
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function)) {
    walkBlock(*block);
    if (!violation_.empty())
      return;
  }
  for (BasicBlock& block : function)
    checkWaysBack(block);
  number();
  for (Instruction* instruction : order_)
    if (isa<ReturnInst>(instruction) && !step(stepOf(*instruction)).next.empty())
      fail(fmt::format("superstep {} returns before the last barrier", stepOf(*instruction)));
}

void Supersteps::fail(std::string violation) {
  if (violation_.empty())
    violation_ = std::move(violation);
}

void Supersteps::failJoining(unsigned a, unsigned b) {
  fail(fmt::format("control flow joins the supersteps {} and {}", std::min(a, b), std::max(a, b)));
}

// Back edges lead to the superstep they come from, or to the beginning of one.
void Supersteps::checkWaysBack(BasicBlock& block) {
  auto here = places_.find(&block.front());
  if (here == places_.end() || barrierBehindPhis(block))
    return;
  for (BasicBlock* before : predecessors(&block))
    if (auto known = at_end_.find(before); known != at_end_.end() && known->second != here->second.step)
      failJoining(known->second, here->second.step);
}

// Returns the superstep from which control arrives; 0 if there are several.
unsigned Supersteps::stepBefore(BasicBlock& block, bool begins) {
  unsigned step = 0;
  for (BasicBlock* from : predecessors(&block)) {
    auto known = at_end_.find(from);
    if (known == at_end_.end() && begins)
      return 0;
    if (known == at_end_.end() || known->second == step)
      continue;
    if (step && !begins)
      failJoining(step, known->second);
    if (step)
      return 0;
    step = known->second;
  }
  return step ? step : 1;
}

void Supersteps::walkBlock(BasicBlock& block) {
  CallInst* opening = barrierBehindPhis(block);
  unsigned step = stepBefore(block, opening);
  if (!violation_.empty())
    return;
  bool meets = opening && step == 0;
  if (meets) {
    step = constantArgument(*opening, 0) + 1;
    steps_.resize(std::max<size_t>(steps_.size(), step));
    steps_[step - 1].meet = &block;
  }
  for (Instruction& instruction : block) {
    Op op = opOf(instruction);
    auto* call = dyn_cast<CallInst>(&instruction);
    if (op == Op::Enter)
      steps_[0].begin = call;
    if (op == Op::OldRank)
      steps_[step - 1].oldrank = call;
    if (op == Op::Decide)
      steps_[step - 1].decide = call;
    if (isBarrier(op)) {
      Superstep* next = beginNext(*call);
      if (!next)
        return;
      if (step != next->number) // else edges join
        addWay(step, next->number, leavingBefore(instruction));
      step = next->number;
    }
    bool belongs = !meets || opening->getParent() == &block;
    std::vector<BasicBlock*>& blocks = steps_[step - 1].blocks;
    if (belongs && (blocks.empty() || blocks.back() != &block))
      blocks.push_back(&block);
    places_[&instruction] = {step, unsigned(order_.size())};
    order_.push_back(&instruction);
  }
  at_end_[&block] = step;
}

Superstep* Supersteps::beginNext(CallInst& barrier) {
  if (!isa<ConstantInt>(barrier.getArgOperand(0)) || constantArgument(barrier, 0) == 0) {
    fail("a barrier without a number");
    return nullptr;
  }
  unsigned number = constantArgument(barrier, 0) + 1;
  steps_.resize(std::max<size_t>(steps_.size(), number));
  Superstep& next = steps_[number - 1];
  if (next.begin) {
    fail(fmt::format("superstep {} begins twice", number));
    return nullptr;
  }
  next.begin = &barrier;
  next.number = number;
  next.reassigned = opOf(barrier) == Op::Reassign;
  next.renumbered = opOf(barrier) == Op::Meet;
  return &next;
}

void Supersteps::addWay(unsigned from, unsigned to, Instruction& leaves) {
  Superstep &before = steps_[from - 1], &behind = steps_[to - 1];
  if (is_contained(before.next, to))
    return;
  before.end = &leaves;
  before.next.insert(lower_bound(before.next, to), to);
  behind.from.insert(lower_bound(behind.from, from), from);
}

// Adds edges to joins, which may come from behind; then numbers generations and chains, in the order of the text.
void Supersteps::number() {
  for (size_t i = 0; i < steps_.size(); ++i) {
    steps_[i].number = unsigned(i + 1);
    if (BasicBlock* meet = steps_[i].meet)
      for (BasicBlock* before : predecessors(meet))
        if (auto known = at_end_.find(before); known != at_end_.end())
          addWay(known->second, unsigned(i + 1), *before->getTerminator());
  }
  for (Superstep& step : steps_) {
    step.chain = step.number;
    if (step.number > 1 && !step.begin)
      continue;
    if (step.number > 1 && (step.from.empty() || step.from.front() >= step.number))
      return fail(fmt::format("superstep {} comes before what leads to it", step.number));
    const Superstep* before = step.number > 1 ? &steps_[step.from.front() - 1] : nullptr;
    if (before && step.from.size() == 1 && before->next.size() == 1 && before->number + 1 == step.number &&
        !step.renumbered)
      step.chain = before->chain;
    if (before && !step.reassigned && !step.renumbered) {
      step.generation = before->generation;
      continue;
    }
    step.before = before ? before->generation : 0;
    step.generation = unsigned(first_of_generation_.size());
    first_of_generation_.push_back(step.number);
  }
  for (const Superstep& step : steps_)
    for (unsigned before : step.from)
      if (!step.renumbered && !step.reassigned && generation(before) != step.generation)
        return fail(fmt::format("different numberings meet in superstep {}", step.number));
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
  case Op::Meet:
    return constantArgument(*call, 0) + 1;
  default:
    return 0;
  }
}

bool isHandle(const Instruction& value) {
  Op op = opOf(value);
  return stepOfEpoch(value) || op == Op::Require || op == Op::Snapshot || op == Op::Decide;
}

unsigned constantArgument(const CallInst& call, unsigned index) {
  auto* constant = dyn_cast<ConstantInt>(call.getArgOperand(index));
  BSGP_CHECK(constant, "argument %u of %s is not constant", index, call.getCalledFunction()->getName().str().c_str());
  return unsigned(constant->getZExtValue());
}

namespace {

// Gives each superstep that leads to a join one block for it, which does nothing else at its end.
void gatherWays(Supersteps& steps) {
  for (const Superstep& step : steps.all()) {
    if (!step.meet)
      continue;
    MapVector<unsigned, SmallSetVector<BasicBlock*, 4>> leaving;
    for (BasicBlock* before : predecessors(step.meet))
      leaving[steps.stepOf(*before->getTerminator())].insert(before);
    for (auto& [from, blocks] : leaving)
      if (!steps.step(from).decide && (blocks.size() > 1 || blocks[0]->getTerminator()->getNumSuccessors() > 1))
        SplitBlockPredecessors(step.meet, blocks.getArrayRef(), ".way");
  }
}

// True if nothing stands before it in its block, and its predecessors lead nowhere else, or end in a decision.
bool isCut(const Supersteps& steps, const Superstep& step) {
  bool first = step.begin == &step.begin->getParent()->front();
  return first && (step.meet || steps.step(step.from.front()).decide);
}

} // namespace

void cutAtBarriers(Function& function) {
  Supersteps steps(function);
  BSGP_CHECK(steps.violation().empty(), "%s", steps.violation().c_str());
  gatherWays(steps);
  SmallVector<Instruction*, 32> barriers;
  for (const Superstep& step : steps.all())
    if (step.begin && step.number > 1 && !isCut(steps, step))
      barriers.push_back(step.begin);
  // From the last to the first in the order of the text: a cut moves the code behind it, and so moves it once.
  for (Instruction* barrier : reverse(barriers))
    barrier->getParent()->splitBasicBlock(barrier->getIterator(), "superstep");
}

} // namespace bsgp::ir
