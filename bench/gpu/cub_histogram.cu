#include <algorithm>

#include "cub.cuh"

namespace bench::gpu {

void addCubHistogram(Problems& problems) {
  addCub(
      problems, "histogram 256",
      [](void* storage, size_t& bytes, Work& w, Result& result) {
        return cub::DeviceHistogram::HistogramEven(storage, bytes, reinterpret_cast<const int*>(w.keys),
                                                   result.device<int>(), 257, 0, 256, int(w.n));
      },
      [](Work& w, Result& result) { std::copy_n(result.fetch<uint32_t>(256), 256, w.bins.begin()); });
}

} // namespace bench::gpu
