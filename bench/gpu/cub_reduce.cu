#include "cub.cuh"

namespace bench::gpu {

void addCubReduce(Problems& problems) {
  addCub(
      problems, "reduce int",
      [](void* storage, size_t& bytes, Work& w, Result& result) {
        return cub::DeviceReduce::Sum(storage, bytes, reinterpret_cast<const int*>(w.keys), result.device<int>(),
                                      int(w.n));
      },
      [](Work& w, Result& result) { w.count = *result.fetch<int>(1); });
  addCub(
      problems, "reduce float",
      [](void* storage, size_t& bytes, Work& w, Result& result) {
        return cub::DeviceReduce::Sum(storage, bytes, reinterpret_cast<const float*>(w.keys), result.device<float>(),
                                      int(w.n));
      },
      [](Work& w, Result& result) { w.sum = double(*result.fetch<float>(1)); });
}

} // namespace bench::gpu
