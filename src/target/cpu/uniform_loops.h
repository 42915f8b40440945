// Loops that all threads of a block run alike, without a block.sync in them.
#pragma once

#include "target/cpu/block_terms.h"

namespace bsgp::target {

class Regions;

// Cuts the regions at such loops, where that lets the lanes run as vectors. True if there are any.
bool cutUniformLoops(llvm::Function& thread, Regions& regions, const BlockTerms& terms);

} // namespace bsgp::target
