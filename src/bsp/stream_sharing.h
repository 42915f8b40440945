// Which values share a temporary stream: the paper's section 4.3. A graph algorithm; knows nothing of LLVM.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bsgp::bsp {

// Times: 2k is the beginning of superstep k, 2k+1 its end.
constexpr uint32_t beginning(unsigned step) {
  return 2 * step;
}
constexpr uint32_t end(unsigned step) {
  return 2 * step + 1;
}

// A closed interval of times.
struct Lifetime {
  uint32_t start = 0, end = 0;
};

struct Sharing {
  std::vector<uint32_t> stream; // of each value, from 0
  uint32_t count = 0;           // streams; no assignment needs fewer
};

// Values whose lifetimes have a time in common get different streams.
Sharing shareStreams(std::span<const Lifetime> values);

// The same where the host decides what comes next: a value has a life in each chain of supersteps in which it lives.
struct Life {
  std::vector<Lifetime> parts; // in order; the begin of the first one comes before all others on every path
  std::vector<uint32_t> alike; // values with which it would best have one stream
};
Sharing colourStreams(std::span<const Life> values); // stream_colouring.cpp

} // namespace bsgp::bsp
