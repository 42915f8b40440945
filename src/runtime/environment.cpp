#include "runtime/environment.h"

#include <cerrno>
#include <cinttypes>
#include <cstdlib>

#include "runtime/failure.h"

namespace bsgp::runtime {

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
