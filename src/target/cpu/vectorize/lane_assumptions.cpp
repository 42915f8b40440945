// Finds properties that hold for most vectors and are tested at the head of the loop over them: their lanes are in
// one row of a matrix, and none of them is at a border, or all are.
//
//   x = rank % w, y = rank / w         one quotient for all lanes: y is uniform, x goes on by 1
//   max(x - 1, 0), x > 0 ? x - 1 : x   all lanes have x - 1, which goes on by 1
//   if (x > 0 && x < w - 1)            all lanes find the same when they compare, in all vectors up to the next
//                                      border: they take one edge
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ProfDataUtils.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kStrideBits = 16, kLeastBits = 32, kDepth = 8;
constexpr size_t kMost = 24;          // each is compared for each vector
constexpr unsigned kLeastVectors = 4; // in a row
constexpr uint64_t kLikely = 100;     // as often one edge as the other, and more

} // namespace

bool LaneShapes::isQuotient(const Instruction& instruction) {
  return instruction.getOpcode() == Instruction::SDiv || instruction.getOpcode() == Instruction::UDiv;
}

bool LaneShapes::isBesideRemainder(const Value& value) const {
  auto* sum = dyn_cast<BinaryOperator>(&value);
  if (!sum || sum->getOpcode() != Instruction::Add || !assumed_.contains(sum->getOperand(0)))
    return false;
  auto* constant = dyn_cast<ConstantInt>(sum->getOperand(1));
  auto* remainder = dyn_cast<BinaryOperator>(sum->getOperand(0));
  return constant && remainder && remainder->isIntDivRem() && !isQuotient(*remainder) &&
         constant->getValue().isSignedIntN(constant->getBitWidth() - 2);
}

void LaneShapes::assume(Assume what) {
  auto each = [&](auto assume_of) {
    for (BasicBlock* block : flow_.order())
      for (Instruction& instruction : *block)
        if (assumptions_.size() != kMost)
          assume_of(instruction);
  };
  each([&](Instruction& instruction) {
    auto* operation = dyn_cast<BinaryOperator>(&instruction);
    if (operation && operation->isIntDivRem())
      assumeRow(*operation);
    else if (what == Assume::Inside && instruction.getType()->isIntegerTy() &&
             isa<MinMaxIntrinsic, SelectInst>(instruction))
      assumeInside(instruction);
  });
  if (what != Assume::Inside)
    return;
  each([&](Instruction& instruction) {
    if (auto* compare = dyn_cast<ICmpInst>(&instruction))
      assumeAlike(*compare);
  });
}

// Computes by how much a value grows from thread to thread, if it is a sum of counters, of uniform values, and of
// values that are assumed to grow. Nullopt also if the sum might wrap around more than once within a vector.
std::optional<int64_t> LaneShapes::strideOf(Value& value, SmallVectorImpl<Growth>& extended, unsigned depth) {
  if (!lanes_.contains(&value) || same_.contains(&value))
    return 0;
  if (const LaneCounter* counter = lanes_.counter(&value))
    return counter->step;
  if (auto known = assumed_.find(&value); known != assumed_.end())
    return known->second;
  if (irregular_.contains(&value))
    return std::nullopt;
  auto stride = strideOfResult(llvm::cast<Instruction>(value), extended, depth);
  if (!stride)
    irregular_.insert(&value);
  return stride;
}

std::optional<int64_t> LaneShapes::strideOfResult(Instruction& instruction, SmallVectorImpl<Growth>& extended,
                                                  unsigned depth) {
  if (depth == kDepth || isa<PHINode>(instruction) || !isSafeToSpeculativelyExecute(&instruction) ||
      instruction.mayReadFromMemory())
    return std::nullopt;
  SmallVector<int64_t, 3> strides;
  for (Value* operand : instruction.operand_values()) {
    auto stride = isa<Function>(operand) ? 0 : strideOf(*operand, extended, depth + 1);
    if (!stride || !isIntN(kStrideBits, *stride))
      return std::nullopt;
    strides.push_back(*stride);
  }
  if (all_of(strides, [](int64_t stride) { return stride == 0; })) {
    same_.insert(&instruction);
    return 0;
  }
  switch (instruction.getOpcode()) {
  case Instruction::SExt:
  case Instruction::ZExt:
    if (instruction.getOperand(0)->getType()->getIntegerBitWidth() < kLeastBits)
      return std::nullopt;
    extended.push_back({instruction.getOperand(0), strides[0]});
    return strides[0];
  case Instruction::Trunc:
    return strides[0];
  case Instruction::Add:
    return strides[0] + strides[1];
  case Instruction::Sub:
    return strides[0] - strides[1];
  default:
    return std::nullopt;
  }
}

// Assumes one quotient for all lanes, for a division of a value that grows with the rank.
void LaneShapes::assumeRow(BinaryOperator& division) {
  auto* constant = dyn_cast<ConstantInt>(division.getOperand(1));
  bool short_rows = constant && constant->getValue().ult(kLeastVectors * width_);
  if (!lanes_.loop->isLoopInvariant(division.getOperand(1)) || short_rows)
    return;
  Assumption row{&division, 0};
  auto stride = strideOf(*division.getOperand(0), row.growing);
  bool narrow = division.getType()->getIntegerBitWidth() < kLeastBits;
  if (!stride || *stride <= 0 || !isIntN(kStrideBits, *stride) || narrow)
    return;
  row.stride = *stride;
  row.growing.push_back({division.getOperand(0), *stride});
  shapes_[&division] = isQuotient(division) ? LaneShape::uniform() : LaneShape::linear(*stride, 1, true);
  assumed_[&division] = isQuotient(division) ? 0 : *stride;
  assumptions_.push_back(std::move(row));
}

// Assumes the same side in all lanes, for a min or max of a growing value and a uniform one, and for a ?: that
// compares such.
void LaneShapes::assumeInside(Instruction& choice) {
  if (auto* bound = dyn_cast<MinMaxIntrinsic>(&choice)) {
    CmpInst::Predicate keeps = ICmpInst::getNonStrictPredicate(bound->getPredicate()); // of the left operand
    Value &left = *bound->getLHS(), &right = *bound->getRHS();
    for (auto [chosen, other] : {std::pair(&left, &right), std::pair(&right, &left)})
      if (Assumption inside{&choice, 0};
          addTest(*chosen, keeps, *other, inside) && assumeChoice(choice, *chosen, inside))
        return;
    return;
  }
  auto& select = llvm::cast<SelectInst>(choice);
  for (bool yes : {false, true}) // x == 0 ? w - 1 : x - 1
    if (Assumption inside{&choice, 0};
        addTests(*select.getCondition(), yes, inside) &&
        assumeChoice(choice, *(yes ? select.getTrueValue() : select.getFalseValue()), inside))
      return;
}

bool LaneShapes::assumeChoice(Instruction& choice, Value& chosen, Assumption inside) {
  auto stride = strideOf(chosen, inside.growing);
  if (!stride || *stride == 0 || !isIntN(kStrideBits, *stride) || chosen.getType()->getIntegerBitWidth() < kLeastBits)
    return false;
  inside.stride = *stride, inside.chosen = &chosen;
  if (none_of(inside.growing, [&](const Growth& growth) { return growth.value == &chosen; }))
    inside.growing.push_back({&chosen, *stride});
  shapes_[&choice] = LaneShape::linear(*stride, 1, true);
  assumed_[&choice] = *stride;
  for (const Test& test : inside.tests)
    decide(test);
  assumptions_.push_back(std::move(inside));
  return true;
}

void LaneShapes::decide(const Test& test) {
  if (!test.compare)
    return;
  shapes_[test.compare] = LaneShape::uniform();
  assumed_[test.compare] = 0;
  decided_[test.compare] = test.is_true;
}

// Returns what a condition nearly always is, if the branches on it have weights that say so.
static std::optional<bool> likely(const ICmpInst& condition) {
  std::optional<bool> known;
  for (const User* user : condition.users()) {
    uint64_t yes = 0, no = 0;
    auto* branch = dyn_cast<BranchInst>(user);
    bool is_clear =
        branch && extractBranchWeights(*branch, yes, no) && std::max(yes, no) / kLikely >= std::min(yes, no);
    if (!is_clear || (known && *known != (yes > no)))
      return std::nullopt;
    known = yes > no;
  }
  return known;
}

// Assumes the same result in all lanes, for a comparison that is used by more than choices that are assumed.
void LaneShapes::assumeAlike(ICmpInst& compare) {
  Assumption alike{&compare, 0};
  std::optional<bool> expected = likely(compare);
  bool decided = compare.isEquality() || expected; // nowhere equal, or as expected: so say all lanes
  bool wanted = expected ? *expected : compare.getPredicate() != CmpInst::ICMP_EQ;
  if (assumed_.contains(&compare) || !isAsked(compare) || !addTests(compare, wanted, alike))
    return;
  const Test& test = alike.tests.front();
  if (test.tested.stride == 0)
    return;
  if (decided)
    decide(test);
  else if (compare.isSigned()) // what is compared may be negative
    alike.growing.pop_back();
  shapes_[&compare] = LaneShape::uniform();
  assumed_[&compare] = 0;
  assumptions_.push_back(std::move(alike));
}

// True if anything but assumed choices and the branch to the next thread depends on the condition.
bool LaneShapes::isAsked(const Value& condition, unsigned depth) const {
  return any_of(condition.users(), [&](const User* user) {
    bool joins = user->getType()->isIntegerTy(1) && isa<BinaryOperator, SelectInst>(user) && depth < kDepth;
    return joins ? isAsked(*user, depth + 1) : !assumed_.contains(user) && user != lanes_.latch->getTerminator();
  });
}

// Collects the tests that make the condition `wanted` in all lanes: one, or several that all have to hold.
bool LaneShapes::addTests(Value& condition, bool wanted, Assumption& inside, unsigned depth) {
  using namespace PatternMatch;
  Value *left = nullptr, *right = nullptr;
  bool several = wanted ? match(&condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                        : match(&condition, m_LogicalOr(m_Value(left), m_Value(right)));
  if (several)
    return depth < kDepth && addTests(*left, wanted, inside, depth + 1) && addTests(*right, wanted, inside, depth + 1);
  auto* compare = dyn_cast<ICmpInst>(&condition);
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
    return false;
  if (auto known = decided_.find(compare); known != decided_.end() && known->second != wanted)
    return false;
  CmpInst::Predicate holds = wanted ? compare->getPredicate() : compare->getInversePredicate();
  Value &first = *compare->getOperand(0), &second = *compare->getOperand(1);
  if (!addTest(first, holds, second, inside) && !addTest(second, ICmpInst::getSwappedPredicate(holds), first, inside))
    return false;
  inside.tests.back().compare = compare, inside.tests.back().is_true = wanted;
  return true;
}

bool LaneShapes::addTest(Value& tested, CmpInst::Predicate holds, Value& limit, Assumption& inside) {
  SmallVector<Growth, 2> growing;
  auto stride = strideOf(tested, growing), of_limit = strideOf(limit, growing);
  bool wide = tested.getType()->getIntegerBitWidth() >= kLeastBits;
  if (!stride || of_limit != 0 || !isIntN(kStrideBits, *stride) || !wide || (*stride && holds == CmpInst::ICMP_EQ))
    return false;
  inside.growing.append(growing);
  inside.tests.push_back({{&tested, *stride}, holds, &limit});
  if (*stride)
    inside.growing.push_back({&tested, *stride});
  return true;
}

} // namespace bsgp::target
