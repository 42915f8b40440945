// Arrays of a thread have to stay allocas with addresses computed in the open, as bsp and the targets know them. So
// the check is written out.
//
//   %v = load float, (gep %a, %i)      =>    %bad = icmp ugt %offset, bytes of a - 4
//                                            check.value(%bad, INDEX, ...)
//                                            %l = load float, (gep %a, select %bad, 0, %offset)
//                                            %v = select %bad, 0, %l
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "check/accesses.h"
#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

namespace {

struct ArrayAccess {
  Instruction* instruction;
  Value* address;
  AllocaInst* array;
  uint64_t extent, bytes;
};

// Returns the bytes of one element of an array; 0 for anything else.
uint64_t elementBytesOf(const Value& root, const DataLayout& layout) {
  auto* array = dyn_cast<AllocaInst>(&root);
  auto* global = dyn_cast<GlobalVariable>(&root);
  auto* type = dyn_cast_or_null<ArrayType>(array    ? array->getAllocatedType()
                                           : global ? global->getValueType()
                                                    : nullptr);
  return type ? layout.getTypeAllocSize(type->getElementType()).getFixedValue() : 0;
}

// Returns the element size of all arrays that the pointer may come from; 0 if they differ.
uint64_t elementBytesOf(Value* pointer, const Origins& origins, const DataLayout& layout) {
  uint64_t bytes = 0;
  for (const Value* root : origins.roots(pointer)) {
    uint64_t these = elementBytesOf(*root, layout);
    if (!these || (bytes && bytes != these))
      return 0;
    bytes = these;
  }
  return bytes;
}

// Returns the number of the element that the byte is in, also before the array.
Value* numberOf(IRBuilder<>& builder, Value* offset, uint64_t element_bytes) {
  if (isPowerOf2_64(element_bytes))
    return builder.CreateAShr(offset, Log2_64(element_bytes));
  Value* below = builder.CreateSub(offset, builder.getInt64(int64_t(element_bytes) - 1));
  Value* is_before = builder.CreateICmpSLT(offset, builder.getInt64(0));
  return builder.CreateSDiv(builder.CreateSelect(is_before, below, offset), builder.getInt64(int64_t(element_bytes)));
}

// Describes the elements of an array of `extent` bytes.
void describeElements(Watched& watched, uint64_t extent, uint64_t element_bytes) {
  watched.element_bytes = uint32_t(element_bytes ? element_bytes : watched.bytes);
  watched.extent = extent / watched.element_bytes;
}

bool isArrayAccess(Instruction& instruction, ArrayAccess& access) {
  Value* address = getLoadStorePointerOperand(&instruction);
  auto* array = address ? dyn_cast<AllocaInst>(getUnderlyingObject(address, 0)) : nullptr;
  if (!array || address == array)
    return false;
  const DataLayout& layout = instruction.getModule()->getDataLayout();
  access = {&instruction, address, array, layout.getTypeAllocSize(array->getAllocatedType()),
            layout.getTypeStoreSize(getLoadStoreType(&instruction))};
  return true;
}

// Returns bytes from the array's beginning; null for a constant within the array.
Value* offsetOf(const ArrayAccess& access, IRBuilder<>& builder) {
  const DataLayout& layout = access.instruction->getModule()->getDataLayout();
  APInt known(layout.getIndexTypeSizeInBits(access.address->getType()), 0);
  const Value* base = access.address->stripAndAccumulateConstantOffsets(layout, known, true);
  if (base == access.array && known.ule(access.extent - access.bytes))
    return nullptr;
  Value* sum = nullptr;
  for (Value* address = access.address; auto* element = dyn_cast<GEPOperator>(address);
       address = element->getPointerOperand()) {
    Value* part = emitGEPOffset(&builder, layout, element, true);
    sum = sum ? builder.CreateAdd(sum, part) : part;
  }
  return sum;
}

// Makes a bad access read 0 and write nothing. `good`: an address that is in the array.
void redirect(Instruction& at, Value* bad, Value* good, IRBuilder<>& builder) {
  if (auto* store = dyn_cast<StoreInst>(&at)) {
    Value* value = store->getValueOperand();
    Value* old = builder.CreateAlignedLoad(value->getType(), good, store->getAlign());
    store->setOperand(0, builder.CreateSelect(bad, old, value));
    store->setOperand(1, good);
    return;
  }
  at.setOperand(0, good);
  builder.SetInsertPoint(at.getNextNode());
  builder.SetCurrentDebugLocation(at.getDebugLoc());
  Value* chosen = builder.CreateSelect(bad, Constant::getNullValue(at.getType()), &at);
  at.replaceUsesWithIf(chosen, [&](const Use& use) { return use.getUser() != chosen; });
}

Watched watchedOf(Instruction& at) {
  Watched watched;
  watched.is_access = true;
  watched.access = isa<LoadInst>(at) ? BSGP_ACCESS_READ : BSGP_ACCESS_WRITE;
  watched.space = BSGP_MEMORY_THREAD;
  watched.bytes = uint32_t(at.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&at)));
  return watched;
}

void guard(const ArrayAccess& access, Sites& sites) {
  Instruction& at = *access.instruction;
  IRBuilder<> builder(&at);
  Value* offset = offsetOf(access, builder);
  if (!offset)
    return;
  Watched watched = watchedOf(at);
  describeElements(watched, access.extent, elementBytesOf(*access.array, at.getModule()->getDataLayout()));
  Value* bad = builder.CreateICmpUGT(offset, builder.getInt64(access.extent - access.bytes));
  Value* element = numberOf(builder, offset, watched.element_bytes);
  builder.CreateCall(
      ir::declare(*at.getModule(), ir::Op::CheckValue),
      {bad, builder.getInt32(BSGP_VALUE_INDEX), element, builder.getInt64(watched.extent), sites.add(at, watched)});
  Value* good =
      builder.CreateGEP(builder.getInt8Ty(), access.array, builder.CreateSelect(bad, builder.getInt64(0), offset));
  redirect(at, bad, good, builder);
}

// Guards a pointer that may come from one of several arrays, or that moves on in a loop.
void guardJoined(Instruction& at, Origins& origins, Sites& sites) {
  Value* address = getLoadStorePointerOperand(&at);
  IRBuilder<> builder(&at);
  Watched watched = watchedOf(at);
  Value* bad = tellOutside(builder, address, watched, origins, sites);
  if (bad)
    redirect(at, bad, builder.CreateSelect(bad, origins.base(address), address), builder);
}

bool isJoined(Instruction& instruction) {
  Value* address = getLoadStorePointerOperand(&instruction);
  return address && address->getType()->getPointerAddressSpace() == 0 &&
         isa<PHINode, SelectInst>(getUnderlyingObject(address, 0));
}

} // namespace

Value* tellOutside(IRBuilder<>& builder, Value* address, Watched watched, Origins& origins, Sites& sites) {
  SmallVector<uint64_t, 4> extents = origins.extents(address);
  erase(extents, Origins::kUnknown);
  if (extents.empty())
    return nullptr;
  Value *offset = origins.offset(address), *extent = origins.extent(address), *any = builder.getFalse();
  Instruction& at = *builder.GetInsertPoint();
  uint64_t element_bytes = elementBytesOf(address, origins, at.getModule()->getDataLayout());
  Value* element = numberOf(builder, offset, element_bytes ? element_bytes : watched.bytes);
  for (uint64_t bytes : extents) {
    Value* is_this = builder.CreateICmpEQ(extent, builder.getInt64(bytes));
    Value* outside = bytes < watched.bytes ? builder.getTrue()
                                           : builder.CreateICmpUGT(offset, builder.getInt64(bytes - watched.bytes));
    Value* bad = builder.CreateAnd(is_this, outside);
    describeElements(watched, bytes, element_bytes);
    builder.CreateCall(
        ir::declare(*at.getModule(), ir::Op::CheckValue),
        {bad, builder.getInt32(BSGP_VALUE_INDEX), element, builder.getInt64(watched.extent), sites.add(at, watched)});
    any = builder.CreateOr(any, bad);
  }
  return any;
}

void guardPrivateArrays(Function& function, Origins& origins, Sites& sites) {
  SmallVector<ArrayAccess, 32> accesses;
  SmallVector<Instruction*, 8> joined;
  for (Instruction& instruction : instructions(function))
    if (ArrayAccess access; isArrayAccess(instruction, access))
      accesses.push_back(access);
    else if (isJoined(instruction))
      joined.push_back(&instruction);
  for (const ArrayAccess& access : accesses)
    guard(access, sites);
  for (Instruction* access : joined)
    guardJoined(*access, origins, sites);
}

} // namespace bsgp::check
