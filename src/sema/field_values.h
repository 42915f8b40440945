// Values that a struct gives its fields, as in struct S { int n = 1; }: those of a variable that is given none, of `{}`
// and S(), and of memory of `new`. Constants, whose names mean what they mean where the struct stands.
#pragma once

#include <span>

#include "sema/body.h"

namespace bsgp::sema {

// Notes the values that the declaration of a struct gives its fields.
void keepFieldValues(Sema& sema, const Type* type, std::span<const ast::Declarator> list);

// True if variables of the type begin with values that its struct gives.
bool givesValues(const Sema& sema, const Type* type);

// The value that a struct gives a field. Null: none.
const Expr* fieldValue(Sema& sema, const Type* structure, size_t field);

// Checks all values that structs give, those that no variable uses included.
void checkFieldValues(Sema& sema);

// Makes the memory of `new` begin with the values that its struct gives.
Expr* withValues(Body& body, Expr* memory);

} // namespace bsgp::sema
