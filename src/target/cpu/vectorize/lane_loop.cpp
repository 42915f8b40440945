#include "target/cpu/vectorize/lane_loop.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kDepth = 4;

// Returns the largest power of two that is known to divide the value. The range of a kernel's function begins with a
// block: its first rank is a multiple of the block's size.
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

// Returns a range that the value is known to be in.
ConstantRange rangeOf(const Value* value, const LaneLoop& lanes, unsigned depth = 0) {
  unsigned bits = value->getType()->getIntegerBitWidth();
  ConstantRange range = computeConstantRange(value, /*ForSigned=*/false);
  if (lanes.counter(value)) // it is known to be a number of fewer bits with a sign, and not negative
    for (const User* user : value->users())
      if (auto* narrow = dyn_cast<TruncInst>(user); narrow && narrow->hasNoSignedWrap() &&
                                                    narrow->hasNoUnsignedWrap() &&
                                                    narrow->getParent() == lanes.header) // in all threads
        return {APInt::getZero(bits), APInt::getOneBitSet(bits, narrow->getType()->getIntegerBitWidth() - 1)};
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth == kDepth)
    return range;
  auto of = [&](unsigned operand) { return rangeOf(instruction->getOperand(operand), lanes, depth + 1); };
  switch (instruction->getOpcode()) {
  case Instruction::Add:
    return range.intersectWith(of(0).add(of(1)));
  case Instruction::Sub:
    return range.intersectWith(of(0).sub(of(1)));
  case Instruction::Select:
    return range.intersectWith(of(1).unionWith(of(2)));
  case Instruction::SExt:
    return range.intersectWith(of(0).signExtend(bits));
  case Instruction::ZExt:
    return range.intersectWith(of(0).zeroExtend(bits));
  default:
    return range;
  }
}

// An instruction that cuts a number to fewer bits and makes it as wide as it was, and times 2^scale, if it cuts nothing.
struct Cut {
  Instruction* at;
  Value* number;
  uint64_t scale;
};
std::optional<Cut> findCut(Instruction& instruction, const LaneLoop& lanes) {
  using namespace PatternMatch;
  Value* number = nullptr;
  const APInt *mask = nullptr, *up = nullptr, *down = nullptr;
  if (!instruction.getType()->isIntegerTy())
    return std::nullopt;
  if (match(&instruction, m_And(m_Value(number), m_LowBitMask(mask))))
    return rangeOf(number, lanes).getUnsignedMax().ule(*mask) ? std::optional(Cut{&instruction, number, 0})
                                                              : std::nullopt;
  if (!match(&instruction, m_AShr(m_Shl(m_Value(number), m_APInt(up)), m_APInt(down))) || up->ult(*down))
    return std::nullopt;
  ConstantRange range = rangeOf(number, lanes);
  unsigned left = instruction.getType()->getIntegerBitWidth() - up->getZExtValue();
  if (!range.getSignedMax().isSignedIntN(left) || !range.getSignedMin().isSignedIntN(left))
    return std::nullopt;
  return Cut{&instruction, number, (*up - *down).getZExtValue()};
}

} // namespace

bool dropCuts(const LaneLoop& lanes) {
  SmallVector<Cut, 4> cuts;
  for (BasicBlock* block : lanes.loop->blocks())
    for (Instruction& instruction : *block)
      if (auto cut = findCut(instruction, lanes))
        cuts.push_back(*cut);
  for (auto [at, number, scale] : reverse(cuts)) {
    IRBuilder<> builder(at);
    at->replaceAllUsesWith(scale ? builder.CreateShl(number, scale, "", false, /*HasNSW=*/true) : number);
    at->eraseFromParent();
  }
  return !cuts.empty();
}

uint64_t largestPowerIn(uint64_t number) {
  return number ? std::min(number & (~number + 1), kLargestMultiple) : kLargestMultiple;
}

Value* counterAfter(IRBuilder<>& builder, const LaneCounter& counter, Value* turns) {
  Type* type = counter.phi->getType();
  if (type->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), counter.start,
                             builder.CreateMul(turns, builder.getInt64(counter.step)));
  Value* by = builder.CreateMul(builder.CreateZExtOrTrunc(turns, type), ConstantInt::get(type, counter.step, true));
  return builder.CreateAdd(counter.start, by);
}

bool simplifyLaneLoop(Loop& loop, Function& function, FunctionAnalysisManager& analyses) {
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  ScalarEvolution& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  DominatorTree& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  AssumptionCache& assumptions = analyses.getResult<AssumptionAnalysis>(function);
  bool changed = simplifyLoop(&loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
  return formLCSSARecursively(loop, dominators, &loops, &evolution) || changed;
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
