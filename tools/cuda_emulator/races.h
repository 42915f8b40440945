// Finds threads of different warps that touch the same byte without anything that orders them, one of them writing: in
// device memory during one launch, in shared memory of a block. What orders is in order.h. Accesses that are atomic,
// volatile or ordered (.relaxed, .acquire, .release) do not count. Only reports, and only some of what it finds.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "op.h"
#include "order.h"
#include "ptx.h"

namespace bsgp::emulator {

class Block;
class Warp;

// Who has touched a byte, and when: numbers that a launch has in common above the bits of the moment. 0: nobody.
struct Touched {
  std::atomic<uint64_t> writer{0}, readers[2]{0, 0}; // the last one; the last ones of two warps

  static uint64_t tag(uint64_t launch, const Moment& moment);
};

// What is kept of a block that runs.
struct BlockRaces {
  std::vector<Touched> shared;
  std::vector<Past> pasts; // of its warps
  uint32_t barriers = 0;   // that it has passed
};

class Races {
public:
  explicit Races(uint64_t memory_bytes);
  void begin(uint64_t warps_of_block); // a launch
  void note(Warp&, const Op&, Space, unsigned bytes, bool write);

  // Accesses that are ordered, Semantics in Op::o[5]: loads at `addresses`, when they are made; stores, before. What is
  // exchanged is exchanged before the lock goes.
  void loaded(Warp&, const Op&, Space, const uint64_t* addresses);
  void stores(Warp&, const Op&, Space);
  std::unique_lock<std::mutex> exchanges(Warp&, const Op&, Space);
  void fence(Warp&);

private:
  struct Place {
    bool is_shared;
    uint64_t at; // offset in shared or in device memory
  };
  static Place placeOf(Space space, uint64_t address);
  static Moment now(Warp&);
  void noteLane(Warp&, const Op&, Space, unsigned lane, uint64_t address, unsigned bytes, bool write);
  const char* note(Touched& byte, Warp& w, const Moment& now, bool is_shared, bool write);
  void access(Warp&, const Op&, Space, const uint64_t* addresses, Access);

  Touched* touched_;
  uint64_t bytes_, launch_ = 0;
  Order order_;
  std::atomic<int> reports_{0}; // of this launch
};

} // namespace bsgp::emulator
