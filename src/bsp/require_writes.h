// Which requires leave device memory as it is.
#pragma once

#include <vector>

#include "ir/host_facts.h"
#include "ir/module.h"

namespace bsgp::bsp {

// By index into HostFacts::code: does it leave all device memory alone that is not fresh in the spawn whose require
// runs it? Looks at the spawns' functions as they are before they are split.
std::vector<bool> hostCodeThatLeavesAlone(const ir::Compiled& compiled, const ir::HostFacts& facts);

// Stores and other effects on memory that outlives the thread's and the block's own.
bool writesDeviceMemory(const llvm::Instruction& instruction);

} // namespace bsgp::bsp
