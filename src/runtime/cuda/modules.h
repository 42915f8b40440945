// The kernels of programs, as the driver takes them: PTX is compiled once per GPU, kept on disk, and loaded once.
#pragma once

#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "runtime/cuda/code_cache.h"
#include "runtime/cuda/gpu.h"

namespace bsgp::runtime::cuda {

// Changes when code may have been unloaded, and other code may be at its addresses since.
uint64_t codeGeneration();

class Modules {
public:
  Modules(Gpu& gpu, CodeCache cache) : gpu_(gpu), cache_(std::move(cache)) {}
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  // `generation`: since when the kernel has been there at the least.
  Result<CUfunction> function(const bsgp_kernel& kernel, uint64_t generation);

private:
  struct Known {
    CUfunction function;
    uint64_t generation;
  };

  Result<CUfunction> load(const bsgp_kernel& kernel);
  Result<CUmodule> moduleOf(const bsgp_gpu_code& code);
  Result<CUmodule> loadModule(const bsgp_gpu_code& code, const Hash128& contents);
  Result<std::string> compile(const bsgp_gpu_code& code);
  Result<void> allowShared(CUfunction function, const bsgp_kernel& kernel);
  Error tooOld(const bsgp_gpu_code& code) const;

  Gpu& gpu_;
  const CodeCache cache_;
  std::mutex load_mutex_;                                   // of modules_; held while code is compiled
  std::map<Hash128, CUmodule> modules_;                     // by contents
  std::shared_mutex mutex_;                                 // of functions_
  std::unordered_map<const bsgp_kernel*, Known> functions_; // as of their generation
};

} // namespace bsgp::runtime::cuda
