#include "target/common/block_terms.h"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/PatternMatch.h>

#include "ir/operations.h"

namespace bsgp::target {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

Instruction* mergeRanks(Function& thread) {
  Instruction* rank = nullptr;
  for (Instruction& instruction : make_early_inc_range(instructions(thread))) {
    if (ir::opOf(instruction) != ir::Op::Rank)
      continue;
    if (rank) {
      instruction.replaceAllUsesWith(rank);
      instruction.eraseFromParent();
      continue;
    }
    rank = &instruction;
    rank->moveBefore(thread.getEntryBlock(), thread.getEntryBlock().begin());
  }
  return rank;
}

// Divisions ask for the quotient that does not fit: whether the rank is the least number. Ranks are not negative.
void dropNegativeRanks(Instruction& rank) {
  SmallVector<std::pair<Instruction*, bool>, 4> tests;
  for (User* user : rank.users()) {
    ICmpInst::Predicate predicate;
    const APInt* bound;
    if (match(user, m_ICmp(predicate, m_Specific(&rank), m_APInt(bound))) && ICmpInst::isEquality(predicate) &&
        bound->isNegative())
      tests.push_back({cast<Instruction>(user), predicate == ICmpInst::ICMP_NE});
  }
  for (auto [test, result] : tests)
    replaceAndRecursivelySimplify(test, ConstantInt::getBool(rank.getContext(), result));
}

// True if `instruction` computes the value of `term`.
void merge(Instruction*& term, Instruction& instruction, Instruction& rank) {
  if (!term) {
    term = &instruction;
    term->moveAfter(&rank);
    return;
  }
  instruction.replaceAllUsesWith(term);
  instruction.eraseFromParent();
}

void findPlaces(BlockTerms& terms, uint32_t block) {
  if (block == 1) // every rank is a block's
    return;
  for (User* user : make_early_inc_range(terms.rank->users())) {
    auto& instruction = *cast<Instruction>(user);
    if (match(user, m_IRem(m_Specific(terms.rank), m_SpecificInt(block))))
      merge(terms.lane, instruction, *terms.rank);
    else if (match(user, m_IDiv(m_Specific(terms.rank), m_SpecificInt(block))))
      merge(terms.id, instruction, *terms.rank);
  }
}

// umin(size - id*B, B)
void findSizes(BlockTerms& terms, Function& thread, const plan::Kernel& kernel, uint32_t block) {
  if (!terms.id)
    return;
  for (auto [index, parameter] : enumerate(kernel.params)) {
    if (parameter.kind != plan::Param::Size)
      continue;
    auto rest = m_Sub(m_Specific(thread.getArg(index)), m_c_Mul(m_Specific(terms.id), m_SpecificInt(block)));
    for (Instruction& instruction : make_early_inc_range(instructions(thread)))
      if (match(&instruction, m_c_UMin(rest, m_SpecificInt(block)))) {
        if (terms.size)
          instruction.replaceAllUsesWith(terms.size);
        else
          terms.size = &instruction;
      }
  }
}

} // namespace

BlockTerms findBlockTerms(Function& thread, const plan::Kernel& kernel, uint32_t block) {
  BlockTerms terms;
  terms.rank = mergeRanks(thread);
  if (!terms.rank)
    return terms;
  dropNegativeRanks(*terms.rank);
  findPlaces(terms, block);
  findSizes(terms, thread, kernel, block);
  return terms;
}

namespace {

// Lanes and ranks are not negative: sign or zero extension makes no difference, and a block's lanes fit into 32 bits.
bool isTerm(Value* value, const Instruction* term, bool cut_to_32) {
  if (!term)
    return false;
  Value* inner = nullptr;
  if (match(value, m_ZExtOrSExt(m_Value(inner))) ||
      (cut_to_32 && match(value, m_Trunc(m_Value(inner))) && value->getType()->getIntegerBitWidth() >= 32))
    return inner == term;
  return value == term;
}

} // namespace

std::optional<LaneTest> laneTest(Value& condition, const BlockTerms& terms) {
  auto* compare = dyn_cast<ICmpInst>(&condition);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  for (bool swapped : {false, true}) {
    Value* left = compare->getOperand(swapped);
    bool lane = isTerm(left, terms.lane, true);
    if (lane || isTerm(left, terms.rank, false))
      return LaneTest{swapped ? compare->getSwappedPredicate() : compare->getPredicate(), compare->getOperand(!swapped),
                      !lane};
  }
  return std::nullopt;
}

} // namespace bsgp::target
