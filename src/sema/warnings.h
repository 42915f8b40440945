// Warnings of what is no error and hardly meant, in the program's own text. Each asks about one kind of mistake, and
// reports it once per place, however many instances a function has.
#pragma once

#include <functional>

#include "diag/diagnostics.h"
#include "sema/program.h"

namespace bsgp::sema {

// By the text of a function: variables that are never used, assignments in the place of conditions (warn_text.cpp).
void warnOfText(const ast::Function& function, Diagnostics& diagnostics);

// Reports variables, in the body of a function or spawn, that are read where nothing can have been assigned to them
// (warn_unset.cpp).
void warnOfUnset(const Stmt& body, Diagnostics& diagnostics);

// Reports places in memory that all threads of a spawn change at the same time (warn_races.cpp).
bool mayChangeThreads(const Function& function); // end some, number them anew, or wait for a lock
void warnOfRaces(const Stmt& spawn, Diagnostics& diagnostics);

// Does the expression of a statement, or a loop's step, change anything? `pure`: is a call of what only makes a value
// (warn_effects.cpp).
bool hasEffect(const Expr& e, const std::function<bool(const Expr& call)>& pure);

// Can one operand of a comparison, as it is written, be negative and become an unsigned number (warn_signs.cpp)?
bool mixesSigns(const Expr& a, const Expr& b, const Type& common);

} // namespace bsgp::sema
