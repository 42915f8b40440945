// Options of a caller, whose bsgp.h may be older or newer than this library.
#pragma once

#include <cstddef>

#include "support/result.h"

namespace bsgp::runtime {

// Copies to `options`, `known` bytes that are zero, what `given` has of them by its first member, struct_size. Fails
// where that makes no sense, and where the caller has set what this library does not know. `type` and `initializer` are
// for the message: the struct's name and the macro that begins one.
Result<void> copyGiven(void* options, size_t known, const void* given, const char* type, const char* initializer);

// `given` may be null. Fields that the caller's bsgp.h does not have are zero, as if left open.
template <class Options> Result<Options> givenOptions(const Options* given, const char* type, const char* initializer) {
  Options options{};
  if (given)
    if (Result<void> copied = copyGiven(&options, sizeof options, given, type, initializer); !copied)
      return copied.error();
  return options;
}

} // namespace bsgp::runtime
