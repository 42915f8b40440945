// bsgpc build and bsgpc compile: ahead of time.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "driver/commands.h"
#include "driver/header.h"
#include "target/cpu/entry.h"
#include "target/cpu/link.h"

namespace bsgp::driver {

namespace fs = std::filesystem;

namespace {

Result<void> makeObject(Pipeline& pipeline, const CommandLine& line, PassLog& log, bool with_main, const std::string& path) {
  target::CpuOptions machine = targetOptions(line, log);
  if (with_main)
    target::addEntry(pipeline.compiled());
  target::lowerKernels(pipeline.compiled(), machine);
  if (Result<void> optimized = target::optimize(pipeline.compiled(), machine); !optimized)
    return optimized;
  return target::emitObject(pipeline.compiled(), machine, path);
}

// Beside the program (a build tree: bin/bsgpc, lib/), or where it was installed.
std::string runtimeFolder() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "lib").string();
}

bool writeFile(const std::string& path, const std::string& text) {
  std::ofstream to(path, std::ios::binary);
  to << text;
  to.close();
  return to.good();
}

} // namespace

int buildCommand(const CommandLine& line) {
  PassLog log(line.time_passes, line.print_after);
  PipelineOptions options = pipelineOptions(line, log);
  options.need_main = true;
  Pipeline pipeline(options);
  if (!load(pipeline, line))
    return 1;
  bool good = pipeline.all();
  showDiagnostics(pipeline);
  if (!good)
    return 1;
  std::string object = line.output + ".bsgp-" + std::to_string(getpid()) + ".o";
  Result<void> made = makeObject(pipeline, line, log, true, object);
  if (made)
    made = target::linkProgram({object}, line.output, runtimeFolder(), line.libraries);
  std::error_code ignored;
  fs::remove(object, ignored);
  log.finish();
  return made ? 0 : failure(made.message());
}

int compileCommand(const CommandLine& line) {
  PassLog log(line.time_passes, line.print_after);
  Pipeline pipeline(pipelineOptions(line, log));
  if (!load(pipeline, line))
    return 1;
  bool good = pipeline.all();
  showDiagnostics(pipeline);
  if (!good)
    return 1;
  bool any = false;
  for (const Function* f : pipeline.flat().program->functions)
    any |= f->is_export;
  if (!any)
    return failure("'" + line.file + "' exports no function: write 'export' before those that C or C++ is to call");
  std::string output = line.output.empty() ? fs::path(line.file).stem().string() + ".o" : line.output;
  if (!line.header.empty() &&
      !writeFile(line.header, headerText(*pipeline.flat().program, fs::path(line.header).filename().string())))
    return failure("cannot write '" + line.header + "'");
  Result<void> made = makeObject(pipeline, line, log, false, output);
  log.finish();
  return made ? 0 : failure(made.message());
}

} // namespace bsgp::driver
