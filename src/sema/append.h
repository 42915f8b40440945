// Checks the calls by which the library's threads append values to memory in the order of their ranks, on a CPU:
//
//   __append(to, value, keep)     a scalar, of the threads where keep holds
//   __append_take(to, bytes)      the address, a long, of so many bytes, which the thread writes itself
//
// `to` is a host variable that leads to a bsgp_append (plan_abi.h). stdlib/cpu/append.bsgp makes it, and nothing else of
// the program looks there.
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks a call of __append, __append_take, ... Null: `name` is none of them.
Expr* appendBuiltin(Body& body, std::string_view name, const ast::Expr* e);

} // namespace bsgp::sema
