#include "cub.cuh"

namespace bench::gpu {
namespace {

struct IsOdd {
  __host__ __device__ bool operator()(uint32_t x) const { return x & 1; }
};

} // namespace

void addCubSelect(Problems& problems) {
  addCub(
      problems, "compact half",
      [](void* storage, size_t& bytes, Work& w, Result& result) {
        return cub::DeviceSelect::If(storage, bytes, w.keys, w.out, result.device<int>(), int(w.n), IsOdd());
      },
      [](Work& w, Result& result) { w.count = *result.fetch<int>(1); });
}

} // namespace bench::gpu
