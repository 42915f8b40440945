// Reacts to a syntax error: chooses the message, if any, and the place to go on parsing. One slip gives one message.
#include "parse/foreign_library.h"
#include "parse/parser.h"

namespace bsgp {

namespace {

int levelChange(Tok kind) {
  switch (kind) {
  case Tok::LParen:
  case Tok::LBracket:
  case Tok::LBrace:
    return 1;
  case Tok::RParen:
  case Tok::RBracket:
  case Tok::RBrace:
    return -1;
  default:
    return 0;
  }
}

bool startsStatement(Tok kind) {
  switch (kind) {
  case Tok::If:
  case Tok::For:
  case Tok::While:
  case Tok::Do:
  case Tok::Switch:
  case Tok::Case:
  case Tok::Default:
  case Tok::Break:
  case Tok::Continue:
  case Tok::Return:
  case Tok::Spawn:
  case Tok::Barrier:
  case Tok::Require:
    return true;
  default:
    return false;
  }
}

} // namespace

// Decides whether the error about to be reported is reported at all, or a better one in its place.
bool Parser::mayReport() {
  if (panic_)
    return false;
  bool lexer_said_it = at(Tok::Error) || (at(Tok::End) && previous().kind == Tok::Error);
  if (lexer_said_it)
    return false;
  if (at(Tok::End) && !open_braces_.empty()) {
    reportUnclosedBrace();
    return false;
  }
  if (at(Tok::Include)) {
    diagnostics_.report(Diag::include_inside, peek().range);
    return false;
  }
  return !reportForeignWord();
}

// A word of another language near a syntax error is most likely its cause.
bool Parser::reportForeignWord() {
  for (size_t back = 0; back < 5; ++back) {
    size_t i = back == 4 ? statement_start_ : at_ - std::min(at_, back);
    if (i < statement_start_ || i + 1 >= tokens_.size() || tokens_[i].kind != Tok::Identifier)
      continue;
    Tok next = tokens_[i + 1].kind;
    bool word_follows = next == Tok::Identifier || (next >= Tok::If && next < Tok::LParen);
    bool thrown = i == statement_start_ && next >= Tok::IntLiteral && next <= Tok::StringLiteral; // throw 3;
    bool plausible =
        word_follows || thrown || next == Tok::Less || next == Tok::LBrace || next == Tok::LParen || next == Tok::Colon;
    const ForeignWord* foreign = plausible ? findForeignWord(spell(tokens_[i])) : nullptr;
    bool generic = foreign && foreign->use == ForeignWord::Generic && next != Tok::Less;
    if (!foreign || generic)
      continue;
    const Token& member = tokens_[std::min(i + 3, tokens_.size() - 1)];
    bool of_std = foreign->name == "std" && next == Tok::Colon &&
                  (member.kind == Tok::Identifier || (member.kind >= Tok::If && member.kind < Tok::LParen));
    if (of_std)
      diagnostics_.report(Diag::foreign_word, {tokens_[i].range.begin, member.range.end},
                          fmt::format("std::{}", spell(member)), helpForStd(spell(member)));
    else
      diagnostics_.report(Diag::foreign_word, tokens_[i].range, foreign->name, foreign->help);
    return true;
  }
  return false;
}

// The body is skipped with the head, because it uses the loop's variable, which is not declared.
ast::Stmt* Parser::rejectForeignLoop() {
  const ForeignWord* foreign = peek(1).kind == Tok::LParen ? findForeignWord(spell(peek())) : nullptr;
  size_t head = foreign && foreign->use == ForeignWord::Loop ? afterBalanced(1) : 0;
  if (head == 0 || peek(head).kind != Tok::LBrace)
    return nullptr;
  SourceRange range = peek().range;
  complain(Diag::foreign_word, range, foreign->name, foreign->help);
  at_ += head;
  skipBalanced();
  return newStmt(ast::Stmt::Empty, range);
}

// Reports a word that cannot be a name at a place for one.
void Parser::rejectName(std::string_view help) {
  incomplete_ |= open_braces_.empty();
  Tok kind = peek().kind;
  bool word = kind >= Tok::If && kind < Tok::LParen && !isName(kind);
  if (!word)
    return expectedHere("a name", help);
  if (isTypeWord(kind))
    return rejectTypeAsName(peek());
  error(Diag::reserved_word, peek().range, spell(peek()));
}

void Parser::rejectTypeAsName(const Token& name) {
  auto known = names_.find(spell(name));
  bool of_program = known != names_.end() && !known->second.is_builtin;
  error(of_program ? Diag::type_name_taken : Diag::builtin_type_name, name.range, spell(name));
}

// Makes a typeof of an error: its type is wrong, too, and nothing more is reported of it.
ast::TypeExpr* Parser::wrongType() {
  ast::TypeExpr* type = newType(ast::TypeExpr::TypeOf, previous().range);
  type->count = errorExpr();
  return type;
}

void Parser::declareWrongType(std::string_view name, SourceRange range) {
  names_[name] = {true, false, name};
  addItem(ast::TopLevel::Typedef, arena_.make<ast::Typedef>(name, range, wrongType()));
}

// Blames the block whose closing brace stood at another indentation than its line, else the innermost one.
void Parser::reportUnclosedBrace() {
  diagnostics_.report(Diag::unclosed_brace, suspect_brace_.valid() ? suspect_brace_ : open_braces_.back());
  unwinding_ = true;
  item_lost_ = true, ++faults_.all;
}

void Parser::expectedHere(std::string_view what, std::string_view help) {
  error(Diag::expected_token, peek().range, what, describe(peek()), help);
}

bool Parser::expect(Tok kind) {
  if (panic_)
    return false;
  if (at(kind)) {
    advance();
    return true;
  }
  expectedHere("'" + std::string(spelling(kind)) + "'");
  return false;
}

bool Parser::expectClose(Tok kind, const Token& open) {
  if (panic_)
    return false;
  if (at(kind)) {
    advance();
    return true;
  }
  ++faults_.all;
  bool said = mayReport();
  if (said) {
    diagnostics_.report(Diag::expected_token, peek().range, "'" + std::string(spelling(kind)) + "'", describe(peek()),
                        "");
    diagnostics_.report(Diag::opened_here, open.range, spelling(open.kind));
  }
  panic_ = true;
  return false;
}

// At the place for a body's {: true if the body follows without it. A head goes on to a { of its own.
bool Parser::atBodyWithoutBrace() const {
  if (panic_ || at(Tok::End) || at(Tok::RBrace) || at(Tok::Semicolon) || inFirstColumn(peek()))
    return false;
  if (startsStatement(peek().kind) || startsLine(peek()))
    return true;
  int level = 0;
  for (size_t i = at_; tokens_[i].kind != Tok::End && !startsLine(tokens_[i]); ++i) {
    Tok kind = tokens_[i].kind;
    level += levelChange(kind);
    if (level < 0 || (level == 1 && kind == Tok::LBrace))
      return kind == Tok::RBrace;
  }
  return false;
}

// Expects the { of a body: if it is missing but the body is there, this is reported, and parsing goes on behind it.
const Token* Parser::openBody() {
  if (atBodyWithoutBrace() && !at(Tok::LBrace)) {
    complain(Diag::expected_token, peek().range, "'{'", describe(peek()), "");
    return &previous();
  }
  const Token& open = peek();
  return expect(Tok::LBrace) ? &open : nullptr;
}

// True for code that is indented no further than the braces: it stands beside the function or struct that they belong
// to.
bool Parser::beginsNextItem(const Token& open) const {
  if (!startsLine(peek()) || indentOf(peek()) > indentOf(open))
    return false;
  if (atMisspeltHead())
    return false;
  bool type = inFirstColumn(peek()) && (at(Tok::Struct) || at(Tok::Enum)) && atName(1);
  return looksLikeFunctionDefinition() || (type && (peek(2).kind == Tok::LBrace || peek(2).kind == Tok::LParen));
}

// True at a } that would end a function, but is indented further than its head and stands among its lines.
bool Parser::atExtraBrace(const Token& open) const {
  if (open_braces_.size() != 1 || !at(Tok::RBrace) || (!startsLine(peek()) && previous().kind != Tok::RBrace))
    return false;
  const Token& next = peek(1);
  return indentOf(peek()) > indentOf(open) && next.kind != Tok::End && startsLine(next) && !inFirstColumn(next);
}

void Parser::closeBlock(const Token& open) {
  if (unwinding_)
    return;
  if (at(Tok::RBrace)) {
    bool odd = startsLine(peek()) && indentOf(peek()) < indentOf(open) && !suspect_brace_.valid();
    if (odd)
      suspect_brace_ = open.range;
    advance();
  } else if (at(Tok::End)) {
    if (previous().kind != Tok::Error)
      reportUnclosedBrace();
    unwinding_ = panic_ = true;
  }
}

bool Parser::rejectNestedFunction() {
  if (!at(Tok::LParen))
    return false;
  size_t after = afterBalanced(0);
  bool function = peek(after).kind == Tok::LBrace;
  if (!function)
    return false;
  complain(Diag::nested_function, previous().range, spell(previous()), "move it out, or look for a missing '}' above");
  at_ += after;
  skipBalanced();
  return true;
}

// A missing semicolon at the end of a line is taken as written, so that the next line is not lost.
void Parser::expectSemicolon() {
  if (panic_ || accept(Tok::Semicolon))
    return;
  SourcePos end = previous().range.end;
  bool goes_on = startsLine(peek()) || at(Tok::RBrace);
  error(Diag::expected_semicolon, {end, end + 1}, describe(previous()));
  if (goes_on && !at(Tok::Error))
    panic_ = false;
}

bool Parser::enterNesting() {
  if (nesting_ >= kMaxNesting) {
    error(Diag::nesting_too_deep, peek().range, kMaxNesting);
    leaveFunction();
    return false;
  }
  ++nesting_;
  return true;
}

// Goes past the end of the function or other braces around: more errors in it would repeat the same message.
void Parser::leaveFunction() {
  unwinding_ = !open_braces_.empty();
  for (size_t level = open_braces_.size(); level > 0 && !at(Tok::End);) {
    Tok kind = advance().kind;
    level += kind == Tok::LBrace;
    level -= kind == Tok::RBrace;
  }
}

// ---- skipping
// Counts only the kind of bracket it starts at, so that a stray one of another kind does no harm.
void Parser::skipBalanced() {
  Tok open = peek().kind;
  Tok close = open == Tok::LParen ? Tok::RParen : open == Tok::LBracket ? Tok::RBracket : Tok::RBrace;
  size_t level = 0;
  while (!at(Tok::End)) {
    Tok kind = advance().kind;
    level += kind == open;
    level -= kind == close;
    if (level == 0)
      return;
  }
}

// Skips a group in braces, and the ';' behind it if there is one.
bool Parser::skipBraces() {
  if (!at(Tok::LBrace))
    return false;
  skipBalanced();
  accept(Tok::Semicolon);
  return true;
}

bool Parser::skipToClose(Tok close) {
  int level = 0;
  while (!at(Tok::End)) {
    if (level == 0 && at(close)) {
      advance();
      return true;
    }
    bool ends = at(Tok::Semicolon) || at(Tok::RBrace) || (at(Tok::LBrace) && close != Tok::RBrace);
    if (ends && (level == 0 || close != Tok::RBrace))
      return false;
    level += levelChange(advance().kind);
    level = std::max(level, 0);
  }
  return false;
}

// 2}, 3};   the owner of its { is lost, and no block ends so.
bool Parser::atStrayBrace() const {
  Tok next = peek(1).kind;
  bool goes_on = next == Tok::Semicolon || next == Tok::Comma || next == Tok::RParen;
  return !in_lambda_ && at(Tok::RBrace) && goes_on && !startsLine(peek());
}

void Parser::syncStatement() {
  panic_ = false;
  size_t start = at_;
  while (!at(Tok::End) && (!at(Tok::RBrace) || atStrayBrace())) {
    if (at_ != start && startsStatement(peek().kind) && startsLine(peek()))
      return;
    if (skipBraces()) {
      if (at(Tok::Comma) || at(Tok::RParen)) // a lambda's: the statement goes on
        continue;
      return;
    }
    Tok kind = advance().kind;
    bool rest_of_line_lost = kind == Tok::Error && startsLine(peek()); // a string that is not closed
    if (kind == Tok::Semicolon || rest_of_line_lost)
      return;
  }
}

void Parser::syncTopLevel() {
  panic_ = false;
  size_t start = at_;
  while (!at(Tok::End) && !at(Tok::Include)) {
    bool new_item = at_ != start && !at(Tok::RBrace) && !at(Tok::LBrace) && inFirstColumn(peek());
    if (new_item)
      return;
    if (skipBraces())
      return;
    Tok kind = advance().kind;
    if (kind == Tok::Semicolon || kind == Tok::RBrace)
      return;
  }
}

// Each bracket is looked up often: a[a[a[0]]] asks at each a.
std::vector<uint32_t> Parser::partnersOf(const std::vector<Token>& tokens) {
  std::vector<uint32_t> past(tokens.size()), open;
  for (uint32_t i = 0; i < tokens.size(); ++i) {
    past[i] = i + 1;
    int change = levelChange(tokens[i].kind);
    if (change > 0)
      open.push_back(i);
    if (change >= 0 || open.empty())
      continue;
    past[open.back()] = i + 1;
    open.pop_back();
  }
  for (uint32_t unclosed : open)
    past[unclosed] = static_cast<uint32_t>(tokens.size() - 1);
  return past;
}

size_t Parser::afterBalanced(size_t ahead) const {
  size_t i = at_ + ahead;
  return (i < tokens_.size() - 1 ? past_partner_[i] : i) - at_;
}

} // namespace bsgp
