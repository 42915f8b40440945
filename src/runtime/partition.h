// Runs a superstep that is one kernel for each block of its control flow, with a counter for each thread (plan_abi.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/plan_abi.h"

namespace bsgp::runtime {

// A partition reaches the run that it belongs to by these. All return a bsgp_status.
class PartitionHost {
public:
  virtual ~PartitionHost() = default;
  // Kernel number `kernel` of the plan, for so many threads; `block` is for its parameter of that kind.
  virtual int32_t launch(uint32_t kernel, int64_t threads, uint32_t block) = 0;
  virtual int32_t readStream(uint32_t stream, void* to, size_t bytes) = 0;
  virtual int32_t writeStream(uint32_t stream, const void* from, size_t bytes) = 0;
  virtual int32_t look() = 0; // has a thread failed, or the user interrupted?
};

// Block 0 has run for all threads. Returns when all threads have ended.
int32_t runBlocks(const bsgp_partition& partition, int64_t threads, uint32_t rank_bits, PartitionHost& host);

} // namespace bsgp::runtime
