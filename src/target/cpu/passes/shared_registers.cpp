// Threads of a block exchange values through shared arrays. When the block is small and each access stands at a place
// known at compile time, no memory is needed: what one lane reads of another is a shuffle of vectors. A load that spans
// two stores, as s[rank - 1] does, would have to wait until both are in the cache.
//
//   for 4 vectors: store v, s[16i]          s0 = ..., s1 = ..., s2 = ..., s3 = ...
//   for 4 vectors: load s[16i - 1]    =>    shuffle s0, s1, <15, 16, ... 30>; ...
//
// Requires: runs when the loop vectorizer is done; a block of the function `.ranks` of whole blocks, whose trip counts
// are constants. Ensures: arrays whose accesses all stand in one block, each load behind the stores of what it loads,
// are gone. What a block of threads reads and has not written is undefined; it is 0.
#include "target/cpu/passes/shared_registers.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Local.h>

#include "target/cpu/passes/shared_unroll.h"
#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// The value that one element of the array holds at this point of the block.
struct Element {
  Value* source = nullptr; // a scalar, or a vector; null: not written yet
  int lane = 0;            // of a vector
};

class SharedArrayPromotion {
public:
  SharedArrayPromotion(AllocaInst& array, bool repeats) : array_(array), repeats_(repeats) {}

  void run() {
    auto accesses = accessesOf(array_);
    if (!accesses || accesses->empty() || !describe(*accesses) || !isWrittenFirst())
      return;
    SmallVector<WeakTrackingVH, 32> gone;
    for (Instruction& instruction : make_early_inc_range(*block_)) {
      auto place = places_.find(&instruction);
      if (place == places_.end())
        continue;
      if (auto* store = dyn_cast<StoreInst>(&instruction))
        write(place->second, store->getValueOperand());
      else
        instruction.replaceAllUsesWith(read(place->second, instruction));
      gone.push_back(getLoadStorePointerOperand(&instruction));
      instruction.eraseFromParent();
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(gone);
  }

private:
  static unsigned lanesOf(const Type* type) {
    auto* vector = dyn_cast<FixedVectorType>(type);
    return vector ? vector->getNumElements() : 1;
  }

  // Fills in block_, type_ and places_. False if accesses differ in type, stand in several blocks, or have unknown
  // places.
  bool describe(ArrayRef<Instruction*> accesses) {
    const DataLayout& layout = array_.getDataLayout();
    block_ = accesses.front()->getParent();
    type_ = getLoadStoreType(accesses.front())->getScalarType();
    uint64_t size = layout.getTypeAllocSize(type_);
    if (layout.getTypeSizeInBits(type_) != size * 8 || !type_->isSingleValueType())
      return false;
    elements_.resize(array_.getAllocationSize(layout)->getFixedValue() / size);
    for (Instruction* access : accesses) {
      Value* pointer = getLoadStorePointerOperand(access);
      APInt offset(64, 0);
      if (pointer->stripAndAccumulateConstantOffsets(layout, offset, true, true) != &array_)
        return false;
      Type* type = getLoadStoreType(access);
      int64_t at = offset.getSExtValue();
      bool inside = at >= 0 && at % int64_t(size) == 0 && uint64_t(at) / size + lanesOf(type) <= elements_.size();
      if (access->getParent() != block_ || type->getScalarType() != type_ || isa<ScalableVectorType>(type) || !inside)
        return false;
      places_[access] = unsigned(uint64_t(at) / size);
    }
    return true;
  }

  // True if the code runs only once for a block of threads, or if each element is written before it is read. Else a
  // load would see the last iteration's value, which is not kept.
  bool isWrittenFirst() {
    if (!repeats_)
      return true;
    SmallVector<bool, 256> written(elements_.size());
    for (Instruction& instruction : *block_)
      if (auto place = places_.find(&instruction); place != places_.end())
        for (unsigned i = 0; i != lanesOf(getLoadStoreType(&instruction)); ++i) {
          if (isa<LoadInst>(instruction) && !written[place->second + i])
            return false;
          written[place->second + i] = true;
        }
    return true;
  }

  void write(unsigned at, Value* value) {
    for (unsigned i = 0; i != lanesOf(value->getType()); ++i)
      elements_[at + i] = {value, int(i)};
  }

  Value* read(unsigned at, Instruction& load) {
    IRBuilder<> builder(&load);
    auto* vector = dyn_cast<FixedVectorType>(load.getType());
    if (!vector)
      return element(builder, elements_[at]);
    auto wanted = ArrayRef(elements_).slice(at, vector->getNumElements());
    SmallSetVector<Value*, 4> sources;
    bool unwritten = false, scalars = false;
    for (const Element& one : wanted) {
      unwritten |= !one.source;
      scalars |= one.source && !one.source->getType()->isVectorTy();
      if (one.source)
        sources.insert(one.source);
    }
    if (sources.empty())
      return Constant::getNullValue(vector);
    if (scalars && sources.size() == 1 && !unwritten)
      return builder.CreateVectorSplat(vector->getNumElements(), sources[0]);
    if (unwritten && !scalars)
      sources.insert(Constant::getNullValue(sources[0]->getType()));
    bool two = !scalars && sources.size() <= 2 && sources[0]->getType() == sources.back()->getType();
    return two ? shuffle(builder, wanted, sources[0], sources.back()) : collect(builder, wanted, sources);
  }

  Value* element(IRBuilder<>& builder, const Element& one) const {
    if (!one.source)
      return Constant::getNullValue(type_);
    return one.source->getType()->isVectorTy() ? builder.CreateExtractElement(one.source, uint64_t(one.lane))
                                               : one.source;
  }

  static Value* shuffle(IRBuilder<>& builder, ArrayRef<Element> wanted, Value* first, Value* second) {
    int lanes = int(lanesOf(first->getType()));
    SmallVector<int, 32> mask;
    for (const Element& one : wanted)
      mask.push_back(!one.source ? lanes : one.source == first ? one.lane : lanes + one.lane);
    if (lanes == int(mask.size()) && ShuffleVectorInst::isIdentityMask(mask, lanes))
      return first;
    return builder.CreateShuffleVector(first, first == second ? PoisonValue::get(first->getType()) : second, mask);
  }

  // Merges lanes of any number of sources, one source after the other.
  Value* collect(IRBuilder<>& builder, ArrayRef<Element> wanted, const SmallSetVector<Value*, 4>& sources) const {
    int lanes = int(wanted.size());
    Value* sum = Constant::getNullValue(FixedVectorType::get(type_, unsigned(lanes)));
    for (Value* source : sources) {
      if (isa<Constant>(source) && cast<Constant>(source)->isNullValue())
        continue;
      SmallVector<int, 32> widen(wanted.size(), -1), merge;
      for (int i = 0; i != lanes; ++i) {
        bool from_here = wanted[i].source == source;
        widen[i] = from_here ? wanted[i].lane : -1;
        merge.push_back(from_here ? lanes + i : i);
      }
      bool vector = source->getType()->isVectorTy();
      Value* there =
          vector ? builder.CreateShuffleVector(source, widen) : builder.CreateVectorSplat(unsigned(lanes), source);
      sum = builder.CreateShuffleVector(sum, there, merge);
    }
    return sum;
  }

  AllocaInst& array_;
  bool repeats_;
  BasicBlock* block_ = nullptr;
  Type* type_ = nullptr;
  DenseMap<const Instruction*, unsigned> places_; // of accesses: the first element
  SmallVector<Element, 0> elements_;
};

} // namespace

PreservedAnalyses SharedRegistersPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (!function.hasFnAttribute(kBlockByBlockAttribute))
    return PreservedAnalyses::all();
  auto arrays = unrollAroundSharedArrays(function, analyses);
  if (arrays.empty())
    return PreservedAnalyses::all();
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (AllocaInst* array : arrays) {
    auto accesses = accessesOf(*array);
    if (accesses && !accesses->empty())
      SharedArrayPromotion(*array, loops.getLoopDepth(accesses->front()->getParent()) > 1).run();
  }
  return PreservedAnalyses::none();
}

} // namespace bsgp::target
