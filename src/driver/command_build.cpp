// bsgpc build and bsgpc compile: ahead of time.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <llvm/Support/Signals.h>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/gpu_half.h"
#include "driver/header.h"
#include "driver/libraries.h"
#include "driver/remarks.h"
#include "target/cpu/emit.h"
#include "target/cpu/entry.h"
#include "target/cpu/link.h"

namespace bsgp::driver {

namespace fs = std::filesystem;

namespace {

Result<std::vector<std::string>> objectsOf(ir::Kernels& kernels, const target::CpuOptions& machine, bool one) {
  if (!one)
    return target::compileObjects(kernels, machine);
  Result<std::string> object = target::compileObject(kernels, machine);
  if (!object)
    return object.error();
  return std::vector<std::string>{object.take()};
}

Result<void> writeObjects(const std::vector<std::string>& objects, const std::vector<std::string>& paths) {
  for (size_t i = 0; i < objects.size(); ++i) {
    llvm::sys::RemoveFileOnSignal(paths[i]); // as long as it is not complete
    if (Result<void> written = target::writeObject(objects[i], paths[i]); !written)
      return written;
  }
  return {};
}

// `gpu`: null without. `as_object`: one, for another program, whose main is not ours. Objects that are written go to
// `path`, `path`.1 and so on, which are added to `paths`.
Result<void> makeObjects(Pipeline& pipeline, const CommandLine& line, PassLog& log, GpuHalf* gpu,
                         const std::string& path, bool as_object, std::vector<std::string>& paths) {
  target::CpuOptions machine = targetOptions(line, log);
  showRemarks(machine, line, pipeline);
  machine.place_of = debugPlaces(pipeline);
  if (as_object)
    hideMain(pipeline);
  target::lowerKernels(pipeline.kernels(), machine);
  if (gpu)
    if (Result<void> added = gpu->addTo(pipeline.kernels()); !added)
      return added;
  Result<std::string> rest = target::addCpus(pipeline.kernels(), cpuNames(line));
  if (!rest)
    return rest.error();
  machine.cpu = *rest;
  if (gpu)
    machine.before_code = [gpu](llvm::Module& module) { gpu->complete(module); };
  Result<std::vector<std::string>> objects = objectsOf(pipeline.kernels(), machine, as_object);
  if (!objects)
    return objects.error();
  for (size_t i = 0; i < objects->size(); ++i)
    paths.push_back(i == 0 ? path : path + "." + std::to_string(i));
  return writeObjects(*objects, paths);
}

// Begins to compile it, if it is wanted. The text is the same; only what it has under target_is_gpu() is new to the
// compiler.
std::unique_ptr<GpuHalf> startGpuHalf(const Pipeline& pipeline, const CommandLine& line, PassLog& log, bool as_object) {
  if (line.gpu == "none")
    return nullptr;
  const SourceManager& sources = pipeline.sources();
  std::string name(sources.name(pipeline.mainFile())), text(sources.text(pipeline.mainFile()));
  return std::make_unique<GpuHalf>(line, log, std::move(name), std::move(text), as_object);
}

// What can be said before any work is done: nothing here links for other machines by itself.
Result<void> checkLinker(const CommandLine& line) {
  const char* chosen = std::getenv("CXX");
  if (line.triple.empty() || (chosen && *chosen))
    return {};
  return Error{"cannot link for " + line.triple +
               ": $CXX has to name a compiler that does, such as aarch64-linux-gnu-g++; "
               "'bsgpc compile' makes an object without"};
}

Result<void> writeFile(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream to(path, std::ios::binary);
  to << text;
  to.close();
  if (to.good())
    return {};
  return Error{"cannot write '" + path + "': " + (errno ? std::strerror(errno) : "the file system refuses it")};
}

// For make and ninja: what the outputs were made from.
std::string dependencies(const Pipeline& pipeline, const CommandLine& line) {
  auto escaped = [](std::string_view path) {
    std::string out;
    for (char c : path)
      out += c == ' ' || c == '#' ? std::string("\\") + c : c == '$' ? "$$" : std::string(1, c);
    return out;
  };
  std::string out = escaped(line.output) + ":";
  std::error_code ignored;
  for (std::string_view name : pipeline.sources().names())
    if (name != kStandardInput &&
        fs::is_regular_file(fs::path(name), ignored)) // the standard library's text is part of bsgpc
      out += " \\\n  " + escaped(name);
  return out + "\n";
}

bool overwritesSource(const CommandLine& line, const std::string& path) {
  std::error_code ignored;
  return !path.empty() && fs::equivalent(line.file, path, ignored);
}

// `path` or, where none is given, the program's name with another ending, in this folder.
std::string outputOf(const CommandLine& line, const char* ending) {
  return line.output.empty() ? fs::path(line.file).stem().string() + ending : line.output;
}

Result<void> checkNamed(const CommandLine& line) {
  if (!line.fromStandardInput() || !line.output.empty())
    return {};
  return Error{"the program comes from the standard input and has no name: -o names what to write"};
}

// What can be said before any work is done.
Result<void> checkOutput(const CommandLine& line, const std::string& path) {
  std::error_code ignored;
  fs::path folder = fs::path(path).parent_path();
  if (path.empty())
    return {};
  if (overwritesSource(line, path))
    return Error{"'" + path + "' is the program's text; -o names another file to write"};
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return Error{"cannot write '" + path + "': there is no folder '" + folder.string() + "'"};
  if (fs::is_directory(path, ignored))
    return Error{"cannot write '" + path + "': it is a folder"};
  return {};
}

bool compileSource(Pipeline& pipeline) {
  bool good = pipeline.all();
  showDiagnostics(pipeline);
  return good;
}

// `libraries`: that the program names.
Result<void> link(const CommandLine& line, const std::vector<std::string>& objects,
                  const std::vector<std::string>& libraries) {
  Result<std::string> folder = folderOf(target::kRuntimeLibrary, line.triple);
  if (!folder)
    return folder.error();
  std::vector<std::string> all = line.libraries;
  all.insert(all.end(), libraries.begin(), libraries.end());
  return target::linkProgram(objects, line.output, *folder, all);
}

bool exportsAny(const Program& program) {
  for (const Function* f : program.functions)
    if (f->is_export)
      return true;
  return false;
}

} // namespace

int buildCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> named = checkNamed(line); !named)
    return failure(named.message());
  line.output = outputOf(line, "");
  if (Result<void> output = checkOutput(line, line.output); !output)
    return failure(output.message());
  if (Result<void> linker = checkLinker(line); !linker)
    return failure(linker.message());
  PassLog log(line.time_passes, line.print_after);
  PipelineOptions options = pipelineOptions(line, log);
  options.need_main = true;
  Pipeline pipeline(options);
  if (!load(pipeline, line))
    return 1;
  std::unique_ptr<GpuHalf> gpu = startGpuHalf(pipeline, line, log, /*as_object=*/false);
  if (!compileSource(pipeline))
    return 1;
  target::addEntry(pipeline.kernels());
  std::string object = line.output + ".bsgp-" + std::to_string(getpid()) + ".o";
  std::vector<std::string> objects;
  Result<void> made = makeObjects(pipeline, line, log, gpu.get(), object, /*as_object=*/false, objects);
  if (made)
    made = link(line, objects, pipeline.flat().program->libraries);
  std::error_code ignored;
  for (const std::string& path : objects) {
    fs::remove(path, ignored);
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  log.finish();
  return made ? 0 : failure(made.message());
}

int compileCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> named = checkNamed(line); !named)
    return failure(named.message());
  line.output = outputOf(line, ".o");
  for (const std::string& path : {line.output, line.header, line.depfile, line.link_options})
    if (Result<void> output = checkOutput(line, path); !output)
      return failure(output.message());
  PassLog log(line.time_passes, line.print_after);
  Pipeline pipeline(pipelineOptions(line, log));
  if (!load(pipeline, line))
    return 1;
  std::unique_ptr<GpuHalf> gpu = startGpuHalf(pipeline, line, log, /*as_object=*/true);
  if (!compileSource(pipeline))
    return 1;
  const Program& program = *pipeline.flat().program;
  if (!exportsAny(program))
    return failure("'" + std::string(pipeline.sources().name(pipeline.mainFile())) +
                   "' exports no function: write 'export' before those that C or C++ is to call");
  std::vector<std::string> objects;
  Result<void> made = makeObjects(pipeline, line, log, gpu.get(), line.output, /*as_object=*/true, objects);
  if (made && !line.header.empty())
    made = writeFile(line.header, headerText(program, pipeline.sources(), fs::path(line.header).filename().string()));
  if (made && !line.depfile.empty())
    made = writeFile(line.depfile, dependencies(pipeline, line));
  if (made && !line.link_options.empty())
    made = writeFile(line.link_options, linkerOptions(program.libraries, line.triple));
  for (const std::string& path : objects)
    llvm::sys::DontRemoveFileOnSignal(path);
  log.finish();
  return made ? 0 : failure(made.message());
}

} // namespace bsgp::driver
