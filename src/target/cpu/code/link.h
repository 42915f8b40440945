// An executable from objects, by the system's compiler driver.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace bsgp::target {

// `objects` are paths of object files or archives; `runtime_library_dir` holds the runtime's archive (kRuntimeLibrary)
// and is searched for `libs`: names as after -l, or paths. The driver is $CXX, with
// the options that stand there, or the first of c++, g++, clang++ in
// $PATH. The error is what it wrote.
Result<void> linkProgram(const std::vector<std::string>& objects, const std::string& output,
                         const std::string& runtime_library_dir, const std::vector<std::string>& libs);

inline constexpr char kRuntimeLibrary[] = "libbsgp_runtime.a";

} // namespace bsgp::target
