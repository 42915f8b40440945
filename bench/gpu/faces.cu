// The triangles around each vertex in CUDA: as the paper's listing 1 does it, with CUB's sort; the same, told how many
// bits a vertex has; and by counting, which leaves the triangles of a vertex in any order.
#include <bit>
#include <cub/cub.cuh>

#include "cuda.cuh"

namespace bench::gpu {
namespace {

__global__ void triangles(uint32_t* to, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = i / 3;
}

__global__ void heads(uint32_t* hd, const uint32_t* vertices, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (i == 0 || vertices[i - 1] != vertices[i]))
    hd[vertices[i]] = i;
}

class BySort : public CudaPeer {
public:
  BySort(std::string its_name, bool knows_bits) : CudaPeer(std::move(its_name)), knows_bits_(knows_bits) {}
  void setUp(const Work& w) override {
    bits_ = knows_bits_ ? int(std::bit_width(uint32_t(w.vertices - 1))) : 32;
    bytes_ = 0;
    succeed(cub::DeviceRadixSort::SortPairs(nullptr, bytes_, w.keys, w.out, w.values, w.out, int(w.n), 0, bits_));
    faces_.array<uint32_t>(w.n);
    vertices_.array<uint32_t>(w.n);
    storage_.room(bytes_);
  }
  void launch(Work& w) override {
    auto *faces = faces_.array<uint32_t>(w.n), *vertices = vertices_.array<uint32_t>(w.n);
    auto n = uint32_t(w.n);
    triangles<<<blocksOf(n), 256>>>(faces, n);
    succeed(cub::DeviceRadixSort::SortPairs(storage_.room(bytes_), bytes_, w.keys, vertices, faces, w.out, int(n), 0,
                                            bits_));
    heads<<<blocksOf(n), 256>>>(w.out2, vertices, n);
    succeed(cudaGetLastError());
  }

private:
  bool knows_bits_;
  int bits_ = 32;
  size_t bytes_ = 0;
  Storage faces_, vertices_, storage_;
};

__global__ void countCorners(uint32_t* counts, const uint32_t* corners, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[corners[i]], 1);
}

__global__ void place(uint32_t* faces, uint32_t* cursors, const uint32_t* corners, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    faces[atomicAdd(&cursors[corners[i]], 1)] = i / 3;
}

class ByCounting : public CudaPeer {
public:
  ByCounting() : CudaPeer("CUDA, counting, any order") { any_order = true; }
  void setUp(const Work& w) override {
    bytes_ = 0;
    succeed(cub::DeviceScan::ExclusiveSum(nullptr, bytes_, w.keys, w.out2, int(w.vertices)));
    counts_.array<uint32_t>(w.vertices);
    storage_.room(bytes_);
  }
  void launch(Work& w) override {
    auto* counts = counts_.array<uint32_t>(w.vertices);
    size_t bytes = w.vertices * sizeof(uint32_t);
    auto n = uint32_t(w.n);
    succeed(cudaMemsetAsync(counts, 0, bytes));
    countCorners<<<blocksOf(n), 256>>>(counts, w.keys, n);
    succeed(cub::DeviceScan::ExclusiveSum(storage_.room(bytes_), bytes_, counts, w.out2, int(w.vertices)));
    succeed(cudaMemcpyAsync(counts, w.out2, bytes, cudaMemcpyDeviceToDevice));
    place<<<blocksOf(n), 256>>>(w.out, counts, w.keys, n);
    succeed(cudaGetLastError());
  }

private:
  size_t bytes_ = 0;
  Storage counts_, storage_;
};

} // namespace

void addFaces(Problems& problems) {
  for (const char* mesh : {"faces coherent", "faces shuffled"}) {
    auto& peers = problemOf(problems, mesh).peers;
    peers.push_back(std::make_unique<BySort>("CUDA + CUB", false));
    peers.push_back(std::make_unique<BySort>("CUDA + CUB, bits known", true));
    peers.push_back(std::make_unique<ByCounting>());
  }
}

} // namespace bench::gpu
