#include "cub.cuh"

namespace bench::gpu {

void addCub(Problems& problems) {
  addCubReduce(problems);
  addCubScan(problems);
  addCubSelect(problems);
  addCubHistogram(problems);
  addCubSort(problems);
}

} // namespace bench::gpu
