// What is wrong inside an instance of the library because of how the program called it is told at the call: one
// message, with the reason, and no line that the program's author never wrote. The library itself says what it needs by
// __needs(condition, "text").
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// True if a call stands in the program and the function in the library.
bool entersLibrary(const Sema& sema, const ast::Function& node, SourceRange call, const Body* caller);

// Marks an instance of the library as one with an error and reports that at the call. Gives null.
Function* breakInstance(Sema& sema, const Function& function, const std::vector<Argument>& arguments, SourceRange call,
                        Body* caller, const Diagnostics::Mark& before);

// Reports an error inside the library at the program's call.
void tellOf(Sema& sema, Diagnostic inside, std::string_view name, const std::vector<Argument>& arguments,
            SourceRange call, Body* caller);

// Checks __needs(condition, "why"), by which the library says what its arguments must be.
Expr* needs(Body& body, const ast::Expr* e);

// The number of parameters, where all functions of the name have as many.
std::optional<size_t> parametersOf(const Sema& sema, std::string_view name);

// Checks a question about a type, as __is_number(x). Null: `name` is no such question.
Expr* typeQuery(Body& body, std::string_view name, const ast::Expr* e);

} // namespace bsgp::sema
