// The driver's library, found when it is first needed: a program that runs on the CPU needs none.
#pragma once

#include <string>

#include "runtime/cuda/driver_types.h"
#include "support/result.h"

namespace bsgp::runtime::cuda {

// Its functions, by the names of its manual.
struct Driver {
#define CUDA_CALL(name, exported, parameters) CUresult(*name) parameters = nullptr;
#include "runtime/cuda/driver.def"
#undef CUDA_CALL
  std::string path;
  int version = 0; // 12040 is 12.4
};

// $BSGP_CUDA_DRIVER, else libcuda.so.1; loaded and initialized once, and kept as long as the process. The error says
// what is missing.
Result<const Driver*> loadDriver();

// "CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(const Driver& driver, CUresult error);

std::string versionText(int version); // "12.4"

} // namespace bsgp::runtime::cuda
