// bsgpc run: compile in memory, run main.
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "compile/runs_here.h"
#include "driver/commands.h"
#include "driver/outputs.h"
#include "plan/plan_abi.h"
#include "runtime/check/checks.h"
#include "runtime/cuda/cuda.h"
#include "runtime/output.h"
#include "target/common/out_of_memory.h"

namespace bsgp::driver {

namespace {

// The runtime takes its options from the environment, as in a program compiled ahead of time. False if there is no
// memory for one of them.
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

// Chooses the target that "auto" means here, and the GPU that kernels are made for.
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

// Keeps the text of the standard input, which cannot be read twice: reports of --check show its lines.
void rememberText(const compile::Text& text, const CommandLine& line) {
  if (line.checks && line.fromStandardInput())
    runtime::check::rememberSource(text.name, text.text);
}

// Null if the program has errors, which were shown.
Result<std::unique_ptr<target::Jit>> compiled(const CommandLine& line, PassLog& log) {
  Result<compile::Options> options = compileOptions(line, log);
  Result<compile::Text> text = options ? compile::readText(line.file) : options.error();
  if (!text)
    return text.error();
  options->need_main = true;
  rememberText(*text, line);
  Result<compile::Compiled> made = compile::Session::ofProcess().compile(text.take(), *options);
  if (!made)
    return made.error();
  show(made->good() ? made->code->warnings : made->errors);
  if (!made->good())
    return std::unique_ptr<target::Jit>();
  std::fputs(made->code->remarks.c_str(), stderr);
  return compile::load(*made->code, *options);
}

} // namespace

int runCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> chosen = chooseTarget(line); !chosen)
    return failure(chosen.message());
  if (Result<void> good = compile::checkRunsHere(line.cpu); !good)
    return failure(good.message());
  std::string trace = line.profile == "1" ? "" : line.profile;
  if (Result<void> good = checkOutputs(line, {line.check_json, trace}); !good)
    return failure(good.message());
  PassLog log(line.time_passes, line.print_after);
  Result<std::unique_ptr<target::Jit>> jit = compiled(line, log);
  if (!jit)
    return failure(jit.message());
  if (!*jit)
    return 1;
  auto entry = (*jit)->lookup("bsgp_main");
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
