// Functions of other languages.
#pragma once

#include <string>
#include <string_view>

namespace bsgp::sema {

// What to write where `name` is called that nothing declares; empty: it is of no other language. foreignNameHelp's are among them.
std::string foreignCallHelp(std::string_view name);

} // namespace bsgp::sema
