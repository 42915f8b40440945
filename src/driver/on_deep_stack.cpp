#include "driver/on_deep_stack.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

#include "support/deep_thread.h"
#include "target/out_of_memory.h"

namespace bsgp::driver {

namespace {

// A level of a tree is at least a byte of text, and takes a few kilobytes of stack in the deepest phase. The library's
// functions are expanded into the program, whatever its size: that is in kBase.
constexpr size_t kMost = size_t(512) << 20, kBase = size_t(64) << 20, kLeast = size_t(1) << 20, kForByte = 32 << 10;

// A program that is run in this process gets what the shell grants one that is built.
size_t grantedStack() {
  rlimit limit = {};
  bool is_known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_known ? size_t(limit.rlim_cur) : 0;
}

size_t stackFor(size_t text_bytes) {
  size_t wanted = text_bytes < kMost / kForByte ? kBase + text_bytes * kForByte : kMost;
  wanted = std::min(kMost, std::max(wanted, grantedStack()));
  target::AddressSpace space = target::addressSpace();
  return space.limit ? std::clamp((space.limit - std::min(space.limit, space.used)) / 4, kLeast, wanted) : wanted;
}

} // namespace

size_t bytesOfText(std::string_view text) {
  return text.find("#include \"") == std::string_view::npos ? text.size() : kUnknownBytes;
}

size_t bytesOfFile(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) // others can be read but once
    return kUnknownBytes;
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf()))
    return kUnknownBytes;
  return bytesOfText(text.str());
}

bool onDeepStack(size_t text_bytes, const std::function<void()>& work) {
  DeepThread thread(stackFor(text_bytes), kLeast, work);
  bool made = thread.isMade();
  thread.join();
  return made;
}

} // namespace bsgp::driver
