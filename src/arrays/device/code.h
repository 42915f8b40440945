// Programs → functions in this process: compiled once for each target and form, and kept.
#pragma once

#include <functional>
#include <string>

#include "arrays/device/target.h"
#include "bsgp/bsgp.h"
#include "compile/source.h"
#include "support/result.h"

namespace bsgp::arrays {

// A program with one exported function. Equal texts: equal programs.
struct Source {
  const char* function;
  std::string text;
  std::function<ast::Program*(compile::TreeMaker&)> make;
};

// The address of the function, valid until the next call. Fails where the target's machine is not there. A mistake in the program is a
// defect of this folder, and the message says so.
Result<void*> functionOf(const Source& source, Target target);

int64_t compiledPrograms(); // so far

} // namespace bsgp::arrays
