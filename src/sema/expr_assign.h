// Assignment: checks the target and the value.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// True if `e` can be assigned to. Else reports that `what` needs such a place.
bool requireLvalue(Body& body, Expr* e, std::string_view what);

// True if a thread or the host, whoever runs this, may write `target`. `instead` is the way out in the message.
bool checkWritable(Body& body, Expr* target, SourceRange range, const char* instead = kOtherPlaces);

// True if the target of the pointer is not const.
bool checkPointee(Body& body, const Expr* pointer, SourceRange range);

// True if values of the type can be assigned as a whole.
bool checkAssignable(Body& body, const Type* type, SourceRange range);

// Checks a = b.
Expr* assign(Body& body, const ast::Expr* e);

// Checks the left operand of an assignment.
Expr* assignedPlace(Body& body, const ast::Expr* e);

// Checks a value that is assigned to a place of this type. An initializer list takes its type from there.
Expr* assigned(Body& body, const ast::Expr* value, const Type* type);

// Makes an assignment of checked operands.
Expr* assignTo(Body& body, Expr* target, Expr* value, SourceRange range);

// Checks a += b and its like.
Expr* compound(Body& body, const ast::Expr* e);

} // namespace bsgp::sema
