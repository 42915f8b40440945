// One launch of a kernel: its blocks are handed out in ascending order to as many threads as the machine has.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "kernel.h"
#include "memory.h"
#include "races.h"
#include "trace.h"
#include "warp.h"

namespace bsgp::emulator {

struct Launch {
  const Kernel* kernel = nullptr;
  DeviceMemory* memory = nullptr;
  Races* races = nullptr; // null: nobody looks for them
  Trace* trace = nullptr; // null: nobody asked for one
  std::vector<char> parameters;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  bool isWatched() const { return races || trace; }
  uint32_t threads() const { return block[0] * block[1] * block[2]; }

  std::atomic<uint64_t> next{0}; // block to hand out
  uint64_t end = 0;              // of the blocks that run
  std::atomic<bool> stop{false}; // a block has failed
  std::mutex mutex;
  std::optional<Fault> fault; // the first one
};

// Runs it to its end. The fault, if there was one, stays in the launch.
void run(Launch&);

} // namespace bsgp::emulator
