// Calls, constructions, initializers and casts.
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

// Checks T(a, b).
Expr* construct(Body& body, const ast::Expr* e);

// Makes the value of a type whose numbers are all zero, or that its fields begin with.
Expr* zero(Body& body, const Type* type, SourceRange range);

// Checks an initializer of a variable of this type: a value or a list.
Expr* initializer(Body& body, const ast::Expr* init, const Type* type);

// Checks (T)e.
Expr* explicitCast(Body& body, const ast::Expr* e);

// Makes the explicit conversion of a checked value. `range` is the place of the cast in messages.
Expr* castTo(Body& body, Expr* value, const Type* to, SourceRange range);

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
