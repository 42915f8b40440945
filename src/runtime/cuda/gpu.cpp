#include "runtime/cuda/gpu.h"

#include <algorithm>

#include "runtime/environment.h"
#include "runtime/failure.h"

namespace bsgp::runtime::cuda {
namespace {

// After these nothing works any more in this process (the driver's manual, CUresult: "the process must be terminated").
bool endsEverything(CUresult error) {
  switch (error) {
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_TENSOR_MEMORY_LEAK:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}

Result<CUdevice> chooseDevice(const Driver& driver) {
  auto number = numberFrom("BSGP_CUDA_DEVICE");
  if (!number)
    return number.error();
  int count = 0;
  CUresult result = driver.cuDeviceGetCount(&count);
  if (result != CUDA_SUCCESS)
    return Error{"cuDeviceGetCount failed: " + describe(driver, result)};
  if (count == 0)
    return Error{"there is no CUDA GPU in this machine, or none that this process may use (cuDeviceGetCount: 0)"};
  if (*number >= uint64_t(count))
    return Error{formatted("BSGP_CUDA_DEVICE is %llu; the GPUs of this machine have the numbers 0 to %d",
                           static_cast<unsigned long long>(*number), count - 1)};
  CUdevice device = 0;
  if ((result = driver.cuDeviceGet(&device, int(*number))) != CUDA_SUCCESS)
    return Error{formatted("cuDeviceGet of GPU %d failed: ", int(*number)) + describe(driver, result)};
  return device;
}

} // namespace

std::string describeLaunch(const bsgp_plan& plan, const bsgp_kernel& kernel) {
  const char* file = plan.site && plan.site->file ? plan.site->file : "?";
  std::string lines = kernel.last_line > kernel.first_line ? formatted("%u-%u", kernel.first_line, kernel.last_line)
                                                           : formatted("%u", kernel.first_line);
  return formatted("%s:%s: superstep %u of %s (kernel %s)", file, lines.c_str(), kernel.superstep, plan.name,
                   kernel.name);
}

Result<std::unique_ptr<Gpu>> Gpu::find() {
  auto driver = loadDriver();
  if (!driver)
    return driver.error();
  auto device = chooseDevice(**driver);
  if (!device)
    return device.error();
  std::unique_ptr<Gpu> gpu(new Gpu(**driver, *device));
  gpu->ask();
  return gpu;
}

Result<std::unique_ptr<Gpu>> Gpu::open() {
  auto gpu = find();
  if (gpu)
    if (auto started = (*gpu)->start(); !started)
      return started.error();
  return gpu;
}

void Gpu::ask() {
  char name[256] = "";
  if (driver_.cuDeviceGetName(name, sizeof name, device_) == CUDA_SUCCESS)
    name_ = name;
  capability_ = unsigned(10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  processors_ = std::max(1, attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
}

Result<void> Gpu::start() {
  if (auto kept = check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain"); !kept)
    return kept;
  if (auto entered = enter(); !entered)
    return entered;
  // It does not wait for the default stream, which belongs to the program around.
  return check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

Gpu::~Gpu() {
  if (stream_ && enter())
    driver_.cuStreamDestroy(stream_);
  if (context_)
    driver_.cuDevicePrimaryCtxRelease(device_);
}

int Gpu::attribute(CUattribute attribute) const {
  int value = 0;
  return driver_.cuDeviceGetAttribute(&value, attribute, device_) == CUDA_SUCCESS ? value : 0;
}

// Asked each time: the program around may make another context current between two calls.
Result<void> Gpu::enter() {
  if (lost_.load(std::memory_order_acquire)) [[unlikely]] {
    std::lock_guard lock(mutex_);
    return Error{"the GPU is lost since an earlier error: " + lost_by_ + "\n  help: start the program again"};
  }
  CUcontext current = nullptr;
  if (driver_.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context_) [[likely]]
    return {};
  return check(driver_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
}

void Gpu::launched(const bsgp_plan& plan, const bsgp_kernel& kernel) {
  {
    std::lock_guard lock(mutex_);
    launches_[launch_count_++ % kMostNamed] = {&plan, &kernel};
  }
  gave();
}

Result<void> Gpu::synchronize() {
  uint64_t given = given_.load(std::memory_order_acquire), launches = 0;
  {
    std::lock_guard lock(mutex_);
    launches = launch_count_;
  }
  if (auto done = check(driver_.cuStreamSynchronize(stream_), "cuStreamSynchronize"); !done)
    return done;
  std::lock_guard lock(mutex_);
  finished_launches_ = std::max(finished_launches_, launches);
  done_.store(std::max(done_.load(std::memory_order_relaxed), given), std::memory_order_release);
  return {};
}

// With the lock: those that were not known to be done when an error came up.
std::string Gpu::suspects() {
  if (launch_count_ == finished_launches_)
    return "";
  uint64_t first = std::max(finished_launches_, launch_count_ - std::min<uint64_t>(launch_count_, kMostNamed));
  std::string text = launch_count_ == finished_launches_ + 1 ? ", by" : ", by one of";
  for (uint64_t i = first; i < launch_count_; ++i) {
    const Launch& launch = launches_[i % kMostNamed];
    text += "\n    " + describeLaunch(*launch.plan, *launch.kernel);
  }
  if (first > finished_launches_)
    text += formatted("\n    or %llu before them", static_cast<unsigned long long>(first - finished_launches_));
  if (launch_count_ > finished_launches_ + 1)
    text += "\n  help: with CUDA_LAUNCH_BLOCKING=1 in the environment each is waited for, and the error names it";
  return text;
}

Error Gpu::failed(CUresult result, const char* call, const std::string& object) {
  std::string words = std::string(call) + (object.empty() ? "" : " of " + object) + ": " + describe(driver_, result);
  if (!endsEverything(result))
    return Error{words};
  std::lock_guard lock(mutex_);
  if (lost_.load(std::memory_order_relaxed))
    return Error{"the GPU is lost since an earlier error: " + lost_by_ + "\n  help: start the program again"};
  lost_by_ = words;
  words += suspects();
  lost_.store(true, std::memory_order_release);
  return Error{words};
}

} // namespace bsgp::runtime::cuda
