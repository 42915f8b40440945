// From a program's text to machine code for this process: what `bsgpc run` and bsgp_compile share. The code is kept on
// disk between runs, by everything that it is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/pipeline.h"
#include "runtime/code_cache.h"
#include "target/cpu/cpu_target.h"
#include "target/ptx/ptx_target.h"

namespace bsgp::driver {

struct CodeOptions {
  target::CpuOptions machine;            // its remarks are gathered if the pipeline has positions
  std::optional<target::GpuOptions> gpu; // the program is for one
  bool interface = false;                // exports and header are wanted
};

struct ProgramCode {
  std::vector<std::string> objects;       // for target::Jit
  std::string warnings, colored_warnings; // as Diagnostics renders them
  std::string remarks;                    // lines
  std::vector<std::string> exports;       // symbols
  std::vector<std::string> libraries;     // that the program names; load them by sharedLibraries (libraries.h)
  std::string header;                     // of C
};

// Of the loaded text; all passes run, or none behind the parser where the cache has the code. Nothing: the program has
// errors, which the pipeline's diagnostics tell. Fails where the machine cannot be compiled for.
Result<std::optional<ProgramCode>> compileProgram(Pipeline& pipeline, CodeOptions options,
                                                  const runtime::CodeCache& cache);

} // namespace bsgp::driver
