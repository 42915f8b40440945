#include "sema/types.h"

#include <algorithm>

#include <fmt/format.h>

namespace bsgp {

namespace {

std::string scalarName(const Type* type) {
  if (type->isBool())
    return "bool";
  if (type->isFloat())
    return type->bits == 16 ? "half" : type->bits == 32 ? "float" : "double";
  const char* name = type->bits == 8 ? "char" : type->bits == 16 ? "short" : type->bits == 32 ? "int" : "long";
  return (type->is_signed ? "" : "u") + std::string(name);
}

const char* spaceWord(const Type* pointer) {
  switch (pointer->space->root()->space) {
  case Space::Host:
    return "host ";
  case Space::Device:
    return "device ";
  case Space::Shared:
    return "shared ";
  case Space::Private:
    return "private ";
  case Space::Unknown:
    break;
  }
  return "";
}

} // namespace

std::string typeName(const Type* type) {
  switch (type->kind) {
  case TypeKind::Error:
    return "<error>";
  case TypeKind::Void:
    return "void";
  case TypeKind::Null:
    return "NULL";
  case TypeKind::Bool:
  case TypeKind::Float:
    return scalarName(type);
  case TypeKind::Int:
    return type->enum_name.empty() ? scalarName(type) : std::string(type->enum_name);
  case TypeKind::Vector:
    return fmt::format("{}{}", scalarName(type->element), type->count);
  case TypeKind::Struct:
    return std::string(type->structure->name);
  case TypeKind::Array:
    return fmt::format("{}[{}]", typeName(type->element), type->count);
  case TypeKind::Pointer:
    return fmt::format("{}{}*", spaceWord(type), typeName(type->element));
  case TypeKind::DList:
    return fmt::format("dlist({})", typeName(type->element));
  }
  return "?";
}

TypeTable::TypeTable() : buckets_(1024) {
  auto make = [&](TypeKind kind, unsigned bits, bool is_signed) {
    auto* type = arena_.make<Type>(kind);
    type->bits = bits, type->is_signed = is_signed;
    type->size = type->align = bits / 8;
    return type;
  };
  for (int i = 0; i < 5; ++i)
    fixed_[i].space = static_cast<Space>(i);
  error = make(TypeKind::Error, 0, false);
  void_ = make(TypeKind::Void, 0, false);
  bool_ = make(TypeKind::Bool, 8, false);
  null = make(TypeKind::Null, 64, false);
  for (int i = 0; i < 4; ++i)
    for (int s = 0; s < 2; ++s)
      ints_[i][s] = make(TypeKind::Int, 8u << i, s);
  for (int i = 0; i < 3; ++i)
    floats_[i] = make(TypeKind::Float, 16u << i, true);
  i8 = integer(8, true), u8 = integer(8, false), i32 = integer(32, true), u32 = integer(32, false);
  i64 = integer(64, true), u64 = integer(64, false), f32 = floating(32), f64 = floating(64);
}

const Type* TypeTable::integer(unsigned bits, bool is_signed) const {
  return ints_[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3][is_signed];
}

const Type* TypeTable::floating(unsigned bits) const {
  return floats_[bits == 16 ? 0 : bits == 32 ? 1 : 2];
}

const Type* TypeTable::intern(TypeKind kind, const Type* element, uint64_t count, SpaceCell* space, uint32_t size,
                              uint32_t align) {
  size_t hash = (reinterpret_cast<uintptr_t>(element) >> 4) * 31 + count * 7 +
                (reinterpret_cast<uintptr_t>(space) >> 4) + static_cast<size_t>(kind) * 131;
  auto& bucket = buckets_[hash % buckets_.size()];
  for (const Type* type : bucket)
    if (type->kind == kind && type->element == element && type->count == count && type->space == space)
      return type;
  auto* type = arena_.make<Type>(kind);
  type->element = element, type->count = count, type->space = space, type->size = size, type->align = align;
  bucket.push_back(type);
  return type;
}

// Vectors of two and four are aligned as a whole, up to 16 bytes, so that one access reads them: what CUDA does. A
// vector of three takes the room of three, aligned as its element: what a C++ struct of three floats is.
const Type* TypeTable::vector(const Type* scalar, unsigned count) {
  constexpr uint32_t kWidestAccess = 16;
  uint32_t size = scalar->size * count;
  return intern(TypeKind::Vector, scalar, count, nullptr, size,
                count == 3 ? scalar->align : std::max(scalar->align, std::min(size, kWidestAccess)));
}

const Type* TypeTable::array(const Type* element, uint64_t count) {
  return intern(TypeKind::Array, element, count, nullptr, static_cast<uint32_t>(element->size * count), element->align);
}

const Type* TypeTable::pointer(const Type* element, SpaceCell* space) {
  return intern(TypeKind::Pointer, element, 0, space, 8, 8);
}

const Type* TypeTable::dlist(const Type* element) {
  return intern(TypeKind::DList, element, 0, nullptr, 24, 8);
}

const Type* TypeTable::makeStruct(std::string_view name) {
  auto* type = arena_.make<Type>(TypeKind::Struct);
  type->structure = arena_.make<StructInfo>();
  type->structure->name = name;
  return type;
}

void TypeTable::finishStruct(const Type* type, std::vector<StructField> fields) {
  auto* mutable_type = const_cast<Type*>(type);
  uint64_t at = 0;
  uint32_t align = 1;
  for (StructField& field : fields) {
    uint32_t a = std::max(1u, field.type->align);
    at = (at + a - 1) / a * a;
    field.offset = static_cast<uint32_t>(at);
    at += field.type->size;
    align = std::max(align, a);
  }
  mutable_type->align = align;
  mutable_type->size = static_cast<uint32_t>((at + align - 1) / align * align);
  mutable_type->structure->fields = std::move(fields);
  mutable_type->structure->complete = true;
}

const Type* TypeTable::makeEnum(std::string_view name) {
  auto* type = arena_.make<Type>(*i32);
  type->enum_name = name;
  return type;
}

} // namespace bsgp
