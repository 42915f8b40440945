// From one function per spawn, with all its supersteps, to one kernel per superstep and a Plan: steps 2 to 7 of the
// paper's section 4.2.
//
// The folder `bsp` takes ir::Spawns; gives ir::Kernels, in which each spawn is kernels (functions of one thread) and a
// plan::Plan of what the host does. It knows nothing of the language and nothing of machines: loops over ranks, vectors
// and PTX are the targets'. The order of its passes is in bsp.cpp.
#pragma once

#include <functional>

#include "bsp/partition/options.h"
#include "diag/diagnostics.h"
#include "ir/kernels.h"
#include "ir/spawns.h"

namespace bsgp::bsp {

struct Options {
  unsigned opt_level = 3; // 0: only what correctness needs
  bool verify = true;     // check the contract after every pass, not only after the last one
  std::function<void(std::string_view pass, const llvm::Module&)>
      after_pass; // --print-after, --time-passes; may be empty
  PartitionOptions partition;
};

// Makes kernels of each spawn's function, and its plan. Reports errors that only values can show (a pointer to private
// memory that lives across a barrier). The verifier runs after the last pass at least.
ir::Kernels compileSupersteps(ir::Spawns spawns, const Options& options, Diagnostics& diagnostics);

} // namespace bsgp::bsp
