// From one function per spawn, with all its supersteps, to one kernel per superstep and a Plan: steps 2 to 7 of the
// paper's section 4.2.
//
// The folder `bsp` takes ir::Compiled as irgen made it; gives the same, in which each spawn is kernels (functions of
// one thread) and a plan::Plan of what the host does. It knows nothing of the language and nothing of machines: loops
// over ranks, vectors and PTX are the targets'. The order of its passes is in bsp.cpp.
#pragma once

#include <functional>

#include "diag/diagnostics.h"
#include "ir/host_facts.h"
#include "ir/module.h"

namespace bsgp::bsp {

struct Options {
  unsigned opt_level = 3; // 0: only what correctness needs
  bool verify = true;     // check the contract after every pass, not only after the last one
  std::function<void(std::string_view pass, const llvm::Module&)>
      after_pass; // --print-after, --time-passes; may be empty
};

// Fills each spawn's plan; replaces its function by kernels. Reports errors that only values can show (a pointer to
// private memory that lives across a barrier). The verifier runs after the last pass at least.
void compileSupersteps(ir::Compiled& compiled, const ir::HostFacts& facts, const Options& options,
                       Diagnostics& diagnostics);

} // namespace bsgp::bsp
