// Lets the program fail at its first, second, ... place: each time no device memory is left, and what was held at most is what
// one call holds.
#include "list_owners.h"
#include <cstdio>

static bsgp_memory_info memory() {
  bsgp_memory_info info{};
  bsgp_memory(nullptr, &info);
  return info;
}

int main() {
  int64_t result = 0;
  int burns = 0;
  bsgp_status status = BSGP_FAILED;
  for (; status != BSGP_OK && burns < 1000; ++burns) {
    status = owners(nullptr, 1000, burns, &result);
    if (memory().live_bytes != 0 || memory().live_blocks != 0) {
      std::printf("%d places: %ld bytes LEAK\n", burns, long(memory().live_bytes));
      return 1;
    }
  }
  std::printf("%d places, result %ld, at most %ld times 10000 bytes\n", burns - 1, long(result),
              long(memory().peak_bytes / 10000));
}
