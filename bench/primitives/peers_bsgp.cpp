// BSGP's own primitives, compiled ahead of time from primitives.bsgp.
#include <cstdio>
#include <cstdlib>

#include "harness.h"
#include "primitives.h"

namespace bench {
namespace {

void succeed(bsgp_status status) {
  if (status == BSGP_OK)
    return;
  std::fprintf(stderr, "%s\n", bsgp_error_message());
  std::exit(1);
}

int32_t* ints(uint32_t* p) {
  return reinterpret_cast<int32_t*>(p);
}
float* floats(uint32_t* p) {
  return reinterpret_cast<float*>(p);
}

} // namespace

void addBsgp(Problems& problems) {
  auto add = [&](const char* problem, const char* name, std::function<void(Work&)> run) -> Peer& {
    return addPeer(problems, problem, name, std::move(run));
  };
  add("limits", "BSGP copy", [](Work& w) { succeed(ours_copy(w.context, ints(w.out), ints(w.keys), int32_t(w.n))); });
  add("reduce int", "BSGP in a spawn", [](Work& w) {
    int32_t sum = 0;
    succeed(ours_reduce_int(w.context, ints(w.keys), int32_t(w.n), &sum));
    w.count = sum;
  });
  add("reduce int", "BSGP from the host", [](Work& w) {
    int32_t sum = 0;
    succeed(ours_host_reduce_int(w.context, ints(w.keys), int32_t(w.n), &sum));
    w.count = sum;
  });
  add("reduce float", "BSGP in a spawn", [](Work& w) {
    float sum = 0;
    succeed(ours_reduce_float(w.context, floats(w.keys), int32_t(w.n), &sum));
    w.sum = double(sum);
  });
  add("reduce float", "BSGP from the host", [](Work& w) {
    float sum = 0;
    succeed(ours_host_reduce_float(w.context, floats(w.keys), int32_t(w.n), &sum));
    w.sum = double(sum);
  });
  add("exclusive scan int", "BSGP in a spawn",
      [](Work& w) { succeed(ours_scan(w.context, ints(w.out), ints(w.keys), int32_t(w.n))); });
  auto inPlace = [](Work& w) {
    int32_t total = 0;
    succeed(ours_host_scan(w.context, ints(w.out), int32_t(w.n), &total));
  };
  add("exclusive scan int", "BSGP from the host, in place", inPlace).in_place = true;
  add("compact half", "BSGP", [](Work& w) {
    int32_t kept = 0;
    bool checked = w.count == 0; // the harness sets it to 0 before the run that it checks
    succeed(ours_compact(w.context, checked ? ints(w.out) : nullptr, ints(w.keys), int32_t(w.n), &kept));
    w.count = kept;
  });
  add("sort keys", "BSGP thread.sortby", [](Work& w) { succeed(ours_sort_keys(w.context, w.out, int32_t(w.n))); });
  add("sort keys", "BSGP sort", [](Work& w) { succeed(ours_host_sort_keys(w.context, w.out, int32_t(w.n))); });
  add("sort pairs", "BSGP thread.sortby",
      [](Work& w) { succeed(ours_sort_pairs(w.context, w.out, w.out2, int32_t(w.n))); });
  add("sort pairs", "BSGP sort_by_key",
      [](Work& w) { succeed(ours_host_sort_pairs(w.context, w.out, w.out2, int32_t(w.n))); });
  add("histogram 256", "BSGP", [](Work& w) {
    auto* bins = reinterpret_cast<int32_t*>(w.spare);
    succeed(ours_histogram(w.context, bins, ints(w.keys), int32_t(w.n)));
    std::copy_n(bins, 256, w.bins.begin());
  });
  for (const char* mesh : {"faces coherent", "faces shuffled"})
    add(mesh, "BSGP findFaces",
        [](Work& w) { succeed(ours_faces(w.context, ints(w.out), ints(w.out2), ints(w.keys), int32_t(w.n))); });
}

} // namespace bench
