#include "runtime/environment.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "runtime/failure.h"
#include "support/nearest_word.h"

namespace bsgp::runtime {
namespace {

#define TOOL_VARIABLE(name)
#define VARIABLE(name) #name,
constexpr std::string_view kVariables[] = {
#include "runtime/environment.def"
};
#undef VARIABLE
#undef TOOL_VARIABLE
#define VARIABLE(name)
#define TOOL_VARIABLE(name) #name,
constexpr std::string_view kToolVariables[] = {
#include "runtime/environment.def"
};
#undef VARIABLE
#undef TOOL_VARIABLE

bool isIn(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void warnOfVariable(std::string_view name) {
  std::string_view near = nearestOf(name, {std::begin(kVariables), std::end(kVariables)});
  std::string text = "bsgp: warning: there is no environment variable " + std::string(name) + " for BSGP";
  text += near.empty() ? "\n" : "; did you mean " + std::string(near) + "?\n";
  std::fputs(text.c_str(), stderr);
}

} // namespace

void warnOfUnknownVariables() {
  static std::atomic<bool> done{false};
  if (done.exchange(true))
    return;
  for (char** variable = environ; variable && *variable; ++variable) {
    std::string_view text = *variable;
    std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("BSGP_") && !isIn(kVariables, name) && !isIn(kToolVariables, name))
      warnOfVariable(name);
  }
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

Result<uint64_t> numberFrom(const char* name, uint64_t otherwise, uint64_t most) {
  const char* value = environment(name);
  if (!value)
    return otherwise;
  char* end = nullptr;
  errno = 0;
  uint64_t number = std::strtoull(value, &end, 10);
  bool negative = *value == '-' && value[1] >= '0' && value[1] <= '9';
  if (*end || (!negative && (*value < '0' || *value > '9')))
    return Error{formatted("the environment variable %s is '%s', which is not a number", name, value)};
  if (errno || negative || number > most)
    return Error{formatted("the environment variable %s is '%s'; it may be from 0 to %" PRIu64, name, value, most)};
  return number;
}

} // namespace bsgp::runtime
