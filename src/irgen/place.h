// The place of an lvalue. There are three kinds of variables: those of a thread are kept as scalars for the
// optimizer, those with an address are memory, and host variables in device code are parameters.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Alignment.h>

#include "sema/program.h"

namespace bsgp::irgen {

using Leaves = llvm::SmallVector<llvm::Value*, 4>; // a value: its scalars, bool as i1

struct ListElement {
  llvm::Value* index; // 64 bits
  const Type* type;
  SourceRange range;
};

struct Place {
  enum Kind : uint8_t {
    Memory,    // `address`
    Scattered, // each scalar at an address of its own, `leaves`: variables kept apart, several lanes of a vector
    Known,     // `leaves` are the values themselves: a variable that nothing assigns to; cannot be written
    Captured,  // device code: a host variable; `numbers` of its leaves; cannot be written
    Element,   // host code: a part of an element of a list; each access is a copy. Several lanes: `numbers` of them
  } kind = Memory;
  bool bool_bytes = true; // Scattered: bool is a byte in memory, else a variable of i1
  const Type* type = nullptr;
  llvm::Value* address = nullptr;
  llvm::Align align; // Memory: the known alignment of the address
  Leaves leaves;
  llvm::Value* lane = nullptr;        // Scattered, Known: one of the leaves, found at run time
  const Variable* variable = nullptr; // Captured
  uint32_t version = 0;
  llvm::SmallVector<uint32_t, 4> numbers;
  const ListElement* element = nullptr; // Element: `address` is that of the list's handle
  llvm::Value* part = nullptr;          // Element: the byte of the element at which it begins

  static Place memory(const Type* type, llvm::Value* address) {
    Place place;
    place.type = type, place.address = address, place.align = llvm::Align(std::max(1u, type->align));
    return place;
  }
};

} // namespace bsgp::irgen
