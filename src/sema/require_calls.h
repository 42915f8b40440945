// A call in a require that is given values of threads was to be made by the threads: require total = reduce(+, x).
#pragma once

#include "sema/services.h"

namespace bsgp::sema {

// Says so in the help of errors since `before` that such arguments in the require caused.
void sayToLeaveRequire(const ast::Stmt& require, const Diagnostics::Mark& before, Sema& sema);

} // namespace bsgp::sema
