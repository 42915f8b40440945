// Gathers of neighbours. Where lanes read several fields of a structure each, or neighbouring elements, a lane's fields
// are loaded together and the lanes' rows transposed: a machine's gather takes as long as loads of single elements do.
#pragma once

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

// Loads of one block, in order, of elements of one size at constant distances from an address that differs from lane to
// lane; nothing between them writes memory.
struct GatherRow {
  struct Field {
    llvm::LoadInst* load;
    int64_t offset; // bytes from the first in memory
  };
  llvm::SmallVector<Field, 8> fields; // by offset
  unsigned size = 0;                  // of an element, bytes
  unsigned length = 0;                // elements from the first to behind the last
};

llvm::SmallVector<GatherRow, 4> findGatherRows(llvm::BasicBlock& block, const LaneShapes& shapes,
                                               const PrivateArrays& arrays);

} // namespace bsgp::target
