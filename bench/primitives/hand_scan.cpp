// Scan. One pass: a piece that fits a cache is read, its sum published, the sum of all pieces before it found by looking
// back at theirs, and the result streamed to memory. Two passes: the usual form, which reads twice.
#include <vector>

#include "harness.h"
#include "look_back.h"
#include "simd.h"

namespace bench {
namespace {

#define SHIFTED(v, ...) __builtin_shufflevector(U16{}, v, __VA_ARGS__)
U16 inclusive(U16 v) {
  v += SHIFTED(v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  v += SHIFTED(v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  v += SHIFTED(v, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
  v += SHIFTED(v, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  return v;
}
#undef SHIFTED
U16 last(U16 v) {
  return __builtin_shufflevector(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
}

template <bool Streaming> void scanPiece(const uint32_t* x, uint32_t* out, size_t begin, size_t end, uint32_t before) {
  U16 carry = U16{} + before;
  size_t i = begin;
  for (; i + 16 <= end; i += 16) {
    U16 v = load<U16>(x + i), sums = inclusive(v);
    Streaming ? stream(out + i, sums - v + carry) : store(out + i, sums - v + carry);
    carry += last(sums);
  }
  uint32_t sum = carry[0];
  for (; i < end; sum += x[i++])
    out[i] = sum;
  if (Streaming)
    streamFence();
}

template <bool Streaming> void scanOnePass(Work& w) {
  size_t pieces = (w.n + kPiece - 1) / kPiece;
  LookBack look_back(pieces);
  w.team->run([&](unsigned) {
    for (size_t piece; (piece = look_back.claim()) < pieces;) {
      size_t begin = piece * kPiece, end = std::min(begin + kPiece, w.n);
      scanPiece<Streaming>(w.keys, w.out, begin, end, look_back.before(piece, sumOf<U16>(w.keys + begin, end - begin)));
    }
  });
}

template <bool Streaming> void scanTwoPasses(Work& w) {
  std::vector<uint32_t> sums(w.team->size());
  w.team->run([&](unsigned member) {
    Part part(w.n, member, w.team->size());
    sums[member] = sumOf<U16>(w.keys + part.begin, part.end - part.begin);
    w.team->sync();
    uint32_t before = 0;
    for (unsigned i = 0; i < member; ++i)
      before += sums[i];
    scanPiece<Streaming>(w.keys, w.out, part.begin, part.end, before);
  });
}

template <void (*Cached)(Work&), void (*Streaming)(Work&)> void scanAnySize(Work& w) {
  if (w.n <= kAlone)
    return scanPiece<false>(w.keys, w.out, 0, w.n, 0);
  w.n < (4u << 20) ? Cached(w) : Streaming(w);
}

} // namespace

void addHandScan(Problems& problems) {
  const char* scan = "exclusive scan int";
  addPeer(problems, scan, "by hand, one pass", scanAnySize<scanOnePass<false>, scanOnePass<true>>);
  addPeer(problems, scan, "by hand, two passes", scanAnySize<scanTwoPasses<false>, scanTwoPasses<true>>);
}

} // namespace bench
