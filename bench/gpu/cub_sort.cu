#include "cub.cuh"

namespace bench::gpu {

void addCubSort(Problems& problems) {
  addCub(
      problems, "sort keys",
      [](void* storage, size_t& bytes, Work& w, Result&) {
        return cub::DeviceRadixSort::SortKeys(storage, bytes, w.keys, w.out, int(w.n));
      },
      waitOnly);
  addCub(
      problems, "sort pairs",
      [](void* storage, size_t& bytes, Work& w, Result&) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, w.keys, w.out, w.values, w.out2, int(w.n));
      },
      waitOnly);
}

} // namespace bench::gpu
