// Entry points: initialisation, devices, contexts, errors.
#include <cstring>

#include "driver.h"

using namespace bsgp::emulator;

namespace {

// The one context; its address is its handle.
char primary;

struct Attribute {
  int number, value;
};
// As cuda.h numbers them; of an A100, but for the number of multiprocessors.
constexpr Attribute kAttributes[] = {
    {1, 1024},                                // threads per block
    {2, 1024},        {3, 1024},  {4, 64},    // block
    {5, 2147483647},  {6, 65535}, {7, 65535}, // grid
    {8, 49152},                               // shared memory per block
    {9, 65536},                               // constant memory
    {10, 32},                                 // warp
    {11, 2147483647},                         // pitch
    {12, 65536},                              // registers per block
    {13, 1410000},                            // clock, kHz
    {14, 512},                                // alignment of textures
    {15, 1},                                  // overlaps copies
    {16, 2},                                  // multiprocessors
    {17, 0},                                  // kernels run out of time
    {18, 0},                                  // integrated
    {19, 1},                                  // maps host memory
    {20, 0},                                  // compute mode
    {31, 1},                                  // concurrent kernels
    {32, 1},                                  // ECC
    {33, 0},          {34, 0},    {50, 0},    // PCI
    {36, 1215000},                            // memory clock, kHz
    {37, 5120},                               // width of the memory bus, bits
    {38, 41943040},                           // L2, bytes
    {39, 2048},                               // threads per multiprocessor
    {40, 3},                                  // copy engines
    {41, 1},                                  // unified addressing
    {78, 1},                                  // priorities of streams
    {79, 1},          {80, 1},                // L1 for global and local memory
    {81, 167936},                             // shared memory per multiprocessor
    {82, 65536},                              // registers per multiprocessor
    {83, 0},                                  // managed memory
    {95, 0},                                  // cooperative launches
    {97, 166912},                             // shared memory per block, on request
    {106, 32},                                // blocks per multiprocessor
    {111, 1024},                              // shared memory per block that is reserved
    {115, 1},                                 // memory pools
};

struct ErrorName {
  int error;
  const char *name, *text;
};
constexpr ErrorName kErrors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

const ErrorName* findError(int error) {
  for (const ErrorName& entry : kErrors)
    if (entry.error == error)
      return &entry;
  return nullptr;
}

// What needs no context.
template <class F> CUresult initialized(F body) {
  Driver& driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  return driver.initialized ? body(driver) : CUDA_ERROR_NOT_INITIALIZED;
}

template <class F> CUresult onDevice(int device, F body) {
  return initialized([&](Driver& driver) { return device == 0 ? body(driver) : CUDA_ERROR_INVALID_DEVICE; });
}

} // namespace

BSGP_EXPORT CUresult cuInit(unsigned flags) {
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  Driver& driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  try {
    driver.initialize();
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

BSGP_EXPORT CUresult cuDriverGetVersion(int* version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = 12040;
  return CUDA_SUCCESS;
}

BSGP_EXPORT CUresult cuGetErrorName(CUresult error, const char** text) {
  const ErrorName* entry = findError(error);
  *text = entry ? entry->name : nullptr;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

BSGP_EXPORT CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorName* entry = findError(error);
  *text = entry ? entry->text : nullptr;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

BSGP_EXPORT CUresult cuDeviceGetCount(int* count) {
  return initialized([&](Driver&) {
    *count = 1;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuDeviceGet(int* device, int ordinal) {
  return onDevice(ordinal, [&](Driver&) {
    *device = 0;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuDeviceGetName(char* name, int length, int device) {
  return onDevice(device, [&](Driver&) {
    if (!name || length <= 0)
      return CUDA_ERROR_INVALID_VALUE;
    std::strncpy(name, "BSGP emulated GPU", static_cast<size_t>(length) - 1);
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuDeviceGetAttribute(int* value, int attribute, int device) {
  return onDevice(device, [&](Driver& driver) {
    if (!value)
      return CUDA_ERROR_INVALID_VALUE;
    if (attribute == 75 || attribute == 76) {
      *value = static_cast<int>(attribute == 75 ? driver.sm / 10 : driver.sm % 10);
      return CUDA_SUCCESS;
    }
    for (const Attribute& known : kAttributes)
      if (known.number == attribute) {
        *value = known.value;
        return CUDA_SUCCESS;
      }
    return CUDA_ERROR_INVALID_VALUE;
  });
}

BSGP_EXPORT CUresult cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return onDevice(device, [&](Driver& driver) {
    *bytes = driver.memory->total();
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuDevicePrimaryCtxRetain(void** context, int device) {
  return onDevice(device, [&](Driver& driver) {
    ++driver.retained;
    *context = &primary;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(int device) {
  return onDevice(device, [&](Driver& driver) {
    if (driver.retained == 0)
      return CUDA_ERROR_INVALID_CONTEXT;
    if (--driver.retained == 0)
      driver.tearDown();
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuCtxSetCurrent(void* context) {
  return initialized([&](Driver& driver) {
    if (context && (context != &primary || driver.retained == 0))
      return CUDA_ERROR_INVALID_CONTEXT;
    currentContext() = context;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuCtxGetCurrent(void** context) {
  return initialized([&](Driver&) {
    *context = currentContext();
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuCtxSynchronize() {
  return inContext([](Driver& driver) { return driver.finishAll(); });
}
