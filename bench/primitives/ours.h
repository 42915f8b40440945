// The functions that primitives.bsgp exports, as a peer runs them. Both benchmarks compile that file for themselves.
#pragma once

#include "harness.h"
#include "primitives.h"

namespace bench {

inline int32_t* ints(uint32_t* p) {
  return reinterpret_cast<int32_t*>(p);
}
inline float* floats(uint32_t* p) {
  return reinterpret_cast<float*>(p);
}

namespace ours {

inline void copy(Work& w) {
  succeed(ours_copy(w.context, ints(w.out), ints(w.keys), int32_t(w.n)));
}

inline void reduceInt(Work& w) {
  int32_t sum = 0;
  succeed(ours_reduce_int(w.context, ints(w.keys), int32_t(w.n), &sum));
  w.count = sum;
}
inline void hostReduceInt(Work& w) {
  int32_t sum = 0;
  succeed(ours_host_reduce_int(w.context, ints(w.keys), int32_t(w.n), &sum));
  w.count = sum;
}
inline void reduceFloat(Work& w) {
  float sum = 0;
  succeed(ours_reduce_float(w.context, floats(w.keys), int32_t(w.n), &sum));
  w.sum = double(sum);
}
inline void hostReduceFloat(Work& w) {
  float sum = 0;
  succeed(ours_host_reduce_float(w.context, floats(w.keys), int32_t(w.n), &sum));
  w.sum = double(sum);
}

inline void scan(Work& w) {
  succeed(ours_scan(w.context, ints(w.out), ints(w.keys), int32_t(w.n)));
}
inline void hostScan(Work& w) { // in place
  int32_t total = 0;
  succeed(ours_host_scan(w.context, ints(w.out), int32_t(w.n), &total));
}

// What a call keeps is its temporary; only the run that is checked copies it out: `count` is 0 before that.
template <auto Function, class Size = int32_t> void kept(Work& w) {
  int32_t count = 0;
  succeed(Function(w.context, w.count == 0 ? ints(w.out) : nullptr, ints(w.keys), Size(w.n), &count));
  w.count = count;
}
// What goes on goes to `out` each time.
template <auto Function, class Size = int32_t> void followed(Work& w) {
  int32_t count = 0;
  succeed(Function(w.context, ints(w.out), ints(w.keys), Size(w.n), &count));
  w.count = count;
}
inline void compact(Work& w) {
  kept<ours_compact>(w);
}

inline void sortKeys(Work& w) {
  succeed(ours_sort_keys(w.context, w.out, int32_t(w.n)));
}
inline void hostSortKeys(Work& w) {
  succeed(ours_host_sort_keys(w.context, w.out, int32_t(w.n)));
}
inline void sortPairs(Work& w) {
  succeed(ours_sort_pairs(w.context, w.out, w.out2, int32_t(w.n)));
}
inline void hostSortPairs(Work& w) {
  succeed(ours_host_sort_pairs(w.context, w.out, w.out2, int32_t(w.n)));
}

inline void faces(Work& w) {
  succeed(ours_faces(w.context, ints(w.out), ints(w.out2), ints(w.keys), int32_t(w.n)));
}

} // namespace ours
} // namespace bench
