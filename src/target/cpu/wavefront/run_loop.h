// Makes a loop over threads one over *runs* of them: for each run a loop over its threads in front of the region, the
// loop over places, and a loop over its threads behind the region.
#pragma once

#include "target/cpu/wavefront/place_loop.h"

namespace bsgp::target {

constexpr uint32_t kThreadsOfRun = 4096;

struct RunShape {
  llvm::Value* threads = nullptr; // of the loop, i64, known in front of it
  uint32_t run = kThreadsOfRun;   // threads of a run, at most
  unsigned places = 0;
  llvm::GlobalVariable* forms = nullptr; // of the kernel; null: nobody counts lanes
  Flags flags = Flags::Bits;
};

// Returns the variables that are to become registers.
llvm::SmallVector<llvm::AllocaInst*, 16> writeRuns(const LaneLoop& lanes, const WavefrontRegion& region,
                                                   const RunShape& shape);

} // namespace bsgp::target
