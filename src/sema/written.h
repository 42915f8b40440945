// Which of its parameters a function writes, by its text: an instance is made only where that may be. Types decide what is a
// part of a variable: an element of an array is, what a pointer or a view leads to is not.
#pragma once

#include <string_view>

#include "sema/services.h"

namespace bsgp::sema {

// True if a function may write a parameter that is given an argument of this type, by its text. Null: a type that is not known.
bool writesParameter(Sema& sema, const ast::Function& function, const ast::Param& param, const Type* given);

// True if some method of the name may write its object.
bool writesThis(Sema& sema, std::string_view method, const Type* object);

// True if a parameter of a collective takes a host value.
bool hostParameter(Sema& sema, const ast::Function& node, const ast::Param& param, const Argument& argument,
                   bool by_reference, bool collective);

// True if a function may write what it is given as this argument.
bool isWritten(Sema& sema, const ast::Function& node, const ast::Param& param, const Argument& argument);

} // namespace bsgp::sema
