// Sorting by hand: the two forms worth knowing, see radix.h.
#include "radix.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

#include "harness.h"

namespace bench {
namespace radix {

Scratch::Scratch(unsigned count) {
  constexpr size_t kHugePage = 2 << 20, bytes = (sizeof(Member) + kHugePage - 1) / kHugePage * kHugePage;
  for (unsigned i = 0; i < count; ++i) {
    void* memory = std::aligned_alloc(kHugePage, bytes);
    madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 1, bytes);
    members.emplace_back(new (memory) Member, [](void* p) { std::free(p); });
  }
}

} // namespace radix

namespace {

using namespace radix;

void sortKeys(Work& w, Scratch& scratch) {
  uint32_t* out = w.out;
  sort(
      *w.team, scratch, w.n, [=](size_t i) { return out[i]; }, reinterpret_cast<uint32_t*>(w.spare),
      reinterpret_cast<uint32_t*>(w.spare2),
      [=](size_t at, const uint32_t* from, size_t n) { streamCopy(out + at, from, n); });
}

void sortPairs(Work& w, Scratch& scratch) {
  uint32_t *out = w.out, *out2 = w.out2;
  sort(
      *w.team, scratch, w.n, [=](size_t i) { return pair(out[i], out2[i]); }, w.spare, w.spare2,
      [=](size_t at, const uint64_t* from, size_t n) { unpack(from, n, out + at, out2 + at); });
}

// Four passes over memory, least significant digit first.
void sortPairsLsd(Work& w, Scratch& scratch) {
  auto pass = [&](unsigned shift, const auto& load, const auto& emit) {
    Digit digit{shift, 255};
    w.team->run([&](unsigned i) { countDigits(load, Part(w.n, i, w.team->size()), digit, 8, *scratch.members[i]); });
    placeDigits(scratch, 8);
    w.team->run([&](unsigned i) {
      scatterBuffered<uint64_t>(load, Part(w.n, i, w.team->size()), digit, 8, *scratch.members[i], emit);
    });
  };
  uint32_t *out = w.out, *out2 = w.out2;
  uint64_t *a = w.spare, *b = w.spare2;
  auto from = [](const uint64_t* x) { return [x](size_t i) { return x[i]; }; };
  auto to = [](uint64_t* x) { return [x](size_t at, const uint64_t* p, auto n) { streamCopy(x + at, p, n); }; };
  pass(0, [=](size_t i) { return pair(out[i], out2[i]); }, to(a));
  pass(8, from(a), to(b));
  pass(16, from(b), to(a));
  pass(24, from(a), [=](size_t at, const uint64_t* p, auto n) { unpack(p, n, out + at, out2 + at); });
}

} // namespace

void addHandSort(Problems& problems) {
  auto scratch = std::make_shared<Scratch>(Team().size());
  const char* best = "by hand, partition + LSD in cache";
  addPeer(problems, "sort keys", best, [=](Work& w) { sortKeys(w, *scratch); });
  addPeer(problems, "sort pairs", best, [=](Work& w) { sortPairs(w, *scratch); });
  addPeer(problems, "sort pairs", "by hand, LSD 8 bits x 4", [=](Work& w) { sortPairsLsd(w, *scratch); });
}

} // namespace bench
