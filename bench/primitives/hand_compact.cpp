// What is kept of an array, in its order. One pass: a piece that fits a cache is packed into a buffer, how much it is is
// published, and it is copied to where the pieces before it end.
#include <vector>

#include "harness.h"
#include "look_back.h"
#include "packing.h"

namespace bench {
namespace {

constexpr size_t kRoom = kPiece + kLanes; // of a buffer
static_assert(kAlone <= kPiece);

void put(uint32_t* to, const uint32_t* from, size_t count, bool streaming) {
  streaming ? streamCopy(to, from, count) : void(std::memcpy(to, from, count * 4));
}

// function(begin, end): packs that part of the elements to the front of a buffer, and gives how many they are.
template <class Function> void onePass(Work& w, uint32_t* out, const Function& function) {
  size_t pieces = (w.n + kPiece - 1) / kPiece;
  bool streaming = w.n >= (4u << 20);
  auto work = [&](LookBack& look_back) {
    alignas(64) static thread_local uint32_t kept[kRoom];
    for (size_t piece; (piece = look_back.claim()) < pieces;) {
      size_t begin = piece * kPiece, end = std::min(begin + kPiece, w.n);
      size_t count = function(kept, begin, end);
      uint32_t before = look_back.before(piece, uint32_t(count));
      put(out + before, kept, count, streaming);
      if (end == w.n)
        w.count = int64_t(before + count);
    }
    streamFence();
  };
  LookBack look_back(pieces);
  if (w.n <= kAlone)
    return work(look_back);
  w.team->run([&](unsigned) { work(look_back); });
}

void compact(Work& w) {
  onePass(w, w.out, [x = w.keys](uint32_t* to, size_t begin, size_t end) {
    return packPiece<1>({to}, begin, end, [x]<class V>(size_t i, V& v) {
      v = load<V>(x + i);
      return std::array{oddLanes(v)};
    })[0];
  });
}

// ---- threads that end: the ranks of the others

void packRanks(Work& w, uint32_t* out) {
  onePass(w, out, [x = w.keys](uint32_t* to, size_t begin, size_t end) {
    return packPiece<1>({to}, begin, end, [x]<class V>(size_t i, V& v) {
      countFrom(uint32_t(i), v);
      return std::array{oddLanes(load<V>(x + i))};
    })[0];
  });
}

void killAndFollow(Work& w) {
  auto* ranks = reinterpret_cast<uint32_t*>(w.spare);
  packRanks(w, ranks);
  w.team->pieces(size_t(w.count), kPiece, [=, x = w.keys, out = w.out](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      out[i] = x[ranks[i]];
  });
}

// ---- the first of each run of equal elements

void unique(Work& w) {
  onePass(w, w.out, [x = w.keys](uint32_t* to, size_t begin, size_t end) {
    size_t first = begin == 0; // nothing stands before it
    *to = x[begin];
    return first + packPiece<1>({to + first}, begin + first, end, [x]<class V>(size_t i, V& v) {
             v = load<V>(x + i);
             return std::array{differentLanes(v, load<V>(x + i - 1))};
           })[0];
  });
}

// ---- the even ones, then the odd ones

// The odd ones wait in `spare`: it is not known yet where the even ones end.
void splitPieces(Work& w, LookBack& look_back, bool streaming) {
  alignas(64) static thread_local uint32_t lows[kRoom], highs[kRoom];
  auto* spare = reinterpret_cast<uint32_t*>(w.spare);
  for (size_t piece; (piece = look_back.claim()) * kPiece < w.n;) {
    size_t begin = piece * kPiece, end = std::min(begin + kPiece, w.n);
    auto [low, high] = packPiece<2>({lows, highs}, begin, end, [x = w.keys]<class V>(size_t i, V& v) {
      v = load<V>(x + i);
      return std::array{kAllLanes<V> ^ oddLanes(v), oddLanes(v)};
    });
    uint32_t before = look_back.before(piece, uint32_t(low));
    put(w.out + before, lows, low, streaming);
    put(spare + (begin - before), highs, high, streaming);
    if (end == w.n)
      w.count = int64_t(before + low);
  }
  streamFence();
}

void split(Work& w) {
  bool streaming = w.n >= (4u << 20);
  LookBack look_back((w.n + kPiece - 1) / kPiece);
  if (w.n <= kAlone)
    splitPieces(w, look_back, streaming);
  else
    w.team->run([&](unsigned) { splitPieces(w, look_back, streaming); });
  auto* highs = reinterpret_cast<const uint32_t*>(w.spare);
  uint32_t* to = w.out + w.count;
  w.team->pieces(w.n - size_t(w.count), kPiece, [=](size_t begin, size_t end) {
    put(to + begin, highs + begin, end - begin, streaming);
    streamFence();
  });
}

} // namespace

void addHandCompact(Problems& problems) {
  addPeer(problems, "compact half", "by hand, one pass", compact);
  addPeer(problems, "kill half", "by hand, one pass", [](Work& w) { packRanks(w, w.out); });
  addPeer(problems, "kill half, x follows", "by hand, one pass over x", compact);
  addPeer(problems, "kill half, x follows", "by hand, ranks, then x", killAndFollow);
  addPeer(problems, "split by a bit", "by hand, one pass, odd ones moved", split);
  addPeer(problems, "unique of four", "by hand, one pass", unique);
}

} // namespace bench
