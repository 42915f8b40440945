#include "table.h"

namespace bsgp::emulator {

const Table& Table::get() {
  static const Table table = [] {
    Table all;
    for (auto add : {addIntegers, addBits, addCarries, addSingles, addDoubles, addHalves, addComparisons, addMoves,
                     addWarpOps, addBarriers})
      add(all);
    return all;
  }();
  return table;
}

const Entry* Table::find(std::string_view opcode) const {
  auto found = entries_.find(std::string(opcode));
  return found == entries_.end() ? nullptr : &found->second;
}

} // namespace bsgp::emulator
