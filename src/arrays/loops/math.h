// The math functions of the library as loops over blocks.
#pragma once

#include "arrays/loops/loops.h"

namespace bsgp::arrays {

// Sets their loops of float32 and float64.
void addMath(Loops& table);
// Sets those of complex64 and complex128.
void addComplexMath(Loops& table);

} // namespace bsgp::arrays
