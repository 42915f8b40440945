#include "sema/types.h"

#include <algorithm>
#include <span>

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

namespace {

// Writes the parts of a declared thing's type before and behind its name; `inner` is the text around the name so far:
// a "*" with an array around it needs parentheses.
std::string declared(const Type* type, std::string inner) {
  if (type->isArray()) {
    if (inner.starts_with('*'))
      inner = " (" + inner + ")";
    return declared(type->element, inner + fmt::format("[{}]", type->count));
  }
  if (!type->isPointer())
    return typeName(type) + inner;
  const Type* element = type->element;
  if (element->isPointer()) { // device float* device*
    std::string words = std::string(type->to_const ? " const" : "") + (*spaceWord(type) ? " " : "") + spaceWord(type);
    while (words.ends_with(' '))
      words.pop_back();
    return declared(element, words + "*" + inner);
  }
  return (type->to_const ? "const " : "") + std::string(spaceWord(type)) + declared(element, "*" + inner);
}

// const device float[,]
std::string viewName(const Type* type) {
  return fmt::format("{}{}{}[{:,>{}}]", type->to_const ? "const " : "", spaceWord(type), typeName(type->element), "",
                     type->count - 1);
}

std::string viewNameInC(const Type* type) {
  Space space = type->space->root()->space;
  const char* word = space == Space::Device ? "" : space == Space::Shared ? "shared_" : "host_";
  return fmt::format("bsgp_{}array{}_{}{}", word, type->count, type->to_const ? "const_" : "", nameInC(type->element));
}

} // namespace

// Names are in prefix order, so that each can be read in one manner only, as long as names do not run into one
// another.
std::string nameInC(const Type* type) {
  switch (type->kind) {
  case TypeKind::Struct:
    if (type->isView())
      return viewNameInC(type);
    return std::string(type->structure->c_name.empty() ? type->structure->name : type->structure->c_name);
  case TypeKind::Pointer: {
    Space space = type->space->root()->space;
    const char* word = space == Space::Host ? "hostptr" : space == Space::Device ? "ptr" : "sharedptr";
    return fmt::format("{}_{}{}", word, type->to_const ? "const_" : "", nameInC(type->element));
  }
  case TypeKind::Array:
    return fmt::format("array{}_{}", type->count, nameInC(type->element));
  case TypeKind::DList:
    return fmt::format("dlist_{}{}", type->to_const ? "const_" : "", nameInC(type->element));
  default:
    return typeName(type);
  }
}

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
    return type->isView() ? viewName(type) : std::string(type->structure->name);
  case TypeKind::Array:
  case TypeKind::Pointer:
    return declared(type, "");
  case TypeKind::DList:
    return fmt::format("dlist({}{})", type->to_const ? "const " : "", typeName(type->element));
  }
  return "?";
}

std::string typeWithArticle(const Type* type) {
  std::string name = typeName(type);
  bool vowel = !name.empty() && std::string_view("aeioAEIO").find(name[0]) != std::string_view::npos; // a uint
  return (vowel ? "an " : "a ") + name;
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

const Type* TypeTable::intern(const Type& wanted) {
  size_t hash = (reinterpret_cast<uintptr_t>(wanted.element) >> 4) * 31 + wanted.count * 7 + wanted.to_const * 3 +
                (reinterpret_cast<uintptr_t>(wanted.space) >> 4) + static_cast<size_t>(wanted.kind) * 131;
  auto& bucket = buckets_[hash % buckets_.size()];
  for (const Type* type : bucket)
    if (type->kind == wanted.kind && type->element == wanted.element && type->count == wanted.count &&
        type->space == wanted.space && type->to_const == wanted.to_const)
      return type;
  return bucket.emplace_back(arena_.make<Type>(wanted));
}

// Vectors of two and four are aligned as a whole, up to 16 bytes, so that one access reads them, as in CUDA. A vector
// of three takes the room of three, aligned as its element, like a C++ struct of three floats.
const Type* TypeTable::vector(const Type* scalar, unsigned count) {
  constexpr uint32_t kWidestAccess = 16;
  Type wanted{TypeKind::Vector};
  wanted.element = scalar, wanted.count = count, wanted.size = scalar->size * count;
  wanted.align = count == 3 ? scalar->align : std::max(scalar->align, std::min(wanted.size, kWidestAccess));
  return intern(wanted);
}

const Type* TypeTable::array(const Type* element, uint64_t count) {
  Type wanted{TypeKind::Array};
  wanted.element = element, wanted.count = count, wanted.align = element->align;
  wanted.size = static_cast<uint32_t>(element->size * count);
  wanted.holds_lists = element->holds_lists;
  return intern(wanted);
}

const Type* TypeTable::pointer(const Type* element, SpaceCell* space, bool to_const) {
  Type wanted{TypeKind::Pointer};
  wanted.element = element, wanted.space = space, wanted.to_const = to_const, wanted.size = wanted.align = 8;
  return intern(wanted);
}

const Type* TypeTable::dlist(const Type* element, bool to_const) {
  Type wanted{TypeKind::DList};
  wanted.element = element, wanted.to_const = to_const, wanted.size = 24, wanted.align = 8;
  wanted.holds_lists = true;
  return intern(wanted);
}

// Interned once its fields are known: a struct of its own for each.
const Type* TypeTable::view(const Type* element, uint64_t extents, SpaceCell* space, bool to_const) {
  static constexpr std::string_view kNames[] = {"depth", "height", "width"};
  Type wanted{TypeKind::Struct};
  wanted.element = element, wanted.count = extents, wanted.space = space, wanted.to_const = to_const;
  const Type* type = intern(wanted);
  if (type->structure)
    return type;
  const_cast<Type*>(type)->structure = arena_.make<StructInfo>();
  std::vector<StructField> fields{{"data", pointer(element, space, to_const), 0}};
  for (std::string_view name : std::span(kNames).last(extents))
    fields.push_back({name, i32, 0});
  finishStruct(type, std::move(fields));
  return type;
}

const Type* TypeTable::reaching(const Type* type, const Type* element, SpaceCell* space) {
  return type->isView() ? view(element, type->count, space, type->to_const) : pointer(element, space, type->to_const);
}

const Type* TypeTable::constReaching(const Type* type) {
  return type->isView() ? view(type->element, type->count, type->space, true)
                        : pointer(type->element, type->space, true);
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
    mutable_type->holds_lists |= field.type->holds_lists;
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
