#include "target/cpu/vectorize/private_arrays.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "target/cpu/ranks/parallel_accesses.h"

namespace bsgp::target {

using namespace llvm;

namespace {

const Align kVectorAlign(64);

// Computes addresses in the array again in the loop if they were computed before it. True if that changes anything.
bool bringIn(Instruction& address, const LaneLoop& lanes) {
  bool changed = false;
  SmallVector<User*, 8> users(address.users());
  for (User* user : users)
    if (isa<GetElementPtrInst, AddrSpaceCastInst>(user) && !lanes.contains(user))
      changed |= bringIn(*cast<Instruction>(user), lanes);
  SmallVector<Use*, 8> inside; // copies of the users, too
  for (Use& use : address.uses())
    if (lanes.contains(use.getUser()))
      inside.push_back(&use);
  if (isa<AllocaInst>(address) || inside.empty())
    return changed;
  Instruction* copy = address.clone();
  copy->insertBefore(&*lanes.header->getFirstInsertionPt());
  for (Use* use : inside)
    use->set(copy);
  return true;
}

bool isUsedElsewhere(const Instruction& address, const LaneLoop& lanes) {
  return any_of(address.users(), [&](const User* user) {
    if (isa<GetElementPtrInst, AddrSpaceCastInst>(user))
      return isUsedElsewhere(*cast<Instruction>(user), lanes);
    return !lanes.contains(user);
  });
}

SmallVector<AllocaInst*, 8> arraysOfThreads(const LaneLoop& lanes) {
  SmallVector<AllocaInst*, 8> found;
  for (Instruction& instruction : lanes.header->getParent()->getEntryBlock())
    if (auto* array = dyn_cast<AllocaInst>(&instruction); array && !array->hasMetadata(kLanes))
      found.push_back(array);
  return found;
}

} // namespace

bool bringAddressesIn(const LaneLoop& lanes) {
  bool changed = false;
  for (AllocaInst* array : arraysOfThreads(lanes))
    changed |= bringIn(*array, lanes);
  return changed;
}

PrivateArrays::PrivateArrays(const LaneLoop& lanes) {
  for (AllocaInst* alloca : arraysOfThreads(lanes)) {
    if (none_of(alloca->users(), [&](const User* user) { return lanes.contains(user); }))
      continue;
    PrivateArray array{alloca};
    array.bytes = alloca->getAllocationSize(alloca->getDataLayout()).value_or(TypeSize::getFixed(0)).getFixedValue();
    DenseMap<const Value*, unsigned> before = of_address_;
    arrays_.push_back(array);
    bool regular = collectUses(*alloca, arrays_.back(), lanes) && arrays_.back().element && offsetsFit(arrays_.back());
    if (!regular) {
      of_address_ = std::move(before);
      arrays_.back().element = 0;
    }
    // an array that others see is not the thread's own
    supported_ &= array.bytes != 0 && !isUsedElsewhere(*alloca, lanes);
  }
}

// Collects all values made of the array's address. False if some use is no plain access.
bool PrivateArrays::collectUses(Value& pointer, PrivateArray& array, const LaneLoop& lanes) {
  of_address_[&pointer] = arrays_.size();
  for (User* user : pointer.users()) {
    auto* instruction = cast<Instruction>(user);
    if (isa<GetElementPtrInst, AddrSpaceCastInst>(instruction)) {
      if (instruction->getType()->isVectorTy() || !collectUses(*instruction, array, lanes))
        return false;
      continue;
    }
    if (instruction->isLifetimeStartOrEnd())
      continue;
    bool plain = isa<LoadInst, StoreInst>(instruction) && !instruction->isAtomic() && !instruction->isVolatile() &&
                 getLoadStorePointerOperand(instruction) == &pointer && lanes.contains(instruction);
    if (!plain || (isa<StoreInst>(instruction) && instruction->getOperand(0) == &pointer))
      return false;
    Type* type = getLoadStoreType(instruction);
    unsigned bytes = instruction->getDataLayout().getTypeStoreSize(type).getFixedValue();
    if (!isPowerOf2_32(bytes) || (array.element && array.element != bytes) || !type->isSingleValueType())
      return false;
    array.element = bytes;
  }
  return true;
}

bool PrivateArrays::offsetsFit(const PrivateArray& array) const {
  const DataLayout& layout = array.of_thread->getDataLayout();
  for (auto [pointer, number] : of_address_) {
    auto* gep = dyn_cast<GetElementPtrInst>(pointer);
    if (number != arrays_.size() || !gep)
      continue;
    APInt constant(64, 0);
    MapVector<Value*, APInt> indices;
    if (!gep->collectOffset(layout, 64, indices, constant) || constant.getSExtValue() % array.element)
      return false;
    if (any_of(indices, [&](const auto& index) { return index.second.getSExtValue() % array.element; }))
      return false;
  }
  return array.bytes % array.element == 0;
}

const PrivateArray* PrivateArrays::interleaved(const Value* pointer) const {
  unsigned number = of_address_.lookup(pointer);
  return number && arrays_[number - 1].element ? &arrays_[number - 1] : nullptr;
}

const PrivateArray* PrivateArrays::sideBySide(const Value* base) const {
  for (const PrivateArray& array : arrays_)
    if (array.of_thread == base && !array.element)
      return &array;
  return nullptr;
}

ElementOffset PrivateArrays::offset(Value* pointer) const {
  const PrivateArray& array = *interleaved(pointer);
  ElementOffset sum;
  while (pointer != array.of_thread) {
    auto* step = cast<Instruction>(pointer);
    pointer = step->getOperand(0);
    auto* gep = dyn_cast<GetElementPtrInst>(step);
    if (!gep)
      continue;
    APInt constant(64, 0);
    MapVector<Value*, APInt> indices;
    gep->collectOffset(gep->getDataLayout(), 64, indices, constant);
    sum.constant += constant.getSExtValue() / array.element;
    for (auto& [index, scale] : indices)
      sum.terms.push_back({index, scale.getSExtValue() / array.element});
  }
  return sum;
}

void PrivateArrays::create(unsigned width, BasicBlock& entry) {
  for (PrivateArray& array : arrays_) {
    IRBuilder<> builder(&entry, entry.begin());
    auto* bytes = ArrayType::get(builder.getInt8Ty(), alignTo(array.bytes, 8) * width);
    array.of_lanes = builder.CreateAlloca(bytes, nullptr, array.of_thread->getName() + ".lanes");
    array.of_lanes->setAlignment(kVectorAlign);
    array.of_lanes->setMetadata(kLanes, MDNode::get(entry.getContext(), {}));
  }
}

} // namespace bsgp::target
