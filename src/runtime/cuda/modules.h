// The kernels of programs, as the driver takes them: PTX is compiled once per GPU, kept on disk, and loaded once.
#pragma once

#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "runtime/code_cache.h"
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

  // `generation` of the call: what is known of older ones may be of other code. `alone`: no other call is running.
  Result<CUfunction> function(const bsgp_kernel& kernel, uint64_t generation, bool alone);

private:
  struct Function {
    CUfunction function;
    uint64_t generation;
  };
  struct Code {
    Hash128 contents;
    uint64_t generation;
  };
  struct Module {
    CUmodule module;
    uint64_t generation; // in which it was last used for the first time
  };
  static constexpr size_t kMostModules = 64; // that may lie idle

  Result<CUfunction> load(const bsgp_kernel& kernel, uint64_t generation, bool alone);
  Result<CUmodule> moduleOf(const bsgp_gpu_code& code, uint64_t generation, bool alone);
  const Hash128& contentsOf(const bsgp_gpu_code& code, uint64_t generation);
  void unloadUnused(uint64_t generation);
  Result<CUmodule> loadModule(const bsgp_gpu_code& code, const Hash128& contents);
  Result<std::string> compile(const bsgp_gpu_code& code);
  Result<void> allowShared(CUfunction function, const bsgp_kernel& kernel);
  Error tooOld(const bsgp_gpu_code& code) const;

  Gpu& gpu_;
  const CodeCache cache_;
  std::mutex load_mutex_; // of the next two; held while code is compiled
  std::unordered_map<const bsgp_gpu_code*, Code> codes_;
  std::map<Hash128, Module> modules_; // by contents
  std::shared_mutex mutex_;           // of functions_
  std::unordered_map<const bsgp_kernel*, Function> functions_;
};

} // namespace bsgp::runtime::cuda
