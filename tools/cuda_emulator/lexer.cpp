#include "lexer.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace bsgp::emulator {

namespace {
bool startsWord(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool continuesWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
}
} // namespace

void Lexer::fail(std::string_view message) const {
  std::string near = token_.kind == Token::End ? "the end" : "'" + std::string(token_.text) + "'";
  throw PtxError{token_.line, std::string(message) + " at " + near};
}

Token Lexer::take() {
  Token token = token_;
  last_line_ = token.line;
  advance();
  return token;
}

bool Lexer::accept(std::string_view what) {
  if (!token_.is(what))
    return false;
  take();
  return true;
}

void Lexer::expect(std::string_view what) {
  if (!accept(what))
    fail("expected '" + std::string(what) + "'");
}

std::string_view Lexer::word() {
  if (token_.kind != Token::Word)
    fail("expected a name");
  return take().text;
}

uint64_t Lexer::integer() {
  bool negative = accept("-");
  if (token_.kind != Token::Integer)
    fail("expected an integer");
  uint64_t value = take().value;
  return negative ? 0 - value : value;
}

void Lexer::skipLine() {
  while (token_.kind != Token::End && token_.line == last_line_)
    advance();
}

void Lexer::skipSpace() {
  for (;;) {
    char c = at(place_);
    if (c == '\n')
      ++line_;
    if (c == '/' && at(place_ + 1) == '/') {
      while (place_ < text_.size() && text_[place_] != '\n')
        ++place_;
    } else if (c == '/' && at(place_ + 1) == '*') {
      for (place_ += 2; place_ < text_.size() && !(text_[place_] == '*' && at(place_ + 1) == '/'); ++place_)
        line_ += text_[place_] == '\n';
      place_ += 2;
    } else if (c != '\0' && std::isspace(static_cast<unsigned char>(c))) {
      ++place_;
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skipSpace();
  token_ = {Token::End, {}, 0, line_};
  if (place_ >= text_.size() || text_[place_] == '\0')
    return;
  size_t begin = place_;
  char c = text_[place_];
  if (std::isdigit(static_cast<unsigned char>(c))) {
    lexNumber();
  } else if (startsWord(c)) {
    lexWord();
  } else if (c == '"') {
    size_t end = text_.find('"', place_ + 1);
    if (end == std::string_view::npos)
      throw PtxError{line_, "a string does not end"};
    token_.kind = Token::String;
    place_ = end + 1;
  } else {
    token_.kind = Token::Sign;
    ++place_;
  }
  token_.text = text_.substr(begin, place_ - begin);
}

// Modifiers such as L1::no_allocate belong to the word.
void Lexer::lexWord() {
  token_.kind = Token::Word;
  ++place_;
  for (;; ++place_) {
    if (continuesWord(at(place_)))
      continue;
    if (at(place_) == ':' && at(place_ + 1) == ':')
      ++place_;
    else
      return;
  }
}

void Lexer::lexNumber() {
  token_.kind = Token::Integer;
  char kind = static_cast<char>(std::tolower(static_cast<unsigned char>(at(place_ + 1))));
  if (at(place_) == '0' && (kind == 'f' || kind == 'd'))
    return lexReal(kind);
  int base = 10;
  size_t end = place_;
  while (std::isalnum(static_cast<unsigned char>(at(end))) ||
         (at(end) == '.' && std::isdigit(static_cast<unsigned char>(at(end + 1)))))
    ++end;
  std::string_view digits = text_.substr(place_, end - place_);
  place_ = end;
  if (digits.find('.') != std::string_view::npos) {
    token_.kind = Token::Double;
    token_.value = std::bit_cast<uint64_t>(std::strtod(std::string(digits).c_str(), nullptr));
    return;
  }
  if (digits.back() == 'U')
    digits.remove_suffix(1);
  if (digits.size() > 1 && digits[0] == '0') {
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), token_.value, base);
  if (error != std::errc() || stop != digits.data() + digits.size())
    throw PtxError{line_, "this is no number: " + std::string(digits)};
}

// 0f3F800000, 0d3FF0000000000000
void Lexer::lexReal(char kind) {
  token_.kind = kind == 'f' ? Token::Single : Token::Double;
  size_t digits = kind == 'f' ? 8 : 16;
  const char *begin = text_.data() + place_ + 2, *end = text_.data() + std::min(text_.size(), place_ + 2 + digits);
  auto [stop, error] = std::from_chars(begin, end, token_.value, 16);
  if (error != std::errc() || stop != begin + digits)
    throw PtxError{line_, "this is no floating-point number: " + std::string(text_.substr(place_, 2 + digits))};
  place_ += 2 + digits;
}

} // namespace bsgp::emulator
