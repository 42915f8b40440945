#include "target/cpu/blocks/block_uniform.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>

#include "ir/operations.h"

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// True if the value can never be the least one of its type. Flags of instructions hold only if the program executes
// them.
bool isNeverLeast(const Value& value, const DataLayout& layout) {
  if (auto* instruction = dyn_cast<Instruction>(&value)) {
    ir::Op op = ir::opOf(*instruction);
    if (op == ir::Op::Rank || op == ir::Op::Size || isa<SExtInst, ZExtInst>(value))
      return true;
  }
  KnownBits known = computeKnownBits(&value, layout, 0, nullptr, nullptr, nullptr, /*UseInstrInfo=*/false);
  return !known.getSignedMinValue().isMinSignedValue();
}

// x / (y == 0 || (x == MIN && y == -1) ? 1 : y), as irgen divides. Under a branch LLVM drops the part of the condition
// that the branch answers: what is left is no guard anywhere else.
bool isGuardedDivision(const Instruction& instruction) {
  Value *condition, *divisor;
  if (!instruction.isIntDivRem() ||
      !match(instruction.getOperand(1), m_Select(m_Value(condition), m_One(), m_Value(divisor))))
    return false;
  Value* dividend = instruction.getOperand(0);
  auto is_zero = m_SpecificICmp(ICmpInst::ICMP_EQ, m_Specific(divisor), m_Zero());
  bool is_signed = instruction.getOpcode() == Instruction::SDiv || instruction.getOpcode() == Instruction::SRem;
  if (!is_signed || isNeverLeast(*dividend, instruction.getDataLayout()))
    return match(condition, m_CombineOr(is_zero, m_c_LogicalOr(is_zero, m_Value())));
  auto is_least = m_SpecificICmp(ICmpInst::ICMP_EQ, m_Specific(dividend), m_SignMask());
  auto is_minus_one = m_SpecificICmp(ICmpInst::ICMP_EQ, m_Specific(divisor), m_AllOnes());
  return match(condition, m_c_LogicalOr(is_zero, m_c_LogicalAnd(is_least, is_minus_one)));
}

} // namespace

bool isFreeExpression(const Instruction& instruction) {
  if (isa<PHINode, AllocaInst, LoadInst>(instruction) || instruction.isTerminator() ||
      instruction.getType()->isVoidTy() || ir::opOf(instruction) != ir::Op::None)
    return false;
  if (auto* call = dyn_cast<CallInst>(&instruction); call && (!call->doesNotAccessMemory() || call->isConvergent()))
    return false;
  return !instruction.mayReadOrWriteMemory() &&
         (isSafeToSpeculativelyExecute(&instruction) || isGuardedDivision(instruction));
}

// Starts from all that might be and takes away what is not, until nothing changes: values may depend on each other
// around a loop.
UniformValues::UniformValues(Function& thread, const Regions& regions, const BlockTerms& terms, bool loads)
    : regions_(regions), terms_(terms) {
  SmallVector<Instruction*, 64> candidates;
  for (Instruction& instruction : instructions(thread))
    if (mayBe(instruction))
      candidates.push_back(&instruction);
  if (loads)
    for (const Region& region : regions.all())
      addLoads(*region.leader(), candidates);
  values_.insert(candidates.begin(), candidates.end());
  bool changed = true;
  while (changed) {
    changed = false;
    for (Instruction* candidate : candidates)
      if (values_.contains(candidate) && !holds(*candidate)) {
        values_.erase(candidate);
        changed = true;
      }
  }
  for (Instruction* candidate : candidates)
    if (isa<PHINode, LoadInst>(candidate) && values_.contains(candidate))
      placed_.push_back(candidate);
}

// All threads run a leader from its beginning: what they all load there, no other thread writes before the next sync.
// The thread itself might, where it is the only one of its block.
void UniformValues::addLoads(BasicBlock& leader, SmallVectorImpl<Instruction*>& candidates) {
  for (Instruction& instruction : leader) {
    if (instruction.mayHaveSideEffects())
      return;
    if (auto* load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
      candidates.push_back(load);
  }
}

bool UniformValues::mayBe(const Instruction& instruction) const {
  if (isa<PHINode>(instruction))
    return regions_.isLeader(instruction.getParent());
  return (&instruction != terms_.rank && &instruction != terms_.lane && isFreeExpression(instruction));
}

bool UniformValues::has(const Value& value) const {
  auto* instruction = dyn_cast<Instruction>(&value);
  return !instruction || values_.contains(instruction);
}

bool UniformValues::holds(const Instruction& instruction) const {
  if (&instruction == terms_.id || &instruction == terms_.size)
    return true;
  if (auto* phi = dyn_cast<PHINode>(&instruction); phi && !agrees(*phi))
    return false;
  return all_of(instruction.operands(), [&](const Use& use) { return has(*use); });
}

// Within one region the edge that a thread took must make no difference.
bool UniformValues::agrees(const PHINode& phi) const {
  DenseMap<unsigned, const Value*> from;
  for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i)
    for (unsigned region : regions_.of(phi.getIncomingBlock(i)))
      if (auto [known, added] = from.try_emplace(region, phi.getIncomingValue(i));
          !added && known->second != phi.getIncomingValue(i))
        return false;
  return true;
}

} // namespace bsgp::target
