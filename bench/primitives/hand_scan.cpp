// Scan and compaction. One pass: a piece that fits a cache is read, its sum published, the sum of all pieces before it
// found by looking back at theirs, and the result streamed to memory. Two passes: the usual form, which reads twice.
#include <vector>

#include "harness.h"
#include "simd.h"

namespace bench {
namespace {

constexpr size_t kPiece = 1 << 15, kAlone = 1 << 15;

// The sums of pieces, as far as they are known. Pieces are claimed in order, so each waits only for running ones.
class LookBack {
public:
  explicit LookBack(size_t pieces) : states_(pieces) {}
  size_t claim() { return next_.fetch_add(1, std::memory_order_relaxed); }

  // Publishes the sum of a piece; gives the sum of all before it.
  uint32_t before(size_t piece, uint32_t sum) {
    states_[piece].store(kSum | sum, std::memory_order_release);
    uint32_t before = 0;
    for (size_t i = piece; i-- > 0;) {
      uint64_t state;
      while (!((state = states_[i].load(std::memory_order_acquire)) & (kSum | kPrefix)))
        pause();
      before += uint32_t(state);
      if (state & kPrefix)
        break;
    }
    states_[piece].store(kPrefix | uint32_t(before + sum), std::memory_order_release);
    return before;
  }

private:
  static constexpr uint64_t kSum = 1ull << 32, kPrefix = 1ull << 33;
  std::vector<std::atomic<uint64_t>> states_;
  alignas(64) std::atomic<size_t> next_{0};
};

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

// ---- compaction: the odd elements

#if defined(__AVX2__) && !defined(__AVX512F__)
// Of each mask of eight lanes the lanes that are set, one in each byte.
struct Packing {
  uint64_t lanes[256];
  constexpr Packing() : lanes() {
    for (unsigned mask = 0; mask < 256; ++mask)
      for (unsigned bit = 0, at = 0; bit < 8; ++bit)
        if (mask >> bit & 1)
          lanes[mask] |= uint64_t(bit) << 8 * at++;
  }
};
alignas(64) constexpr Packing kPacking;
#endif

// To `out`, which has room for a vector more; gives how many.
size_t compactPiece(const uint32_t* x, uint32_t* out, size_t begin, size_t end) {
  size_t kept = 0, i = begin;
#if defined(__AVX512F__)
  for (; i + 16 <= end; i += 16) {
    __m512i v = _mm512_loadu_si512(x + i);
    __mmask16 odd = _mm512_test_epi32_mask(v, _mm512_set1_epi32(1));
    _mm512_storeu_si512(out + kept, _mm512_maskz_compress_epi32(odd, v)); // compressing into memory is slow on Zen
    kept += size_t(__builtin_popcount(odd));
  }
#elif defined(__AVX2__)
  for (; i + 8 <= end; i += 8) {
    __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
    auto odd = unsigned(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(v, 31))));
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(int64_t(kPacking.lanes[odd])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + kept), _mm256_permutevar8x32_epi32(v, lanes));
    kept += size_t(__builtin_popcount(odd));
  }
#endif
  for (; i < end; ++i) {
    out[kept] = x[i];
    kept += x[i] & 1;
  }
  return kept;
}

void compactOnePass(Work& w) {
  size_t pieces = (w.n + kPiece - 1) / kPiece;
  bool streaming = w.n >= (4u << 20);
  LookBack look_back(pieces);
  w.team->run([&](unsigned) {
    alignas(64) static thread_local uint32_t kept[kPiece + 16];
    for (size_t piece; (piece = look_back.claim()) < pieces;) {
      size_t begin = piece * kPiece, end = std::min(begin + kPiece, w.n);
      size_t count = compactPiece(w.keys, kept, begin, end);
      uint32_t before = look_back.before(piece, uint32_t(count));
      if (streaming)
        streamCopy(w.out + before, kept, count);
      else
        std::memcpy(w.out + before, kept, count * 4);
      if (end == w.n)
        w.count = int64_t(before + count);
    }
    streamFence();
  });
}

void compact(Work& w) {
  if (w.n > kAlone)
    return compactOnePass(w);
  alignas(64) static thread_local uint32_t kept[kAlone + 16];
  w.count = int64_t(compactPiece(w.keys, kept, 0, w.n));
  std::memcpy(w.out, kept, size_t(w.count) * 4);
}

} // namespace

void addHandScan(Problems& problems) {
  const char* scan = "exclusive scan int";
  addPeer(problems, scan, "by hand, one pass", scanAnySize<scanOnePass<false>, scanOnePass<true>>);
  addPeer(problems, scan, "by hand, two passes", scanAnySize<scanTwoPasses<false>, scanTwoPasses<true>>);
  addPeer(problems, "compact half", "by hand, one pass", compact);
}

} // namespace bench
