// Finds facts in the text of a function, before any of it is checked: they decide on which side it may run and how
// its parameters bind. One walk per declaration.
#pragma once

#include <optional>
#include <span>

#include "sema/services.h"

namespace bsgp::sema {

// Returns the value of a condition that the target alone decides, by its text. Nothing if something else decides it.
std::optional<bool> knownCondition(const Sema& sema, const ast::Expr* condition);

// Returns the functions that a call may mean, by its text.
std::span<const ast::Function* const> callees(const Sema& sema, const ast::Expr& call);

// Facts of a function's text. Found once for each function.
const Traits& traits(Sema& sema, const ast::Function& function);

// True for a library function of numbers that uses nothing of threads, by its text.
bool isMath(Sema& sema, const ast::Function& function);

} // namespace bsgp::sema
