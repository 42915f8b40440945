// A structure in an array is a row of fields. Lanes that read a field of neighbouring elements read it at a stride, which takes
// a transposition of rows for each access; the code generator's time for these grows faster than the rows. Nobody sees how a
// shared array lies in memory, so where all lanes go through it at a constant step each field gets an array of its own:
//
//   [320 x { float, i32 }] v;  v[lane].0, v[lane + 8].1   =>   [320 x i32] v.0, v.4;  v.0[lane], v.4[lane + 8]
//
// Arrays stay as they are whose elements lanes choose, or one thread copies in a loop of its own: these want whole rows.
//
// Requires: runs on a kernel of blocks, when loops are unrolled, before the vectorizers. Ensures: the same values.
#include "target/cpu/passes/shared_columns.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <map>

#include "target/cpu/passes/shared_unroll.h"
#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostColumns = 64;

// A load or store of a field of the element that the terms and `element` make together.
struct FieldAccess {
  Instruction* access;
  SmallVector<std::pair<Value*, int64_t>, 2> terms; // an index, and how many elements it counts by
  int64_t element = 0;
  uint64_t field = 0; // in bytes
};

class SharedColumns {
public:
  SharedColumns(AllocaInst& array, ArrayRef<Loop*> lanes, LoopInfo& loops, ScalarEvolution& evolution)
      : array_(array), layout_(array.getDataLayout()), lanes_(lanes), loops_(loops), evolution_(evolution) {}

  // Was the array replaced?
  bool run() {
    auto* type = dyn_cast<ArrayType>(array_.getAllocatedType());
    if (!type || !type->getElementType()->isAggregateType() || array_.isArrayAllocation())
      return false;
    count_ = type->getNumElements();
    bytes_ = layout_.getTypeAllocSize(type->getElementType()).getFixedValue();
    auto accesses = accessesOf(array_);
    if (!accesses || accesses->empty() || !all_of(*accesses, [&](Instruction* access) { return describe(*access); }))
      return false;
    if (columns_.size() < 2 || columns_.size() > kMostColumns || overlap())
      return false;
    createColumns();
    SmallVector<WeakTrackingVH, 32> gone;
    for (const FieldAccess& access : accesses_) {
      gone.push_back(getLoadStorePointerOperand(access.access));
      redirect(access);
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(gone);
    return true;
  }

private:
  struct Column {
    uint64_t bytes;
    AllocaInst* memory = nullptr;
    Value* pointer = nullptr; // to it, in the space of accesses
  };

  bool describe(Instruction& access) {
    FieldAccess made{&access, {}, 0, 0};
    APInt constant(64, 0);
    MapVector<Value*, APInt> indices;
    Value* pointer = getLoadStorePointerOperand(&access);
    for (; pointer != &array_; pointer = cast<User>(pointer)->getOperand(0))
      if (auto* step = dyn_cast<GEPOperator>(pointer); step && !step->collectOffset(layout_, 64, indices, constant))
        return false;
    const int64_t size = int64_t(bytes_), offset = constant.getSExtValue();
    made.field = uint64_t((offset % size + size) % size);
    made.element = (offset - int64_t(made.field)) / size;
    for (auto& [index, scale] : indices) {
      if (scale.getSExtValue() % size)
        return false;
      made.terms.push_back({index, scale.getSExtValue() / size});
    }
    uint64_t width = layout_.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
    auto [column, added] = columns_.try_emplace(made.field, Column{width});
    if ((!added && column->second.bytes != width) || !isInStep(access))
      return false;
    accesses_.push_back(std::move(made));
    return true;
  }

  // Do lanes go through the array at a constant step here, or does one thread come by without a loop?
  bool isInStep(Instruction& access) {
    Loop* loop = loops_.getLoopFor(access.getParent());
    const bool over_lanes = loop && is_contained(lanes_, loop);
    if (loop && loop->getParentLoop() && !over_lanes) // a thread's own
      return isa<StoreInst>(access) && none_of(lanes_, [&](Loop* lanes) { return lanes->contains(loop); });
    if (!over_lanes)
      return true;
    const SCEV* address = evolution_.getSCEV(getLoadStorePointerOperand(&access));
    if (evolution_.isLoopInvariant(address, loop))
      return true;
    auto* steps = dyn_cast<SCEVAddRecExpr>(address);
    return steps && steps->getLoop() == loop && isa<SCEVConstant>(steps->getStepRecurrence(evolution_));
  }

  bool overlap() const {
    uint64_t end = 0;
    for (auto& [field, column] : columns_) {
      if (field < end || !isPowerOf2_64(column.bytes))
        return true;
      end = field + column.bytes;
    }
    return end > bytes_;
  }

  void createColumns() {
    IRBuilder<> builder(&array_);
    for (auto& [field, column] : columns_) {
      auto* type = ArrayType::get(builder.getIntNTy(unsigned(8 * column.bytes)), count_);
      column.memory = builder.CreateAlloca(type, nullptr, array_.getName() + "." + Twine(field));
      column.memory->setAlignment(array_.getAlign());
      column.memory->setMetadata(kLanes, array_.getMetadata(kLanes));
    }
  }

  // Casts stand before all loops: LLVM's vectorizer knows no steps behind one.
  static void usePointer(Column& column, Type* type) {
    if (column.pointer && column.pointer->getType() == type)
      return;
    IRBuilder<> builder(column.memory->getNextNode());
    column.pointer = builder.CreateAddrSpaceCast(column.memory, type);
  }

  void redirect(const FieldAccess& access) {
    Column& column = columns_.at(access.field);
    usePointer(column, getLoadStorePointerOperand(access.access)->getType());
    IRBuilder<> builder(access.access);
    Type *type = column.memory->getAllocatedType()->getArrayElementType(), *wide = builder.getInt64Ty();
    Value* place = column.pointer;
    for (auto [index, step] : access.terms) {
      Value* elements = builder.CreateSExtOrTrunc(index, wide);
      place = builder.CreateGEP(type, place,
                                step == 1 ? elements : builder.CreateMul(elements, builder.getInt64(uint64_t(step))));
    }
    if (access.element)
      place = builder.CreateConstGEP1_64(type, place, uint64_t(access.element));
    if (auto* load = dyn_cast<LoadInst>(access.access))
      load->setAlignment(Align(column.bytes));
    else
      cast<StoreInst>(access.access)->setAlignment(Align(column.bytes));
    access.access->setOperand(isa<LoadInst>(access.access) ? 0 : 1, place);
  }

  AllocaInst& array_;
  const DataLayout& layout_;
  ArrayRef<Loop*> lanes_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  uint64_t count_ = 0, bytes_ = 0; // of elements
  std::map<uint64_t, Column> columns_;
  SmallVector<FieldAccess, 32> accesses_;
};

} // namespace

PreservedAnalyses SharedColumnsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  if (!function.hasFnAttribute(kBlockByBlockAttribute))
    return PreservedAnalyses::all();
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  ScalarEvolution& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<Loop*, 8> lanes = loopsOverThreads(function, loops);
  bool changed = false;
  for (AllocaInst* array : sharedArrays(function))
    changed |= SharedColumns(*array, lanes, loops, evolution).run();
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace bsgp::target
