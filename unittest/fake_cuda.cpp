// libfake_cuda: see fake_cuda.h.
#include "fake_cuda.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <sstream>

#include "runtime/cuda/driver_types.h"

namespace bsgp::runtime::cuda { // the driver's handles are these

struct CUctx_st {};
struct CUstream_st {};
struct CUevent_st {
  bool timed, done = false;
  double ms = 0;
};
struct CUfunc_st {
  std::string name;
  size_t parameters;
};
struct CUmod_st {
  std::deque<CUfunc_st> kernels;
};
struct CUmemPoolHandle_st {};
struct CUlinkState_st {
  char* log;
  size_t log_bytes;
  std::string ptx, cubin;
};

} // namespace bsgp::runtime::cuda

using namespace bsgp::runtime::cuda;
using namespace bsgp::test;

namespace {

struct Block {
  size_t bytes;
  bool freed = false; // in the stream, not yet reached
};

struct State {
  FakeCuda fake;
  std::map<uint64_t, Block> blocks; // by address
  std::deque<std::function<void()>> stream;
  size_t used = 0;
  int lost = 0;
  double now_ms = 0;
};

std::recursive_mutex mutex;
State* state = new State;
CUctx_st context;
CUstream_st the_stream;
CUmemPoolHandle_st the_pool;
thread_local CUcontext current = nullptr;

constexpr const char* kCubin = "CUBIN of ";

// Records the call; what it has to return at once, if anything.
int enter(const char* name, const std::string& detail = "", bool needs_context = true) {
  state->fake.calls.push_back(detail.empty() ? name : name + (" " + detail));
  int number = ++state->fake.counts[name];
  auto failure = state->fake.failures.find(name);
  if (failure != state->fake.failures.end() && failure->second.number == number)
    return failure->second.error;
  if (needs_context && current != &context)
    return CUDA_ERROR_INVALID_CONTEXT;
  return needs_context ? state->lost : 0;
}

void give(std::function<void()> work) {
  state->stream.push_back(std::move(work));
  state->fake.has_pending_work = true;
}

void drain() {
  while (!state->stream.empty()) {
    auto work = std::move(state->stream.front());
    state->stream.pop_front();
    state->now_ms += 1;
    if (!state->lost)
      work();
  }
  state->fake.has_pending_work = false;
}

bool valid(uint64_t address, size_t bytes) {
  auto after = state->blocks.upper_bound(address);
  if (after == state->blocks.begin())
    return false;
  auto& [begin, block] = *std::prev(after);
  return !block.freed && address + bytes <= begin + block.bytes;
}

int allocate(CUdeviceptr* address, size_t bytes) {
  if (state->used + bytes > state->fake.memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xEE, bytes);
  *address = uint64_t(uintptr_t(memory)) | kDeviceBit;
  state->blocks[*address] = {bytes};
  state->used += bytes;
  ++state->fake.live["device"];
  return 0;
}

void release(uint64_t address) {
  auto found = state->blocks.find(address);
  std::memset(onDevice<char>(address), 0xDD, found->second.bytes);
  std::free(onDevice<char>(address));
  state->used -= found->second.bytes;
  --state->fake.live["device"];
  state->blocks.erase(found);
}

std::string number(size_t n) {
  return std::to_string(n);
}

} // namespace

#define ENTER(...)                                                                                                     \
  std::lock_guard lock(mutex);                                                                                         \
  if (int error = enter(__func__ __VA_OPT__(, ) __VA_ARGS__))                                                          \
  return error

extern "C" {

FakeCuda* resetFakeCuda() {
  std::lock_guard lock(mutex);
  delete state;
  state = new State;
  return &state->fake;
}

int cuInit(unsigned) {
  ENTER("", false);
  return state->fake.devices ? 0 : CUDA_ERROR_NO_DEVICE;
}
int cuDriverGetVersion(int* version) {
  ENTER("", false);
  *version = state->fake.version;
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  static const std::map<int, const char*> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                   {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                   {100, "CUDA_ERROR_NO_DEVICE"},
                                                   {200, "CUDA_ERROR_INVALID_IMAGE"},
                                                   {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                   {218, "CUDA_ERROR_INVALID_PTX"},
                                                   {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                                                   {500, "CUDA_ERROR_NOT_FOUND"},
                                                   {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                   {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}};
  auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? CUDA_ERROR_INVALID_VALUE : 0;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 700 ? "an illegal memory access was encountered" : "a text";
  return 0;
}

int cuDeviceGetCount(int* count) {
  ENTER("", false);
  *count = state->fake.devices;
  return 0;
}
int cuDeviceGet(CUdevice* device, int number) {
  ENTER("", false);
  *device = number;
  return 0;
}
int cuDeviceGetName(char* name, int bytes, CUdevice device) {
  std::snprintf(name, size_t(bytes), "Fake %d", device);
  return 0;
}
int cuDeviceGetAttribute(int* value, CUattribute attribute, CUdevice) {
  const FakeCuda& fake = state->fake;
  const std::map<int, int> values = {{16, 10},    {39, 1024}, {75, fake.capability / 10}, {76, fake.capability % 10},
                                     {97, 65536}, {106, 16},  {115, fake.pools}};
  auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return found == values.end() ? CUDA_ERROR_INVALID_VALUE : 0;
}
int cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice) {
  ENTER("", false);
  *out = &context;
  ++state->fake.live["context"];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(CUdevice) {
  ENTER("", false);
  --state->fake.live["context"];
  return 0;
}
int cuCtxGetCurrent(CUcontext* out) { // not recorded: it is asked before everything
  *out = current;
  return 0;
}
int cuCtxSetCurrent(CUcontext wanted) {
  ENTER("", false);
  current = wanted;
  return 0;
}

int cuStreamCreate(CUstream* stream, unsigned) {
  ENTER();
  *stream = &the_stream;
  ++state->fake.live["stream"];
  return 0;
}
int cuStreamDestroy_v2(CUstream) {
  ENTER();
  drain();
  --state->fake.live["stream"];
  return 0;
}
int cuStreamSynchronize(CUstream) {
  ENTER();
  drain();
  return state->lost;
}

int cuEventCreate(CUevent* event, unsigned flags) {
  ENTER();
  *event = new CUevent_st{flags != CU_EVENT_DISABLE_TIMING};
  ++state->fake.live["event"];
  return 0;
}
int cuEventDestroy_v2(CUevent event) {
  ENTER();
  drain();
  delete event;
  --state->fake.live["event"];
  return 0;
}
int cuEventRecord(CUevent event, CUstream) {
  ENTER();
  event->done = false;
  give([event] {
    event->done = true;
    event->ms = state->now_ms;
  });
  return 0;
}
int cuEventSynchronize(CUevent event) {
  ENTER();
  if (!event->done)
    drain();
  return state->lost;
}
int cuEventElapsedTime(float* ms, CUevent begin, CUevent end) {
  ENTER();
  if (!begin->done || !end->done || !begin->timed || !end->timed)
    return CUDA_ERROR_INVALID_HANDLE;
  *ms = float(end->ms - begin->ms);
  return 0;
}

int cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  ENTER();
  if (properties->alloc_type != 1 || properties->location_type != 1)
    return CUDA_ERROR_INVALID_VALUE;
  *pool = &the_pool;
  ++state->fake.live["pool"];
  return 0;
}
int cuMemPoolDestroy(CUmemoryPool) {
  ENTER();
  --state->fake.live["pool"];
  return 0;
}
int cuMemPoolSetAttribute(CUmemoryPool, CUpoolAttribute attribute, void* value) {
  ENTER(number(attribute) + " = " + number(*static_cast<uint64_t*>(value)));
  return 0;
}
int cuMemPoolGetAttribute(CUmemoryPool, CUpoolAttribute attribute, void* value) {
  ENTER();
  *static_cast<uint64_t*>(value) = state->used + (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT ? 1000 : 0);
  return 0;
}
int cuMemPoolTrimTo(CUmemoryPool, size_t) {
  ENTER();
  return 0;
}
int cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool, CUstream) {
  ENTER(number(bytes));
  return allocate(address, bytes);
}
int cuMemFreeAsync(CUdeviceptr address, CUstream) {
  ENTER();
  auto found = state->blocks.find(address);
  if (found == state->blocks.end() || found->second.freed)
    return CUDA_ERROR_INVALID_VALUE;
  found->second.freed = true;
  give([address] { release(address); });
  return 0;
}
int cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  ENTER(number(bytes));
  return allocate(address, bytes);
}
int cuMemFree_v2(CUdeviceptr address) {
  ENTER();
  if (!state->blocks.contains(address))
    return CUDA_ERROR_INVALID_VALUE;
  drain();
  release(address);
  return 0;
}
int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  ENTER(number(bytes));
  *memory = std::malloc(bytes);
  ++state->fake.live["host"];
  return 0;
}
int cuMemFreeHost(void* memory) {
  ENTER();
  drain();
  std::free(memory);
  --state->fake.live["host"];
  return 0;
}
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  ENTER();
  *free = state->fake.memory - state->used;
  *total = state->fake.memory;
  return 0;
}

// None of them copies before somebody waits: as the driver does with pinned memory.
int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream) {
  ENTER(number(bytes));
  if (!valid(to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  give([=] { std::memcpy(onDevice<char>(to), from, bytes); });
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  ENTER(number(bytes));
  if (!valid(from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  give([=] { std::memcpy(to, onDevice<char>(from), bytes); });
  return 0;
}
int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  ENTER(number(bytes));
  if (!valid(from, bytes) || !valid(to, bytes) || (to < from + bytes && from < to + bytes))
    return CUDA_ERROR_INVALID_VALUE;
  give([=] { std::memcpy(onDevice<char>(to), onDevice<char>(from), bytes); });
  return 0;
}
int cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream) {
  ENTER(number(bytes));
  if (!valid(to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  give([=] { std::memset(onDevice<char>(to), byte, bytes); });
  return 0;
}

int cuLinkCreate_v2(unsigned count, CUjitOption* options, void** values, CUlinkState* link) {
  ENTER();
  *link = new CUlinkState_st{};
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      (*link)->log = static_cast<char*>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      (*link)->log_bytes = reinterpret_cast<size_t>(values[i]);
  ++state->fake.live["link"];
  return 0;
}
int cuLinkAddData_v2(CUlinkState link, CUjitInput, void* data, size_t bytes, const char*, unsigned, CUjitOption*,
                     void**) {
  ENTER();
  link->ptx.assign(static_cast<const char*>(data), bytes - 1);
  if (link->ptx.find("error") == std::string::npos)
    return 0;
  std::snprintf(link->log, link->log_bytes,
                "ptxas application ptx input, line 1; error   : Parsing error near 'error'\n");
  return CUDA_ERROR_INVALID_PTX;
}
int cuLinkComplete(CUlinkState link, void** cubin, size_t* bytes) {
  ENTER();
  link->cubin = kCubin + link->ptx;
  *cubin = link->cubin.data();
  *bytes = link->cubin.size() + 1;
  return 0;
}
int cuLinkDestroy(CUlinkState link) {
  ENTER();
  delete link;
  --state->fake.live["link"];
  return 0;
}
int cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjitOption*, void**) {
  ENTER();
  std::string text = static_cast<const char*>(image);
  if (!text.starts_with(kCubin))
    return 200; // CUDA_ERROR_INVALID_IMAGE
  *module = new CUmod_st;
  std::istringstream lines(text.substr(std::strlen(kCubin)));
  std::string word, name;
  size_t parameters = 0;
  while (lines >> word >> name >> parameters)
    (*module)->kernels.push_back({name, parameters});
  ++state->fake.live["module"];
  return 0;
}
int cuModuleUnload(CUmodule module) {
  ENTER();
  delete module;
  --state->fake.live["module"];
  return 0;
}
int cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  ENTER(name);
  for (CUfunc_st& kernel : module->kernels)
    if (kernel.name == name) {
      *function = &kernel;
      return 0;
    }
  return CUDA_ERROR_NOT_FOUND;
}
int cuFuncSetAttribute(CUfunction function, CUfunctionAttribute attribute, int value) {
  ENTER(function->name + " " + number(attribute) + " = " + number(size_t(value)));
  return 0;
}
int cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned, unsigned, unsigned block_x, unsigned, unsigned,
                   unsigned shared_bytes, CUstream, void** parameters, void**) {
  ENTER(function->name);
  FakeLaunch launch{function->name, grid_x, block_x, shared_bytes, {}};
  for (size_t i = 0; i < function->parameters; ++i)
    launch.parameters.push_back(*static_cast<uint64_t*>(parameters[i]));
  give([launch] {
    state->now_ms += 4;
    if (state->fake.kernel)
      state->lost = state->fake.kernel(launch);
  });
  return 0;
}

} // extern "C"
