#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

#include <sys/resource.h>

#include "runtime/environment.h"
#include "runtime/failure.h"

namespace bsgp::runtime::cuda {
namespace {

constexpr int kOldest = 11020; // the first with memory pools

using Loaded = Result<std::unique_ptr<const Driver>>;

// dlerror's text names the file already.
Error notThere(const std::string& path) {
  const char* why = dlerror();
  std::string help = environment("BSGP_CUDA_DRIVER")
                         ? "\n  help: BSGP_CUDA_DRIVER names it; without that it is libcuda.so.1"
                         : "\n  help: it is part of NVIDIA's driver; BSGP_CUDA_DRIVER may name another file";
  return Error{"CUDA's driver library cannot be loaded: " + (why ? why : path) + help};
}

// CUDA reserves as many addresses as the GPUs and the host have memory.
const char* helpForLimit(CUresult error) {
  rlimit limit;
  bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return error == CUDA_ERROR_OUT_OF_MEMORY && is_limited
             ? "\n  help: the address space is limited (ulimit -v): CUDA needs more of it than there is memory"
             : "";
}

Result<void> initialize(Driver& driver) {
  if (CUresult error = driver.cuDriverGetVersion(&driver.version))
    return Error{"cuDriverGetVersion failed: " + describe(driver, error)};
  if (driver.version < kOldest)
    return Error{formatted("the driver of this machine is for CUDA %s, and the runtime needs %s or later\n"
                           "  help: install a newer NVIDIA driver",
                           versionText(driver.version).c_str(), versionText(kOldest).c_str())};
  if (CUresult error = driver.cuInit(0))
    return Error{error == CUDA_ERROR_NO_DEVICE ? "there is no CUDA GPU in this machine, or none that this process may "
                                                 "use (cuInit: " +
                                                     describe(driver, error) + ")"
                                               : "cuInit failed: " + describe(driver, error) + helpForLimit(error)};
  return {};
}

// An older library lacks functions, and says its version even so.
Error lacks(const Driver& driver, const char* name) {
  int version = 0;
  if (driver.cuDriverGetVersion)
    driver.cuDriverGetVersion(&version);
  std::string of = version ? ", which is for CUDA " + versionText(version) : "";
  return Error{formatted("'%s'%s, has no %s\n  help: the runtime needs a driver for CUDA %s or later",
                         driver.path.c_str(), of.c_str(), name, versionText(kOldest).c_str())};
}

Loaded load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return notThere(path);
  auto driver = std::make_unique<Driver>();
  driver->path = path;
  const char* missing = nullptr;
#define CUDA_CALL(name, exported, parameters)                                                                          \
  driver->name = reinterpret_cast<CUresult(*) parameters>(dlsym(library, #exported));                                  \
  if (!driver->name && !missing)                                                                                       \
    missing = #exported;
#include "runtime/cuda/driver.def"
#undef CUDA_CALL
  if (missing)
    return lacks(*driver, missing);
  if (auto ready = initialize(*driver); !ready)
    return ready.error();
  return std::unique_ptr<const Driver>(std::move(driver));
}

} // namespace

Result<const Driver*> loadDriver() {
  static std::mutex mutex;
  static auto& drivers = *new std::map<std::string, std::unique_ptr<const Driver>>; // outlives the last context
  const char* named = environment("BSGP_CUDA_DRIVER");
  std::string path = named ? named : "libcuda.so.1";
  std::lock_guard lock(mutex);
  auto& driver = drivers[path];
  if (!driver) {
    Loaded loaded = load(path);
    if (!loaded)
      return loaded.error();
    driver = loaded.take();
  }
  return driver.get();
}

std::string describe(const Driver& driver, CUresult error) {
  const char *name = nullptr, *text = nullptr;
  if (driver.cuGetErrorName(error, &name) != CUDA_SUCCESS || !name)
    return formatted("CUDA error %d", int(error));
  if (driver.cuGetErrorString(error, &text) != CUDA_SUCCESS || !text)
    return name;
  return formatted("%s (%s)", name, text);
}

std::string versionText(int version) {
  return formatted("%d.%d", version / 1000, version % 1000 / 10);
}

} // namespace bsgp::runtime::cuda
