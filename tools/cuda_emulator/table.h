// All instructions whose form is told by their name alone: each spelling with its handler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "op.h"

namespace bsgp::emulator {

struct Entry {
  Handler run;
  // One letter an operand, the result first: 2 4 8 a value of so many bytes, f d a number of 4 or 8 bytes,
  // p a predicate, n a predicate that may be negated (which goes to Op::aux, kNegated), P a predicate with a second
  // one (p|q, both optional but one), F a result of 4 bytes with a predicate (r|p, likewise).
  const char* operands;
  uint32_t aux = 0;
};

constexpr uint32_t kNegated = uint32_t(1) << 31;

class Table {
public:
  static const Table& get();

  const Entry* find(std::string_view opcode) const;
  void add(const std::string& opcode, Handler run, const char* operands, uint32_t aux = 0) {
    entries_.insert_or_assign(opcode, Entry{run, operands, aux});
  }

private:
  std::unordered_map<std::string, Entry> entries_;
};

// Each file of instructions adds its own.
void addIntegers(Table&);
void addBits(Table&);
void addCarries(Table&);
void addSingles(Table&);
void addDoubles(Table&);
void addHalves(Table&);
void addComparisons(Table&);
void addMoves(Table&);
void addWarpOps(Table&);
void addBarriers(Table&);

// Calls add.operator()<T>(type) for the integers of 32 and 64 bits; the other also for those of 16.
template <class Add> void forIntegersOfWords(Add add) {
  add.template operator()<uint32_t>("u32");
  add.template operator()<int32_t>("s32");
  add.template operator()<uint64_t>("u64");
  add.template operator()<int64_t>("s64");
}
template <class Add> void forIntegers(Add add) {
  add.template operator()<uint16_t>("u16");
  add.template operator()<int16_t>("s16");
  forIntegersOfWords(add);
}

} // namespace bsgp::emulator
