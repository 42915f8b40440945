// Source text to tokens. C's tokens and comments; no preprocessor but #include, which is a token of its own.
//
// The folder `lex` takes a text of the SourceManager; gives all its tokens at once, numbers with their values. It does
// not read the files that an #include names: the parser does. What the words are is in tokens.def.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostics.h"
#include "support/source.h"

namespace bsgp {

enum class Tok : uint8_t {
  End,   // always the last token, empty
  Error, // an error that was reported already; the parser reports nothing more at it
  Identifier,
  IntLiteral,    // integer, bits, is_unsigned
  FloatLiteral,  // floating, bits
  CharLiteral,   // integer: the byte, sign-extended (char is signed)
  StringLiteral, // the bytes: stringBytes(spelling)
  Include,       // the range is the "file" or <file> of an #include
#define WORD(kind, spelling) kind,
#define CONTEXT(kind, spelling) kind,
#define PUNCT(kind, spelling) kind,
#include "lex/tokens.def"
};

struct Token {
  Tok kind = Tok::End;
  uint8_t bits = 0; // IntLiteral: 0 without suffix, 32, 64; FloatLiteral: 0 without suffix (double), 16, 32
  bool is_unsigned = false;
  SourceRange range;
  union {
    uint64_t integer = 0;
    double floating;
  };
};

// All tokens of the file that `file` lies in, an End token last. Reports what is wrong and goes on.
std::vector<Token> lex(const SourceManager& sources, SourcePos file, Diagnostics& diagnostics);
// Those of a part of a file. A token that the part's end cuts is as long as the part has it.
std::vector<Token> lex(const SourceManager& sources, SourceRange part, Diagnostics& diagnostics);

// The bytes of a string literal as written, quotes included; escapes resolved (bad ones were reported by lex).
std::string stringBytes(std::string_view spelling);

// The fixed spelling of a word or of punctuation, else a word for the kind ("identifier").
std::string_view spelling(Tok kind);

// May this token stand where a name is wanted? Identifiers and the words that are reserved only in their place.
bool isName(Tok kind);
bool isTypeWord(Tok kind); // void to unsigned

// A line per token: "line:column kind text [value]".
std::string text(const std::vector<Token>& tokens, const SourceManager& sources);

} // namespace bsgp
