// BSGP's own primitives, compiled ahead of time from primitives.bsgp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "ours.h"

namespace bench {
namespace {

void histogram(Work& w) {
  auto* bins = reinterpret_cast<int32_t*>(w.spare);
  succeed(ours_histogram(w.context, bins, ints(w.keys), int32_t(w.n)));
  std::copy_n(bins, 256, w.bins.begin());
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
  add("sort keys", "BSGP thread.sortby", ours::sortKeys);
  add("sort keys", "BSGP sort", ours::hostSortKeys);
  add("sort pairs", "BSGP thread.sortby", ours::sortPairs);
  add("sort pairs", "BSGP sort_by_key", ours::hostSortPairs);
  add("histogram 256", "BSGP", histogram);
  for (const char* mesh : {"faces coherent", "faces shuffled"})
    add(mesh, "BSGP findFaces", ours::faces);
}

} // namespace bench
