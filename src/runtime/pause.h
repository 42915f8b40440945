// For loops that wait for another thread of the machine.
#pragma once

namespace bsgp::runtime {

// Tells the processor that the thread only waits: it leaves its units to the one beside it.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace bsgp::runtime
