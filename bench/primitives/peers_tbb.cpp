// oneTBB.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include "harness.h"
#include "simd.h"

namespace bench {
namespace {

using Range = tbb::blocked_range<size_t>;
constexpr size_t kMostSorted = 2'000'000;

template <class Vector, class T> T sum(const T* x, size_t n) {
  auto piece = [=](const Range& range, T before) { return before + sumOf<Vector>(x + range.begin(), range.size()); };
  return tbb::parallel_reduce(Range(0, n, 1 << 14), T(0), piece, std::plus<T>());
}

void scan(Work& w) {
  auto piece = [&](const Range& range, uint32_t sum, bool final) {
    for (size_t i = range.begin(); i < range.end(); ++i) {
      uint32_t x = w.keys[i];
      if (final)
        w.out[i] = sum;
      sum += x;
    }
    return sum;
  };
  tbb::parallel_scan(Range(0, w.n, 1 << 14), 0u, piece, std::plus<uint32_t>());
}

} // namespace

void addTbbPeers(Problems& problems) {
  addPeer(problems, "reduce int", "tbb::parallel_reduce", [](Work& w) { w.count = sum<U16>(w.keys, w.n); });
  addPeer(problems, "reduce float", "tbb::parallel_reduce",
          [](Work& w) { w.sum = double(sum<F16>(reinterpret_cast<const float*>(w.keys), w.n)); });
  addPeer(problems, "exclusive scan int", "tbb::parallel_scan", scan);
  Peer& keys =
      addPeer(problems, "sort keys", "tbb::parallel_sort", [](Work& w) { tbb::parallel_sort(w.out, w.out + w.n); });
  keys.most = kMostSorted;
  Peer& pairs = addPeer(problems, "sort pairs", "tbb::parallel_sort by key and value",
                        [](Work& w) { tbb::parallel_sort(w.packed, w.packed + w.n); });
  pairs.packed = true;
  pairs.most = kMostSorted;
}

} // namespace bench
