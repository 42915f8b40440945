// Which requires leave device memory as it is.
#pragma once

#include <vector>

#include "ir/spawns.h"

namespace bsgp::bsp {

// By index into ir::HostFacts::code: does it leave all device memory alone that is not fresh in the spawn whose require
// runs it? Looks at the spawns' functions as they are before they are split.
std::vector<bool> hostCodeThatLeavesAlone(const ir::Spawns& spawns);

// Stores and other effects on memory that outlives the thread's and the block's own.
bool writesDeviceMemory(const llvm::Instruction& instruction);

} // namespace bsgp::bsp
