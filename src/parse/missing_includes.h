// Which files of the library a program needs and does not include, by the names in its text: asked where one is missing,
// so that all of them are reported at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diag/diagnostics.h"

namespace bsgp {

using IncludeOf = std::function<std::string(std::string_view)>; // as in ParseOptions

// If a message reports a missing include, reports the others that the files of the program need.
void tellOtherIncludes(const IncludeOf& include_of, Diagnostics& diagnostics);

} // namespace bsgp
