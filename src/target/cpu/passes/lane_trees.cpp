// A thread that combines what all threads of its block wrote (packets of rays do, to decide where they go) combines
// the lanes of a vector in registers (shared_registers.cpp) one by one. Operations that combine two lanes each become
// one operation on the vector and its shuffle:
//
//   a = min(v[0], v[1]);  b = min(v[2], v[3])     w = min(v, shuffle v, <1, _, 3, _>);  a = w[0];  b = w[2]
//   c = min(a, b)                              => u = min(w, shuffle w, <2, _, _, _>);  c = u[0]
//
// Requires: runs when shared arrays are registers, before LLVM's vectorizer of straight code, which would take trees
// side by side for its lanes. Ensures: the same operations on the same operands in the same order; the results of
// other lanes are not used.
#include "target/cpu/passes/lane_trees.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>

namespace bsgp::target {

using namespace llvm;

namespace {

// An operation on two lanes: root = operation(first, second). A minimum may be a comparison and a select.
struct Pair {
  Instruction* root = nullptr;
  CmpInst* comparison = nullptr;
  Value *first = nullptr, *second = nullptr;
  bool swapped = false; // the select takes `second` where the comparison holds
};

std::optional<Pair> pairOf(Instruction& root) {
  if (isa<BinaryOperator>(root) && !root.isIntDivRem())
    return Pair{&root, nullptr, root.getOperand(0), root.getOperand(1)};
  if (isa<MinMaxIntrinsic>(root))
    return Pair{&root, nullptr, root.getOperand(0), root.getOperand(1)};
  auto* choice = dyn_cast<SelectInst>(&root);
  auto* comparison = choice ? dyn_cast<CmpInst>(choice->getCondition()) : nullptr;
  if (!comparison)
    return std::nullopt;
  Value *first = comparison->getOperand(0), *second = comparison->getOperand(1);
  bool straight = choice->getTrueValue() == first && choice->getFalseValue() == second;
  bool swapped = choice->getTrueValue() == second && choice->getFalseValue() == first;
  if (!straight && !swapped)
    return std::nullopt;
  return Pair{&root, comparison, first, second, swapped};
}

// Pairs of the same kind can become one vector operation: block, opcode, predicate or intrinsic, order.
using Kind = std::tuple<BasicBlock*, unsigned, unsigned, unsigned>;
using Pairs = std::map<unsigned, Pair>; // by the number of the first lane

Kind kindOf(const Pair& pair) {
  auto* call = dyn_cast<IntrinsicInst>(pair.root);
  unsigned which = pair.comparison ? unsigned(pair.comparison->getPredicate()) : call ? call->getIntrinsicID() : 0;
  return {pair.root->getParent(), pair.root->getOpcode(), which, unsigned(pair.swapped)};
}

class Trees {
public:
  // `first`: the vector is where trees begin, not a level of one: there, a single pair is no tree.
  Trees(Value& vector, bool first) : vector_(&vector), type_(cast<FixedVectorType>(vector.getType())), first_(first) {}

  bool run() {
    bool changed = false;
    while (Value* next = combine()) {
      Trees(*next, false).run();
      changed = true;
    }
    return changed;
  }

private:
  std::optional<unsigned> laneOf(const Value* value) const {
    auto* extract = dyn_cast<ExtractElementInst>(value);
    auto* index =
        extract && extract->getVectorOperand() == vector_ ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index || index->getValue().uge(type_->getNumElements()))
      return std::nullopt;
    return unsigned(index->getZExtValue());
  }

  // All pairs of two lanes, by kind and by the distance of their lanes: those with the same kind and distance are one
  // level of a tree.
  MapVector<std::pair<Kind, int>, Pairs> findPairs() const {
    MapVector<std::pair<Kind, int>, Pairs> pairs;
    for (User* extract : vector_->users()) {
      if (!laneOf(extract))
        continue;
      for (User* user : extract->users()) {
        auto* root = dyn_cast<Instruction>(user);
        auto pair = root ? pairOf(*root) : std::nullopt;
        auto lane = pair ? laneOf(pair->first) : std::nullopt;
        if (lane && laneOf(pair->second) && root->getType() == type_->getElementType())
          pairs[{kindOf(*pair), int(*laneOf(pair->second)) - int(*lane)}].try_emplace(*lane, *pair);
      }
    }
    return pairs;
  }

  // Makes one vector operation of the largest group of pairs. Null if no group pays: it takes two pairs, or one at
  // the last level of a tree.
  Value* combine() {
    auto kinds = findPairs();
    auto most = std::max_element(kinds.begin(), kinds.end(),
                                 [](auto& a, auto& b) { return a.second.size() < b.second.size(); });
    if (most == kinds.end() || most->second.size() < (first_ ? 2 : 1))
      return nullptr;
    return write(most->second);
  }

  Value* write(const Pairs& pairs) {
    Instruction* place = pairs.begin()->second.root;
    SmallVector<int, 32> seconds(type_->getNumElements(), PoisonMaskElem);
    for (auto& [lane, pair] : pairs) {
      seconds[lane] = int(*laneOf(pair.second));
      Instruction* begin = pair.comparison && pair.comparison->getParent() == pair.root->getParent()
                               ? static_cast<Instruction*>(pair.comparison)
                               : pair.root;
      if (begin->comesBefore(place))
        place = begin;
    }
    IRBuilder<> builder(place);
    Value* result = operation(builder, pairs, builder.CreateShuffleVector(vector_, seconds));
    for (auto& [lane, pair] : pairs) {
      builder.SetInsertPoint(pair.root);
      pair.root->replaceAllUsesWith(builder.CreateExtractElement(result, lane));
      RecursivelyDeleteTriviallyDeadInstructions(pair.root);
    }
    return result;
  }

  Value* operation(IRBuilder<>& builder, const Pairs& pairs, Value* seconds) {
    const Pair& one = pairs.begin()->second;
    Value* made = nullptr;
    if (one.comparison) {
      Value* holds = builder.CreateCmp(one.comparison->getPredicate(), vector_, seconds);
      made =
          one.swapped ? builder.CreateSelect(holds, seconds, vector_) : builder.CreateSelect(holds, vector_, seconds);
      for (auto& [lane, pair] : pairs)
        keepFlags(holds, *pair.comparison, &pair == &one);
    } else if (auto* call = dyn_cast<IntrinsicInst>(one.root)) {
      made = builder.CreateBinaryIntrinsic(call->getIntrinsicID(), vector_, seconds);
    } else {
      made = builder.CreateBinOp(cast<BinaryOperator>(one.root)->getOpcode(), vector_, seconds);
    }
    for (auto& [lane, pair] : pairs)
      keepFlags(made, *pair.root, &pair == &one);
    return made;
  }

  // The flags (no wrap, fast) that all of the pairs have.
  static void keepFlags(Value* made, const Instruction& from, bool first) {
    auto* instruction = dyn_cast<Instruction>(made);
    if (!instruction)
      return;
    if (first)
      instruction->copyIRFlags(&from);
    else
      instruction->andIRFlags(&from);
  }

  Value* vector_;
  FixedVectorType* type_;
  bool first_;
};

} // namespace

PreservedAnalyses LaneTreesPass::run(Function& function, FunctionAnalysisManager&) {
  SmallSetVector<Value*, 16> vectors;
  for (Instruction& instruction : instructions(function))
    if (auto* extract = dyn_cast<ExtractElementInst>(&instruction))
      if (isa<FixedVectorType>(extract->getVectorOperandType()) && !isa<Constant>(extract->getVectorOperand()))
        vectors.insert(extract->getVectorOperand());
  bool changed = false;
  for (Value* vector : vectors)
    changed |= Trees(*vector, true).run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace bsgp::target
