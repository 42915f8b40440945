// Entry points: memory, pools, copies.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "driver.h"

using namespace bsgp::emulator;

namespace {

Pool* poolOf(Driver& driver, void* handle) {
  return handle == &driver.default_pool ? &driver.default_pool : known(driver.pools, handle);
}

CUresult badRange(Driver& driver, const char* call, uint64_t address, uint64_t bytes) {
  char text[128];
  std::snprintf(text, sizeof text, "%s: there are no %llu bytes allocated at 0x%llx", call,
                static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(address));
  return driver.fault(CUDA_ERROR_INVALID_VALUE, text);
}

// Runs `work` on the bytes of a range when its turn comes. It must be allocated now, and still be then.
CUresult enqueueOn(Driver& driver, Stream* stream, const char* call, uint64_t address, uint64_t bytes,
                   std::function<void(char*)> work) {
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!driver.memory->findRange(address, bytes))
    return badRange(driver, call, address, bytes);
  return driver.enqueue(stream, [&driver, call, address, bytes, work = std::move(work)] {
    char* place = driver.memory->findRange(address, bytes);
    if (!place) {
      badRange(driver, call, address, bytes);
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    work(place);
    return CUDA_SUCCESS;
  });
}

} // namespace

BSGP_EXPORT CUresult cuMemAlloc_v2(uint64_t* out, size_t bytes) {
  return inContext([&](Driver& driver) { return driver.allocate(bytes, nullptr, out); });
}

BSGP_EXPORT CUresult cuMemFree_v2(uint64_t address) {
  return inContext([&](Driver& driver) {
    if (address == 0)
      return CUDA_SUCCESS;
    if (CUresult result = driver.finishAll())
      return result;
    return driver.releaseMemory(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

BSGP_EXPORT CUresult cuMemAllocAsync(uint64_t* out, size_t bytes, void* stream) {
  return onStream(stream, [&](Driver& driver, Stream*) { return driver.allocate(bytes, &driver.default_pool, out); });
}

BSGP_EXPORT CUresult cuMemAllocFromPoolAsync(uint64_t* out, size_t bytes, void* pool_handle, void* stream) {
  return onStream(stream, [&](Driver& driver, Stream*) {
    Pool* pool = poolOf(driver, pool_handle);
    return pool ? driver.allocate(bytes, pool, out) : CUDA_ERROR_INVALID_VALUE;
  });
}

BSGP_EXPORT CUresult cuMemFreeAsync(uint64_t address, void* stream_handle) {
  return onStream(stream_handle, [&](Driver& driver, Stream* stream) {
    if (!driver.memory->allocated(address) || !driver.freeing.insert(address).second)
      return CUDA_ERROR_INVALID_VALUE;
    return driver.enqueue(stream, [&driver, address] {
      return driver.releaseMemory(address) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
    });
  });
}

BSGP_EXPORT CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned) {
  return inContext([&](Driver& driver) {
    if (!out || bytes == 0)
      return CUDA_ERROR_INVALID_VALUE;
    *out = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!*out)
      return CUDA_ERROR_OUT_OF_MEMORY;
    std::memset(*out, 0xa5, bytes);
    driver.memory->addPinned(*out, bytes);
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuMemFreeHost(void* address) {
  return inContext([&](Driver& driver) {
    CUresult result = driver.finishAll();
    if (!driver.memory->removePinned(address))
      return CUDA_ERROR_INVALID_VALUE;
    std::free(address);
    return result;
  });
}

BSGP_EXPORT CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  return inContext([&](Driver& driver) {
    *free_bytes = driver.memory->total() - driver.memory->used();
    *total = driver.memory->total();
    return CUDA_SUCCESS;
  });
}

// Memory that is not pinned is read before the call returns; pinned memory when the copy has its turn.
BSGP_EXPORT CUresult cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream_handle) {
  return onStream(stream_handle, [&](Driver& driver, Stream* stream) {
    if (bytes && !from)
      return CUDA_ERROR_INVALID_VALUE;
    if (driver.memory->isPinned(from, bytes))
      return enqueueOn(driver, stream, "cuMemcpyHtoDAsync", to, bytes,
                       [=](char* place) { std::memcpy(place, from, bytes); });
    const char* begin = static_cast<const char*>(from);
    auto kept = std::make_shared<std::vector<char>>(begin, begin + bytes);
    return enqueueOn(driver, stream, "cuMemcpyHtoDAsync", to, bytes,
                     [=](char* place) { std::memcpy(place, kept->data(), bytes); });
  });
}

// Memory that is not pinned is written before the call returns.
BSGP_EXPORT CUresult cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream_handle) {
  return onStream(stream_handle, [&](Driver& driver, Stream* stream) {
    if (bytes && !to)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult result = enqueueOn(driver, stream, "cuMemcpyDtoHAsync", from, bytes,
                                [=](const char* place) { std::memcpy(to, place, bytes); });
    if (result != CUDA_SUCCESS || driver.memory->isPinned(to, bytes))
      return result;
    return driver.finish(stream);
  });
}

BSGP_EXPORT CUresult cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream_handle) {
  return onStream(stream_handle, [&](Driver& driver, Stream* stream) {
    if (bytes && !driver.memory->findRange(from, bytes))
      return badRange(driver, "cuMemcpyDtoDAsync", from, bytes);
    return enqueueOn(driver, stream, "cuMemcpyDtoDAsync", to, bytes, [=, &driver](char* place) {
      if (const char* source = driver.memory->findRange(from, bytes))
        std::memmove(place, source, bytes);
      else
        driver.sticky =
            driver.fault(CUDA_ERROR_ILLEGAL_ADDRESS, "cuMemcpyDtoDAsync: its source was freed before it ran");
    });
  });
}

BSGP_EXPORT CUresult cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void* stream_handle) {
  return onStream(stream_handle, [&](Driver& driver, Stream* stream) {
    return enqueueOn(driver, stream, "cuMemsetD8Async", to, bytes,
                     [=](char* place) { std::memset(place, value, bytes); });
  });
}

BSGP_EXPORT CUresult cuMemPoolCreate(void** out, const void* properties) {
  return inContext([&](Driver& driver) {
    if (!out || !properties)
      return CUDA_ERROR_INVALID_VALUE;
    auto* pool = new Pool;
    driver.pools.insert(pool);
    *out = pool;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuMemPoolDestroy(void* handle) {
  return inContext([&](Driver& driver) {
    Pool* pool = known(driver.pools, handle);
    if (!pool)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult result = driver.finishAll();
    for (auto& [address, owner] : driver.pool_of) // they stay, as memory of the device
      owner = owner == pool ? &driver.default_pool : owner;
    driver.pools.erase(pool);
    delete pool;
    return result;
  });
}

BSGP_EXPORT CUresult cuDeviceGetDefaultMemPool(void** out, int device) {
  Driver& driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (!driver.initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *out = &driver.default_pool;
  return CUDA_SUCCESS;
}

namespace {

// The 64-bit attributes of a pool, by number; null for the others.
uint64_t* poolValue(Pool& pool, int attribute) {
  uint64_t* values[] = {&pool.threshold, &pool.reserved, &pool.reserved_high, &pool.used, &pool.used_high};
  return attribute >= 4 && attribute <= 8 ? values[attribute - 4] : nullptr;
}

} // namespace

BSGP_EXPORT CUresult cuMemPoolSetAttribute(void* handle, int attribute, void* value) {
  return inContext([&](Driver& driver) {
    Pool* pool = poolOf(driver, handle);
    if (!pool || !value || attribute == 5 || attribute == 7)
      return CUDA_ERROR_INVALID_VALUE;
    if (attribute >= 1 && attribute <= 3)
      pool->flags[attribute] = *static_cast<int32_t*>(value);
    else if (attribute == 4)
      pool->threshold = *static_cast<uint64_t*>(value);
    else if (uint64_t* high = poolValue(*pool, attribute); high && *static_cast<uint64_t*>(value) == 0)
      *high = attribute == 6 ? pool->reserved : pool->used;
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuMemPoolGetAttribute(void* handle, int attribute, void* value) {
  return inContext([&](Driver& driver) {
    Pool* pool = poolOf(driver, handle);
    if (!pool || !value)
      return CUDA_ERROR_INVALID_VALUE;
    if (attribute >= 1 && attribute <= 3)
      *static_cast<int32_t*>(value) = pool->flags[attribute];
    else if (const uint64_t* found = poolValue(*pool, attribute))
      *static_cast<uint64_t*>(value) = *found;
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuMemPoolTrimTo(void* handle, size_t keep) {
  return inContext([&](Driver& driver) {
    Pool* pool = poolOf(driver, handle);
    if (!pool)
      return CUDA_ERROR_INVALID_VALUE;
    pool->reserved = std::max<uint64_t>(pool->used, std::min<uint64_t>(pool->reserved, keep));
    return CUDA_SUCCESS;
  });
}
