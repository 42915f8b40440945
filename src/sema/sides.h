// Decides on which side functions are checked. Roots (main and exports) are host code; functions that they call are
// checked for the caller's side. A plain function that is never called is checked all the same, for the side that its
// code fits: one of them has to. Callers come first, so that a function that only uncalled ones call gets its sides
// from them.
#pragma once

#include "sema/services.h"

namespace bsgp::sema {

// Checks main and exported functions, and all that they call. True: there are some.
bool checkRoots(Sema& sema, const ast::Program& tree);

// Checks functions that nothing calls, on the side that fits.
void checkUncalled(Sema& sema, const ast::Program& tree);

} // namespace bsgp::sema
