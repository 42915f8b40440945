// PTX text as it was written: what the parser makes and the lowering reads. Names point into the text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "type.h"

namespace bsgp::emulator {

// Text that is no PTX we know. Thrown by the parser and the lowering; loading a module fails with it.
struct PtxError {
  unsigned line;
  std::string message;
};

struct Operand {
  enum Kind { Name, Integer, Single, Double, Address, Vector, List, Sink } kind = Name;
  bool negated = false;       // !p
  std::string_view name;      // Name; Address: its base, empty if there is none
  std::string_view second;    // Name: the other half of p|q, empty if there is none
  uint64_t value = 0;         // numbers: the bits; Name and Address: the offset
  std::vector<Operand> parts; // Vector and List
};

struct Instruction {
  unsigned line = 0, scope = 0;
  std::string_view guard; // its predicate, empty if there is none
  bool guard_negated = false;
  std::string_view opcode; // with all its modifiers
  std::string_view text;   // without its guard, to the end
  std::vector<Operand> operands;
};

enum class Space : uint8_t { generic, global, shared, local, constant, param };

// One element of an initialiser: a number or the address of a variable.
struct Initializer {
  uint64_t value = 0; // of an address: the offset
  std::string_view symbol;
  unsigned mask = 0; // 8 bits of the value, this shift + 1 from the bottom: 0xFF00(symbol) has 9; 0: all
};

struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  unsigned vector = 1, align = 1, line = 0;
  uint64_t count = 1; // elements
  bool is_extern = false, is_array = false;
  std::vector<Initializer> values;

  uint64_t bytes() const { return count * vector * bytesOf(type); }
};

struct Register {
  Type type = Type::none;
  unsigned vector = 1;
};

// %r<5>: %r0 to %r4
struct RegisterRange {
  std::string_view prefix;
  uint32_t count = 0;
  Register reg;
};

// A `{ }` with the names declared in it.
struct Scope {
  int parent = -1;
  std::map<std::string_view, Register> registers;
  std::vector<RegisterRange> ranges;
  std::map<std::string_view, Variable> variables;                    // .param, .local and .shared
  std::map<std::string_view, uint32_t> labels;                       // number of the instruction that follows
  std::map<std::string_view, std::vector<std::string_view>> targets; // .branchtargets
};

struct Function {
  std::string_view name;
  unsigned line = 0;
  bool is_entry = false, defined = false;
  std::vector<Variable> parameters, results;
  uint32_t max_threads = 0; // .maxntid and .reqntid, 0: not given
  uint32_t required[3] = {0, 0, 0};
  std::vector<Scope> scopes; // the first one is the body
  std::vector<Instruction> code;
};

struct PtxModule {
  unsigned version = 0; // 70 for 7.0
  unsigned sm = 0;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

PtxModule parsePtx(std::string_view text);

} // namespace bsgp::emulator
