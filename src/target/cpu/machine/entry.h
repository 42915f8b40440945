// The `main` of an ahead-of-time program.
#pragma once

#include "ir/kernels.h"

namespace bsgp::target {

// int main(int argc, char** argv) { return bsgp_rt_main(argc, argv, bsgp_main); }
void addEntry(ir::Kernels& program);

} // namespace bsgp::target
