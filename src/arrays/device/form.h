// Kernel → the form of its program: all that decides its code, and no numbers. Extents, strides, scalars and addresses are fields of a
// struct that the program reads, so kernels of one form share a program.
//
// The folder `device` runs schedules on the targets of the language. parts.h cuts large kernels; form.h takes one apart; program.h makes a
// program of the language of a form; code.h compiles it; memory.h has arrays in the memory of a target; rows.h runs kernels of Kind::Rows; run.h runs a
// schedule. It uses `compile` and `parse`, as front ends of other languages do.
#pragma once

#include "arrays/load.h"

namespace bsgp::arrays {

// A field of the struct, whose members are arrays: one for each kind and type of fields. Other structs name a field by its number; -1:
// there is none.
struct Field {
  enum Kind : uint8_t { Number, Pointer, Value } kind; // an int64; to elements of `type`; one of `type`
  bsgp_dtype type;
  int32_t place = 0; // in its array
  uint64_t bits = 0; // its value
};
using Fields = std::vector<Field>;

// A member of the struct.
struct Member {
  Field::Kind kind;
  bsgp_dtype type;
  int32_t count;
  std::string name() const; // "numbers_i64"
};
std::vector<Member> membersOf(const Fields& fields);
std::string memberOf(const Field& field); // the name of its array

// The struct with the values of the fields, laid out as in C.
std::vector<char> bytesOf(const Fields& fields);

struct StepForm {
  Step::Kind kind;
  int32_t a, b; // fields
};
struct MapForm {
  int32_t axis; // of the places; -1: the coordinate is 0
  std::vector<StepForm> steps;
  int32_t factor; // field: the stride, in elements, of a part of an address; the extent of a condition; else -1
};
struct LoadForm {
  bsgp_dtype type = BSGP_BOOL;
  int32_t base = -1;                                  // field
  bool is_contiguous = false;                         // element `place`; else the sum of parts
  std::vector<MapForm> parts;                         // of an address
  int32_t gathered_stride = -1, gathered_extent = -1; // fields
};
struct OutputForm {
  int32_t value, to; // an instruction; a field
  bsgp_dtype type;
  bool is_fold;
  bsgp_operation combines; // of a fold
};

struct Form {
  bool is_wide = false; // places are counted in 64 bits
  int32_t outer = 0, reduced = 0;
  std::vector<int32_t> extents;  // fields, of the axes of the places
  std::vector<Instruction> code; // the index of a constant is its field
  std::vector<LoadForm> loads;
  std::vector<MapForm> maps;
  std::vector<std::vector<MapForm>> insides;
  std::vector<OutputForm> outputs;
  int32_t wrong = -1; // field: the first index of a gather that is outside; only if there are gathers
  int32_t count = -1; // field: the number of reduced places

  int32_t rank() const { return int32_t(extents.size()); }
  // Reductions over some axes: there is a thread for each result. Else there is one for each place.
  bool hasThreadsForResults() const { return reduced > 0 && reduced < rank(); }
};

// The arrays of a kernel in the memory of a target.
struct Addresses {
  std::vector<const char*> loads;
  std::vector<const char*> outputs;
  const char* wrong = nullptr; // two int64: 0, or 1 more than the instruction; the index
};

Form formOf(const Kernel& kernel, const Addresses& addresses, Fields& fields);

// Equal texts: equal programs. Line i is instruction i.
std::string text(const Form& form);

} // namespace bsgp::arrays
