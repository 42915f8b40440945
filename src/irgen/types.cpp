#include "irgen/types.h"

#include <fmt/format.h>

#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::irgen {

unsigned addressSpace(Space space) {
  switch (space) {
  case Space::Device:
    return ir::kDeviceSpace;
  case Space::Shared:
    return ir::kSharedSpace;
  default:
    return 0;
  }
}

llvm::Align alignmentOf(const Type* scalar) {
  return llvm::Align(scalar->align);
}

llvm::Type* TypeMap::value(const Type* scalar) {
  switch (scalar->kind) {
  case TypeKind::Bool:
    return llvm::Type::getInt1Ty(context_);
  case TypeKind::Int:
    return llvm::Type::getIntNTy(context_, scalar->bits);
  case TypeKind::Float:
    return scalar->bits == 16   ? llvm::Type::getHalfTy(context_)
           : scalar->bits == 32 ? llvm::Type::getFloatTy(context_)
                                : llvm::Type::getDoubleTy(context_);
  case TypeKind::Pointer:
    return llvm::PointerType::get(context_, addressSpace(spaceOf(scalar)));
  case TypeKind::Null:
    return llvm::PointerType::get(context_, 0);
  default:
    BSGP_CHECK(false, "'%s' is no scalar", typeName(scalar).c_str());
    __builtin_unreachable();
  }
}

llvm::Type* TypeMap::stored(const Type* scalar) {
  return scalar->isBool() ? llvm::Type::getInt8Ty(context_) : value(scalar);
}

llvm::Type* TypeMap::memory(const Type* type) {
  switch (type->kind) {
  case TypeKind::Void:
    return llvm::Type::getInt8Ty(context_);
  case TypeKind::Vector:
  case TypeKind::Array:
    return llvm::ArrayType::get(memory(type->element), type->count);
  case TypeKind::Struct:
    return structure(type);
  case TypeKind::DList: {
    llvm::Type* count = llvm::Type::getInt64Ty(context_);
    return llvm::StructType::get(context_, {llvm::PointerType::get(context_, ir::kDeviceSpace), count, count});
  }
  default:
    return stored(type);
  }
}

llvm::Type* TypeMap::structure(const Type* type) {
  llvm::Type*& known = memory_[type];
  if (known)
    return known;
  llvm::SmallVector<llvm::Type*> fields;
  for (const StructField& field : type->structure->fields)
    fields.push_back(memory(field.type));
  llvm::StructType* result = llvm::StructType::get(context_, fields);
  if (!hasLayoutOf(*result, type))
    result = padded(type);
  BSGP_CHECK(layout_.getTypeAllocSize(result) == type->size, "the layout of '%s' is not C's", typeName(type).c_str());
  return memory_[type] = result; // the reference may be stale: fields add entries
}

bool TypeMap::hasLayoutOf(llvm::StructType& made, const Type* type) {
  const llvm::StructLayout* layout = layout_.getStructLayout(&made);
  for (const auto& [i, field] : llvm::enumerate(type->structure->fields))
    if (layout->getElementOffset(i) != field.offset)
      return false;
  return layout->getSizeInBytes() == type->size;
}

// LLVM knows no vectors that are aligned as such but are arrays: what lies between fields is written out.
llvm::StructType* TypeMap::padded(const Type* type) {
  llvm::SmallVector<llvm::Type*> parts;
  uint64_t at = 0;
  auto fillTo = [&](uint64_t offset) {
    if (offset != at)
      parts.push_back(llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), offset - at));
  };
  for (const StructField& field : type->structure->fields) {
    fillTo(field.offset);
    parts.push_back(memory(field.type));
    at = field.offset + field.type->size;
  }
  fillTo(type->size);
  return llvm::StructType::get(context_, parts, /*isPacked=*/true);
}

namespace {

void append(std::vector<Leaf>& to, const std::vector<Leaf>& part, uint32_t offset) {
  for (const Leaf& leaf : part)
    to.push_back({leaf.type, leaf.offset + offset});
}

} // namespace

const Shape& TypeMap::shape(const Type* type) {
  if (auto known = shapes_.find(type); known != shapes_.end())
    return *known->second;
  auto made = std::make_unique<Shape>();
  auto add = [&](const Shape& part, uint64_t times) {
    made->count += static_cast<uint32_t>(part.count * times);
    made->has_array |= part.has_array;
  };
  switch (type->kind) {
  case TypeKind::Void:
    break;
  case TypeKind::Struct:
    for (const StructField& field : type->structure->fields) {
      made->starts.push_back(made->count);
      add(shape(field.type), 1);
    }
    break;
  case TypeKind::Vector:
  case TypeKind::Array:
    add(shape(type->element), type->count);
    made->has_array |= type->isArray();
    break;
  case TypeKind::DList:
    made->count = 2;
    break;
  default:
    made->count = 1;
  }
  return *(shapes_[type] = std::move(made));
}

const std::vector<Leaf>& TypeMap::leaves(const Type* type) {
  if (auto known = leaves_.find(type); known != leaves_.end())
    return *known->second;
  auto made = std::make_unique<std::vector<Leaf>>();
  made->reserve(leafCount(type));
  switch (type->kind) {
  case TypeKind::Void:
    break;
  case TypeKind::Struct:
    for (const StructField& field : type->structure->fields)
      append(*made, leaves(field.type), field.offset);
    break;
  case TypeKind::Vector:
  case TypeKind::Array:
    for (uint64_t i = 0; i < type->count; ++i)
      append(*made, leaves(type->element), static_cast<uint32_t>(i * type->element->size));
    break;
  case TypeKind::DList:
    *made = {{&dlist_data_, 0}, {&dlist_count_, 8}};
    break;
  default:
    made->push_back({type, 0});
  }
  return *(leaves_[type] = std::move(made));
}

std::string TypeMap::leafName(const Type* type, uint32_t leaf) {
  std::string name;
  for (;;) {
    if (type->isStruct()) {
      const std::vector<uint32_t>& starts = shape(type).starts;
      size_t field = 0;
      while (field + 1 < starts.size() && starts[field + 1] <= leaf)
        ++field;
      leaf -= starts[field];
      name += fmt::format(".{}", type->structure->fields[field].name);
      type = type->structure->fields[field].type;
    } else if (type->isVector()) {
      return name + '.' + "xyzw"[leaf];
    } else if (type->isArray()) {
      uint32_t each = leafCount(type->element);
      name += fmt::format("[{}]", leaf / each);
      leaf %= each, type = type->element;
    } else {
      return type->isDList() ? name + (leaf ? ".n" : ".data") : name;
    }
  }
}

} // namespace bsgp::irgen
