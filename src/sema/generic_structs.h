// Generic structs: a type for each list of arguments, made when it is first written. Its fields and functions are copies
// of those of the declaration in which the parameters are names of the arguments, "(float*)" or "(4)", that nothing in
// a program can have.
//
// The fields of a type that is only pointed at wait until the struct around it, or the text above the declaration of
// what they need, is done: P(T) may hold P(T)*, and S may hold P(S)*.
#pragma once

#include <optional>

#include "sema/services.h"

namespace bsgp::sema {

// The type that a generic struct is for these arguments. Null: an error was reported.
const Type* genericType(Sema& sema, const ast::TypeExpr& node, Body* body);

// Checks an argument of a generic struct. Nothing: an error was reported.
std::optional<TypeArgument> typeArgument(Sema& sema, const ast::TypeParam& param, const ast::TypeExpr& node,
                                         Body* body);

// The type that the struct is in its own fields: P(T).
std::string ownName(const ast::Struct& node);

// Reports a generic struct without arguments.
void rejectMissingArguments(Sema& sema, const ast::TypeExpr& node);

// Notes that the text has reached the declaration, from where on it may be used.
void reachGeneric(Sema& sema, const ast::Struct& node);

// Declares the fields of a generic type, if that is still to come.
void needFields(Sema& sema, const Type* type);

// Declares the fields of generic types that were used before their declaration was complete.
void declareWaiting(Sema& sema);

} // namespace bsgp::sema
