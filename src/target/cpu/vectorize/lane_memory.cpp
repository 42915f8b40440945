#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

int64_t sizeOf(const Instruction& access) {
  return access.getDataLayout().getTypeStoreSize(getLoadStoreType(const_cast<Instruction*>(&access))).getFixedValue();
}

} // namespace

// Copies the metadata of an access that still holds for a vector.
void LaneBody::copyMetadata(Instruction& to, const Instruction& from) {
  for (unsigned kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias, LLVMContext::MD_tbaa,
                        LLVMContext::MD_nontemporal, LLVMContext::MD_invariant_load})
    if (MDNode* data = from.getMetadata(kind))
      to.setMetadata(kind, data);
}

// ---- loads

void LaneBody::load(LoadInst& load, Value* mask) {
  Value* pointer = load.getPointerOperand();
  if (program_.arrays.interleaved(pointer)) {
    bool same = false;
    Value* at = privatePointer(pointer, same);
    return define(load, same ? read(load, at, mask) : gather(load, at, mask));
  }
  LaneShape shape = shapes_.of(pointer);
  if (shape.kind == LaneShape::Uniform)
    return writeScalar(load, mask);
  int64_t size = sizeOf(load);
  if (shape.kind == LaneShape::Linear && shape.stride == size)
    return define(load, read(load, scalar(pointer), mask));
  if (shape.kind == LaneShape::Linear && shape.stride == -size) {
    Value* first = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), scalar(pointer), -size * (width_ - 1));
    return define(load, reversed(read(load, first, mask ? reversed(mask) : nullptr)));
  }
  if (Value* fed = fedElements(load, mask))
    return define(load, fed);
  if (loadChosen(load, size, mask) || loadRow(load, mask))
    return;
  program_.remark(load, "a gather");
  define(load, gather(load, pointersOf(pointer), mask));
}

Value* LaneBody::read(LoadInst& load, Value* pointer, Value* mask) {
  Type* type = widen(load.getType());
  Instruction* made = mask ? static_cast<Instruction*>(builder_.CreateMaskedLoad(type, pointer, load.getAlign(), mask))
                           : builder_.CreateAlignedLoad(type, pointer, load.getAlign());
  made->setName(load.getName());
  copyMetadata(*made, load);
  return made;
}

// If the machine has no gathers and scatters, each lane loads or stores for itself: behind a branch, unless all lanes
// may.
Value* LaneBody::gather(LoadInst& load, Value* pointers, Value* mask) {
  if (mask && mask == there_ && !program_.gathers)
    pointers = readable(pointers, mask), mask = nullptr;
  Instruction* made = builder_.CreateMaskedGather(widen(load.getType()), pointers, load.getAlign(), orAll(mask));
  copyMetadata(*made, load);
  return made;
}

Value* LaneBody::reversed(Value* vector) {
  return builder_.CreateVectorReverse(vector);
}

// ---- stores

void LaneBody::store(StoreInst& store, Value* mask) {
  Value* pointer = store.getPointerOperand();
  if (program_.arrays.interleaved(pointer)) {
    bool same = false;
    Value* at = privatePointer(pointer, same);
    return same ? put(store, vector(store.getValueOperand()), at, mask) : scatter(store, at, mask);
  }
  LaneShape shape = shapes_.of(pointer);
  if (shape.kind == LaneShape::Uniform)
    return storeUniform(store, mask);
  int64_t size = sizeOf(store);
  if (shape.kind == LaneShape::Linear && shape.stride == size)
    return put(store, vector(store.getValueOperand()), scalar(pointer), mask);
  if (shape.kind == LaneShape::Linear && shape.stride == -size) {
    Value* first = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), scalar(pointer), -size * (width_ - 1));
    return put(store, reversed(vector(store.getValueOperand())), first, mask ? reversed(mask) : nullptr);
  }
  if (storeRow(store, mask))
    return;
  program_.remark(store, "a scatter");
  scatter(store, pointersOf(pointer), mask);
}

void LaneBody::put(StoreInst& store, Value* value, Value* pointer, Value* mask) {
  Instruction* made =
      mask ? static_cast<Instruction*>(builder_.CreateMaskedStore(value, pointer, store.getAlign(), mask))
           : builder_.CreateAlignedStore(value, pointer, store.getAlign());
  copyMetadata(*made, store);
}

void LaneBody::scatter(StoreInst& store, Value* pointers, Value* mask) {
  if (mask && mask == there_ && !program_.gathers) // as above
    pointers = writable(pointers, mask), mask = nullptr;
  Instruction* made =
      builder_.CreateMaskedScatter(vector(store.getValueOperand()), pointers, store.getAlign(), orAll(mask));
  copyMetadata(*made, store);
}

// All lanes store to one place: the last one's value stays.
void LaneBody::storeUniform(StoreInst& store, Value* mask) {
  Value* value = store.getValueOperand();
  Value* last = shapes_.isUniform(value) ? scalar(value) : builder_.CreateExtractElement(vector(value), lastOf(mask));
  Instruction* made = builder_.CreateAlignedStore(last, scalar(store.getPointerOperand()), store.getAlign());
  copyMetadata(*made, store);
}

// ---- addresses

// Code generation needs a scalar base and one index, 32 bits that are made 64 right before the access, and a size
// that the machine can scale by: any other address is computed in 64 bits for each lane.
Value* LaneBody::pointersOf(Value* pointer, int64_t offset) {
  const DataLayout& layout = function_.getDataLayout();
  APInt constant(64, offset, true);
  MapVector<Value*, APInt> indices;
  Value* base = pointer;
  auto* gep = dyn_cast<GetElementPtrInst>(base);
  for (; gep && shapes_.isVarying(gep); gep = dyn_cast<GetElementPtrInst>(base)) {
    if (!gep->collectOffset(layout, 64, indices, constant))
      break;
    base = gep->getPointerOperand();
  }
  auto varying = find_if(indices, [this](const auto& index) { return !shapes_.isUniform(index.first); });
  bool one = varying != indices.end() && shapes_.isUniform(base) &&
             all_of(make_range(std::next(varying), indices.end()),
                    [this](const auto& index) { return shapes_.isUniform(index.first); });
  Type* byte = builder_.getInt8Ty();
  if (!one) {
    Value* all = vector(pointer);
    return offset ? builder_.CreateGEP(byte, all, builder_.getInt64(offset)) : all;
  }
  Value* place = builder_.CreateConstGEP1_64(byte, scalar(base), constant.getSExtValue());
  for (auto& [index, scale] : indices) {
    if (index == varying->first)
      continue;
    Value* wide = builder_.CreateSExtOrTrunc(scalar(index), builder_.getInt64Ty());
    place = builder_.CreateGEP(byte, place, builder_.CreateMul(wide, builder_.getInt64(scale.getSExtValue())));
  }
  return indexed(place, varying->first, varying->second.getSExtValue());
}

Value* LaneBody::indexed(Value* base, Value* index, int64_t size) {
  Type* wide = FixedVectorType::get(builder_.getInt64Ty(), width_);
  Value* indices;
  if (auto* extended = dyn_cast<CastInst>(index);
      extended && isa<SExtInst, ZExtInst>(extended) && lanes_.contains(extended))
    indices = isa<SExtInst>(extended) || extended->hasNonNeg()
                  ? builder_.CreateSExt(vector(extended->getOperand(0)), wide)
                  : builder_.CreateZExt(vector(extended->getOperand(0)), wide);
  else
    indices = builder_.CreateSExtOrTrunc(vector(index), wide);
  int64_t scale = 8;
  while (size % scale)
    scale /= 2;
  if (size != scale)
    indices = builder_.CreateMul(indices, ConstantInt::get(wide, size / scale, true));
  return builder_.CreateGEP(builder_.getIntNTy(8 * scale), base, indices);
}

// Computes an address in an interleaved array. `same`: all lanes use the same index, and read or write one vector.
Value* LaneBody::privatePointer(Value* pointer, bool& same) {
  const PrivateArray& array = *program_.arrays.interleaved(pointer);
  ElementOffset offset = program_.arrays.offset(pointer);
  same = all_of(offset.terms, [this](const ElementOffset::Term& term) { return shapes_.isUniform(term.index); });
  Type* element = builder_.getIntNTy(8 * array.element);
  Type* i64 = builder_.getInt64Ty();
  Value* base = builder_.CreateConstGEP1_64(element, array.of_lanes, offset.constant * width_);
  Type* narrow = FixedVectorType::get(builder_.getInt32Ty(), width_);
  Value* varying = nullptr; // an index of the array, so 32 bits hold it
  for (const ElementOffset::Term& term : offset.terms) {
    if (shapes_.isUniform(term.index)) {
      Value* wide = builder_.CreateSExtOrTrunc(scalar(term.index), i64);
      base = builder_.CreateGEP(element, base, builder_.CreateMul(wide, builder_.getInt64(term.elements * width_)));
      continue;
    }
    Value* index = builder_.CreateSExtOrTrunc(vector(term.index), narrow);
    Value* scaled = builder_.CreateMul(index, ConstantInt::get(narrow, term.elements * width_, true));
    varying = varying ? builder_.CreateAdd(varying, scaled) : scaled;
  }
  if (!varying)
    return base;
  varying = builder_.CreateAdd(varying, laneNumbers(builder_.getInt32Ty(), 1));
  return builder_.CreateGEP(element, base, builder_.CreateSExt(varying, FixedVectorType::get(i64, width_)));
}

} // namespace bsgp::target
