// The typed program as text, for `emit typed`.
//
//   function main() -> int  // 8:1
//     spawn n  // 9:3
//       a[thread.rank] = (float)thread.rank  // 10:5
//
// The program's host functions stand in order, and behind each the functions that it calls first: instances of generic functions and of
// the library among them. What is collective is a function here; expansion puts it into its callers.
#pragma once

#include <string>

#include "sema/program.h"
#include "support/source.h"

namespace bsgp::sema {

std::string text(const Program& program, const SourceManager& sources);

} // namespace bsgp::sema
