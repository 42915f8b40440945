#include "bsp/stream_access.h"

#include <algorithm>

#include <llvm/ADT/bit.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace bsgp::bsp {

using namespace llvm;

namespace {

constexpr uint64_t kUnrolledWords = 16;

Value* widened(Builder& builder, Value* index) {
  return builder.CreateSExt(index, builder.getInt64Ty());
}

// Streams are aligned by the runtime for any scalar, elements by their own size.
Align elementAlign(Builder& builder, Type* type) {
  uint64_t bytes = builder.GetInsertBlock()->getModule()->getDataLayout().getTypeStoreSize(type).getFixedValue();
  return Align(std::min<uint64_t>(bytes & (0 - bytes), 16));
}

Value* elementAddress(Builder& builder, Value* stream, Value* index, Type* stored) {
  return builder.CreateInBoundsGEP(stored, stream, widened(builder, index));
}

Type* storedType(Builder& builder, Type* type) {
  return type->isIntegerTy(1) ? builder.getInt8Ty() : type;
}

// One word: element word*threads + index of the stream.
void copyWord(Builder& builder, Direction direction, AllocaInst& array, Value* stream, Value* index, Value* threads,
              Value* word, uint64_t word_bytes) {
  Type* type = builder.getIntNTy(unsigned(word_bytes * 8));
  Value* element = builder.CreateAdd(builder.CreateMul(word, threads, "", true, true), index, "", true, true);
  Value* remote = builder.CreateInBoundsGEP(type, stream, element);
  Value* local = builder.CreateInBoundsGEP(type, &array, word);
  bool in = direction == Direction::FromStream;
  Value* value = builder.CreateAlignedLoad(type, in ? remote : local, Align(word_bytes));
  builder.CreateAlignedStore(value, in ? local : remote, Align(word_bytes));
}

} // namespace

Value* loadElement(Builder& builder, Value* stream, Value* index, Type* type, const Twine& name) {
  Type* stored = storedType(builder, type);
  Value* address = elementAddress(builder, stream, index, stored);
  Value* loaded = builder.CreateAlignedLoad(stored, address, elementAlign(builder, stored), name);
  return stored == type ? loaded : builder.CreateICmpNE(loaded, ConstantInt::get(stored, 0));
}

void storeElement(Builder& builder, Value* stream, Value* index, Value* value) {
  Type* stored = storedType(builder, value->getType());
  if (stored != value->getType())
    value = builder.CreateZExt(value, stored);
  builder.CreateAlignedStore(value, elementAddress(builder, stream, index, stored), elementAlign(builder, stored));
}

ArrayLayout layoutOf(const AllocaInst& array) {
  uint64_t bytes = array.getAllocationSize(array.getModule()->getDataLayout())->getFixedValue();
  uint64_t word = std::min<uint64_t>({8, array.getAlign().value(), bytes ? bytes & (0 - bytes) : 1});
  return {word, bytes / word};
}

void copyArray(Direction direction, AllocaInst& array, Value* stream, Value* index, Value* threads,
               Instruction& before) {
  ArrayLayout layout = layoutOf(array);
  Builder builder(&before);
  index = widened(builder, index);
  threads = widened(builder, threads);
  if (layout.words <= kUnrolledWords) {
    for (uint64_t word = 0; word < layout.words; ++word)
      copyWord(builder, direction, array, stream, index, threads, builder.getInt64(word), layout.word_bytes);
    return;
  }
  auto [body, word] = SplitBlockAndInsertSimpleForLoop(builder.getInt64(layout.words), &before);
  builder.SetInsertPoint(body);
  copyWord(builder, direction, array, stream, index, threads, word, layout.word_bytes);
}

} // namespace bsgp::bsp
