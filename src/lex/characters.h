// Characters outside of ASCII: they have no place in programs but in strings and comments, so this serves good
// messages.
#pragma once

#include <cstdint>

namespace bsgp {

struct Character {
  uint32_t code = 0;
  unsigned length = 0; // bytes; 0: not UTF-8
};

// The character that begins at p; p < end.
Character decode(const char* p, const char* end);

bool isTypographicQuote(uint32_t code);
bool isDoubleQuote(uint32_t code); // of a typographic quote
bool isInvisible(uint32_t code);   // spaces and marks that do not show
bool isSymbol(uint32_t code);      // or punctuation; everything else counts as a letter of some alphabet

// "write -" for a dash and the like, or "".
const char* asciiFor(uint32_t code);

} // namespace bsgp
