// Checks a program with syntax errors: errors in the parts that were understood are reported at once, too.
#pragma once

#include "sema/sema.h"

namespace bsgp::sema {

// Reports those errors of a program with syntax errors that are no consequences of them. It gives no warnings: a
// variable that seems unused may be used in skipped tokens. No error is reported of a name that skipped tokens may
// declare, and no name behind them in a function is unknown. In a function with a syntax error only errors in an
// expression or a type are reported, for a missing part may be in the skipped tokens. If braces are missing, nothing is
// reported.
void analyzeBroken(const ast::Program& tree, const Options& options, Diagnostics& diagnostics);

} // namespace bsgp::sema
