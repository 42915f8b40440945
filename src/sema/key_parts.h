// Keys of several numbers, vectors and structs, as the library sorts by them: part by part, as words of up to 64 bits
// that are in the order of the keys.
//   __is_key(x)       is x a number, or made of numbers alone? Not a struct with a '<' of its own. A constant
//   __key_words(x)    how many words. A constant
//   __key_word(x, w)  word w, 0 being the one that counts most. x, a variable, is named once for each part
#pragma once

#include <string_view>

#include "sema/body.h"

namespace bsgp::sema {

// Checks __is_key, __key_words and their like. Null: `name` is none of them.
Expr* keyBuiltin(Body& body, std::string_view name, const ast::Expr* e);

} // namespace bsgp::sema
