// Functions of other languages.
#pragma once

#include <string>
#include <string_view>

namespace bsgp::sema {

// Says what to write in place of a call of `name`, which nothing declares; empty: it is of no other language. The answers of
// foreignNameHelp are among them.
std::string foreignCallHelp(std::string_view name);

} // namespace bsgp::sema
