// CHECK: our own bugs. Always on; names the place and asks for a report, then ends the process.
#pragma once

#include <cstdio>
#include <cstdlib>

#define BSGP_CHECK(condition, ...)                                                                                     \
  do {                                                                                                                 \
    if (!(condition)) [[unlikely]] {                                                                                   \
      std::fprintf(stderr, "bsgp: internal error in %s (%s:%d): %s\n", __func__, __FILE__, __LINE__, #condition);      \
      std::fprintf(stderr, "  " __VA_ARGS__);                                                                          \
      std::fprintf(stderr, "\nPlease report this with the program that was being compiled.\n");                        \
      std::abort();                                                                                                    \
    }                                                                                                                  \
  } while (0)
