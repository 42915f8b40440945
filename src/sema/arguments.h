// How arguments meet parameters.
#pragma once

#include "sema/program.h"

namespace bsgp::sema {

// Can it be changed through a reference? Variables of the host cannot from device code.
bool bindsToReference(const Expr* value, Side side);

bool isOpen(const ast::Param& param); // written without a type

} // namespace bsgp::sema
