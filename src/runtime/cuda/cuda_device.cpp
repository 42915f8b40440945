#include "runtime/cuda/cuda_device.h"

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstring>

#include "runtime/cuda/cuda.h"
#include "runtime/environment.h"
#include "runtime/failure.h"
#include "runtime/few.h"

namespace bsgp::runtime {

Result<GpuInfo> usableGpu() {
  auto gpu = cuda::Gpu::find();
  if (!gpu)
    return gpu.error();
  return GpuInfo{(*gpu)->name(), (*gpu)->capability()};
}

Result<std::unique_ptr<Device>> createCudaDevice(const DeviceOptions& options) {
  auto cache = CodeCache::fromEnvironment();
  if (!cache)
    return cache.error();
  auto gpu = cuda::Gpu::open();
  if (!gpu)
    return gpu.error();
  auto memory = cuda::GpuMemory::create(**gpu, options.cache_bytes);
  if (!memory)
    return memory.error();
  const char* blocking = environment("CUDA_LAUNCH_BLOCKING");
  bool waits = blocking && std::strcmp(blocking, "0") != 0;
  return std::unique_ptr<Device>(std::make_unique<cuda::CudaDevice>(gpu.take(), memory.take(), cache.take(), waits));
}

} // namespace bsgp::runtime

namespace bsgp::runtime::cuda {
namespace {

CUdeviceptr address(const void* memory) {
  return CUdeviceptr(reinterpret_cast<uintptr_t>(memory));
}

constexpr int64_t kTilesForProcessor = 4; // with fewer, some would be idle

int64_t wholeTiles(const bsgp_launch& launch, uint32_t tile, int processors) {
  int64_t whole = tile > 1 ? launch.size / launch.block / tile : 0;
  return whole >= kTilesForProcessor * processors ? whole : 0;
}

} // namespace

// Waits for running work, which uses the memory that is freed now.
CudaDevice::~CudaDevice() {
  if (gpu_->enter())
    (void)gpu_->synchronize();
}

// Returns how many blocks of 256 threads the multiprocessors hold at a time, if they hold as many threads as they
// can.
unsigned CudaDevice::threads() const {
  int of_one = gpu_->attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / BSGP_BLOCK;
  int most = gpu_->attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  if (most > 0)
    of_one = std::min(of_one, most);
  return unsigned(std::max(1, gpu_->processors() * std::max(1, of_one)));
}

void* CudaDevice::allocate(size_t bytes, std::string& why) {
  return reinterpret_cast<void*>(uintptr_t(memory_->allocate(bytes, why)));
}

void CudaDevice::release(void* block, size_t bytes) {
  memory_->release(address(block), bytes);
}

Result<void> CudaDevice::fill(void* to, uint8_t byte, size_t bytes) {
  if (bytes == 0)
    return {};
  if (auto entered = gpu_->enter(); !entered)
    return entered;
  if (CUresult result = gpu_->driver().cuMemsetD8Async(address(to), byte, bytes, gpu_->stream()))
    return gpu_->failed(result, "cuMemsetD8Async", formatted("%zu bytes", bytes));
  gpu_->gave();
  return {};
}

Result<void> CudaDevice::copy(void* to, Space to_space, const void* from, Space from_space, size_t bytes,
                              DeviceCall* call) {
  if (bytes == 0)
    return {};
  if (to_space == Space::Host && from_space == Space::Host) {
    std::memmove(to, from, bytes);
    return {};
  }
  if (auto entered = gpu_->enter(); !entered)
    return entered;
  if (to_space == Space::Device)
    return from_space == Space::Device ? copies_.within(address(to), address(from), bytes)
                                       : copies_.toDevice(address(to), from, bytes);
  if (times_.waiting()) // so that the time of kernels does not count as that of the copy
    if (auto resolved = times_.resolve(); !resolved)
      return resolved;
  if (call)
    if (auto fetched = fetch(static_cast<CudaCall&>(*call)); !fetched)
      return fetched;
  return copies_.toHost(to, address(from), bytes);
}

// Prepares the call of a launch. The numbers in a record are those of one program, so another program's kernels have
// to wait until it has been read.
Result<CudaCall*> CudaDevice::prepare(const Work& work, std::unique_ptr<DeviceCall>& call) {
  if (!call) {
    auto record = records_.take();
    if (!record)
      return record.error();
    call = std::make_unique<CudaCall>(records_, *record, codeGeneration());
  }
  auto& mine = static_cast<CudaCall&>(*call);
  const bsgp_gpu_kernel& kernel = *work.kernel.gpu;
  if (mine.code != kernel.code && (mine.unseen || mine.fetched))
    if (auto waited = wait(&mine); !waited)
      return waited.error();
  mine.code = kernel.code;
  if (kernel.talks)
    if (auto room = records_.makeRoom(mine.record, work.launch.size); !room)
      return room.error();
  return &mine;
}

Result<void> CudaDevice::start(const Work& work, CudaCall& call, CUfunction function, CUdeviceptr check) {
  const bsgp_launch& launch = work.launch;
  int64_t blocks = blockCount(launch);
  if (blocks > INT_MAX)
    return Error{formatted("%" PRId64 " blocks of %" PRId64 " threads are more than a GPU takes (%d)", blocks,
                           launch.block, INT_MAX)};
  int64_t tiles = wholeTiles(launch, work.kernel.gpu->tile, gpu_->processors());
  uint32_t count = work.kernel.param_count;
  Few<void*, 40> parameters(count + 4);
  for (uint32_t i = 0; i < count; ++i)
    parameters[i] = const_cast<uint64_t*>(&launch.params[i]);
  int64_t size = launch.size;
  CUdeviceptr record = call.record.address;
  parameters[count] = &size;
  parameters[count + 1] = &record;
  parameters[count + 2] = &tiles;
  parameters[count + 3] = &check; // of watched code, which has one more parameter
  int64_t thread_blocks = blocks - tiles * (work.kernel.gpu->tile - 1);
  CUresult result =
      gpu_->driver().cuLaunchKernel(function, unsigned(thread_blocks), 1, 1, unsigned(launch.block), 1, 1,
                                    work.kernel.gpu->shared_bytes, gpu_->stream(), parameters.data(), nullptr);
  if (result != CUDA_SUCCESS)
    return gpu_->failed(result, "cuLaunchKernel",
                        formatted("%s, superstep %u of %s, with %" PRId64 " blocks of %" PRId64 " threads",
                                  work.kernel.name, work.kernel.superstep, work.plan.name, blocks, launch.block));
  gpu_->launched(work.plan, work.kernel);
  call.unseen |= call.code->site_count > 0 || work.kernel.gpu->talks;
  return {};
}

// Watched launches run one at a time, and the findings of one are reported before the next.
Result<void> CudaDevice::startWatched(const Work& work, CudaCall& call, CUfunction function) {
  auto lock = checks_.lock();
  auto check = checks_.begin(work);
  if (!check)
    return check.error();
  if (auto started = start(work, call, function, *check); !started)
    return started;
  return checks_.end(work);
}

Result<void> CudaDevice::launch(const Work& work, std::unique_ptr<DeviceCall>& call) {
  if (auto entered = gpu_->enter(); !entered)
    return entered;
  auto mine = prepare(work, call);
  if (!mine)
    return mine.error();
  auto function = modules_.function(work.kernel, (*mine)->generation, records_.taken() == 1);
  if (!function)
    return function.error();
  if (work.kernel.gpu->checks) [[unlikely]]
    return startWatched(work, **mine, *function);
  if (auto started = start(work, **mine, *function); !started || !waits_for_launches_)
    return started;
  return gpu_->synchronize();
}

Result<void> CudaDevice::launchProfiled(const Work& work, std::unique_ptr<DeviceCall>& call, Profile& profile) {
  if (auto entered = gpu_->enter(); !entered)
    return entered;
  auto begin = times_.mark();
  if (!begin)
    return begin.error();
  auto launched = launch(work, call);
  if (!launched) {
    times_.giveBack(*begin);
    return launched;
  }
  auto end = times_.mark();
  if (!end)
    return end.error();
  return times_.launched(work, *begin, *end, profile);
}

Result<void> CudaDevice::fetch(CudaCall& call) {
  if (!call.unseen)
    return {};
  if (CUresult result = gpu_->driver().cuMemcpyDtoHAsync(call.record.said, call.record.address, sizeof(bsgp_gpu_record),
                                                         gpu_->stream()))
    return gpu_->failed(result, "cuMemcpyDtoHAsync", "the record of failures");
  gpu_->gave();
  call.unseen = false;
  call.fetched = true;
  return {};
}

// The record is still being fetched when this returns, and is looked at the next time.
bool CudaDevice::hasFailed(DeviceCall* call) {
  auto* mine = static_cast<CudaCall*>(call);
  if (gpu_->isLost() || (mine && mine->fetched && mine->record.hasFailed()))
    return true;
  return mine && mine->unseen && (!gpu_->enter() || !fetch(*mine));
}

// Runs when the work is done. The record is cleared, so that the context can be used after a failure.
Result<void> CudaDevice::judge(CudaCall& call) {
  if (!call.fetched)
    return {};
  call.fetched = false;
  const bsgp_gpu_record& said = *call.record.said;
  if (said.printed)
    if (auto printed = records_.print(call.record, *call.code); !printed)
      return Error{errorAt(nullptr) + printed.message()};
  if (!said.failed)
    return {};
  if (auto cleared = records_.clear(call.record); !cleared)
    return Error{errorAt(nullptr) + cleared.message()};
  const bsgp_site* site = said.site < call.code->site_count ? call.code->sites[said.site] : nullptr;
  Error error{failureMessage(said.kind, said.rank, site)};
  *call.record.said = {};
  return error;
}

Result<void> CudaDevice::wait(DeviceCall* call) {
  auto* mine = static_cast<CudaCall*>(call);
  bool judged = !mine || (!mine->unseen && !mine->fetched);
  if (judged && gpu_->idle() && !times_.waiting())
    return {};
  Result<void> done = gpu_->enter();
  if (done && mine)
    done = fetch(*mine);
  if (done && times_.waiting())
    done = times_.resolve();
  else if (done && !gpu_->idle())
    done = gpu_->synchronize();
  if (!done)
    return Error{errorAt(nullptr) + done.message()};
  return mine ? judge(*mine) : Result<void>();
}

} // namespace bsgp::runtime::cuda
