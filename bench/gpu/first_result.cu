// first_result.bsgp in CUDA.
#include <cstdio>
#include <cub/cub.cuh>

__global__ void fill(int* x, int n) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    x[i] = i % 7;
}

int main() {
  constexpr int n = 1000000;
  int *x = nullptr, *sum = nullptr, total = 0;
  void* storage = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, x, sum, n);
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&storage, bytes);
  fill<<<(n + 255) / 256, 256>>>(x, n);
  cub::DeviceReduce::Sum(storage, bytes, x, sum, n);
  cudaError_t error = cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("%d\n", total);
  return 0;
}
