// What a launch costs in CUDA: the kernel of ours_store.
#include "cuda.cuh"

namespace bench::gpu {
namespace {

__global__ void store(uint32_t* to, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = i;
}

void launchMany(Work& w, int times) {
  for (int i = 0; i < times; ++i)
    store<<<blocksOf(w.n), 256>>>(w.out, uint32_t(w.n));
}

} // namespace

void addLaunch(Problems& problems) {
  Problem& problem = problemOf(problems, "launch");
  addLaunch(problem, "CUDA, one launch", [](Work& w) { launchMany(w, 1); });
  addLaunch(problem, "CUDA, 16 launches", [](Work& w) { launchMany(w, 16); }, 16);
}

} // namespace bench::gpu
