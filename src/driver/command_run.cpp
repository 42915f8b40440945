// bsgpc run: compile in memory, run main.
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "driver/commands.h"
#include "driver/libraries.h"
#include "driver/program_code.h"
#include "driver/runs_here.h"
#include "plan/plan_abi.h"
#include "runtime/check/checker.h"
#include "runtime/check/source_lines.h"
#include "runtime/cuda/cuda.h"
#include "runtime/output.h"
#include "runtime/symbols.h"
#include "target/out_of_memory.h"

namespace bsgp::driver {

namespace {

// The runtime takes its options from the environment, as in a program compiled ahead of time. False: there is no memory
// for one of them.
bool setEnvironment(const CommandLine& line, const std::string& target) {
  bool all_set = true;
  auto set = [&](const char* name, const std::string& value) { all_set &= setenv(name, value.c_str(), 1) == 0; };
  set("BSGP_TARGET", target);
  if (line.threads)
    set("BSGP_THREADS", std::to_string(line.threads));
  if (!line.shuffle.empty())
    set("BSGP_SHUFFLE", line.shuffle);
  if (!line.profile.empty())
    set("BSGP_PROFILE", line.profile);
  if (line.checks)
    set("BSGP_CHECK", line.check);
  runtime::check::codeLooksFor(line.checks);
  if (line.check_limit)
    set("BSGP_CHECK_LIMIT", std::to_string(*line.check_limit));
  if (!line.check_json.empty())
    set("BSGP_CHECK_JSON", line.check_json);
  return all_set;
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

// What the program is compiled with.
Result<CodeOptions> codeOptions(const CommandLine& line, PassLog& log) {
  CodeOptions options;
  options.machine = targetOptions(line, log);
  for (const runtime::Symbol& symbol : runtime::symbols())
    options.machine.symbols.emplace_back(symbol.name, symbol.address);
  if (line.target != "cuda")
    return options;
  Result<target::GpuOptions> gpu = gpuOptions(line, log);
  if (!gpu)
    return gpu.error();
  options.gpu = *gpu;
  return options;
}

// A module to be printed has to be made.
Result<runtime::CodeCache> cacheFor(const CommandLine& line) {
  return line.print_after.empty() ? runtime::CodeCache::fromEnvironment() : runtime::CodeCache();
}

// For reports of --check, which show lines: the text can be read but once.
void rememberText(const Pipeline& pipeline, const CommandLine& line) {
  if (line.checks && line.fromStandardInput())
    runtime::check::rememberSource(kStandardInput, std::string(pipeline.sources().text(pipeline.mainFile())));
}

// What was said when the code was made.
void showMessages(const ProgramCode& code) {
  runtime::flush();
  std::fputs((isatty(2) ? code.colored_warnings : code.warnings).c_str(), stderr);
  std::fputs(code.remarks.c_str(), stderr);
}

} // namespace

int runCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> chosen = chooseTarget(line); !chosen)
    return failure(chosen.message());
  if (Result<void> good = checkRunsHere(line.cpu); !good)
    return failure(good.message());
  PassLog log(line.time_passes, line.print_after);
  Result<CodeOptions> options = codeOptions(line, log);
  if (!options)
    return failure(options.message());
  Result<runtime::CodeCache> cache = cacheFor(line);
  if (!cache)
    return failure(cache.message());
  std::unique_ptr<target::Jit> jit;
  {
    PipelineOptions front = pipelineOptions(line, log);
    front.need_main = true;
    Pipeline pipeline(front);
    if (!load(pipeline, line))
      return 1;
    Result<std::optional<ProgramCode>> code = compileProgram(pipeline, *options, *cache);
    if (!code)
      return failure(code.message());
    if (!*code) {
      showDiagnostics(pipeline);
      return 1;
    }
    showMessages(**code);
    rememberText(pipeline, line);
    for (std::string& library : sharedLibraries((*code)->libraries))
      options->machine.libraries.push_back(std::move(library));
    auto linked = target::Jit::link((*code)->objects, options->machine);
    if (!linked)
      return failure(linked.message());
    jit = linked.take();
  }
  auto entry = jit->lookup("bsgp_main");
  if (!entry)
    return failure(entry.message());
  log.passed("link", nullptr);
  log.finish();
  if (!setEnvironment(line, line.target))
    return failure("there is no memory left for the options of the program");
  target::throwWithoutMemory();
  return runMain(*entry, line);
}

} // namespace bsgp::driver
