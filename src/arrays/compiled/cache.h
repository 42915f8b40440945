// Code of segments that were compiled, and the decision to compile them.
#pragma once

#include "arrays/compiled/code.h"

namespace bsgp::arrays {

enum class Compile : int8_t { Never = -1, WhenItPays = 0, Always = 1 };

// A kernel's segments with their code; without code where the loops are to run it. The caller holds the engine's lock.
struct Plan {
  Steps steps;
  std::vector<CompiledSegment> code; // one for each segment; empty: nothing is compiled
  int compiled() const;              // segments that have code
  bool isWhole() const { return !code.empty() && compiled() == int(code.size()); }
};
// places: that the kernel is about to compute. Compiling pays where its loops have taken, or are about to take, about as long.
Plan planOf(const Kernel& kernel, int64_t places, Compile wish);

// Counts the segments that this process has compiled so far.
int64_t compiledSegments();

} // namespace bsgp::arrays
