#include "driver/commands.h"

#include <cstdio>

#include <unistd.h>

#include "driver/remarks.h"
#include "driver/runs_here.h"
#include "runtime/output.h"

namespace bsgp::driver {

PipelineOptions pipelineOptions(const CommandLine& line, PassLog& log) {
  PipelineOptions options;
  options.opt_level = line.opt_level;
  options.include_dirs = line.include_dirs;
  options.fp = line.fp == "strict" ? irgen::FloatMode::Strict
               : line.fp == "fast" ? irgen::FloatMode::Fast
                                   : irgen::FloatMode::Contract;
  options.positions = line.remarks;
  options.warnings = line.warnings;
  options.debug = line.debug;
  options.checks = line.checks;
  options.gpu = line.target == "cuda" || line.form == "ptx";
  options.reference = line.target == "reference";
  options.after_pass = log.hook();
  return options;
}

void showRemarks(target::CpuOptions& options, const CommandLine& line, const Pipeline& pipeline) {
  if (!line.remarks)
    return;
  options.remark = remarkLines(pipeline, [](const std::string& text) { std::fputs(text.c_str(), stderr); });
}

target::CpuOptions targetOptions(const CommandLine& line, PassLog& log) {
  target::CpuOptions options;
  options.opt_level = line.opt_level;
  options.cpu = line.cpu;
  options.triple = line.triple;
  options.vector_width = line.vector_width;
  options.reference = line.target == "reference";
  options.verify = verifies();
  if (log.wanted())
    options.after_pass = [&log](std::string_view pass, const llvm::Module& module) { log.passed(pass, &module); };
  options.libraries = line.libraries;
  options.debug = line.debug;
  return options;
}

Result<target::GpuOptions> gpuOptions(const CommandLine& line, PassLog& log) {
  target::GpuOptions options;
  options.opt_level = line.opt_level;
  options.approximate = line.fp == "fast";
  options.verify = verifies();
  if (log.wanted())
    options.after_pass = [&log](std::string_view pass, const llvm::Module& module) { log.passed(pass, &module); };
  if (line.gpu.empty())
    return options;
  Result<unsigned> sm = smOf(line.gpu);
  if (!sm)
    return sm.error();
  options.sm = *sm;
  return options;
}

std::vector<std::string> cpuNames(const CommandLine& line) {
  std::vector<std::string> names{""};
  for (char c : line.cpu)
    if (c == ',')
      names.emplace_back();
    else
      names.back() += c;
  return names;
}

bool load(Pipeline& pipeline, const CommandLine& line) {
  if (Result<void> loaded = pipeline.load(line.file); !loaded) {
    failure(loaded.message());
    return false;
  }
  return true;
}

void showDiagnostics(Pipeline& pipeline) {
  runtime::flush();
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
