#include "driver/commands.h"

#include <cstdio>
#include <unistd.h>

namespace bsgp::driver {

PipelineOptions pipelineOptions(const CommandLine& line, PassLog& log) {
  PipelineOptions options;
  options.opt_level = line.opt_level;
  options.include_dirs = line.include_dirs;
  options.fp = line.fp == "strict" ? irgen::FloatMode::Strict
               : line.fp == "fast" ? irgen::FloatMode::Fast
                                   : irgen::FloatMode::Contract;
  options.after_pass = log.hook();
  return options;
}

target::CpuOptions targetOptions(const CommandLine& line, PassLog& log) {
  target::CpuOptions options;
  options.opt_level = line.opt_level;
  options.cpu = line.cpu;
  options.vector_width = line.vector_width;
  if (line.remarks)
    options.remark = [](const std::string& text) { std::fprintf(stderr, "remark: %s\n", text.c_str()); };
  options.reference = line.target == "reference";
  if (log.wanted())
    options.after_pass = [&log](std::string_view pass, const llvm::Module& module) { log.passed(pass, &module); };
  options.libraries = line.libraries;
  return options;
}

bool load(Pipeline& pipeline, const CommandLine& line) {
  if (Result<void> loaded = pipeline.load(line.file); !loaded) {
    failure(loaded.message());
    return false;
  }
  return true;
}

void showDiagnostics(Pipeline& pipeline) {
  std::fflush(stdout);
  std::string text = pipeline.diagnostics().render(isatty(2) != 0);
  std::fputs(text.c_str(), stderr);
}

int failure(const std::string& message) {
  std::fprintf(stderr, "bsgpc: error: %s\n", message.c_str());
  return 1;
}

int checkCommand(const CommandLine& line) {
  PassLog log(line.time_passes, line.print_after);
  Pipeline pipeline(pipelineOptions(line, log));
  if (!load(pipeline, line))
    return 1;
  bool good = pipeline.all();
  showDiagnostics(pipeline);
  log.finish();
  return good ? 0 : 1;
}

} // namespace bsgp::driver
