// Writes down what kernels do to memory, for those who look for mistakes in it afterwards. One line each:
//
//   a ADDRESS BYTES              memory is allocated
//   f ADDRESS                    and freed; its addresses are not given out again
//   l KERNEL BLOCKS THREADS      a launch begins, of so many blocks of so many threads
//   v NAME OFFSET BYTES          of the launch: a variable in shared memory
//   m BLOCK WARP LANES           a fence of all memory
//   r|w|l|s|x SPACE BYTES BLOCK WARP BARRIERS SYNCS LANES ADDRESS...
//
// The last is an instruction of a warp that reads, writes, reads or writes in an order with others, or exchanges. SPACE is g or
// s; BARRIERS and SYNCS are those that the block and the warp have passed. LANES is a mask, with an address for each bit
// of it. ADDRESS, OFFSET and LANES are hexadecimal.
//
// An access outside of what is allocated is written down, too, and not done: what is read there is 0.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>

#include "op.h"
#include "ptx.h"

namespace bsgp::emulator {

struct Launch;
class Warp;

class Trace {
public:
  static Trace* get(); // null: nobody asked with BSGP_CUDA_EMULATOR_TRACE=FILE

  // Free bytes between variables of shared memory, and before the first.
  static constexpr uint32_t kGap = 256;

  void allocated(uint64_t address, uint64_t bytes);
  void freed(uint64_t address);
  void begins(const Launch&);
  void ends();
  void fence(Warp&);
  void access(Warp&, const Op&, Space, uint32_t address_operand, unsigned bytes, char kind);

private:
  explicit Trace(const char* path);

  std::mutex mutex_;
  std::FILE* file_;
};

} // namespace bsgp::emulator
