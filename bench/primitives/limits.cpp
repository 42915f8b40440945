// What memory allows: reading, and copying with ordinary and with streaming stores. Also rows of every other table.
#include "limits.h"

#include "simd.h"

namespace bench {
namespace {

constexpr size_t kPiece = 1 << 16, kAlone = 1 << 14;

template <class Copy> void copyWith(Work& w, uint32_t* to, const uint32_t* from, const Copy& copy) {
  w.team->pieces(w.n, w.n <= kAlone ? kAlone : kPiece,
                 [&](size_t begin, size_t end) { copy(to + begin, from + begin, end - begin); });
}

void ordinary(uint32_t* to, const uint32_t* from, size_t n) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16)
    store(to + i, load<U16>(from + i));
  for (; i < n; ++i)
    to[i] = from[i];
}

void streamed(uint32_t* to, const uint32_t* from, size_t n) {
  streamCopy(to, from, n);
  streamFence();
}

} // namespace

void readAll(Work& w) {
  std::atomic<uint32_t> sum{0};
  w.team->pieces(w.n, w.n <= kAlone ? kAlone : kPiece, [&](size_t begin, size_t end) {
    sum.fetch_add(sumOf<U16>(w.keys + begin, end - begin), std::memory_order_relaxed);
  });
  w.count = sum.load();
}

// Streaming pays when the copy would not stay in the caches.
void copyAll(Work& w) {
  copyWith(w, w.out, w.keys, w.n < (4u << 20) ? ordinary : streamed);
}

void addLimits(Problems& problems) {
  auto add = [&](const char* name, std::function<void(Work&)> run) {
    addPeer(problems, "limits", name, std::move(run));
  };
  add("read (half the bytes)", readAll);
  add("copy", [](Work& w) { copyWith(w, w.out, w.keys, ordinary); });
  add("copy, streaming stores", [](Work& w) { copyWith(w, w.out, w.keys, streamed); });
  add("copy keys + values, streaming (twice the bytes)", [](Work& w) {
    w.team->pieces(w.n, w.n <= kAlone ? kAlone : kPiece, [&](size_t begin, size_t end) {
      streamed(w.out + begin, w.keys + begin, end - begin);
      streamed(w.out2 + begin, w.values + begin, end - begin);
    });
  });
}

} // namespace bench
