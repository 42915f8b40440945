// An error inside an instance of the library that the program's call caused is reported at the call: one message,
// with the reason, and no line of the library. The library itself states its requirements by __needs(condition,
// "text").
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// True if a call stands in the program and the function in the library.
bool entersLibrary(const Sema& sema, const ast::Function& node, SourceRange call, const Body* caller);

// Marks an instance of the library as one with an error and reports that at the call. Returns null.
Function* breakInstance(Sema& sema, const Function& function, const std::vector<Argument>& arguments, SourceRange call,
                        Body* caller, const Diagnostics::Mark& before);

// Reports an error inside the library at the program's call.
void tellOf(Sema& sema, Diagnostic inside, std::string_view name, const std::vector<Argument>& arguments,
            SourceRange call, Body* caller);

// Checks __needs(condition, "why"), by which the library states requirements on its arguments.
Expr* needs(Body& body, const ast::Expr* e);

// Returns the number of parameters, if all functions of the name have the same.
std::optional<size_t> parametersOf(const Sema& sema, std::string_view name);

// Checks a query about a type, such as __is_number(x). Null if `name` is no such query.
Expr* typeQuery(Body& body, std::string_view name, const ast::Expr* e);

} // namespace bsgp::sema
