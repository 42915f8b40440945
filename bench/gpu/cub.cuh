// A call of CUB as a peer, twice: with its temporary storage allocated beforehand, as users of CUB do, and allocated
// and freed in the call, from a pool that keeps what is freed, as the runtime of BSGP does for its streams.
#pragma once

#include <cub/cub.cuh>

#include "cuda.cuh"

namespace bench::gpu {

// Of one memory pool, made when first used.
inline cudaMemPool_t keepingPool() {
  static cudaMemPool_t pool = [] {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t made = nullptr;
    succeed(cudaMemPoolCreate(&made, &properties));
    uint64_t everything = UINT64_MAX;
    succeed(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &everything));
    return made;
  }();
  return pool;
}

// Results of a call that are not in an array of Work: on the device, and pinned on the host.
class Result {
public:
  static constexpr size_t kBytes = 1024;
  Result() {
    succeed(cudaMalloc(&device_, kBytes));
    succeed(cudaMallocHost(&host_, kBytes));
  }
  ~Result() {
    cudaFree(device_);
    cudaFreeHost(host_);
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  template <class T> T* device() const { return static_cast<T*>(device_); }
  template <class T> const T* fetch(size_t n) const {
    succeed(cudaMemcpyAsync(host_, device_, n * sizeof(T), cudaMemcpyDeviceToHost));
    succeed(cudaStreamSynchronize(nullptr));
    return static_cast<const T*>(host_);
  }

private:
  void *device_ = nullptr, *host_ = nullptr;
};

// Call: (void* storage, size_t& bytes, Work&, Result&) -> cudaError_t. Fetch: (Work&, Result&), waits.
template <class Call, class Fetch> class Cub : public Peer {
public:
  Cub(std::string its_name, Call call, Fetch fetch, bool allocates)
      : Peer(std::move(its_name)), call_(call), fetch_(fetch), allocates_(allocates) {}
  void setUp(const Work& w) override {
    Work work = w;
    if (!allocates_)
      succeed(call_(storage_.room(bytesFor(work)), bytes_, work, result_));
  }
  void launch(Work& work) override {
    if (!allocates_)
      return succeed(call_(storage_.room(bytes_), bytes_, work, result_));
    void* storage = nullptr;
    succeed(cudaMallocFromPoolAsync(&storage, bytesFor(work), keepingPool(), nullptr));
    succeed(call_(storage, bytes_, work, result_));
    succeed(cudaFreeAsync(storage, nullptr));
  }
  void fetch(Work& work) override { fetch_(work, result_); }

private:
  size_t bytesFor(Work& work) {
    bytes_ = 0;
    succeed(call_(nullptr, bytes_, work, result_));
    return bytes_ = bytes_ ? bytes_ : 1;
  }

  Call call_;
  Fetch fetch_;
  bool allocates_;
  size_t bytes_ = 0;
  Storage storage_;
  Result result_;
};

template <class Call, class Fetch> void addCub(Problems& problems, const char* problem, Call call, Fetch fetch) {
  auto& peers = problemOf(problems, problem).peers;
  peers.push_back(std::make_unique<Cub<Call, Fetch>>("CUB", call, fetch, false));
  peers.push_back(std::make_unique<Cub<Call, Fetch>>("CUB, allocating", call, fetch, true));
}

inline void waitOnly(Work&, Result&) {
  succeed(cudaStreamSynchronize(nullptr));
}

void addCubReduce(Problems& problems);
void addCubScan(Problems& problems);
void addCubSelect(Problems& problems);
void addCubHistogram(Problems& problems);
void addCubSort(Problems& problems);

} // namespace bench::gpu
