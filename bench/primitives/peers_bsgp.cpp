// BSGP's own primitives, compiled ahead of time from primitives.bsgp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kept.h"
#include "long_sizes.h"
#include "ours.h"

namespace bench {
namespace {

void histogram(Work& w) {
  auto* bins = reinterpret_cast<int32_t*>(w.spare);
  succeed(ours_histogram(w.context, bins, ints(w.keys), int32_t(w.n)));
  std::copy_n(bins, 256, w.bins.begin());
}

// The same with sizes of 64 bits.
void longReduceInt(Work& w) {
  int32_t sum = 0;
  succeed(ours_long_reduce_int(w.context, ints(w.keys), int64_t(w.n), &sum));
  w.count = sum;
}
void longReduceFloat(Work& w) {
  float sum = 0;
  succeed(ours_long_reduce_float(w.context, floats(w.keys), int64_t(w.n), &sum));
  w.sum = double(sum);
}
void longScan(Work& w) {
  succeed(ours_long_scan(w.context, ints(w.out), ints(w.keys), int64_t(w.n)));
}
void longHostScan(Work& w) {
  int32_t total = 0;
  succeed(ours_long_host_scan(w.context, ints(w.out), int64_t(w.n), &total));
}
void longSortKeys(Work& w) {
  succeed(ours_long_sort_keys(w.context, w.out, int64_t(w.n)));
}
void longSortPairs(Work& w) {
  succeed(ours_long_sort_pairs(w.context, w.out, w.out2, int64_t(w.n)));
}
void longHistogram(Work& w) {
  auto* bins = reinterpret_cast<int32_t*>(w.spare);
  succeed(ours_long_histogram(w.context, bins, ints(w.keys), int64_t(w.n)));
  std::copy_n(bins, 256, w.bins.begin());
}

void addLong(Problems& problems) {
  auto add = [&](const char* problem, const char* name, void (*run)(Work&)) -> Peer& {
    return addPeer(problems, problem, name, run);
  };
  add("reduce int", "BSGP in a spawn, long size", longReduceInt);
  add("reduce float", "BSGP in a spawn, long size", longReduceFloat);
  add("exclusive scan int", "BSGP in a spawn, long size", longScan);
  add("exclusive scan int", "BSGP from the host, in place, long size", longHostScan).in_place = true;
  add("compact half", "BSGP, long size", ours::kept<ours_long_compact, int64_t>);
  add("kill half", "BSGP thread.kill, long size", ours::kept<ours_long_kill, int64_t>);
  add("kill half, x follows", "BSGP thread.kill, long size", ours::followed<ours_long_kill_and_follow, int64_t>);
  add("split by a bit", "BSGP, long size", ours::kept<ours_long_split, int64_t>);
  add("split by a bit", "BSGP thread.split, x follows, long size", ours::followed<ours_long_split_threads, int64_t>);
  add("unique of four", "BSGP, long size", ours::kept<ours_long_unique, int64_t>);
  add("sort keys", "BSGP thread.sortby, long size", longSortKeys);
  add("sort pairs", "BSGP thread.sortby, long size", longSortPairs);
  add("histogram 256", "BSGP, long size", longHistogram);
}

} // namespace

void succeed(bsgp_status status) {
  if (status == BSGP_OK)
    return;
  std::fprintf(stderr, "%s\n", bsgp_error_message());
  std::exit(1);
}

void addBsgp(Problems& problems) {
  auto add = [&](const char* problem, const char* name, void (*run)(Work&)) -> Peer& {
    return addPeer(problems, problem, name, run);
  };
  add("limits", "BSGP copy", ours::copy);
  add("reduce int", "BSGP in a spawn", ours::reduceInt);
  add("reduce int", "BSGP from the host", ours::hostReduceInt);
  add("reduce float", "BSGP in a spawn", ours::reduceFloat);
  add("reduce float", "BSGP from the host", ours::hostReduceFloat);
  add("exclusive scan int", "BSGP in a spawn", ours::scan);
  add("exclusive scan int", "BSGP from the host, in place", ours::hostScan).in_place = true;
  add("compact half", "BSGP", ours::compact);
  add("kill half", "BSGP thread.kill", ours::kept<ours_kill>);
  add("kill half, x follows", "BSGP thread.kill", ours::followed<ours_kill_and_follow>);
  add("split by a bit", "BSGP", ours::kept<ours_split>);
  add("split by a bit", "BSGP thread.split, x follows", ours::followed<ours_split_threads>);
  add("unique of four", "BSGP", ours::kept<ours_unique>);
  add("sort keys", "BSGP thread.sortby", ours::sortKeys);
  add("sort keys", "BSGP sort", ours::hostSortKeys);
  add("sort pairs", "BSGP thread.sortby", ours::sortPairs);
  add("sort pairs", "BSGP sort_by_key", ours::hostSortPairs);
  add("histogram 256", "BSGP", histogram);
  for (const char* mesh : {"faces coherent", "faces shuffled"})
    add(mesh, "BSGP findFaces", ours::faces);
  addLong(problems);
}

} // namespace bench
