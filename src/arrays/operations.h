// The table of operations on elements, of reductions and of types: everything that is decided by their names alone.
#pragma once

#include <cstddef>

#include "bsgp/arrays.h"
#include "support/result.h"

namespace bsgp::arrays {

enum class TypeKind : uint8_t { Bool, Signed, Unsigned, Float, Complex };

struct TypeInfo {
  const char* name;
  uint8_t bytes;
  TypeKind kind;
};
const TypeInfo& info(bsgp_dtype type);
bool isInteger(bsgp_dtype type);
// That in which values of the type are computed: float32 for float16.
bsgp_dtype computedType(bsgp_dtype type);
bool isComplex(bsgp_dtype type);

// The operands that an operation takes, and the type it gives.
enum class Rule : uint8_t {
  Number,     // numbers; a result of their common type
  Any,        // bools too
  Float,      // integers and bools become float64
  Compare,    // a bool of two numbers or bools
  Test,       // a bool of a number
  Logic,      // a bool of bools
  Bits,       // bools or integers
  Shift,      // integers
  Words,      // uint64
  Choice,     // bool, then two of a common type
  SignChoice, // a number, then two of a common type
};

// An operation of complex numbers.
enum class OfComplex : uint8_t {
  Same,    // a complex number, where the rule gives the operands' type
  Part,    // a real number
  NoOrder, // an error: the operation asks which number is greater
  None,    // an error
};

struct Operation {
  const char* name;
  uint8_t operands;
  Rule rule;
  uint8_t cost; // about the time of so many additions
  OfComplex of_complex = OfComplex::Same;
};
const Operation& info(bsgp_operation operation);

struct Fold {
  const char* name;
  bsgp_operation combines; // two values
  bool widens;             // integers and bools become 64 bits wide
  bool tests;              // the operand becomes a bool
};
const Fold& info(bsgp_fold fold);

struct TypeOf {
  bsgp_dtype type;
  bool weak = false; // a number of the program's text
};

// The type that both are converted to: the array API standard's table, and NumPy's for mixes outside of it.
TypeOf commonType(TypeOf a, TypeOf b);

// The type of an operation's operands and of its result; the first operand of a choice has a type of its own.
struct Typed {
  bsgp_dtype condition, operands;
  TypeOf result;
};
Result<Typed> typeOperation(bsgp_operation operation, const TypeOf* operands);

bsgp_dtype foldedType(bsgp_fold fold, bsgp_dtype type);

// Fails for complex numbers. `what`: an operation that needs an order.
Result<void> needsOrder(const char* what, bsgp_dtype type);

} // namespace bsgp::arrays
