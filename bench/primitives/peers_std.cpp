// The parallel algorithms of libstdc++ (they run on oneTBB).
#include <algorithm>
#include <execution>
#include <numeric>

#include "harness.h"

namespace bench {
namespace {

using std::execution::par;
using std::execution::par_unseq;

const float* floats(const Work& w) {
  return reinterpret_cast<const float*>(w.keys);
}

constexpr size_t kMostSorted = 2'000'000;

void addSorts(Problems& problems) {
  addPeer(problems, "sort keys", "std::sort(par)", [](Work& w) { std::sort(par, w.out, w.out + w.n); }).most =
      kMostSorted;
  auto addPairs = [&](const char* name, std::function<void(Work&)> run) {
    Peer& peer = addPeer(problems, "sort pairs", name, std::move(run));
    peer.packed = true;
    peer.most = kMostSorted;
  };
  addPairs("std::stable_sort(par) by key", [](Work& w) {
    std::stable_sort(par, w.packed, w.packed + w.n, [](uint64_t a, uint64_t b) { return a >> 32 < b >> 32; });
  });
  addPairs("std::sort(par) by key and value", [](Work& w) { std::sort(par, w.packed, w.packed + w.n); });
}

void addCopies(Problems& problems) {
  auto odd = [](uint32_t x) { return x & 1; };
  for (const char* problem : {"compact half", "kill half, x follows"})
    addPeer(problems, problem, "std::copy_if(par)",
            [=](Work& w) { w.count = std::copy_if(par, w.keys, w.keys + w.n, w.out, odd) - w.out; });
  // To two arrays; only the run that is checked puts one behind the other.
  addPeer(problems, "split by a bit", "std::partition_copy(par), to two arrays", [=](Work& w) {
    bool checked = w.count == 0;
    auto ends = std::partition_copy(par, w.keys, w.keys + w.n, w.out2, w.out, odd);
    w.count = ends.second - w.out;
    if (checked)
      std::copy(w.out2, ends.first, ends.second);
  });
  addPeer(problems, "unique of four", "std::unique_copy(par)",
          [](Work& w) { w.count = std::unique_copy(par, w.keys, w.keys + w.n, w.out) - w.out; });
}

} // namespace

void addStdPeers(Problems& problems) {
  addPeer(problems, "reduce int", "std::reduce(par_unseq)",
          [](Work& w) { w.count = std::reduce(par_unseq, w.keys, w.keys + w.n, 0u); });
  addPeer(problems, "reduce float", "std::reduce(par_unseq)",
          [](Work& w) { w.sum = double(std::reduce(par_unseq, floats(w), floats(w) + w.n, 0.0f)); });
  addPeer(problems, "exclusive scan int", "std::exclusive_scan(par)",
          [](Work& w) { std::exclusive_scan(par, w.keys, w.keys + w.n, w.out, 0u); });
  addCopies(problems);
  addSorts(problems);
}

} // namespace bench
