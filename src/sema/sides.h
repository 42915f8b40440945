// On which side functions are checked. Roots, main and what is exported, are host code; what they call is checked for
// the side that calls it. A plain function that nobody calls is checked all the same, for the side that its code fits:
// one of them has to. Callers come first, so that a function which another uncalled one calls has its sides from there.
#pragma once

#include "sema/services.h"

namespace bsgp::sema {

// Checks main and exported functions, and all that they call. True: there are some.
bool checkRoots(Sema& sema, const ast::Program& tree);

// Checks functions that nothing calls, on the side that fits.
void checkUncalled(Sema& sema, const ast::Program& tree);

} // namespace bsgp::sema
