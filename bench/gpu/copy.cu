// What memory allows: the copy of CUDA itself, a row of all other tables too, and one by hand. And the clock of events,
// and what device this is.
#include <cstdio>

#include "cuda.cuh"

namespace bench::gpu {
namespace {

__global__ void copyByFour(uint32_t* to, const uint32_t* from, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i * 4 + 3 < n)
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  else
    for (size_t j = i * 4; j < n; ++j)
      to[j] = from[j];
}

class Events : public DeviceClock {
public:
  Events() {
    succeed(cudaEventCreate(&begin_));
    succeed(cudaEventCreate(&end_));
  }
  ~Events() override {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  void begin() override { succeed(cudaEventRecord(begin_)); }
  double endMs() override {
    succeed(cudaEventRecord(end_));
    succeed(cudaEventSynchronize(end_));
    float ms = 0;
    succeed(cudaEventElapsedTime(&ms, begin_, end_));
    return double(ms);
  }

private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

int attribute(cudaDeviceAttr which) {
  int value = 0, device = 0;
  succeed(cudaGetDevice(&device));
  succeed(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

} // namespace

void addCopy(Problems& problems) {
  for (Problem& problem : problems)
    if (problem.name != "launch") {
      Peer& peer = addLaunch(problem, "cudaMemcpy", [](Work& w) {
        succeed(cudaMemcpyAsync(w.out, w.keys, w.n * sizeof(uint32_t), cudaMemcpyDeviceToDevice));
      });
      peer.limit = problem.name != "copy";
    }
  addLaunch(problemOf(problems, "copy"), "CUDA, 16 bytes a thread",
            [](Work& w) { copyByFour<<<blocksOf((w.n + 3) / 4), 256>>>(w.out, w.keys, w.n); });
}

std::unique_ptr<DeviceClock> makeDeviceClock() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    return nullptr;
  return std::make_unique<Events>();
}

std::string describeDevice() {
  cudaDeviceProp device;
  int number = 0, driver = 0, runtime = 0;
  succeed(cudaGetDevice(&number));
  succeed(cudaGetDeviceProperties(&device, number));
  succeed(cudaDriverGetVersion(&driver));
  succeed(cudaRuntimeGetVersion(&runtime));
  char text[512];
  std::snprintf(
      text, sizeof text,
      "{\"name\": \"%s\", \"capability\": \"%d.%d\", \"multiprocessors\": %d, \"l2_bytes\": %d, "
      "\"memory_bytes\": %zu, \"most_khz\": %d, \"most_memory_khz\": %d, \"driver_cuda\": %d, \"runtime\": %d}",
      device.name, device.major, device.minor, device.multiProcessorCount, device.l2CacheSize, device.totalGlobalMem,
      attribute(cudaDevAttrClockRate), attribute(cudaDevAttrMemoryClockRate), driver, runtime);
  return text;
}

} // namespace bench::gpu
