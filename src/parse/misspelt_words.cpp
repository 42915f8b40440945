// Misspelt words at the start of a statement: spwan (n) {...}. The tokens behind it tell which words can be meant,
// and that it is no call. The token becomes the word meant, so that none of the following is a second error.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "parse/parser.h"
#include "support/nearest_word.h"

namespace bsgp {

namespace {

constexpr Tok kHeads[] = {Tok::If, Tok::While, Tok::Switch, Tok::Spawn};
constexpr Tok kLoop[] = {Tok::For};
constexpr Tok kBraces[] = {Tok::Require, Tok::Par, Tok::Do, Tok::Else, Tok::Return};
constexpr Tok kElse[] = {Tok::Else};
constexpr Tok kBarrier[] = {Tok::Barrier};
constexpr Tok kReturn[] = {Tok::Return};
constexpr Tok kCase[] = {Tok::Case, Tok::Return}; // case 1:   return 1;
constexpr Tok kDefault[] = {Tok::Default};
constexpr Tok kAll[] = {Tok::If, Tok::While, Tok::Switch,  Tok::Spawn,  Tok::For,  Tok::Require, Tok::Par,
                        Tok::Do, Tok::Else,  Tok::Barrier, Tok::Return, Tok::Case, Tok::Default};

std::optional<Tok> nearest(std::string_view word, std::span<const Tok> words) {
  std::vector<std::string_view> known;
  std::transform(words.begin(), words.end(), std::back_inserter(known), [](Tok kind) { return spelling(kind); });
  std::string_view near = nearestOf(word, known);
  if (near.empty())
    return std::nullopt;
  return words[size_t(std::find(known.begin(), known.end(), near) - known.begin())];
}

// Behind a name a value begins that is no argument, operand or index of it: retrun 0;
bool beginsValue(Tok kind) {
  return (kind >= Tok::IntLiteral && kind <= Tok::StringLiteral) || kind == Tok::Identifier || kind == Tok::True ||
         kind == Tok::False || kind == Tok::Null || kind == Tok::Nullptr || kind == Tok::Thread || kind == Tok::Block ||
         kind == Tok::Warp || isTypeWord(kind) || kind == Tok::Not || kind == Tok::Tilde || kind == Tok::Sizeof;
}

} // namespace

// The words of which one could stand at an identifier, by what follows it; empty: it may well be a name.
std::span<const Tok> Parser::wordsThatFit() const {
  if (peek(1).kind == Tok::LBrace)
    return kBraces;
  if (peek(1).kind == Tok::If)
    return kElse;
  if (peek(1).kind == Tok::Colon)
    return kDefault;
  if (beginsValue(peek(1).kind))
    return peek(2).kind == Tok::Colon ? std::span<const Tok>(kCase) : kReturn;
  if (peek(1).kind != Tok::LParen)
    return {};
  constexpr size_t kLongestHead = 1000; // in tokens
  size_t after = 2;
  bool of_loop = false;
  for (unsigned level = 1; level > 0 && after < kLongestHead; ++after) {
    level += peek(after).kind == Tok::LParen;
    level -= peek(after).kind == Tok::RParen;
    of_loop |= peek(after).kind == Tok::Semicolon;
  }
  if (after == 4 && spell(peek(2)) == "RANK_REASSIGNED")
    return kBarrier;
  const Token& body = peek(after);
  bool word = body.kind >= Tok::If && body.kind < Tok::LParen;
  bool further_in = !startsLine(body) || (startsLine(peek()) && indentOf(body) > indentOf(peek()));
  bool has_body = body.kind == Tok::LBrace || (further_in && (word || body.kind == Tok::Identifier));
  if (!has_body)
    return {};
  return of_loop ? std::span<const Tok>(kLoop) : kHeads;
}

// retrun x; may be a declaration, of a type whose name is as near.
bool Parser::mayDeclare(Tok meant) const {
  if (meant != Tok::Return || (peek(1).kind != Tok::Identifier && !isTypeWord(peek(1).kind)))
    return false;
  std::vector<std::string_view> known{spelling(meant)};
  for (const auto& [word, what] : names_)
    if (what.is_type)
      known.push_back(word);
  return nearestOf(spell(peek()), known) != spelling(meant);
}

// The word that is meant by a name which stands where a statement begins.
std::optional<Tok> Parser::misspeltWord() const {
  if (in_library_ || !at(Tok::Identifier) || isTypeName(0) || findForeignWord(spell(peek())))
    return std::nullopt;
  std::optional<Tok> meant = nearest(spell(peek()), kAll);
  if (meant) // else what follows need not be looked at
    meant = nearest(spell(peek()), wordsThatFit());
  return meant && !mayDeclare(*meant) ? meant : std::nullopt;
}

// whlie (x > 0) {...}: no function begins here, since nothing in the parentheses looks like parameters.
bool Parser::atMisspeltHead() const {
  if (peek(1).kind != Tok::LParen || peek(2).kind == Tok::RParen)
    return false;
  std::optional<Tok> meant = misspeltWord();
  bool parameters = startsType(2) || (atName(2) && peek(3).kind == Tok::Comma);
  return meant && (*meant == Tok::For || !parameters);
}

bool Parser::mendMisspeltWord() {
  std::optional<Tok> meant = misspeltWord();
  if (!meant)
    return false;
  complain(Diag::misspelt_word, peek().range, spell(peek()), spelling(*meant));
  tokens_[at_].kind = *meant;
  return true;
}

// siezof(int), nwe int, dnwe[3]int: a type stands behind it, in its line.
bool Parser::mendMisspeltOperator() {
  constexpr Tok kSize[] = {Tok::Sizeof};
  constexpr Tok kMemory[] = {Tok::New, Tok::Dnew, Tok::Dtempnew};
  bool call = peek(1).kind == Tok::LParen;
  size_t type = call ? 2 : peek(1).kind == Tok::LBracket ? afterBalanced(1) : 1;
  bool named = startsType(type) && !startsLine(peek(type)) &&
               (!call || peek(3).kind == Tok::RParen || peek(3).kind == Tok::Star);
  std::optional<Tok> meant =
      named ? nearest(spell(peek()), call ? std::span<const Tok>(kSize) : kMemory) : std::nullopt;
  if (!meant)
    return false;
  complain(Diag::misspelt_word, peek().range, spell(peek()), spelling(*meant));
  tokens_[at_].kind = *meant;
  return true;
}

// unrol for (...), wavefrnt while (...)
bool Parser::mendWordOfLoop(std::string_view word) {
  if (!atLoop(1) || startsLine(peek(1)) || nearestOf(spell(peek()), {word}).empty())
    return false;
  complain(Diag::misspelt_word, peek().range, spell(peek()), word);
  return true;
}

// Behind the body of a do.
void Parser::mendWhile() {
  constexpr Tok kWhile[] = {Tok::While};
  if (!at(Tok::Identifier) || peek(1).kind != Tok::LParen || !nearest(spell(peek()), kWhile))
    return;
  complain(Diag::misspelt_word, peek().range, spell(peek()), spelling(Tok::While));
  tokens_[at_].kind = Tok::While;
}

} // namespace bsgp
