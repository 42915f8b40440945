// Refuses, in a spawn whose supersteps run block by block (spawn (n) partition {…}), all that several threads of a block
// come to together, and all that a thread has in common with them.
#pragma once

#include "sema/program.h"
#include "sema/services.h"

namespace bsgp::sema {

// Collectives of the library have supersteps of their own, and may stand there. Enters the program's own functions.
void checkPartition(const Stmt& spawn, Sema& sema);

} // namespace bsgp::sema
