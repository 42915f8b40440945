// Debug locations as DWARF has them: files, lines and columns in place of positions in the program's text.
//
// Requires locations as ir/position.h says, in the scopes of irgen's debug information (irgen/debug_info.h); runs once,
// behind all passes, since remarks and checks read positions. Ensures that each function with a location has a
// DISubprogram, kernels too, and that its locations lie in it.
#pragma once

#include <functional>

#include <llvm/IR/Module.h>

#include "support/source.h"

namespace bsgp::target {

// The place of a position in the program's text; called from several threads at once.
using PlaceOf = std::function<LineColumn(SourcePos)>;

void makeDebugLines(llvm::Module& module, const PlaceOf& place_of);

} // namespace bsgp::target
