#include "compile/on_deep_stack.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

#include "support/deep_thread.h"
#include "target/common/out_of_memory.h"

namespace bsgp::compile {

namespace {

// A level of a tree is at least a byte of text, and takes a few kilobytes of stack in the deepest phase. The library's
// functions are expanded into the program, whatever its size: that is in kBase.
constexpr size_t kMost = size_t(512) << 20, kBase = size_t(64) << 20, kLeast = size_t(1) << 20, kForByte = 32 << 10;

// As it was made for; 0: not by us.
thread_local size_t stack_of_this_thread = 0;

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

size_t bytesOf(const Source& source) {
  const auto* text = std::get_if<Text>(&source);
  return text ? bytesOfText(text->text) : kUnknownBytes;
}

bool onDeepStack(size_t text_bytes, const std::function<void()>& work) {
  size_t wanted = stackFor(text_bytes);
  if (stack_of_this_thread >= wanted) {
    work();
    return true;
  }
  std::exception_ptr thrown;
  DeepThread thread(wanted, kLeast, [&] {
    stack_of_this_thread = wanted;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  bool made = thread.isMade();
  thread.join();
  if (thrown)
    std::rethrow_exception(thrown);
  return made;
}

} // namespace bsgp::compile
