// bsgpc run: compile in memory, run main.
#include <cstdlib>
#include <cstring>

#include "driver/commands.h"
#include "driver/runs_here.h"
#include "plan/plan_abi.h"
#include "runtime/cuda/cuda.h"
#include "runtime/symbols.h"

namespace bsgp::driver {

namespace {

// The runtime takes its options from the environment, as in a program compiled ahead of time.
void setEnvironment(const CommandLine& line, const std::string& target) {
  setenv("BSGP_TARGET", target.c_str(), 1);
  if (line.threads)
    setenv("BSGP_THREADS", std::to_string(line.threads).c_str(), 1);
  if (!line.shuffle.empty())
    setenv("BSGP_SHUFFLE", line.shuffle.c_str(), 1);
  if (!line.profile.empty())
    setenv("BSGP_PROFILE", line.profile.c_str(), 1);
}

// What "auto" is here, and which GPU the kernels are for.
Result<void> chooseTarget(CommandLine& line) {
  const char* wanted = std::getenv("BSGP_TARGET");
  if (line.target == "auto" && wanted && *wanted)
    line.target = wanted;
  if (line.target == "auto")
    line.target = runtime::usableGpu() ? "cuda" : "cpu";
  if (line.target != "cuda")
    return {};
  if (Result<runtime::GpuInfo> gpu = runtime::usableGpu(); !gpu)
    return Error{"target cuda: " + gpu.message()};
  if (line.gpu.empty())
    line.gpu = "native";
  return {};
}

int runMain(void* main_function, const CommandLine& line) {
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(line.file.c_str()));
  for (const std::string& argument : line.arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  auto* entry = reinterpret_cast<int32_t (*)(bsgp_call*, int32_t, char**, int32_t*)>(main_function);
  return bsgp_rt_main(static_cast<int>(argv.size() - 1), argv.data(), entry);
}

} // namespace

int runCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> chosen = chooseTarget(line); !chosen)
    return failure(chosen.message());
  if (Result<void> good = checkRunsHere(line.cpu); !good)
    return failure(good.message());
  PassLog log(line.time_passes, line.print_after);
  PipelineOptions options = pipelineOptions(line, log);
  options.need_main = true;
  std::unique_ptr<target::Jit> jit;
  void* entry = nullptr;
  {
    Pipeline pipeline(options);
    if (!load(pipeline, line))
      return 1;
    bool good = pipeline.all();
    showDiagnostics(pipeline);
    if (!good)
      return 1;
    target::CpuOptions machine = targetOptions(line, log);
    showRemarks(machine, line, pipeline.sources());
    for (const runtime::Symbol& symbol : runtime::symbols())
      machine.symbols.emplace_back(symbol.name, symbol.address);
    if (line.target == "cuda") {
      Result<target::GpuOptions> gpu = gpuOptions(line, log);
      if (!gpu)
        return failure(gpu.message());
      target::lowerKernelsToPtx(pipeline.compiled(), *gpu, machine);
    } else {
      target::lowerKernels(pipeline.compiled(), machine);
    }
    auto made = target::Jit::create(std::move(pipeline.compiled()), machine);
    if (!made)
      return failure(made.message());
    jit = made.take();
    auto found = jit->lookup("bsgp_main");
    if (!found)
      return failure(found.message());
    entry = *found;
  }
  log.passed("code", nullptr);
  log.finish();
  setEnvironment(line, line.target);
  return runMain(entry, line);
}

} // namespace bsgp::driver
