// Finds threads of different warps that touch the same byte without anything that orders them, one of them writing: in
// device memory during one launch, in shared memory between two barriers. Accesses that are atomic, volatile or ordered
// (.relaxed, .acquire, .release) do not count. Only reports, and only some of what it finds.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "op.h"
#include "ptx.h"

namespace bsgp::emulator {

class Block;
class Warp;

// Who has touched a byte: numbers that a period (a launch; the time between two barriers) has in common above the bits
// of the warp. 0: nobody.
struct Touched {
  std::atomic<uint32_t> writer{0}, reader{0};

  static constexpr uint32_t kWarpBits = 20, kMany = (1u << kWarpBits) - 1; // kMany: readers of several warps
  static uint32_t tag(uint64_t period, uint64_t warp);

  // Notes an access; returns what it collides with: null, "written" or "read".
  const char* note(uint32_t me, bool write);
};

// Of device memory.
class Races {
public:
  explicit Races(uint64_t memory_bytes);
  void begin(); // a launch
  void note(Warp&, const Op&, Space, unsigned bytes, bool write);

private:
  void noteLane(Warp&, const Op&, Space, unsigned lane, uint64_t address, unsigned bytes, bool write);

  Touched* touched_;
  uint64_t bytes_, period_ = 0;
  std::atomic<int> reports_{0}; // of this launch
};

// Of the shared memory of a block.
struct SharedRaces {
  std::vector<Touched> touched;
  uint64_t period = 0; // barriers
};

} // namespace bsgp::emulator
