// What dtempnew took: of the functions of a call, or of its spawns, which nest.
#pragma once

#include <vector>

#include "runtime/memory.h"

namespace bsgp::runtime {

struct Temp {
  void* block;
  uint64_t serial;
  uint32_t scope; // of a spawn; 0: of a function
  const bsgp_site* site;
  size_t bytes;
};

class Temps {
public:
  size_t count() const { return temps_.size(); }
  void add(const Temp& temp) { temps_.push_back(temp); }
  void freeFrom(size_t mark, Memory& memory);

  // A run begins: from here to its end it has no other's. Returns what endRun is to be given.
  size_t beginRun();
  void endRun(size_t outer_begin, Memory& memory);

  // The run's of this scope are given back. In a loop they are kept for the next round: a round of a microsecond has no
  // time for more.
  void endScope(uint32_t scope, bool in_loop, Memory& memory);
  // What was kept of an allocation at the same place of the program and of the same size; null: nothing.
  void* takeKept(const bsgp_site* site, size_t bytes, uint32_t scope, Memory& memory);

  // The program frees it by itself: it is nobody's temporary any more. False: it is no longer the program's.
  bool forget(const void* block);

private:
  static constexpr uint32_t kKept = UINT32_MAX; // a scope
  static constexpr size_t kLargest = 256 << 10;
  std::vector<Temp> temps_; // a stack
  size_t run_begin_ = 0;    // of the innermost run
};

} // namespace bsgp::runtime
