#include "driver/commands.h"

#include <cstdio>

#include <unistd.h>

#include "compile/runs_here.h"
#include "runtime/output.h"

namespace bsgp::driver {

Result<compile::Options> compileOptions(const CommandLine& line, PassLog& log) {
  compile::Options options;
  options.opt_level = line.opt_level;
  options.include_dirs = line.include_dirs;
  options.fp = compile::floatModeNamed(line.fp);
  options.remarks = line.remarks;
  options.warnings = line.warnings;
  options.debug = line.debug;
  options.checks = line.checks;
  options.target = line.target == "cuda" || line.form == "ptx" ? compile::Target::Gpu
                   : line.target == "reference"                ? compile::Target::Reference
                                                               : compile::Target::Cpu;
  options.cpu = line.cpu;
  options.triple = line.triple;
  options.vector_width = line.vector_width;
  options.wavefronts = compile::wavefrontsNamed(line.wavefronts);
  options.partition = line.partition_options;
  options.partition.describe = line.form == "partition";
  options.libraries = line.libraries;
  options.after_pass = log.hook();
  options.uses_cache = line.print_after.empty(); // a module to be printed has to be made
  if (line.gpu.empty() || line.gpu == "none")
    return options;
  Result<unsigned> sm = compile::smOf(line.gpu);
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

void show(const compile::Messages& messages) {
  runtime::flush();
  std::fputs((isatty(2) ? messages.colored : messages.plain).c_str(), stderr);
}

int failure(const std::string& message) {
  std::fprintf(stderr, "bsgpc: error: %s\n", message.c_str());
  return 1;
}

int checkCommand(const CommandLine& line) {
  PassLog log(line.time_passes, line.print_after);
  Result<compile::Options> options = compileOptions(line, log);
  Result<compile::Text> text = compile::readText(line.file);
  if (!options || !text)
    return failure(options ? text.message() : options.message());
  auto pipeline = compile::Session::ofProcess().begin(text.take(), *options);
  bool good = pipeline->all();
  show(compile::messagesOf(*pipeline));
  log.finish();
  return good ? 0 : 1;
}

} // namespace bsgp::driver
