#include "target/common/forward_copies.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "ir/names.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostCopies = 8;
// limits of the instructions that are looked at, for one variable and for all of them
constexpr unsigned kMostInstructions = 10000, kMostOfAll = 200000;
constexpr uint64_t kMostBytes = 1024;

// The variable is filled from `base` on, in one block.
struct Copy {
  Value* base = nullptr;
  SmallVector<StoreInst*, 16> stores;
  SmallVector<LoadInst*, 16> loads;
  BitVector bytes; // that it sets
  StoreInst* last = nullptr;
  LoadInst* earliest = nullptr; // of `loads`
};

struct Candidate {
  AllocaInst* variable = nullptr;
  SmallVector<LoadInst*, 16> reads;
  SmallVector<StoreInst*, 32> stores;
  SmallVector<Instruction*, 32> others; // addresses and markers
  MapVector<std::pair<Value*, BasicBlock*>, Copy> copies;
};

bool collectUses(Value& pointer, Candidate& found) {
  for (User* user : pointer.users()) {
    auto* instruction = cast<Instruction>(user);
    if (auto* load = dyn_cast<LoadInst>(instruction); load && load->isSimple()) {
      found.reads.push_back(load);
    } else if (auto* store = dyn_cast<StoreInst>(instruction); store && store->isSimple() &&
                                                               store->getPointerOperand() == &pointer &&
                                                               store->getValueOperand() != &pointer) {
      found.stores.push_back(store);
    } else if (isa<GetElementPtrInst>(instruction)) {
      found.others.push_back(instruction);
      if (!collectUses(*instruction, found))
        return false;
    } else if (instruction->isLifetimeStartOrEnd()) {
      found.others.push_back(instruction);
    } else {
      return false;
    }
  }
  return true;
}

// Returns the load whose value is stored, or null. A bool may be made of its byte and turned back in between.
LoadInst* sourceOf(StoreInst& store) {
  using namespace PatternMatch;
  Value* value = store.getValueOperand();
  Value* byte = nullptr;
  if (value->getType()->isIntegerTy(8) && match(value, m_ZExt(m_Trunc(m_Value(byte)))))
    value = byte;
  auto* load = dyn_cast<LoadInst>(value);
  return load && load->isSimple() && load->getType() == store.getValueOperand()->getType() ? load : nullptr;
}

std::optional<std::pair<Value*, int64_t>> baseOf(Value* pointer, const DataLayout& layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (base->getType() != pointer->getType())
    return std::nullopt;
  return std::pair(base, offset.getSExtValue());
}

// Marks the padding of a struct, which no copy sets.
void markPadding(Type* type, uint64_t at, const DataLayout& layout, BitVector& bytes) {
  if (auto* array = dyn_cast<ArrayType>(type)) {
    uint64_t size = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements() && isa<StructType, ArrayType>(array->getElementType()); ++i)
      markPadding(array->getElementType(), at + i * size, layout, bytes);
  }
  auto* structure = dyn_cast<StructType>(type);
  if (!structure)
    return;
  const StructLayout* fields = layout.getStructLayout(structure);
  for (unsigned i = 0; i < structure->getNumElements(); ++i) {
    uint64_t begin = fields->getElementOffset(i);
    uint64_t end = i + 1 < structure->getNumElements() ? uint64_t(fields->getElementOffset(i + 1))
                                                       : uint64_t(fields->getSizeInBytes());
    markPadding(structure->getElementType(i), at + begin, layout, bytes);
    bytes.set(at + begin + layout.getTypeStoreSize(structure->getElementType(i)), at + end);
  }
}

class Forwarding {
public:
  // `budget`: the instructions that may be looked at; the rest of it is handed back there.
  Forwarding(Function& function, FunctionAnalysisManager& analyses, unsigned& budget)
      : left_(std::min(budget, kMostInstructions)), budget_(budget), layout_(function.getDataLayout()),
        aliases_(analyses.getResult<AAManager>(function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        loops_(analyses.getResult<LoopAnalysis>(function)) {
    aliases_.enableCrossIterationMode(); // an address of one iteration is compared with one of another
  }

  bool copiesOnly(Candidate& found) const {
    uint64_t size = layout_.getTypeAllocSize(found.variable->getAllocatedType());
    for (StoreInst* store : found.stores) {
      LoadInst* load = sourceOf(*store);
      auto to = baseOf(store->getPointerOperand(), layout_);
      auto from = load ? baseOf(load->getPointerOperand(), layout_) : std::nullopt;
      if (!from || !to || to->first != found.variable || from->first == found.variable || from->second != to->second)
        return false;
      Copy& copy = found.copies[{from->first, store->getParent()}];
      copy.base = from->first;
      copy.bytes.resize(size);
      uint64_t begin = to->second, end = begin + layout_.getTypeStoreSize(load->getType());
      if (end > size || copy.bytes.find_first_in(begin, end) != -1)
        return false;
      copy.bytes.set(begin, end);
      copy.stores.push_back(store);
      copy.loads.push_back(load);
    }
    return !found.copies.empty() && found.copies.size() <= kMostCopies && areWhole(found, size);
  }

  // True if each iteration of the innermost loop around a read makes a copy, so that no field is loaded again and
  // again.
  bool pays(const Candidate& found) const {
    return all_of(found.reads, [&](const LoadInst* read) {
      const Loop* around = loops_.getLoopFor(read->getParent());
      return !around || any_of(found.copies, [&](const auto& copy) {
        return around->contains(copy.second.last->getParent()) || isa<AllocaInst>(copy.second.base);
      });
    });
  }

  // True if nothing is changed on any path from the beginning of a copy to a read.
  bool isUnchanged(const Candidate& found) {
    for (const LoadInst* read : found.reads)
      if (!lookBack(*read, found, nullptr))
        return false;
    for (const auto& [from, copy] : found.copies)
      if (!lookBack(*copy.last, found, copy.earliest))
        return false;
    return true;
  }

  void forward(Candidate& found) {
    const Copy& any = found.copies.front().second;
    IRBuilder<> builder(found.variable);
    AllocaInst* source = builder.CreateAlloca(any.base->getType(), nullptr, found.variable->getName() + ".from");
    Align align(uint64_t(1) << 32);
    bool invariant = true;
    for (const auto& [from, copy] : found.copies) {
      builder.SetInsertPoint(copy.last);
      builder.CreateStore(copy.base, source);
      for (const LoadInst* load : copy.loads) {
        align = std::min(align, load->getAlign());
        invariant &= load->hasMetadata(LLVMContext::MD_invariant_load);
      }
    }
    for (LoadInst* read : found.reads)
      redirect(*read, *found.variable, *source, align, invariant);
    for (StoreInst* store : found.stores)
      store->eraseFromParent();
    for (Instruction* other : reverse(found.others))
      other->eraseFromParent();
    found.variable->eraseFromParent();
    PromoteMemToReg({source}, dominators_);
  }

private:
  bool areWhole(Candidate& found, uint64_t size) const {
    BitVector padding(size);
    markPadding(found.variable->getAllocatedType(), 0, layout_, padding);
    Type* pointer = found.copies.front().second.base->getType();
    for (auto& [from, copy] : found.copies) {
      if (!(copy.bytes |= padding).all() || copy.base->getType() != pointer)
        return false;
      copy.last = *std::max_element(copy.stores.begin(), copy.stores.end(),
                                    [](const StoreInst* a, const StoreInst* b) { return a->comesBefore(b); });
      copy.earliest =
          *std::min_element(copy.loads.begin(), copy.loads.end(), [&](const LoadInst* a, const LoadInst* b) {
            return a != b && dominators_.dominates(a, b);
          });
      if (readsWithin(found, copy))
        return false;
    }
    return true;
  }

  // True if a store within the copy comes before a read: then the variable is neither the old copy nor the new one.
  static bool readsWithin(const Candidate& found, const Copy& copy) {
    const StoreInst* first =
        *std::min_element(copy.stores.begin(), copy.stores.end(),
                          [](const StoreInst* a, const StoreInst* b) { return a->comesBefore(b); });
    return any_of(found.reads, [&](const LoadInst* read) {
      return read->getParent() == first->getParent() && first->comesBefore(read) && read->comesBefore(copy.last);
    });
  }

  bool mayChange(Instruction& instruction, const Candidate& found) {
    if (!instruction.mayWriteToMemory())
      return false;
    if (auto* store = dyn_cast<StoreInst>(&instruction);
        store && is_contained(found.stores, store)) // another copy, to the variable
      return false;
    if (is_contained(found.others, &instruction)) // a marker
      return false;
    return any_of(found.copies, [&](const auto& copy) {
      LocationSize size = LocationSize::precise(copy.second.bytes.size());
      return isModSet(aliases_.getModRefInfo(&instruction, MemoryLocation(copy.second.base, size)));
    });
  }

  // Walks back from `end` to `begin`, or to the copies if that is null. False if something on the path may change a
  // source, if a path leads to neither, or if the path is long.
  bool lookBack(const Instruction& end, const Candidate& found, const Instruction* begin) {
    SmallPtrSet<const BasicBlock*, 16> seen;
    SmallVector<std::pair<BasicBlock*, BasicBlock::const_iterator>, 16> open;
    open.push_back({const_cast<BasicBlock*>(end.getParent()), end.getIterator()});
    while (!open.empty()) {
      auto [block, at] = open.pop_back_val();
      bool arrived = false;
      while (!arrived && at != block->begin()) {
        auto& instruction = const_cast<Instruction&>(*--at);
        arrived = begin ? &instruction == begin
                        : any_of(found.copies, [&](const auto& copy) { return copy.second.last == &instruction; });
        if (!spend() || (!arrived && mayChange(instruction, found)))
          return false;
      }
      if (arrived)
        continue;
      if (pred_empty(block))
        return false;
      for (BasicBlock* before : predecessors(block))
        if (seen.insert(before).second)
          open.push_back({before, before->end()});
    }
    return true;
  }

  // Takes one instruction from the budget.
  bool spend() {
    if (left_ == 0)
      return false;
    --left_;
    --budget_;
    return true;
  }

  static Value* rebuilt(Value* pointer, const AllocaInst& variable, Value* source, IRBuilder<>& builder) {
    if (pointer == &variable)
      return source;
    auto* gep = cast<GetElementPtrInst>(pointer);
    SmallVector<Value*, 4> indices(gep->indices());
    Value* base = rebuilt(gep->getPointerOperand(), variable, source, builder);
    return builder.CreateGEP(gep->getSourceElementType(), base, indices, "", gep->getNoWrapFlags());
  }

  static void redirect(LoadInst& read, const AllocaInst& variable, AllocaInst& source, Align align, bool invariant) {
    IRBuilder<> builder(&read);
    Value* from = builder.CreateLoad(source.getAllocatedType(), &source);
    Value* pointer = rebuilt(read.getPointerOperand(), variable, from, builder);
    LoadInst* load = builder.CreateAlignedLoad(read.getType(), pointer, std::min(align, read.getAlign()));
    if (invariant)
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
    load->takeName(&read);
    read.replaceAllUsesWith(load);
    read.eraseFromParent();
  }

  unsigned left_;
  unsigned& budget_;
  const DataLayout& layout_;
  BatchAAResults aliases_;
  DominatorTree& dominators_;
  LoopInfo& loops_;
};

// True if some read has an address that is known only at run time.
bool isIndexed(const Candidate& found, const DataLayout& layout) {
  return any_of(found.reads, [&](LoadInst* read) {
    auto base = baseOf(read->getPointerOperand(), layout);
    return !base || base->first != found.variable;
  });
}

ir::Position positionOf(const Candidate& found) {
  for (const auto& [from, copy] : found.copies)
    for (const LoadInst* load : copy.loads)
      if (ir::Position position = ir::positionOf(*load); position.at)
        return position;
  return {};
}

std::string advice(const std::string& name) {
  return fmt::format("'{0}' is a copy in the thread's memory: what is written before it is last read might change what "
                     "it is a copy of; a reference, '& {0}', reads that where it is",
                     name);
}

} // namespace

PreservedAnalyses ForwardCopiesPass::run(Function& function, FunctionAnalysisManager& analyses) {
  SmallVector<AllocaInst*, 8> variables;
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && !variable->isArrayAllocation())
      variables.push_back(variable);
  bool changed = false;
  unsigned budget = kMostOfAll;
  for (AllocaInst* variable : variables) {
    Candidate found;
    found.variable = variable;
    auto bytes = variable->getAllocationSize(function.getDataLayout());
    if (!bytes || bytes->getFixedValue() > kMostBytes || !collectUses(*variable, found) || found.reads.empty())
      continue;
    Forwarding forwarding(function, analyses, budget);
    if (!forwarding.copiesOnly(found) || !forwarding.pays(found))
      continue;
    if (forwarding.isUnchanged(found)) {
      forwarding.forward(found);
      changed = true;
    } else if (std::string name = ir::sourceName(*variable);
               remark_ && !name.empty() && isIndexed(found, function.getDataLayout())) {
      remark_(positionOf(found), advice(name));
    }
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace bsgp::target
