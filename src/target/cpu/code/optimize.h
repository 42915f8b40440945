// The passes of the CPU target, of a module or a part of one.
#pragma once

#include "target/cpu/cpu_target.h"
#include "target/cpu/ranks/two_forms.h"

namespace bsgp::target {

// `optimize`, but that all variables of kernels with two forms are still there. Returns those that finishForms keeps: all
// parts of a module have to be asked.
Result<FormsMade> optimizeModule(llvm::Module& module, const CpuOptions& options);

} // namespace bsgp::target
