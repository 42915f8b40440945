// "Did you mean": the nearest visible name, by edit distance; and new variables that are slips.
#pragma once

#include <string>
#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// The nearest member of thread, block or warp, as "; did you mean ...?". Empty: none is near.
std::string memberSuggestion(const Sema& sema, ast::Family family, std::string_view name);

// The nearest field or function of a type, in the same words.
std::string fieldSuggestion(const Sema& sema, const Type* type, std::string_view name);

// The nearest name that is visible, in the same words. `body` may be null.
std::string suggestion(Sema& sema, std::string_view name, Body* body, bool variables_only = false);

// Warns of a new variable whose name is nearly another's. True: it did.
bool warnNearMiss(Body& body, std::string_view name, SourceRange range);

// The file of the library that declares a name and is not included; empty: none.
inline std::string includeOf(const Sema& sema, std::string_view name) {
  return sema.options.include_of ? sema.options.include_of(name) : std::string();
}

} // namespace bsgp::sema
