// Parameters that are open in a part of their type: dlist(auto), auto*, auto[,], P(auto).
#pragma once

#include "sema/services.h"

namespace bsgp::sema {

// True if a value fits a parameter whose type is open in a part, as auto*.
bool takesPartlyOpen(Sema& sema, const ast::Param& param, const Expr& value);

// The type that an open parameter type is for this argument. Null: it does not fit.
const Type* matched(Sema& sema, const ast::TypeExpr* pattern, const Type* given);

} // namespace bsgp::sema
