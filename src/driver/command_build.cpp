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

#include "compile/libraries.h"
#include "driver/commands.h"
#include "driver/outputs.h"
#include "target/cpu/code/emit.h"
#include "target/cpu/code/link.h"

namespace bsgp::driver {

namespace fs = std::filesystem;

namespace {

// Writes to `path`, `path`.1 and so on, which are added to `paths`.
Result<void> writeObjects(const std::vector<std::string>& objects, const std::string& path,
                          std::vector<std::string>& paths) {
  for (size_t i = 0; i < objects.size(); ++i) {
    paths.push_back(i == 0 ? path : path + "." + std::to_string(i));
    llvm::sys::RemoveFileOnSignal(paths[i]); // as long as it is not complete
    if (Result<void> written = target::writeObject(objects[i], paths[i]); !written)
      return written;
  }
  return {};
}

// Checks before any work is done that the linker can link for the target: nothing here links for other machines by
// itself.
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

// Lists the inputs of the outputs, for make and ninja.
std::string dependencies(const std::vector<std::string>& texts, const CommandLine& line) {
  auto escaped = [](std::string_view path) {
    std::string out;
    for (char c : path)
      out += c == ' ' || c == '#' ? std::string("\\") + c : c == '$' ? "$$" : std::string(1, c);
    return out;
  };
  std::string out = escaped(line.output) + ":";
  std::error_code ignored;
  for (const std::string& name : texts)
    if (name != compile::kStandardInput && fs::is_regular_file(fs::path(name), ignored))
      out += " \\\n  " + escaped(name);
  return out + "\n";
}

// Returns the path that is given, or the program's name with another ending. To a linker a name that begins with '-' would be
// an option.
std::string outputOf(const CommandLine& line, const char* ending) {
  std::string path = line.output.empty() ? fs::path(line.file).stem().string() + ending : line.output;
  return path.starts_with('-') ? "./" + path : path;
}

Result<void> checkNamed(const CommandLine& line) {
  if (!line.fromStandardInput() || !line.output.empty())
    return {};
  return Error{"the program comes from the standard input and has no name: -o names what to write"};
}

// Nothing is returned if the program has errors, which were shown.
Result<std::optional<compile::Built>> built(const CommandLine& line, bool as_object) {
  PassLog log(line.time_passes, line.print_after);
  Result<compile::Options> options = compileOptions(line, log);
  Result<compile::Text> text = options ? compile::readText(line.file) : options.error();
  if (!text)
    return text.error();
  options->need_main = !as_object;
  compile::BuildOptions wanted;
  wanted.cpus = cpuNames(line), wanted.gpu = line.gpu != "none", wanted.as_object = as_object;
  if (as_object && !line.header.empty())
    wanted.header_name = fs::path(line.header).filename().string();
  Result<compile::Built> made = compile::Session::ofProcess().build(text.take(), *options, wanted);
  if (!made)
    return made.error();
  show(made->warnings);
  show(made->errors);
  std::fputs(made->remarks.c_str(), stderr);
  log.finish();
  if (!made->failed_for_gpu.empty())
    return Error{made->failed_for_gpu};
  return made->good() ? std::optional(made.take()) : std::nullopt;
}

// `libraries`: those that the program names.
Result<void> link(const CommandLine& line, const std::vector<std::string>& objects,
                  const std::vector<std::string>& libraries) {
  Result<std::string> folder = compile::folderOf(target::kRuntimeLibrary, line.triple);
  if (!folder)
    return folder.error();
  std::vector<std::string> all = line.libraries;
  all.insert(all.end(), libraries.begin(), libraries.end());
  return target::linkProgram(objects, line.output, *folder, all);
}

} // namespace

int buildCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> named = checkNamed(line); !named)
    return failure(named.message());
  line.output = outputOf(line, "");
  if (Result<void> output = checkOutputs(line, {line.output}); !output)
    return failure(output.message());
  if (Result<void> linker = checkLinker(line); !linker)
    return failure(linker.message());
  Result<std::optional<compile::Built>> program = built(line, /*as_object=*/false);
  if (!program)
    return failure(program.message());
  if (!*program)
    return 1;
  if (Result<void> good = checkNoneIsRead((*program)->texts, {line.output}); !good)
    return failure(good.message());
  std::string object = line.output + ".bsgp-" + std::to_string(getpid()) + ".o";
  std::vector<std::string> objects;
  Result<void> made = writeObjects((*program)->objects, object, objects);
  if (made)
    made = link(line, objects, (*program)->libraries);
  std::error_code ignored;
  for (const std::string& path : objects) {
    fs::remove(path, ignored);
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  return made ? 0 : failure(made.message());
}

int compileCommand(const CommandLine& given) {
  CommandLine line = given;
  if (Result<void> named = checkNamed(line); !named)
    return failure(named.message());
  line.output = outputOf(line, ".o");
  const std::vector<std::string> outputs = {line.output, line.header, line.depfile, line.link_options};
  if (Result<void> good = checkOutputs(line, outputs); !good)
    return failure(good.message());
  Result<std::optional<compile::Built>> program = built(line, /*as_object=*/true);
  if (!program)
    return failure(program.message());
  if (!*program)
    return 1;
  std::vector<std::string> objects;
  Result<void> made = checkNoneIsRead((*program)->texts, outputs);
  if (made)
    made = writeObjects((*program)->objects, line.output, objects);
  if (made && !line.header.empty())
    made = writeFile(line.header, (*program)->header);
  if (made && !line.depfile.empty())
    made = writeFile(line.depfile, dependencies((*program)->texts, line));
  if (made && !line.link_options.empty())
    made = writeFile(line.link_options, compile::linkerOptions((*program)->libraries, line.triple));
  std::error_code ignored;
  for (const std::string& path : objects) {
    if (!made && fs::is_regular_file(path, ignored)) // an object without its header would look up to date
      fs::remove(path, ignored);
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  return made ? 0 : failure(made.message());
}

} // namespace bsgp::driver
