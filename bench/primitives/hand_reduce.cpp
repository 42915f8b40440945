// Reduction as fast as it can be written: wide accumulators; pieces claimed by whoever is free.
#include <vector>

#include "harness.h"
#include "simd.h"

namespace bench {
namespace {

constexpr size_t kPiece = 1 << 16, kAlone = 1 << 15;

void reduceInt(Work& w) {
  std::atomic<uint32_t> sum{0};
  w.team->pieces(w.n, w.n <= kAlone ? kAlone : kPiece, [&](size_t begin, size_t end) {
    sum.fetch_add(sumOf<U16>(w.keys + begin, end - begin), std::memory_order_relaxed);
  });
  w.count = sum.load();
}

// The same bits every time: the sums of the pieces are added in order.
void reduceFloat(Work& w) {
  const auto* x = reinterpret_cast<const float*>(w.keys);
  if (w.n <= kAlone) {
    w.sum = sumOf<F16>(x, w.n);
    return;
  }
  std::vector<float> sums((w.n + kPiece - 1) / kPiece);
  w.team->pieces(w.n, kPiece,
                 [&](size_t begin, size_t end) { sums[begin / kPiece] = sumOf<F16>(x + begin, end - begin); });
  double sum = 0;
  for (float part : sums)
    sum += double(part);
  w.sum = sum;
}

} // namespace

void addHandReduce(Problems& problems) {
  addPeer(problems, "reduce int", "by hand", reduceInt);
  addPeer(problems, "reduce float", "by hand", reduceFloat);
}

} // namespace bench
