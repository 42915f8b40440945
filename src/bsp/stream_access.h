// Reads and writes of streams in a kernel's code.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace bsgp::bsp {

using Builder = llvm::IRBuilder<>;

// The element of thread `index`, of the value's type; bool is kept as a byte.
llvm::Value* loadElement(Builder& builder, llvm::Value* stream, llvm::Value* index, llvm::Type* type,
                         const llvm::Twine& name);
void storeElement(Builder& builder, llvm::Value* stream, llvm::Value* index, llvm::Value* value);

// An array as a stream [word][thread], in the widest words that divide its size and suit its alignment.
struct ArrayLayout {
  uint64_t word_bytes = 1, words = 0;
};
ArrayLayout layoutOf(const llvm::AllocaInst& array);

// Copies all of an array in or out, in front of `before`. `threads` is the count of the stream's numbering.
enum class Direction { FromStream, ToStream };
void copyArray(Direction direction, llvm::AllocaInst& array, llvm::Value* stream, llvm::Value* index,
               llvm::Value* threads, llvm::Instruction& before);

} // namespace bsgp::bsp
