// The names of the tokens, and their text form.
#include "lex/lex.h"

#include <fmt/format.h>

#include "lex/literals.h"

namespace bsgp {
namespace {

constexpr std::string_view kSpellings[] = {
    "end of file", "error", "identifier", "number", "number", "character", "string", "include",
#define WORD(kind, spelling) spelling,
#define CONTEXT(kind, spelling) spelling,
#define PUNCT(kind, spelling) spelling,
#include "lex/tokens.def"
};

std::string_view kindWord(Tok kind) {
  if (kind == Tok::IntLiteral || kind == Tok::FloatLiteral)
    return kind == Tok::IntLiteral ? "int" : "float";
  return kind < Tok::If ? spelling(kind) : kind < Tok::LParen ? "word" : "punctuation";
}

std::string valueText(const Token& token) {
  switch (token.kind) {
  case Tok::IntLiteral:
    return fmt::format(" = {}{}{}", token.integer, token.is_unsigned ? " unsigned" : "",
                       token.bits ? fmt::format(" {} bits", token.bits) : "");
  case Tok::FloatLiteral:
    return fmt::format(" = {}{}", token.floating, token.bits ? fmt::format(" {} bits", token.bits) : "");
  case Tok::CharLiteral:
    return fmt::format(" = {}", int64_t(token.integer));
  default:
    return "";
  }
}

} // namespace

std::string_view spelling(Tok kind) {
  return kSpellings[size_t(kind)];
}

bool isTypeWord(Tok kind) {
  return kind >= Tok::Void && kind <= Tok::Unsigned;
}

bool isName(Tok kind) {
  return kind == Tok::Identifier || (kind >= Tok::Null && kind <= Tok::Dlist);
}

std::string text(const std::vector<Token>& tokens, const SourceManager& sources) {
  std::string out;
  if (tokens.empty())
    return out;
  std::string_view file = sources.text(tokens.back().range.begin);
  SourcePos base = sources.begin(tokens.back().range.begin);
  for (const Token& token : tokens) {
    LineColumn at = sources.at(token.range.begin);
    out += fmt::format("{}:{} {}", at.line, at.column, kindWord(token.kind));
    if (token.kind != Tok::End)
      out += fmt::format(" {}", file.substr(token.range.begin - base, token.range.end - token.range.begin));
    out += valueText(token) + "\n";
  }
  return out;
}

} // namespace bsgp
