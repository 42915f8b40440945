// Keeps the memory of dtempnew: of the functions of a call, or of its spawns, which nest.
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

  // Begins a run, which sees only its own temporaries up to its end. Returns the argument for endRun.
  size_t beginRun();
  void endRun(size_t outer_begin, Memory& memory);

  // Gives back the run's temporaries of this scope. In a loop they are cached for the next iteration: one of a
  // microsecond has no time to allocate.
  void endScope(uint32_t scope, bool in_loop, Memory& memory);
  // Returns a cached temporary of the same place of the program and of the same size; null if there is none.
  void* takeKept(const bsgp_site* site, size_t bytes, uint32_t scope, Memory& memory);

  // The program frees it by itself, so it is no temporary any more. False if it is no longer the program's.
  bool forget(const void* block);

private:
  static constexpr uint32_t kKept = UINT32_MAX; // a scope
  static constexpr size_t kLargest = 256 << 10;
  std::vector<Temp> temps_; // a stack
  size_t run_begin_ = 0;    // of the innermost run
};

} // namespace bsgp::runtime
