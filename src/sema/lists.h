// Lists: their operations and properties, and their elements in host code.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Reports that `what` takes no list. Gives an error expression.
Expr* noListValue(Body& body, const Expr* list, const char* what);

// Reports that device code copies no list. Gives an error expression.
Expr* listOnDevice(Body& body, const Expr* list, const char* what);

// Makes a list of {a, b, c}.
Expr* listOf(Body& body, const ast::Expr* list, const Type* type);

// Makes the pointer to the elements of a list.
Expr* listData(Body& body, Expr* list, SourceRange range);

// Converts a list to a pointer to its elements.
Expr* listPointer(Body& body, Expr* list, SourceRange range);

// Checks list.size, list.data and their like.
Expr* listMember(Body& body, Expr* list, std::string_view name, SourceRange range);

// Checks list.f(...).
Expr* dlistMethod(Body& body, Expr* list, const ast::Expr* e);

// True in a loop of host code.
bool inLoop(const Body& body);

// Names the form to write if an array or a pointer is asked for its length by `name`. Empty: the name asks for none.
std::string helpForLength(const Type& type, std::string_view name);

// True if an index of a list has a type that fits.
bool checkListIndex(Body& body, const Expr* array, const Expr* index);

// Reports that an element of a list has no address. Gives an error expression.
Expr* noElementAddress(Body& body, const Expr* place, SourceRange range);

// Checks peek and poke. Null: `name` is neither.
Expr* elementCall(Body& body, std::string_view name, const ast::Expr* e);

} // namespace bsgp::sema
