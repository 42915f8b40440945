// Finds the processors, memory and stack of the machine that this process may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sched.h>

namespace bsgp::runtime {

// A set of processors, of more than one cpu_set_t has.
struct CpuMask {
  static constexpr int kMostCpus = 1 << 14;
  cpu_set_t words[kMostCpus / CPU_SETSIZE] = {};
};

std::vector<int> usableCpus(); // the affinity mask
unsigned usableThreads();      // as many, or fewer if a control group's quota is smaller
size_t usableMemory();         // bytes: of the machine, or of the control group

struct StackBounds {
  uintptr_t floor = 0; // no call may begin below: the room under it is for the runtime's own frames
  uintptr_t top = 0;
};
const StackBounds& stackBounds(); // of the calling thread; asked for once

} // namespace bsgp::runtime
