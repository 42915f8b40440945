// Sema behind syntax errors: what is wrong in the parts that were understood is told at once.
#pragma once

#include "sema/sema.h"

namespace bsgp::sema {

// Reports those errors of a program with syntax errors that are no consequences of them. What seems unused may be used
// in what was skipped: no warnings. Of a name that skipped tokens may declare nothing is said, and behind them in a
// function no name is unknown. In a function with a syntax error only what is wrong with an expression or a type is told,
// for what is missing may be in what was skipped. Where braces are missing nothing is told.
void analyzeBroken(const ast::Program& tree, const Options& options, Diagnostics& diagnostics);

} // namespace bsgp::sema
