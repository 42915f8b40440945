// Thrust, its OpenMP side.
#include <algorithm>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include "harness.h"

namespace bench {
namespace {

using thrust::omp::par;

// GCC's OpenMP threads look for work some milliseconds before they sleep.
constexpr double kOpenMpLingersMs = 8;

void faces(Work& w) {
  auto* keys = reinterpret_cast<uint32_t*>(w.spare);
  thrust::copy(par, w.keys, w.keys + w.n, keys);
  thrust::copy(par, thrust::counting_iterator<uint32_t>(0), thrust::counting_iterator<uint32_t>(uint32_t(w.n)), w.out);
  thrust::stable_sort_by_key(par, keys, keys + w.n, w.out);
  thrust::for_each_n(par, thrust::counting_iterator<uint32_t>(0), w.n, [=, out = w.out, begins = w.out2](uint32_t i) {
    out[i] /= 3;
    if (i == 0 || keys[i] != keys[i - 1])
      begins[keys[i]] = i;
  });
}

} // namespace

void addThrustPeers(Problems& problems) {
  auto add = [&](const char* problem, const char* name, std::function<void(Work&)> run) {
    addPeer(problems, problem, name, std::move(run)).lingers_ms = kOpenMpLingersMs;
  };
  add("reduce int", "thrust::reduce", [](Work& w) { w.count = thrust::reduce(par, w.keys, w.keys + w.n, 0u); });
  add("reduce float", "thrust::reduce", [](Work& w) {
    const auto* x = reinterpret_cast<const float*>(w.keys);
    w.sum = double(thrust::reduce(par, x, x + w.n, 0.0f));
  });
  add("exclusive scan int", "thrust::exclusive_scan",
      [](Work& w) { thrust::exclusive_scan(par, w.keys, w.keys + w.n, w.out); });
  auto odd = [](uint32_t x) { return x & 1; };
  for (const char* problem : {"compact half", "kill half, x follows"})
    add(problem, "thrust::copy_if",
        [=](Work& w) { w.count = thrust::copy_if(par, w.keys, w.keys + w.n, w.out, odd) - w.out; });
  add("kill half", "thrust::copy_if of ranks", [=](Work& w) {
    thrust::counting_iterator<uint32_t> ranks(0);
    w.count = thrust::copy_if(par, ranks, ranks + ptrdiff_t(w.n), w.keys, w.out, odd) - w.out;
  });
  // To two arrays; only the run that is checked puts one behind the other.
  add("split by a bit", "thrust::stable_partition_copy, to two arrays", [=](Work& w) {
    bool checked = w.count == 0;
    auto ends = thrust::stable_partition_copy(par, w.keys, w.keys + w.n, w.out2, w.out, odd);
    w.count = ends.second - w.out;
    if (checked)
      std::copy(w.out2, ends.first, ends.second);
  });
  add("unique of four", "thrust::unique_copy",
      [](Work& w) { w.count = thrust::unique_copy(par, w.keys, w.keys + w.n, w.out) - w.out; });
  add("sort keys", "thrust::sort", [](Work& w) { thrust::sort(par, w.out, w.out + w.n); });
  add("sort pairs", "thrust::stable_sort_by_key",
      [](Work& w) { thrust::stable_sort_by_key(par, w.out, w.out + w.n, w.out2); });
  for (const char* mesh : {"faces coherent", "faces shuffled"})
    add(mesh, "thrust::stable_sort_by_key", faces);
}

} // namespace bench
