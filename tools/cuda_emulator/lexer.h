// Words, numbers and signs of PTX text.
#pragma once

#include <string_view>

#include "ptx.h"

namespace bsgp::emulator {

struct Token {
  enum Kind { End, Word, Integer, Single, Double, String, Sign } kind = End;
  std::string_view text;
  uint64_t value = 0; // of numbers: the bits
  unsigned line = 1;

  bool is(std::string_view what) const { return (kind == Sign || kind == Word) && text == what; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return token_; }
  Token take();
  bool accept(std::string_view what); // takes it if it comes next
  void expect(std::string_view what); // or throws
  std::string_view word();            // takes a word or throws
  uint64_t integer();                 // takes an integer, with its sign, or throws
  void skipLine();                    // what remains of the line of the last token taken
  [[noreturn]] void fail(std::string_view message) const;

private:
  void advance();
  void skipSpace();
  void lexNumber();
  void lexReal(char kind);
  void lexWord();
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  size_t place_ = 0;
  unsigned line_ = 1, last_line_ = 1;
  Token token_;
};

} // namespace bsgp::emulator
