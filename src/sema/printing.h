// printf of device and host code (expr_print.cpp).
#pragma once

#include "sema/program.h"

namespace bsgp::sema {

struct Body;

Expr* printCall(Body& body, const ast::Expr& call);

} // namespace bsgp::sema
