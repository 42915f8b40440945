// What the files of CUDA peers share.
#pragma once

#include <cuda_runtime.h>

#include "gpu.h"

namespace bench::gpu {

inline void succeed(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation)
    throw OutOfMemory(cudaGetErrorString(error));
  if (error != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(error));
}

// Device memory, grown when more is asked for.
class Storage {
public:
  Storage() = default;
  ~Storage() { cudaFree(data_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  void* room(size_t bytes) {
    if (bytes <= bytes_)
      return data_;
    cudaFree(data_);
    data_ = nullptr;
    bytes_ = 0;
    succeed(cudaMalloc(&data_, bytes));
    bytes_ = bytes;
    return data_;
  }
  template <class T> T* array(size_t n) { return static_cast<T*>(room(n * sizeof(T))); }

private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// A peer that waits in fetch and has nothing else to do there.
class CudaPeer : public Peer {
public:
  using Peer::Peer;
  void fetch(Work&) override { succeed(cudaStreamSynchronize(nullptr)); }
};

// A call of one or more launches without storage.
template <class Run> class Launch : public CudaPeer {
public:
  Launch(std::string its_name, Run run, int its_calls = 1) : CudaPeer(std::move(its_name)), run_(run) {
    calls = its_calls;
  }
  void launch(Work& work) override {
    run_(work);
    succeed(cudaGetLastError());
  }

private:
  Run run_;
};

template <class Run> Peer& addLaunch(Problem& problem, std::string name, Run run, int calls = 1) {
  return *problem.peers.emplace_back(std::make_unique<Launch<Run>>(std::move(name), run, calls));
}

inline unsigned blocksOf(size_t n, unsigned threads = 256) {
  return unsigned((n + threads - 1) / threads);
}

} // namespace bench::gpu
