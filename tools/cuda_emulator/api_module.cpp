// Entry points: modules, links, kernels.
#include <algorithm>
#include <cstring>

#include "driver.h"
#include "launch.h"

using namespace bsgp::emulator;

namespace {

// What a link makes begins so; then comes the text.
constexpr std::string_view kMagic = "BSGP emulated cubin\n";
constexpr int kMaxShared = 166912;

void writeLog(unsigned count, const int* options, void** values, const std::string& text) {
  char* buffer = nullptr;
  size_t size = 0, size_at = count;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5) // CU_JIT_ERROR_LOG_BUFFER
      buffer = static_cast<char*>(values[i]);
    if (options[i] == 6) { // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES; on return what was written
      size = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
      size_at = i;
    }
  }
  if (!buffer || size == 0)
    return;
  size_t written = std::min(text.size(), size - 1);
  std::memcpy(buffer, text.data(), written);
  buffer[written] = '\0';
  values[size_at] = reinterpret_cast<void*>(written);
}

CUresult loadText(Driver& driver, std::string_view text, std::unique_ptr<Module>& out, unsigned count,
                  const int* options, void** values) {
  try {
    out = std::make_unique<Module>(text, driver.sm, *driver.memory);
    return CUDA_SUCCESS;
  } catch (const PtxError& error) {
    writeLog(count, options, values, "line " + std::to_string(error.line) + "; error: " + error.message + "\n");
    return CUDA_ERROR_INVALID_PTX;
  }
}

Kernel* kernelOf(Driver& driver, void* handle) {
  for (Module* module : driver.modules)
    if (module->has(static_cast<Kernel*>(handle)))
      return static_cast<Kernel*>(handle);
  return nullptr;
}

bool fitsDevice(const uint32_t* grid, const uint32_t* block) {
  bool some = grid[0] && grid[1] && grid[2] && block[0] && block[1] && block[2];
  return some && grid[0] <= 2147483647u && grid[1] <= 65535 && grid[2] <= 65535 && block[0] <= 1024 &&
         block[1] <= 1024 && block[2] <= 64 && uint64_t(block[0]) * block[1] * block[2] <= 1024;
}

CUresult runLaunch(Driver& driver, Launch& launch) {
  launch.races = driver.races.get();
  if (driver.races)
    driver.races->begin((launch.threads() + 31) / 32);
  launch.trace = Trace::get();
  if (launch.trace)
    launch.trace->begins(launch);
  run(launch);
  if (launch.trace)
    launch.trace->ends();
  return launch.fault ? driver.fault(static_cast<CUresult>(launch.fault->error), launch.fault->message) : CUDA_SUCCESS;
}

CUresult checkLaunch(const Kernel& kernel, const Launch& launch) {
  if (!fitsDevice(launch.grid, launch.block))
    return CUDA_ERROR_INVALID_VALUE;
  if (launch.dynamic_shared > kernel.dynamic_limit || kernel.shared_bytes + launch.dynamic_shared > kMaxShared)
    return CUDA_ERROR_INVALID_VALUE;
  if (kernel.required[0] && !std::equal(launch.block, launch.block + 3, kernel.required))
    return CUDA_ERROR_INVALID_VALUE;
  return launch.threads() <= kernel.max_threads ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

} // namespace

BSGP_EXPORT CUresult cuModuleLoadDataEx(void** out, const void* image, unsigned count, int* options, void** values) {
  return inContext([&](Driver& driver) {
    if (!out || !image)
      return CUDA_ERROR_INVALID_VALUE;
    std::string_view text = static_cast<const char*>(image);
    if (text.starts_with(kMagic))
      text.remove_prefix(kMagic.size());
    std::unique_ptr<Module> module;
    if (CUresult result = loadText(driver, text, module, count, options, values))
      return result;
    *out = module.get();
    driver.modules.insert(module.release());
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuModuleUnload(void* handle) {
  return inContext([&](Driver& driver) {
    Module* module = known(driver.modules, handle);
    if (!module)
      return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = driver.finishAll();
    driver.modules.erase(module);
    delete module;
    return result;
  });
}

BSGP_EXPORT CUresult cuModuleGetFunction(void** out, void* handle, const char* name) {
  return inContext([&](Driver& driver) {
    Module* module = known(driver.modules, handle);
    if (!module)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!out || !name)
      return CUDA_ERROR_INVALID_VALUE;
    *out = module->find(name);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

BSGP_EXPORT CUresult cuFuncGetAttribute(int* value, int attribute, void* handle) {
  return inContext([&](Driver& driver) {
    Kernel* kernel = kernelOf(driver, handle);
    if (!kernel)
      return CUDA_ERROR_INVALID_HANDLE;
    auto sm = static_cast<int>(driver.sm);
    const int values[] = {static_cast<int>(kernel->max_threads),
                          static_cast<int>(kernel->shared_bytes),
                          0,
                          static_cast<int>(kernel->local_bytes),
                          static_cast<int>(kernel->register_count),
                          sm,
                          sm,
                          0,
                          static_cast<int>(kernel->dynamic_limit),
                          -1};
    if (!value || attribute < 0 || attribute > 9)
      return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuFuncSetAttribute(void* handle, int attribute, int value) {
  return inContext([&](Driver& driver) {
    Kernel* kernel = kernelOf(driver, handle);
    if (!kernel)
      return CUDA_ERROR_INVALID_HANDLE;
    if (attribute == 9) // how L1 is divided
      return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (attribute != 8 || value < 0 || value + static_cast<int>(kernel->shared_bytes) > kMaxShared)
      return CUDA_ERROR_INVALID_VALUE;
    kernel->dynamic_limit = static_cast<uint32_t>(value);
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                    unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream_handle,
                                    void** parameters, void** extra) {
  return inContext([&](Driver& driver) {
    Stream* stream = known(driver.streams, stream_handle);
    Kernel* kernel = kernelOf(driver, function);
    if (!kernel || (stream_handle && !stream))
      return CUDA_ERROR_INVALID_HANDLE;
    if (extra)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (!kernel->parameters.empty() && !parameters)
      return CUDA_ERROR_INVALID_VALUE;
    auto launch = std::make_shared<Launch>();
    launch->kernel = kernel;
    launch->memory = driver.memory.get();
    launch->parameters.resize(kernel->parameter_bytes);
    for (size_t i = 0; i < kernel->parameters.size(); ++i)
      std::memcpy(launch->parameters.data() + kernel->parameters[i].offset, parameters[i], kernel->parameters[i].bytes);
    const uint32_t grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    std::copy(grid, grid + 3, launch->grid);
    std::copy(block, block + 3, launch->block);
    launch->dynamic_shared = shared_bytes;
    if (CUresult result = checkLaunch(*kernel, *launch))
      return result;
    return driver.enqueue(stream, [&driver, launch] { return runLaunch(driver, *launch); });
  });
}

BSGP_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                                 size_t dynamic_shared) {
  return inContext([&](Driver& driver) {
    Kernel* kernel = kernelOf(driver, function);
    if (!kernel)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!blocks || threads <= 0)
      return CUDA_ERROR_INVALID_VALUE;
    int by_threads = threads > 1024 ? 0 : std::min(32, 2048 / ((threads + 31) / 32 * 32));
    auto by_shared = static_cast<int>(167936 / (kernel->shared_bytes + dynamic_shared + 1024));
    *blocks = std::min(by_threads, by_shared);
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuLinkCreate_v2(unsigned, int*, void**, void** out) {
  return inContext([&](Driver& driver) {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    auto* link = new Link;
    driver.links.insert(link);
    *out = link;
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuLinkAddData_v2(void* handle, int type, void* data, size_t bytes, const char*, unsigned count,
                                      int* options, void** values) {
  return inContext([&](Driver& driver) {
    Link* link = known(driver.links, handle);
    if (!link)
      return CUDA_ERROR_INVALID_HANDLE;
    if (type != 1 || !data || !link->image.empty()) // one input, of PTX
      return CUDA_ERROR_NOT_SUPPORTED;
    std::string_view text(static_cast<const char*>(data), bytes);
    text = text.substr(0, text.find('\0'));
    std::unique_ptr<Module> module; // finds the errors
    CUresult result = loadText(driver, text, module, count, options, values);
    if (result == CUDA_SUCCESS)
      link->image = std::string(kMagic) + std::string(text);
    return result;
  });
}

BSGP_EXPORT CUresult cuLinkComplete(void* handle, void** image, size_t* bytes) {
  return inContext([&](Driver& driver) {
    Link* link = known(driver.links, handle);
    if (!link)
      return CUDA_ERROR_INVALID_HANDLE;
    if (link->image.empty() || !image)
      return CUDA_ERROR_INVALID_VALUE;
    *image = link->image.data();
    if (bytes)
      *bytes = link->image.size() + 1; // with the 0 at its end
    return CUDA_SUCCESS;
  });
}

BSGP_EXPORT CUresult cuLinkDestroy(void* handle) {
  return inContext([&](Driver& driver) {
    Link* link = known(driver.links, handle);
    if (!link)
      return CUDA_ERROR_INVALID_HANDLE;
    driver.links.erase(link);
    delete link;
    return CUDA_SUCCESS;
  });
}
