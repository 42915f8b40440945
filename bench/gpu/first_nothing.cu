// What any program waits for: the driver's context.
#include <cstdio>
#include <cuda_runtime.h>

int main() {
  cudaError_t error = cudaFree(nullptr);
  if (error != cudaSuccess)
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
