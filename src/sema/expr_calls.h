// Calls, and what they are given.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sema/body.h"

namespace bsgp::sema {

// True if an argument is a function, an operator or a lambda; then `out` holds it.
bool asCallable(Body& body, const ast::Expr* e, Callable& out);

// Checks the arguments of a call, in order.
std::vector<Argument> arguments(Body& body, std::span<ast::Expr*> list);

// Checks one argument: a value, or something callable.
Argument argument(Body& body, const ast::Expr* e);

// Checks a call of any kind.
Expr* call(Body& body, const ast::Expr* e);

// Calls by a name that stands in a text of `scope`, with checked arguments. `used`: the value is used.
Expr* callFrom(Body& body, Scope scope, std::string_view name, std::vector<Argument> arguments, SourceRange range,
               bool used = true);

// True if the value of the call is used.
inline bool isUsed(const Body& body, const ast::Expr* call) {
  return call != body.mode.unused;
}

// Calls by a name that the text being checked means.
inline Expr* callWith(Body& body, std::string_view name, std::vector<Argument> arguments, SourceRange range,
                      bool used = true) {
  return callFrom(body, body.scope, name, std::move(arguments), range, used);
}

} // namespace bsgp::sema
