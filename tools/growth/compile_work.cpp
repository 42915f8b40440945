// Compiles programs, each in a process of its own, and prints how many instructions that took (growth.py).
//
// Input: lines "PHASES FILE"; PHASES is "check" (up to the kernels), "code" (the CPU's optimized IR too), "wide" (the
// same with --vector-width 16), "object" (its machine code), "avx512" (that of a CPU with mask registers), "watched"
// (machine code with all of --check), "ptx" (a GPU's code) or "nothing". The first is compiled in this process: what
// is made once stands ready for the others. Output: "PID COUNT" for each of the others; COUNT is 0 where the
// processor's counter cannot be had, and valgrind counts if it runs this program.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/session.h"
#include "plan/check_abi.h"
#include "target/cpu/cpu_target.h"
#include "target/ptx/ptx_target.h"

namespace {

// Of this process outside of the kernel, from its construction on.
class InstructionCounter {
public:
  InstructionCounter() {
    perf_event_attr what;
    std::memset(&what, 0, sizeof what);
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
  }
  ~InstructionCounter() {
    if (file_ >= 0)
      close(file_);
  }
  uint64_t count() const {
    uint64_t value = 0;
    return file_ >= 0 && read(file_, &value, sizeof value) == sizeof value ? value : 0;
  }

private:
  int file_;
};

bool makeCode(const std::string& phases, bsgp::ir::Kernels& compiled) {
  bsgp::target::CpuOptions machine;
  machine.cpu = phases == "avx512" ? "x86-64-v4" : "x86-64-v3";
  if (phases == "ptx")
    return !bsgp::target::lowerKernelsToPtx(compiled, {}, machine).empty();
  machine.vector_width = phases == "wide" ? 16 : phases == "watched" ? 1 : 0;
  bsgp::target::lowerKernels(compiled, machine);
  bool to_the_end = phases == "object" || phases == "avx512" || phases == "watched";
  if (to_the_end)
    return bool(bsgp::target::compileObject(compiled, machine));
  return bool(bsgp::target::optimize(compiled, machine));
}

bool compile(const std::string& phases, const std::string& path) {
  if (phases == "nothing")
    return true;
  bsgp::compile::Options options;
  if (phases == "ptx")
    options.target = bsgp::compile::Target::Gpu;
  if (phases == "watched")
    options.checks = BSGP_CHECK_RACE | BSGP_CHECK_BOUNDS | BSGP_CHECK_INIT | BSGP_CHECK_ARITHMETIC;
  auto text = bsgp::compile::readText(path);
  if (!text)
    return false;
  auto pipeline = bsgp::compile::Session::ofProcess().begin(text.take(), options);
  if (!pipeline->all()) {
    std::fputs(pipeline->diagnostics().render().c_str(), stderr);
    return false;
  }
  return phases == "check" || makeCode(phases, pipeline->kernels());
}

[[noreturn]] void compileAlone(const std::string& phases, const std::string& path) {
  InstructionCounter counter;
  bool fine = compile(phases, path);
  std::printf("%d %llu\n", int(getpid()), static_cast<unsigned long long>(counter.count()));
  std::fflush(stdout);
  _exit(fine ? 0 : 1);
}

} // namespace

int main() {
  std::string phases, path;
  bool fine = std::cin >> phases >> path && compile(phases, path);
  while (fine && std::cin >> phases >> path) {
    pid_t child = fork();
    if (child == 0)
      compileAlone(phases, path);
    int status = 0;
    fine = child > 0 && waitpid(child, &status, 0) == child && status == 0;
  }
  return fine ? 0 : 1;
}
