#include "target/cpu/vectorize/lane_loop.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include "target/cpu/rank_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kDepth = 4;

// The largest power of two that is known to divide the value. The range of a kernel's function begins with a block: its
// first rank is a multiple of the block's size.
uint64_t multipleOf(const Value* value, const Function& function, unsigned depth = 0) {
  if (auto* constant = dyn_cast<ConstantInt>(value))
    return largestPowerIn(constant->getLimitedValue());
  auto of = [&](const Value* operand) { return multipleOf(operand, function, depth + 1); };
  if (isa<ZExtInst, SExtInst>(value))
    return of(cast<Instruction>(value)->getOperand(0));
  if (auto* argument = dyn_cast<Argument>(value))
    return argument->getArgNo() == RankLoop::kBegin ? largestPowerIn(blockSizeOf(function)) : 1;
  if (auto* sum = dyn_cast<BinaryOperator>(value); sum && sum->getOpcode() == Instruction::Add && depth < kDepth)
    return std::min(of(sum->getOperand(0)), of(sum->getOperand(1)));
  auto* phi = dyn_cast<PHINode>(value);
  if (!phi || depth == kDepth)
    return 1;
  uint64_t common = kLargestMultiple;
  for (const Value* from : phi->incoming_values()) {
    auto* step = dyn_cast<BinaryOperator>(from);
    bool goes_on = step && step->getOpcode() == Instruction::Add && step->getOperand(0) == phi;
    common = std::min(common, of(goes_on ? step->getOperand(1) : from));
  }
  return common;
}

std::optional<LaneCounter> findCounter(PHINode& phi, const Loop& loop, const DataLayout& layout) {
  auto* next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  LaneCounter counter{&phi, phi.getIncomingValueForBlock(loop.getLoopPreheader())};
  if (!next)
    return std::nullopt;
  if (auto* step = dyn_cast<GetElementPtrInst>(next); step && step->getPointerOperand() == &phi) {
    APInt offset(layout.getIndexTypeSizeInBits(phi.getType()), 0);
    if (!step->accumulateConstantOffset(layout, offset) || offset.getSignificantBits() > 32)
      return std::nullopt;
    counter.step = offset.getSExtValue();
    return counter;
  }
  if (next->getOpcode() != Instruction::Add || next->getOperand(0) != &phi)
    return std::nullopt;
  auto* by = dyn_cast<ConstantInt>(next->getOperand(1));
  if (!by || by->getValue().getSignificantBits() > 32)
    return std::nullopt;
  counter.step = by->getSExtValue();
  counter.no_wrap = next->hasNoSignedWrap();
  counter.multiple = multipleOf(counter.start, *phi.getFunction());
  return counter;
}

bool isPlainFlow(Loop& loop, std::string& reason) {
  for (BasicBlock* block : loop.blocks()) {
    if (!isa<BranchInst>(block->getTerminator())) {
      reason = std::string("a terminator that is none of a lane's: ") + block->getTerminator()->getOpcodeName();
      return false;
    }
    for (Instruction& instruction : *block) {
      bool vectors = instruction.getType()->isVectorTy() ||
                     any_of(instruction.operands(), [](Value* operand) { return operand->getType()->isVectorTy(); });
      if (vectors || instruction.getType()->isTokenTy() || isa<AllocaInst>(instruction)) {
        reason = std::string("an instruction that cannot be widened: ") + instruction.getOpcodeName();
        return false;
      }
    }
  }
  return true;
}

bool haveSimpleForm(Loop& loop) {
  if (!loop.isLoopSimplifyForm())
    return false;
  return all_of(loop, [](Loop* inner) { return haveSimpleForm(*inner); });
}

} // namespace

uint64_t largestPowerIn(uint64_t number) {
  return number ? std::min(number & (~number + 1), kLargestMultiple) : kLargestMultiple;
}

std::optional<LaneLoop> describeLaneLoop(Loop& loop, ScalarEvolution& evolution, std::string& reason) {
  if (!haveSimpleForm(loop) || !loop.getExitingBlock() || loop.getExitingBlock() != loop.getLoopLatch()) {
    reason = "threads leave the loop in several ways";
    return std::nullopt;
  }
  LaneLoop lanes;
  lanes.loop = &loop;
  lanes.preheader = loop.getLoopPreheader();
  lanes.header = loop.getHeader();
  lanes.latch = loop.getLoopLatch();
  lanes.exit = loop.getExitBlock();
  if (!isPlainFlow(loop, reason))
    return std::nullopt;
  for (PHINode& phi : lanes.header->phis()) {
    auto counter = findCounter(phi, loop, phi.getDataLayout());
    if (!counter) {
      reason = "a thread uses what the one before it computed";
      return std::nullopt;
    }
    lanes.counters.push_back(*counter);
  }
  for (PHINode& phi : lanes.exit->phis())
    if (lanes.contains(phi.getIncomingValueForBlock(lanes.latch))) {
      reason = "what the last thread computed is used after it: " + phi.getName().str();
      return std::nullopt;
    }
  lanes.last_turn = evolution.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(lanes.last_turn) || lanes.counters.empty()) {
    reason = "the number of threads is not known before they run";
    return std::nullopt;
  }
  return lanes;
}

} // namespace bsgp::target
