// Form → a program of the language: the function `kernel(device Arguments* a, long n)`, of one spawn.
//
//   export void kernel(device Arguments* a, long n) {       of a kernel over places: n places; else n results
//     spawn (n) {
//       long f0 = a->numbers_int64[0]; …                    the fields
//       long c1 = place % f1; …                             the coordinates that are needed
//       float v0 = f2[c1 * f3]; float v1 = exp(v0); …       the instructions
//       f4[place] = v1;
//     }
//   }
#pragma once

#include "arrays/device/form.h"
#include "parse/builder.h"

namespace bsgp::arrays {

inline constexpr char kKernelName[] = "kernel";

// The text of the form begins at `text`: nodes have the places of its lines.
ast::Program* programOf(const Form& form, const Fields& fields, ast::Builder& builder, SourcePos text);

} // namespace bsgp::arrays
