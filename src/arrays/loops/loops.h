// Precompiled loops over blocks of elements side by side: one for each operation and type.
//
// The folder `loops` takes addresses and counts, and knows neither arrays nor graphs. loops.cpp and complex.cpp are compiled once for each
// kind of machine; table.cpp takes the best one that this machine can run. Math functions are kernels of math.bsgp: the library's own;
// those of complex numbers the C library's.
#pragma once

#include <cstdint>

#include "bsgp/arrays.h"

namespace bsgp::arrays {

// to may be one of the operands. Operands that an operation does not have are null.
using ApplyLoop = void (*)(void* to, const void* a, const void* b, const void* c, int64_t count);
using CastLoop = void (*)(void* to, const void* from, int64_t count);
// The reduction of `count` elements, 256 at most, by 64 interleaved lanes that are halved.
using FoldLoop = void (*)(void* to, const void* from, int64_t count);
using CopyLoop = void (*)(void* to, const void* from, int64_t stride, int64_t count); // stride in bytes
using FillLoop = void (*)(void* to, const void* value, int64_t count);
// Elements at from + offsets[i], in bytes.
using GatherLoop = void (*)(void* to, const void* from, const int64_t* offsets, int64_t count);

enum { kFoldLanes = 64, kFoldBlock = 256, kElementSizes = 5 };

struct Loops {
  ApplyLoop apply[BSGP_OP_COUNT][BSGP_DTYPE_COUNT]; // by the operands' type; null: is not computed in this type
  CastLoop cast[BSGP_DTYPE_COUNT][BSGP_DTYPE_COUNT];
  FoldLoop fold[BSGP_OP_COUNT][BSGP_DTYPE_COUNT]; // by the operation that combines
  // Each element combined with all in front of it; of complex types alone.
  FoldLoop scan[BSGP_OP_COUNT][BSGP_DTYPE_COUNT];
  CopyLoop copy[kElementSizes]; // by log2 of the element's bytes
  FillLoop fill[kElementSizes];
  GatherLoop gather[kElementSizes];
};

const Loops& loops();

// The value that changes nothing: 0 for sum, the least number for max.
void identityOf(bsgp_operation combines, bsgp_dtype type, void* to);

} // namespace bsgp::arrays
