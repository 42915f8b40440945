// Memory close to the machine, in device code: atomics, the fence, stores past the caches, prefetches; and what a
// program may ask about the machine.
#pragma once

#include <optional>
#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks atomics, fences, prefetches and stores past the caches. Null: `name` is none of them.
Expr* memoryCall(Body& body, std::string_view name, const ast::Expr* e);

// Checks the first argument of an atomic: an address in memory that threads share.
Expr* sharedPlace(Body& body, std::string_view name, const ast::Expr* e);

// The answer to a question about the target, as target_is_gpu(). Nothing: `name` is no such question.
std::optional<bool> constantQuery(const Sema& sema, std::string_view name);

// Checks __is_used(): tells whether the program uses the function's result.
Expr* useQuery(Body& body, const ast::Expr* e);

// Checks a question about the machine, as its number of cores. Null: `name` is no such question.
Expr* machineQuery(Body& body, std::string_view name, const ast::Expr* e);

} // namespace bsgp::sema
