// Thrust, its OpenMP side.
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform.h>

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
  add("compact half", "thrust::copy_if", [](Work& w) {
    w.count = thrust::copy_if(par, w.keys, w.keys + w.n, w.out, [](uint32_t x) { return x & 1; }) - w.out;
  });
  add("sort keys", "thrust::sort", [](Work& w) { thrust::sort(par, w.out, w.out + w.n); });
  add("sort pairs", "thrust::stable_sort_by_key",
      [](Work& w) { thrust::stable_sort_by_key(par, w.out, w.out + w.n, w.out2); });
  for (const char* mesh : {"faces coherent", "faces shuffled"})
    add(mesh, "thrust::stable_sort_by_key", faces);
}

} // namespace bench
