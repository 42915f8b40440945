// BSGP's side, compiled ahead of time from primitives.bsgp. Every call returns when its work is done.
#include "../primitives/ours.h"
#include "gpu.h"

namespace bench::gpu {
namespace {

class Ours : public Peer {
public:
  Ours(std::string its_name, std::function<void(Work&)> run) : Peer(std::move(its_name)), run_(std::move(run)) {
    ours = true;
  }
  void launch(Work& work) override { run_(work); }

private:
  std::function<void(Work&)> run_;
};

using Add = std::function<Peer&(const char* problem, const char* name, std::function<void(Work&)> run)>;

void addReduce(const Add& add) {
  add("reduce int", "BSGP in a spawn", ours::reduceInt);
  add("reduce int", "BSGP from the host", ours::hostReduceInt);
  add("reduce float", "BSGP in a spawn", ours::reduceFloat);
  add("reduce float", "BSGP from the host", ours::hostReduceFloat);
}

void addScan(const Add& add) {
  add("exclusive scan int", "BSGP in a spawn", ours::scan);
  add("exclusive scan int", "BSGP from the host, in place", ours::hostScan).in_place = true;
  add("exclusive scan float", "BSGP in a spawn",
      [](Work& w) { succeed(ours_scan_float(w.context, floats(w.out), floats(w.keys), int32_t(w.n))); });
  auto floats_from_host = [](Work& w) {
    float total = 0;
    succeed(ours_host_scan_float(w.context, floats(w.out), int32_t(w.n), &total));
  };
  add("exclusive scan float", "BSGP from the host, in place", floats_from_host).in_place = true;
}

class Histogram : public Peer {
public:
  Histogram() : Peer("BSGP") { ours = true; }
  ~Histogram() override { bsgp_free(context_, bins_); }
  void setUp(const Work& w) override {
    context_ = w.context;
    if (!bins_)
      succeed(bsgp_alloc(context_, 256 * sizeof(int32_t), &bins_));
  }
  void launch(Work& w) override {
    succeed(ours_histogram(w.context, static_cast<int32_t*>(bins_), ints(w.keys), int32_t(w.n)));
  }
  void fetch(Work& w) override { succeed(bsgp_copy_to_host(w.context, w.bins.data(), bins_, sizeof w.bins)); }

private:
  bsgp_context* context_ = nullptr;
  void* bins_ = nullptr;
};

void addSort(const Add& add) {
  add("sort keys", "BSGP sort", ours::hostSortKeys).in_place = true;
  add("sort keys", "BSGP thread.sortby", ours::sortKeys).in_place = true;
  add("sort pairs", "BSGP thread.sortby", ours::sortPairs).in_place = true;
  add("sort pairs", "BSGP sort_by_key", ours::hostSortPairs).in_place = true;
}

void addLaunches(const Add& add) {
  add("launch", "BSGP, one spawn a call", [](Work& w) { succeed(ours_store(w.context, ints(w.out), int32_t(w.n))); });
  // the last one stores the ranks: check() sees them
  add("launch", "BSGP, 16 spawns a call", [](Work& w) {
    succeed(ours_stores(w.context, ints(w.out), int32_t(w.n), 16));
  }).calls = 16;
}

} // namespace

void copyOnDevice(bsgp_context* context, uint32_t* to, uint32_t* from, size_t n) {
  succeed(ours_copy(context, ints(to), ints(from), int32_t(n)));
}

void addOurs(Problems& problems) {
  Add add = [&](const char* problem, const char* name, std::function<void(Work&)> run) -> Peer& {
    auto& peers = problemOf(problems, problem).peers;
    return *peers.emplace_back(std::make_unique<Ours>(name, std::move(run)));
  };
  add("copy", "BSGP", ours::copy);
  addReduce(add);
  addScan(add);
  add("compact half", "BSGP", ours::compact);
  problemOf(problems, "histogram 256").peers.push_back(std::make_unique<Histogram>());
  addSort(add);
  for (const char* mesh : {"faces coherent", "faces shuffled"})
    add(mesh, "BSGP findFaces", ours::faces);
  addLaunches(add);
}

} // namespace bench::gpu
