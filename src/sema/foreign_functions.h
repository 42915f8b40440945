// Functions of other languages.
#pragma once

#include <string_view>

namespace bsgp::sema {

// What to write where `name` is called that nothing declares; null: it is of no other language. foreignNameHelp's are among them.
const char* foreignCallHelp(std::string_view name);

} // namespace bsgp::sema
