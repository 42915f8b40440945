// The values of numbers and of escape sequences; private to the lexer.
#pragma once

#include "lex/lex.h"

namespace bsgp {

// The file and the diagnostics, for reports while one literal is read.
struct LiteralContext {
  Diagnostics& diagnostics;
  const char* text; // the file
  SourcePos base;   // its first position
  SourceRange range(const char* begin, const char* end) const {
    return {base + SourcePos(begin - text), base + SourcePos(end - text)};
  }
};

// Reads the number spelled [begin, end) (a digit or .digit first, then letters, digits, dots, exponent signs) into
// kind, bits, is_unsigned and value of `token`. A bad one is reported and becomes some number.
void readNumber(const LiteralContext& context, const char* begin, const char* end, Token& token);

// One escape sequence; `after` is the text behind the backslash (not empty).
struct Escape {
  unsigned value = 0;
  uint8_t length = 1; // characters after the backslash
  enum Problem : uint8_t { None, Unknown, TooLarge } problem = None;
};
Escape readEscape(std::string_view after);

} // namespace bsgp
