// Ahead of time, for CPUs and GPUs: the program twice in one module, and the choice where it is entered.
#pragma once

#include "ir/kernels.h"

namespace bsgp::target {

// Adds to the lowered program for CPUs the one for GPUs, from the same text. Every function that is visible outside
// runs the one that the device of its context needs; variables of the program are shared.
void addGpuProgram(ir::Kernels& program, const ir::Kernels& gpu);

} // namespace bsgp::target
