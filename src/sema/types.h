// The types of BSGP. Interned: two types are the same iff their pointers are, except that the space of a pointer may be
// a variable still to be inferred (sameType asks, unify decides).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/arena.h"
#include "support/source.h"

namespace bsgp {

enum class Space : uint8_t { Unknown, Host, Device, Shared, Private };

// The space of a pointer type, found by use: a union-find cell. Unknown at the end means host.
struct SpaceCell {
  Space space = Space::Unknown;
  SpaceCell* parent = nullptr;
  SourceRange why{};       // the use that decided it, for messages
  const char* reason = ""; // "is dereferenced in device code", ...
  SpaceCell* root() {
    SpaceCell* cell = this;
    while (cell->parent)
      cell = cell->parent;
    return cell;
  }
};

enum class TypeKind : uint8_t { Error, Void, Bool, Int, Float, Vector, Struct, Array, Pointer, DList, Null };

struct Type;

struct StructField {
  std::string_view name;
  const Type* type;
  uint32_t offset; // in bytes, as C lays it out
  bool is_const = false;
};

// An argument of a generic struct.
struct TypeArgument {
  const Type* type; // null: the number
  int64_t number = 0;
  bool operator==(const TypeArgument&) const = default;
};

struct StructInfo {
  std::string_view name;
  std::vector<StructField> fields;
  bool complete = false;
  // These are for generic types such as P(int, 4) alone:
  const void* generic = nullptr; // the declaration of P
  std::vector<TypeArgument> arguments{};
  std::string_view c_name{}; // P_int_4
};

struct Type {
  TypeKind kind;
  uint8_t bits = 0;              // Int, Float: 8..64; Bool: 8 in memory
  bool is_signed = false;        // Int
  bool to_const = false;         // Pointer, DList, view: its elements must not be changed
  bool holds_lists = false;      // DList; Struct and Array with one inside: a place of the host alone
  uint32_t size = 0, align = 1;  // in memory, bytes
  uint64_t count = 0;            // Vector: 2..4; Array: elements; view: extents, 2 or 3
  const Type* element = nullptr; // Vector, Array, Pointer, DList, view
  SpaceCell* space = nullptr;    // Pointer, view
  StructInfo* structure = nullptr;
  std::string_view enum_name{}; // Int from an enum: for printing only

  bool isVoid() const { return kind == TypeKind::Void; }
  bool isError() const { return kind == TypeKind::Error; }
  bool isBool() const { return kind == TypeKind::Bool; }
  bool isInt() const { return kind == TypeKind::Int; }
  bool isFloat() const { return kind == TypeKind::Float; }
  bool isScalar() const { return isBool() || isInt() || isFloat(); } // arithmetic
  bool isVector() const { return kind == TypeKind::Vector; }
  bool isStruct() const { return kind == TypeKind::Struct; }
  bool isView() const { return isStruct() && element; } // T[,]: a struct of data and extents
  bool isArray() const { return kind == TypeKind::Array; }
  bool isPointer() const { return kind == TypeKind::Pointer; }
  bool isDList() const { return kind == TypeKind::DList; }
};

// The type of each lane of a vector; any other type itself.
inline const Type* laneType(const Type* type) {
  return type->isVector() ? type->element : type;
}

// Resolved space of a pointer type; an open one is the host's.
inline Space spaceOf(const Type* pointer) {
  Space s = pointer->space->root()->space;
  return s == Space::Unknown ? Space::Host : s;
}

// The fields of a view: its data, then its extents, the slowest first: depth, height, width.
constexpr uint32_t kViewData = 0;
constexpr uint32_t viewExtent(size_t i) {
  return static_cast<uint32_t>(1 + i);
}

std::string nameInC(const Type* type);  // P_int_4, bsgp_array2_float
std::string typeName(const Type* type); // as a programmer would write it, without a name: float[2][3], float (*)[3]
std::string typeWithArticle(const Type* type); // a float[2][3], an int

class TypeTable {
public:
  TypeTable();
  const Type *error, *void_, *bool_, *null; // null: the type of NULL
  const Type* integer(unsigned bits, bool is_signed) const;
  const Type* floating(unsigned bits) const;
  const Type *i32, *i64, *u8, *i8, *u32, *u64, *f32, *f64;
  const Type* vector(const Type* scalar, unsigned count);
  const Type* array(const Type* element, uint64_t count);
  const Type* pointer(const Type* element, SpaceCell* space, bool to_const = false);
  const Type* pointer(const Type* element, Space space, bool to_const = false) {
    return pointer(element, cell(space), to_const);
  }
  const Type* dlist(const Type* element, bool to_const = false);
  const Type* view(const Type* element, uint64_t extents, SpaceCell* space, bool to_const = false);
  const Type* reaching(const Type* type, const Type* element, SpaceCell* space); // such a pointer or view
  const Type* constReaching(const Type* type);                                   // likewise, to const
  const Type* makeStruct(std::string_view name);                                 // incomplete until finishStruct
  void finishStruct(const Type* type, std::vector<StructField> fields);          // sets offsets, size, align
  const Type* makeEnum(std::string_view name);
  SpaceCell* cell(Space space) { return &fixed_[static_cast<int>(space)]; } // never Unknown
  SpaceCell* freshCell() { return arena_.make<SpaceCell>(); }

private:
  const Type* intern(const Type& wanted);
  Arena arena_;
  SpaceCell fixed_[5];
  const Type* ints_[4][2];
  const Type* floats_[3];
  std::vector<std::vector<const Type*>> buckets_;
};

} // namespace bsgp
