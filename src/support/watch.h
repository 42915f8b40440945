// How --check watches a function of the library that it does not watch like a program's. A word behind the parameters in the
// library's text says so.
#pragma once

#include <cstdint>

namespace bsgp {

enum class Watch : uint8_t {
  Usual,
  Exchange,   // __exchanges: what threads pass through shared memory in it is no race, and its syncs order nothing else
  WarpSync,   // __orders_warp: its block.sync() orders the threads of each warp alone
  SharedWork, // __shares_work: which thread an atomic update in it gives a value to makes no difference to anybody
};

} // namespace bsgp
