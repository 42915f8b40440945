// Histogram of 256 bins: tables of each thread's own, several of them so that equal neighbours do not wait for each
// other's store; and atomic additions, for comparison.
#include <cstring>

#include "harness.h"

namespace bench {
namespace {

constexpr size_t kAlone = 1 << 15;

template <int Tables> void count(const uint32_t* x, size_t begin, size_t end, uint32_t* bins) {
  alignas(64) uint32_t tables[Tables][256] = {};
  size_t i = begin;
  for (; i + Tables <= end; i += Tables)
    for (int t = 0; t < Tables; ++t)
      ++tables[t][x[i + size_t(t)]];
  for (; i < end; ++i)
    ++tables[0][x[i]];
  for (auto& table : tables)
    for (int bin = 0; bin < 256; ++bin)
      bins[bin] += table[bin];
}

template <int Tables> void withTables(Work& w) {
  w.bins.fill(0);
  if (w.n <= kAlone)
    return count<Tables>(w.keys, 0, w.n, w.bins.data());
  struct alignas(4096) Bins {
    uint32_t count[256];
  };
  std::vector<Bins> bins(w.team->size());
  w.team->run([&](unsigned member) {
    Part part(w.n, member, w.team->size());
    count<Tables>(w.keys, part.begin, part.end, bins[member].count);
  });
  for (auto& member : bins)
    for (int bin = 0; bin < 256; ++bin)
      w.bins[size_t(bin)] += member.count[bin];
}

void withAtomics(Work& w) {
  w.bins.fill(0);
  w.team->pieces(w.n, kAlone, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      std::atomic_ref(w.bins[w.keys[i]]).fetch_add(1, std::memory_order_relaxed);
  });
}

} // namespace

void addHandHistogram(Problems& problems) {
  const char* problem = "histogram 256";
  addPeer(problems, problem, "by hand, 8 private tables", withTables<8>);
  addPeer(problems, problem, "by hand, 4 private tables", withTables<4>);
  addPeer(problems, problem, "by hand, 1 private table", withTables<1>);
  addPeer(problems, problem, "by hand, atomics", withAtomics);
}

} // namespace bench
