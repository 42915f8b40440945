#include "runtime/given_options.h"

#include <algorithm>
#include <cstring>

#include "bsgp/bsgp.h"
#include "runtime/failure.h"

namespace bsgp::runtime {

namespace {

// More than any struct of options will have: a size beyond that was never set, nor one that ends inside of a field.
constexpr size_t kMostBytes = 4096;

// A field that is added later must not lie where the caller's struct has padding.
static_assert(sizeof(bsgp_options) == offsetof(bsgp_options, check) + sizeof(bsgp_options::check));
static_assert(sizeof(bsgp_compile_options) ==
              offsetof(bsgp_compile_options, debug) + sizeof(bsgp_compile_options::debug));

} // namespace

Result<void> copyGiven(void* options, size_t known, const void* given, const char* type, const char* initializer) {
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof size || size > kMostBytes || size % sizeof size != 0)
    return Error{formatted("struct_size of the options is %zu; begin with %s options = %s", size, type, initializer)};
  auto bytes = static_cast<const char*>(given);
  if (size > known && std::any_of(bytes + known, bytes + size, [](char byte) { return byte != 0; }))
    return Error{formatted("%s has a field set that this library, version %d.%d.%d, does not know", type,
                           BSGP_VERSION_MAJOR, BSGP_VERSION_MINOR, BSGP_VERSION_PATCH)};
  std::memcpy(options, given, std::min(size, known));
  return {};
}

} // namespace bsgp::runtime
