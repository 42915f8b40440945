#include "runtime/cuda/gpu_memory.h"

#include <algorithm>
#include <bit>

#include "runtime/failure.h"

namespace bsgp::runtime::cuda {
namespace {

constexpr size_t kLeast = 256;

// Kept blocks fit requests of a like size: an eighth of a power of two is the grain.
size_t rounded(size_t bytes) {
  size_t grain = std::max(kLeast, std::bit_floor(std::max<size_t>(bytes, 1)) / 8);
  return std::max(kLeast, (bytes + grain - 1) / grain * grain);
}

} // namespace

Result<std::unique_ptr<GpuMemory>> GpuMemory::create(Gpu& gpu, uint64_t cache_bytes) {
  std::unique_ptr<GpuMemory> memory(new GpuMemory(gpu, cache_bytes ? cache_bytes : UINT64_MAX));
  if (gpu.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED))
    if (auto made = memory->createPool(); !made)
      return made.error();
  return memory;
}

// A pool of its own: the device's default one belongs to the program around. What is free stays, so that the streams
// of one spawn take the memory of the one before.
Result<void> GpuMemory::createPool() {
  CUmemPoolProps properties;
  properties.location_id = gpu_.device();
  if (auto made = gpu_.check(gpu_.driver().cuMemPoolCreate(&pool_, &properties), "cuMemPoolCreate"); !made)
    return made;
  uint64_t threshold = cache_bytes_;
  return gpu_.check(gpu_.driver().cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                    "cuMemPoolSetAttribute", "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD");
}

GpuMemory::~GpuMemory() {
  if (!gpu_.enter())
    return;
  trim();
  if (pool_)
    gpu_.driver().cuMemPoolDestroy(pool_);
}

CUresult GpuMemory::take(size_t bytes, CUdeviceptr& block) {
  if (pool_)
    return gpu_.driver().cuMemAllocFromPoolAsync(&block, std::max(bytes, kLeast), pool_, gpu_.stream());
  std::lock_guard lock(mutex_);
  if (auto found = kept_.find(rounded(bytes)); found != kept_.end() && !found->second.empty()) {
    block = found->second.back();
    found->second.pop_back();
    kept_bytes_ -= rounded(bytes);
    return CUDA_SUCCESS;
  }
  return gpu_.driver().cuMemAlloc(&block, rounded(bytes));
}

CUdeviceptr GpuMemory::allocate(size_t bytes, std::string& why) {
  const char* call = pool_ ? "cuMemAllocFromPoolAsync" : "cuMemAlloc";
  if (auto entered = gpu_.enter(); !entered) {
    why = entered.message();
    return 0;
  }
  CUdeviceptr block = 0;
  CUresult result = take(bytes, block);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) { // idle memory must not be the reason why memory runs out
    trim();
    result = take(bytes, block);
  }
  if (result == CUDA_SUCCESS)
    return block;
  why = gpu_.failed(result, call, "").message;
  size_t free = 0, total = 0;
  if (result == CUDA_ERROR_OUT_OF_MEMORY && gpu_.driver().cuMemGetInfo(&free, &total) == CUDA_SUCCESS)
    why += formatted("; %.1f of the GPU's %.1f MB are free", double(free) / 1e6, double(total) / 1e6);
  return 0;
}

void GpuMemory::release(CUdeviceptr block, size_t bytes) {
  if (!block || !gpu_.enter())
    return;
  if (!pool_)
    return keepOrFree(block, rounded(bytes));
  if (CUresult result = gpu_.driver().cuMemFreeAsync(block, gpu_.stream()))
    (void)gpu_.failed(result, "cuMemFreeAsync", ""); // an error that ends everything is known from here on
}

// cuMemFree waits for the device.
void GpuMemory::keepOrFree(CUdeviceptr block, size_t bytes) {
  std::lock_guard lock(mutex_);
  if (kept_bytes_ + bytes > cache_bytes_) {
    gpu_.driver().cuMemFree(block);
    return;
  }
  kept_[bytes].push_back(block);
  kept_bytes_ += bytes;
}

size_t GpuMemory::cached() {
  if (!pool_) {
    std::lock_guard lock(mutex_);
    return kept_bytes_;
  }
  uint64_t reserved = 0, used = 0;
  if (!gpu_.enter() ||
      gpu_.driver().cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) != CUDA_SUCCESS ||
      gpu_.driver().cuMemPoolGetAttribute(pool_, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) != CUDA_SUCCESS)
    return 0;
  return size_t(reserved - std::min(reserved, used));
}

// Gives back to the driver all that is free. Blocks of a pool are, when the work that used them is done.
void GpuMemory::trim() {
  if (pool_) {
    if (gpu_.synchronize())
      gpu_.driver().cuMemPoolTrimTo(pool_, 0);
    return;
  }
  std::lock_guard lock(mutex_);
  for (auto& [bytes, blocks] : kept_)
    for (CUdeviceptr block : blocks)
      gpu_.driver().cuMemFree(block);
  kept_.clear();
  kept_bytes_ = 0;
}

} // namespace bsgp::runtime::cuda
