#include "cub.cuh"

namespace bench::gpu {
namespace {

template <class T> cudaError_t scan(void* storage, size_t& bytes, Work& w, Result&) {
  return cub::DeviceScan::ExclusiveSum(storage, bytes, reinterpret_cast<const T*>(w.keys), reinterpret_cast<T*>(w.out),
                                       int(w.n));
}

} // namespace

void addCubScan(Problems& problems) {
  addCub(problems, "exclusive scan int", scan<int>, waitOnly);
  addCub(problems, "exclusive scan float", scan<float>, waitOnly);
}

} // namespace bench::gpu
