// Gathers of neighbours. Where lanes read several fields of a structure each, or neighbouring elements, a lane's fields
// are loaded together and the lanes' rows transposed: a machine's gather takes as long as loads of single elements do.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

// Loads of one block, in order, of elements of one size at constant distances from an address that differs from lane to
// lane; nothing between them writes memory.
struct GatherRow {
  struct Field {
    llvm::Instruction* access; // a load, or a store
    int64_t offset;            // bytes from the first in memory
  };
  llvm::SmallVector<Field, 8> fields; // by offset
  unsigned size = 0;                  // of an element, bytes
  unsigned length = 0;                // elements from the first to behind the last
};

llvm::SmallVector<GatherRow, 4> findGatherRows(llvm::BasicBlock& block, const LaneShapes& shapes,
                                               const PrivateArrays& arrays);

// The same of stores: rows without gaps, each element stored once, and nothing between the stores touches memory.
llvm::SmallVector<GatherRow, 4> findScatterRows(llvm::BasicBlock& block, const LaneShapes& shapes,
                                                const PrivateArrays& arrays);

// Row i becomes column i of `rows`: as many vectors as they have elements, a power of two.
void transposeRows(llvm::IRBuilder<>& builder, llvm::MutableArrayRef<llvm::Value*> rows);

} // namespace bsgp::target
