#include "runtime/cuda/modules.h"

#include <algorithm>
#include <atomic>
#include <link.h>

#include "runtime/cuda/cuda.h"
#include "runtime/failure.h"

namespace bsgp::runtime {
namespace {

std::atomic<uint64_t>& programsUnloaded() {
  static std::atomic<uint64_t> count{0};
  return count;
}

} // namespace

void codeUnloaded() {
  programsUnloaded().fetch_add(1);
}

} // namespace bsgp::runtime

namespace bsgp::runtime::cuda {
namespace {

constexpr const char* kFormat = "bsgp cubin 1"; // changes with whatever is made of PTX beside the driver's work
constexpr uint32_t kSharedOfAll = 48 << 10;     // available to a kernel without a request
constexpr size_t kLogBytes = 8 << 10;

// The compiler's log, "ptxas ..." on each line.
std::string withLog(std::string words, const std::string& log) {
  size_t end = log.find('\0');
  std::string text = log.substr(0, end);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text.empty() ? words : words + "\n" + text;
}

} // namespace

// Libraries of programs come and go with dlopen; the loader counts how many were closed.
uint64_t codeGeneration() {
  uint64_t closed = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_subs;
        return 1;
      },
      &closed);
  return closed + programsUnloaded().load();
}

Modules::~Modules() {
  if (!gpu_.enter())
    return;
  for (auto& [contents, module] : modules_)
    gpu_.driver().cuModuleUnload(module.module);
}

Result<CUfunction> Modules::function(const bsgp_kernel& kernel, uint64_t generation, bool alone) {
  {
    std::shared_lock lock(mutex_);
    auto found = functions_.find(&kernel);
    if (found != functions_.end() && found->second.generation == generation) [[likely]]
      return found->second.function;
  }
  auto function = load(kernel, generation, alone);
  if (!function)
    return function;
  std::unique_lock lock(mutex_);
  functions_[&kernel] = {*function, generation};
  return function;
}

Result<CUfunction> Modules::load(const bsgp_kernel& kernel, uint64_t generation, bool alone) {
  auto module = moduleOf(*kernel.gpu->code, generation, alone);
  if (!module)
    return module.error();
  CUfunction function = nullptr;
  if (CUresult result = gpu_.driver().cuModuleGetFunction(&function, *module, kernel.name))
    return gpu_.failed(result, "cuModuleGetFunction", kernel.name);
  if (auto allowed = allowShared(function, kernel); !allowed)
    return allowed.error();
  return function;
}

Result<void> Modules::allowShared(CUfunction function, const bsgp_kernel& kernel) {
  uint32_t bytes = kernel.gpu->shared_bytes;
  if (bytes <= kSharedOfAll)
    return {};
  int most = gpu_.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (most > 0 && bytes > uint32_t(most))
    return Error{formatted("a block needs %u bytes of shared memory, and %s has %d", bytes, gpu_.name().c_str(), most)};
  return gpu_.check(
      gpu_.driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(bytes)),
      "cuFuncSetAttribute", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES");
}

Error Modules::tooOld(const bsgp_gpu_code& code) const {
  return Error{formatted("the program is compiled for GPUs of compute capability %u.%u or later, and %s has %u.%u",
                         code.sm / 10, code.sm % 10, gpu_.name().c_str(), gpu_.capability() / 10,
                         gpu_.capability() % 10)};
}

// Runs with the lock.
const Hash128& Modules::contentsOf(const bsgp_gpu_code& code, uint64_t generation) {
  auto [known, fresh] = codes_.try_emplace(&code);
  if (fresh || known->second.generation != generation)
    known->second = {hash128({code.ptx, size_t(code.bytes)}), generation};
  return known->second.contents;
}

Result<CUmodule> Modules::moduleOf(const bsgp_gpu_code& code, uint64_t generation, bool alone) {
  if (gpu_.capability() < code.sm)
    return tooOld(code);
  std::lock_guard lock(load_mutex_);
  const Hash128& contents = contentsOf(code, generation);
  if (auto found = modules_.find(contents); found != modules_.end()) {
    found->second.generation = std::max(found->second.generation, generation);
    return found->second.module;
  }
  if (alone && modules_.size() >= kMostModules)
    unloadUnused(generation);
  auto module = loadModule(code, contents);
  if (module)
    modules_[contents] = {*module, generation};
  return module;
}

// Drops modules of programs that were unloaded: those that the caller's generation has not used. One that is still
// loaded is made again. No other call is running, and later ones know nothing of older generations.
void Modules::unloadUnused(uint64_t generation) {
  if (!gpu_.synchronize())
    return;
  std::erase_if(modules_, [&](auto& module) {
    bool unused = module.second.generation < generation;
    if (unused)
      gpu_.driver().cuModuleUnload(module.second.module);
    return unused;
  });
  std::erase_if(codes_, [&](auto& code) { return code.second.generation < generation; });
  std::unique_lock lock(mutex_);
  std::erase_if(functions_, [&](auto& function) { return function.second.generation < generation; });
}

// A file of the cache may be whole and still be refused by this driver: then it is made again.
Result<CUmodule> Modules::loadModule(const bsgp_gpu_code& code, const Hash128& contents) {
  Hash128 key =
      hash128(formatted("%s %s %llu sm %u driver %d", kFormat, contents.hex().c_str(),
                        static_cast<unsigned long long>(code.bytes), gpu_.capability(), gpu_.driver().version));
  CUmodule module = nullptr;
  auto kept = cache_.find(key);
  if (kept && gpu_.driver().cuModuleLoadDataEx(&module, kept->data(), 0, nullptr, nullptr) == CUDA_SUCCESS)
    return module;
  auto made = compile(code);
  if (!made)
    return made.error();
  if (CUresult result = gpu_.driver().cuModuleLoadDataEx(&module, made->data(), 0, nullptr, nullptr))
    return gpu_.failed(result, "cuModuleLoadDataEx", formatted("%zu bytes", made->size()));
  cache_.keep(key, *made);
  return module;
}

Result<std::string> Modules::compile(const bsgp_gpu_code& code) {
  std::string log(kLogBytes, '\0');
  CUjitOption options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  CUlinkState link = nullptr;
  const Driver& driver = gpu_.driver();
  if (CUresult result = driver.cuLinkCreate(2, options, values, &link))
    return gpu_.failed(result, "cuLinkCreate", "");
  void* cubin = nullptr;
  size_t bytes = 0;
  const char* call = "cuLinkAddData";
  CUresult result = driver.cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(code.ptx), size_t(code.bytes) + 1,
                                         "bsgp.ptx", 0, nullptr, nullptr);
  if (result == CUDA_SUCCESS) {
    call = "cuLinkComplete";
    result = driver.cuLinkComplete(link, &cubin, &bytes);
  }
  std::string made;
  if (result == CUDA_SUCCESS)
    made.assign(static_cast<const char*>(cubin), bytes); // the log and the code go with the link
  driver.cuLinkDestroy(link);
  if (result == CUDA_SUCCESS)
    return made;
  std::string words = gpu_.failed(result, call, formatted("%llu bytes of PTX", (unsigned long long)code.bytes)).message;
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    words += formatted("\n  help: the driver of this machine is for CUDA %s; install a newer one",
                       versionText(driver.version).c_str());
  return Error{withLog(words, log)};
}

} // namespace bsgp::runtime::cuda
