// A thread block while it runs: its warps, its shared memory, its barriers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch.h"
#include "warp.h"

namespace bsgp::emulator {

struct Barrier {
  uint32_t arrived = 0;  // threads
  uint32_t expected = 0; // 0: all threads that have not exited
  uint32_t ones = 0;     // bar.red: threads whose predicate was true
  uint32_t voters = 0;   // bar.red: threads that had one
};

// What bar.red makes of the predicates; kept in Op::aux from bit 8 on.
enum class BarrierVote : uint8_t { none, popc, all, any };

// Belongs to a worker, which runs one block after the other in it; one for each host thread at a time.
class Block {
public:
  explicit Block(Launch&);
  void run(uint64_t number);

  const Kernel& kernel() const { return *launch_.kernel; }
  const Launch& launch() const { return launch_; }
  DeviceMemory& memory() { return *launch_.memory; }
  uint64_t number() const { return number_; } // in the grid
  size_t warpCount() const { return warps_.size(); }
  BlockRaces& races() { return races_; }
  char* shared() { return shared_.data(); }
  uint32_t sharedBytes() const { return shared_bytes_; }

  // Lanes Warp::exec come to a barrier: they wait there (see Warp::await), or not. `expected` is 0 or a multiple of 32.
  void arrive(Warp&, const Op&, uint8_t barrier, uint32_t expected, bool wait, bool anywhere);
  void vote(Warp&, uint8_t barrier, uint32_t predicate); // bar.red: before arrive
  void exited(uint32_t threads);                         // of a warp that has taken them out already
  std::string threadName(const Warp&, unsigned lane) const;

private:
  void prepare();
  void fillFrame(char* frame, uint32_t warp);
  void fillSpecial(char* frame, uint32_t warp, const SpecialSlot&, bool of_block);
  void complete(uint8_t barrier);
  void check(uint8_t barrier);
  [[noreturn]] void faultDeadlock();

  Launch& launch_;
  uint64_t number_ = 0;
  uint32_t id_[3] = {0, 0, 0};
  BlockRaces races_;
  uint32_t live_ = 0; // threads
  uint32_t shared_bytes_;
  std::vector<char> shared_;
  std::vector<Warp> warps_;
  Barrier barriers_[16];
};

} // namespace bsgp::emulator
