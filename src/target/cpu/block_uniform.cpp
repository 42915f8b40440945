#include "target/cpu/block_uniform.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>

#include "ir/operations.h"

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// x / (y == 0 || ... ? 1 : y), as irgen divides.
bool isGuardedDivision(const Instruction& instruction) {
  Value *condition, *divisor;
  if (!instruction.isIntDivRem() ||
      !match(instruction.getOperand(1), m_Select(m_Value(condition), m_One(), m_Value(divisor))))
    return false;
  auto is_zero = m_SpecificICmp(ICmpInst::ICMP_EQ, m_Specific(divisor), m_Zero());
  return match(condition, m_CombineOr(is_zero, m_c_Or(is_zero, m_Value())));
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

// Within one region the way that a thread came must make no difference.
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
