// Calls what fails hundreds of times each way: each says so, and the memory of the process does not grow.
#include "leaks.h"
#include <cstdio>
#include <sys/resource.h>

static long peak() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int main() {
  for (int way = 0; way <= 5; ++way) {
    long before = 0;
    bsgp_status status = BSGP_OK;
    for (int i = 0; i < 300; ++i) {
      int32_t result = 0;
      status = failing(nullptr, 200000, way, &result);
      if (i == 20)
        before = peak();
    }
    long growth = peak() - before; // of some kB; what one call allocates is megabytes
    std::printf("way %d: %s%s\n", way, status == BSGP_OK ? "no failure" : bsgp_error_message(),
                growth > 30000 ? " LEAK" : "");
  }
}
