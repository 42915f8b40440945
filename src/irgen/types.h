// Types of the language as LLVM types, and their scalars.
//
// A value of any type is the list of its scalars, its leaves, in memory order (vectors and structs never appear between
// irgen and bsp): a float3 has three, a struct those of its fields, an array those of its elements, a dlist two: data
// and count.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>

#include "sema/types.h"

namespace bsgp::irgen {

struct Leaf {
  const Type* type;    // bool, integer, float or pointer
  uint32_t offset = 0; // bytes from the beginning of the whole
};

struct Shape {
  uint32_t count = 0;           // of leaves
  std::vector<uint32_t> starts; // struct: number of each field's first leaf
  bool has_array = false;       // an array somewhere inside
};

class TypeMap {
public:
  TypeMap(llvm::LLVMContext& context, const llvm::DataLayout& layout) : context_(context), layout_(layout) {}

  llvm::Type* value(const Type* scalar);  // as a value: bool is i1
  llvm::Type* stored(const Type* scalar); // as a scalar in memory, a stream or a parameter: bool is i8
  llvm::Type* memory(const Type* type);   // any type as C lays it out; void is a byte
  const Shape& shape(const Type* type);
  uint32_t leafCount(const Type* type) { return shape(type).count; }
  const std::vector<Leaf>& leaves(const Type* type);     // takes memory for each: not for arrays that stay in memory
  std::string leafName(const Type* type, uint32_t leaf); // ".x", ".at.y[2]", or ""

  llvm::LLVMContext& context() const { return context_; }

private:
  llvm::Type* structure(const Type* type);
  bool hasLayoutOf(llvm::StructType& made, const Type* type);
  llvm::StructType* padded(const Type* type);
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  SpaceCell device_{.space = Space::Device};
  Type dlist_data_{.kind = TypeKind::Pointer, .size = 8, .align = 8, .space = &device_};
  Type dlist_count_{.kind = TypeKind::Int, .bits = 64, .is_signed = true, .size = 8, .align = 8};
  llvm::DenseMap<const Type*, llvm::Type*> memory_;
  llvm::DenseMap<const Type*, std::unique_ptr<Shape>> shapes_;
  llvm::DenseMap<const Type*, std::unique_ptr<std::vector<Leaf>>> leaves_;
};

unsigned addressSpace(Space space);
llvm::Align alignmentOf(const Type* scalar);

// A scalar that is an integer for C: bool counts as unsigned.
inline bool isSigned(const Type* type) {
  return type->isInt() && type->is_signed;
}

} // namespace bsgp::irgen
