// What the programs of several benchmarks have in common: their arguments, and a clock.
#pragma once

#include <cstring>
#include <string>
#include <time.h>
#include <vector>

namespace bench {

// On one processor the process' own time, which other programs take no part of; on several the clock's. Milliseconds.
inline double now(bool alone) {
  timespec time;
  clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

// [--quick] [NAME...]
struct Arguments {
  bool quick = false;
  std::vector<std::string> only; // empty: all
};

inline Arguments argumentsOf(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--quick"))
      arguments.quick = true;
    else
      arguments.only.push_back(argv[i]);
  return arguments;
}

} // namespace bench
