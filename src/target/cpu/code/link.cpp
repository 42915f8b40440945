#include "target/cpu/code/link.h"

#include <cstdlib>

#include <llvm/ADT/ScopeExit.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/StringSaver.h>

namespace bsgp::target {

using namespace llvm;

namespace {

// Returns the first of the programs that is in $PATH, or "".
std::string firstFound(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (auto path = sys::findProgramByName(name))
      return *path;
  return {};
}

// The words of $CXX, such as "ccache g++ -m64"; a file of that name, which may have spaces, is one word.
std::vector<std::string> wordsOf(const char* chosen) {
  if (!firstFound({chosen}).empty())
    return {chosen};
  BumpPtrAllocator memory;
  StringSaver saver(memory);
  SmallVector<const char*, 8> words;
  cl::TokenizeGNUCommandLine(chosen, saver, words);
  return {words.begin(), words.end()};
}

// The path of the compiler that links, then the options that $CXX gives it.
Result<std::vector<std::string>> findDriver() {
  const char* chosen = std::getenv("CXX");
  std::vector<std::string> words = chosen && *chosen ? wordsOf(chosen) : std::vector<std::string>();
  if (!words.empty()) {
    std::string path = firstFound({words[0]});
    if (path.empty())
      return Error{"cannot link: the compiler $CXX names, " + words[0] + ", was not found"};
    words[0] = path;
    return words;
  }
  if (std::string path = firstFound({"c++", "g++", "clang++"}); !path.empty())
    return std::vector{path};
  return Error{"cannot link: none of c++, g++, clang++ is in $PATH; an executable needs a C++ compiler's linker"};
}

std::vector<std::string> commandLine(std::vector<std::string> command, const std::vector<std::string>& objects,
                                     const std::string& output, const std::string& runtime_library_dir,
                                     const std::vector<std::string>& libs) {
  command.insert(command.end(), {"-o", output});
  command.insert(command.end(), objects.begin(), objects.end());
  if (!runtime_library_dir.empty()) {
    command.push_back("-L" + runtime_library_dir);
    std::string runtime = runtime_library_dir + "/" + kRuntimeLibrary;
    if (sys::fs::exists(runtime))
      command.push_back(runtime);
  }
  bool ours = false; // shared ones, beside the runtime: found there too when the program runs
  for (const std::string& lib : libs) {
    command.push_back(sys::fs::exists(lib) ? lib : "-l" + lib);
    ours |= sys::fs::exists(runtime_library_dir + "/lib" + lib + ".so");
  }
  if (ours)
    command.push_back("-Wl,-rpath," + runtime_library_dir);
  for (const char* option : {"-pthread", "-ldl", "-lm"})
    command.push_back(option);
  return command;
}

std::string contents(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().rtrim().str() : std::string();
}

// The compiler of C++ that belongs to one of C: g++-12 to gcc-12. Empty: the word names none of C.
std::string compilerOfCpp(StringRef word) {
  StringRef name = sys::path::filename(word);
  constexpr std::pair<StringRef, const char*> kPairs[] = {{"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}};
  for (auto [of_c, of_cpp] : kPairs) {
    size_t at = name.find(of_c);
    StringRef behind = at == StringRef::npos ? "" : name.substr(at + of_c.size());
    if (at != StringRef::npos && (behind.empty() || behind.starts_with("-")))
      return (name.substr(0, at) + of_cpp + behind).str();
  }
  return {};
}

// gcc links without the library of C++, which the runtime needs: hundreds of messages, of one cause. Empty: another cause.
std::string helpForCompilerOfC(ArrayRef<std::string> command, StringRef message) {
  if (!message.contains("operator delete") && !message.contains("__cxa_"))
    return {};
  for (const std::string& word : command.take_front(2)) // ccache gcc
    if (std::string other = compilerOfCpp(word); !other.empty())
      return "it compiles C, and links without the library of C++\n  help: write CXX=" + other;
  return {};
}

} // namespace

Result<void> linkProgram(const std::vector<std::string>& objects, const std::string& output,
                         const std::string& runtime_library_dir, const std::vector<std::string>& libs) {
  auto driver = findDriver();
  if (!driver)
    return driver.error();
  SmallString<128> said;
  if (std::error_code problem = sys::fs::createTemporaryFile("bsgp-link", "txt", said))
    return Error{"cannot make a temporary file for the linker's messages: " + problem.message()};
  FileRemover remove(said);
  sys::RemoveFileOnSignal(said);
  auto forget = make_scope_exit([&] { sys::DontRemoveFileOnSignal(said); });
  std::vector<std::string> command = commandLine(*driver, objects, output, runtime_library_dir, libs);
  std::vector<StringRef> arguments(command.begin(), command.end());
  std::string problem;
  int status = sys::ExecuteAndWait(command[0], arguments, std::nullopt,
                                   {std::nullopt, StringRef(said), StringRef(said)}, 0, 0, &problem);
  if (status == 0 && sys::fs::exists(output))
    return {};
  std::string message = contents(said);
  if (status == 0)
    message += "it made no file";
  if (!problem.empty())
    message += (message.empty() ? "" : "\n") + problem;
  std::string failed = "linking " + output + " with " + command[0] + " failed:";
  if (std::string help = helpForCompilerOfC(command, message); !help.empty())
    return Error{failed + " " + help};
  return Error{failed + "\n" + message};
}

} // namespace bsgp::target
