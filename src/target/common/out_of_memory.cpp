#include "target/common/out_of_memory.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/Signals.h>
#include <sys/resource.h>
#include <unistd.h>

namespace bsgp::target {

namespace {

std::atomic<bool> is_everywhere{false};
std::atomic<std::new_handler> handler_before{nullptr};
constinit thread_local unsigned depth_in_llvm = 0;

// Files that LLVM knows to be unfinished are removed.
[[noreturn]] void end(const char* text) {
  static std::atomic<bool> is_ending{false};
  if (is_ending.exchange(true))
    pause(); // another thread ends the process
  llvm::sys::RunInterruptHandlers();
  (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(1);
}

// Only bsgpc ends everywhere; otherwise the compiler is embedded in another program.
const char* programName() {
  return is_everywhere.load() ? "bsgpc" : "bsgp";
}

[[noreturn]] void endOutOfMemory() {
  constexpr size_t kMega = 1 << 20;
  AddressSpace space = addressSpace();
  char text[256], limit[64] = "";
  if (space.limit)
    std::snprintf(limit, sizeof limit, " of the %zu MB that it may have (ulimit -v)", space.limit / kMega);
  std::snprintf(text, sizeof text, "%s: error: there is no memory left to compile: the process has %zu MB%s\n",
                programName(), space.used / kMega, limit);
  end(text);
}

void onNoMemory() {
  if (is_everywhere.load() || depth_in_llvm > 0)
    endOutOfMemory();
  if (std::new_handler before = handler_before.load())
    return before();
  throw std::bad_alloc();
}

void onLlvmNoMemory(void*, const char*, bool) {
  endOutOfMemory();
}

void onLlvmError(void*, const char* reason, bool) {
  char text[1024];
  std::snprintf(text, sizeof text, "%s: error: LLVM cannot go on: %s\n", programName(), reason);
  end(text);
}

void installHandlers() noexcept {
  std::new_handler now = std::get_new_handler();
  if (now == onNoMemory)
    return;
  handler_before.store(now);
  std::set_new_handler(onNoMemory);
}

} // namespace

void endWithoutMemory() noexcept {
  installHandlers();
  llvm::install_bad_alloc_error_handler(onLlvmNoMemory);
  llvm::install_fatal_error_handler(onLlvmError);
  is_everywhere.store(true);
}

void throwWithoutMemory() noexcept {
  is_everywhere.store(false);
}

InLlvm::InLlvm() noexcept {
  static const bool is_installed = [] {
    installHandlers();
    if (!is_everywhere.load())
      llvm::install_bad_alloc_error_handler(onLlvmNoMemory);
    return true;
  }();
  (void)is_installed;
  ++depth_in_llvm;
}

InLlvm::~InLlvm() {
  --depth_in_llvm;
}

AddressSpace addressSpace() noexcept {
  AddressSpace space;
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    space.limit = size_t(limit.rlim_cur);
  char text[64] = "";
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return space;
  if (read(file, text, sizeof text - 1) > 0)
    std::sscanf(text, "%zu", &space.used); // pages
  close(file);
  space.used *= size_t(sysconf(_SC_PAGESIZE));
  return space;
}

} // namespace bsgp::target
