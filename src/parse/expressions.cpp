// Expressions, by C's precedence. Chains of one kind (a + b + c, p.x.y, f()()[i]) are loops, not recursion.
#include <fmt/format.h>

#include "parse/parser.h"

namespace bsgp {

using ast::BinaryOp;
using ast::Expr;
using ast::UnaryOp;

namespace {

struct BinaryInfo {
  int precedence = 0; // 0: no binary operator
  BinaryOp op{};
};

BinaryInfo binaryInfo(Tok kind) {
  switch (kind) {
  case Tok::Star:
    return {10, BinaryOp::Mul};
  case Tok::Slash:
    return {10, BinaryOp::Div};
  case Tok::Percent:
    return {10, BinaryOp::Rem};
  case Tok::Plus:
    return {9, BinaryOp::Add};
  case Tok::Minus:
    return {9, BinaryOp::Sub};
  case Tok::Shl:
    return {8, BinaryOp::Shl};
  case Tok::Shr:
    return {8, BinaryOp::Shr};
  case Tok::Less:
    return {7, BinaryOp::Lt};
  case Tok::Greater:
    return {7, BinaryOp::Gt};
  case Tok::LessEqual:
    return {7, BinaryOp::Le};
  case Tok::GreaterEqual:
    return {7, BinaryOp::Ge};
  case Tok::EqualEqual:
    return {6, BinaryOp::Eq};
  case Tok::NotEqual:
    return {6, BinaryOp::Ne};
  case Tok::Amp:
    return {5, BinaryOp::BitAnd};
  case Tok::Caret:
    return {4, BinaryOp::BitXor};
  case Tok::Pipe:
    return {3, BinaryOp::BitOr};
  case Tok::AmpAmp:
    return {2, BinaryOp::LogicalAnd};
  case Tok::PipePipe:
    return {1, BinaryOp::LogicalOr};
  default:
    return {};
  }
}

// The operator of `op=`; false for other tokens, and for = itself.
bool compoundOp(Tok kind, BinaryOp& op) {
  switch (kind) {
  case Tok::StarEqual:
    op = BinaryOp::Mul;
    return true;
  case Tok::SlashEqual:
    op = BinaryOp::Div;
    return true;
  case Tok::PercentEqual:
    op = BinaryOp::Rem;
    return true;
  case Tok::PlusEqual:
    op = BinaryOp::Add;
    return true;
  case Tok::MinusEqual:
    op = BinaryOp::Sub;
    return true;
  case Tok::ShlEqual:
    op = BinaryOp::Shl;
    return true;
  case Tok::ShrEqual:
    op = BinaryOp::Shr;
    return true;
  case Tok::AmpEqual:
    op = BinaryOp::BitAnd;
    return true;
  case Tok::CaretEqual:
    op = BinaryOp::BitXor;
    return true;
  case Tok::PipeEqual:
    op = BinaryOp::BitOr;
    return true;
  default:
    return false;
  }
}

bool prefixOp(Tok kind, UnaryOp& op) {
  switch (kind) {
  case Tok::Plus:
    op = UnaryOp::Plus;
    return true;
  case Tok::Minus:
    op = UnaryOp::Neg;
    return true;
  case Tok::Not:
    op = UnaryOp::Not;
    return true;
  case Tok::Tilde:
    op = UnaryOp::BitNot;
    return true;
  case Tok::Star:
    op = UnaryOp::Deref;
    return true;
  case Tok::Amp:
    op = UnaryOp::AddrOf;
    return true;
  case Tok::PlusPlus:
    op = UnaryOp::PreInc;
    return true;
  case Tok::MinusMinus:
    op = UnaryOp::PreDec;
    return true;
  default:
    return false;
  }
}

bool isWord(Tok kind) {
  return kind == Tok::Identifier || (kind >= Tok::If && kind < Tok::LParen);
}

} // namespace

// ---- operators
Expr* Parser::parseExpr() {
  Expr* left = parseAssign();
  while (accept(Tok::Comma)) {
    Expr* right = parseAssign();
    Expr* both = newExpr(Expr::Binary, {left->range.begin, right->range.end});
    both->binary = BinaryOp::Comma;
    both->a = left;
    both->b = right;
    left = both;
  }
  return left;
}

Expr* Parser::parseAssign() {
  Expr* left = parseConditional();
  BinaryOp op{};
  bool compound = compoundOp(peek().kind, op);
  if (panic_ || !(compound || at(Tok::Equal)) || !enterNesting())
    return left;
  advance();
  Expr* right = parseAssignOrList();
  leaveNesting();
  Expr* assign = newExpr(Expr::Assign, {left->range.begin, right->range.end});
  assign->has_op = compound;
  assign->binary = op;
  assign->a = left;
  assign->b = right;
  return assign;
}

Expr* Parser::parseConditional() {
  Expr* condition = parseBinary(1);
  if (panic_ || !at(Tok::Question) || !enterNesting())
    return condition;
  SourcePos question = advance().range.begin;
  Expr* expr = newExpr(Expr::Conditional, condition->range);
  expr->a = condition;
  bool elvis = at(Tok::Colon); // GNU C's a ?: b
  SourceRange both{question, peek().range.end};
  expr->b = elvis ? condition : parseExpr();
  expr->c = expect(Tok::Colon) ? parseConditional() : errorExpr();
  leaveNesting();
  expr->range.end = expr->c->range.end;
  if (elvis && !panic_)
    complain(Diag::foreign_word, both,
             "?:", fmt::format("write {0} ? {0} : {1}", spellRange(condition->range), spellRange(expr->c->range)));
  return expr;
}

Expr* Parser::parseBinary(int min_precedence) {
  Expr* left = parseUnary();
  while (!panic_) {
    BinaryInfo info = binaryInfo(peek().kind);
    if (info.precedence == 0 || info.precedence < min_precedence)
      break;
    if (info.op == BinaryOp::Shl && rejectLaunch(left))
      break;
    advance();
    Expr* right = parseBinary(info.precedence + 1);
    Expr* binary = newExpr(Expr::Binary, {left->range.begin, right->range.end});
    binary->binary = info.op;
    binary->a = left;
    binary->b = right;
    left = binary;
  }
  return left;
}

// kernel<<<blocks, threads>>>(...)
bool Parser::rejectLaunch(const Expr* left) {
  bool launch = left->kind == Expr::Name && peek(1).kind == Tok::Less && peek(1).range.begin == peek().range.end;
  if (launch)
    error(Diag::foreign_word, {peek().range.begin, peek(1).range.end}, "<<<...>>>",
          "write spawn (n) {...}: what stands in it runs in n threads");
  return launch;
}

// An expression where a comma would be another dimension. In parentheses of its own it is C's operator.
Expr* Parser::parseOneNumber(const char* what, DimensionHelp help) {
  Expr* first = parseAssign();
  if (panic_ || !at(Tok::Comma))
    return first;
  SourceRange comma = peek().range;
  std::span<Expr*> further = parseFurtherExtents();
  auto factor = [&](const Expr* e) {
    std::string text(spellRange(e->range));
    bool sum = e->kind == Expr::Binary || e->kind == Expr::Conditional;
    return sum && text.front() != '(' ? "(" + text + ")" : text;
  };
  complain(Diag::one_dimension, comma, what, help(factor(first), factor(further.front())));
  return first;
}

std::span<Expr*> Parser::parseFurtherExtents() {
  std::vector<Expr*> further;
  while (!panic_ && accept(Tok::Comma)) {
    further.push_back(parseAssign());
    if (further.size() == ast::kMostExtents)
      rejectFurtherExtents(further.back()->range);
  }
  further.resize(std::min(further.size(), ast::kMostExtents - 1));
  return keep(further);
}

Expr* Parser::parseUnary() {
  if (panic_ || !enterNesting())
    return errorExpr();
  Expr* expr = parsePrefix();
  leaveNesting();
  return expr;
}

Expr* Parser::parsePrefix() {
  UnaryOp op{};
  if (!prefixOp(peek().kind, op)) {
    bool constructs = isTypeName(1) && peek(2).kind == Tok::LParen && !atGenericType(1);
    bool cast =
        at(Tok::LParen) && startsType(1) && !constructs && !(isTypeWord(peek(1).kind) && peek(2).kind == Tok::LParen);
    return cast ? parseCast() : parsePostfix();
  }
  const Token& token = advance();
  Expr* expr = newExpr(Expr::Unary, token.range);
  expr->unary = op;
  expr->a = parseUnary();
  expr->range.end = expr->a->range.end;
  return expr;
}

Expr* Parser::parseCast() {
  const Token& open = advance();
  Expr* expr = newExpr(Expr::Cast, open.range);
  expr->type = parseTypeName(false);
  expectClose(Tok::RParen, open);
  if (!panic_ && at(Tok::LBrace))
    expectedHere("an expression", "write T(a, b) to make a T");
  expr->a = parseUnary();
  expr->range.end = std::max(open.range.end, expr->a->range.end);
  return expr;
}

// ---- postfix
Expr* Parser::parsePostfix() {
  return parsePostfixOf(parsePrimary());
}

// At a line's start, behind a line without its ';':   (void)x;   ++x;
bool Parser::beginsStatement() const {
  bool cast = at(Tok::LParen) && startsType(1) && peek(2).kind == Tok::RParen;
  bool counts = (at(Tok::PlusPlus) || at(Tok::MinusMinus)) && atName(1);
  return cast || counts;
}

Expr* Parser::parsePostfixOf(Expr* left) {
  while (!panic_) {
    Expr* expr = nullptr;
    SourceRange range = left->range;
    const Token& token = peek();
    if (beginsStatement() && startsLine(token))
      return left;
    switch (token.kind) {
    case Tok::LParen:
      expr = newExpr(Expr::Call, range);
      expr->args = parseArguments();
      break;
    case Tok::LBracket:
      advance();
      expr = newExpr(Expr::Index, range);
      expr->b = parseAssign();
      expr->args = parseFurtherExtents();
      expectClose(Tok::RBracket, token);
      break;
    case Tok::Dot:
    case Tok::Arrow:
      advance();
      expr = newExpr(token.kind == Tok::Dot ? Expr::Member : Expr::Arrow, range);
      expr->name = parseMemberName();
      break;
    case Tok::PlusPlus:
    case Tok::MinusMinus:
      expr = newExpr(Expr::Unary, range);
      expr->unary = token.kind == Tok::PlusPlus ? UnaryOp::PostInc : UnaryOp::PostDec;
      advance();
      break;
    case Tok::Less:
      if (left->kind == Expr::Name && rejectTypeArguments(left->name, true))
        continue;
      return left;
    default:
      return left;
    }
    expr->a = left;
    expr->range.end = previous().range.end;
    left = expr;
  }
  return left;
}

// After a dot the reserved words are names like others.
std::string_view Parser::parseMemberName() {
  if (isWord(peek().kind))
    return spell(advance());
  expectedHere("a name");
  return {};
}

std::span<Expr*> Parser::parseArguments() {
  const Token& open = advance();
  std::vector<Expr*> args;
  while (!at(Tok::RParen) && !panic_) {
    args.push_back(parseArgument());
    if (!accept(Tok::Comma))
      break;
    if (at(Tok::RParen))
      missingExpression();
  }
  expectClose(Tok::RParen, open);
  return keep(args);
}

// reduce(+, x): an operator alone is an argument too.
Expr* Parser::parseArgument() {
  BinaryInfo info = binaryInfo(peek().kind);
  Tok next = peek(1).kind;
  if (info.precedence == 0 || !(next == Tok::Comma || next == Tok::RParen))
    return parseAssignOrList(); // a list is refused later: what its type is nothing says
  Expr* expr = newExpr(Expr::OperatorRef, advance().range);
  expr->binary = info.op;
  return expr;
}

// ---- primary
Expr* Parser::parsePrimary() {
  switch (peek().kind) {
  case Tok::IntLiteral:
  case Tok::FloatLiteral:
  case Tok::CharLiteral:
  case Tok::True:
  case Tok::False:
  case Tok::Nullptr:
    return parseLiteral();
  case Tok::Null:
    return names_.count("NULL") ? parseName() : parseLiteral();
  case Tok::StringLiteral:
    return parseString();
  case Tok::LParen:
    return parseParenthesized();
  case Tok::Sizeof:
    return parseSizeof();
  case Tok::New:
  case Tok::Dnew:
  case Tok::Dtempnew:
    return parseNew();
  case Tok::Delete:
  case Tok::Dfree:
    return parseDelete();
  case Tok::Thread:
  case Tok::Block:
  case Tok::Warp:
    if (peek(1).kind == Tok::Dot && !names_.count(spell(peek())))
      return parseIntrinsic(at(Tok::Thread) ? Expr::Thread : at(Tok::Block) ? Expr::Block : Expr::Warp);
    return parseName();
  case Tok::Dlist:
  case Tok::Typeof:
    return startsType() ? parseConstruct() : parseName();
  case Tok::LBracket:
    return atLambda() ? parseLambda() : missingExpression();
  case Tok::Identifier:
    skipQualifier();
    skipEnumName();
    if (panic_)
      return errorExpr();
    return isTypeName(0) ? parseConstruct() : mendMisspeltOperator() ? parsePrimary() : parseName();
  case Tok::Par:
  case Tok::Host:
  case Tok::Device:
  case Tok::Shared:
    return parseName();
  default:
    bool type = isTypeWord(peek().kind);
    return type ? parseConstruct() : missingExpression();
  }
}

Expr* Parser::missingExpression() {
  const char* help = peek().kind >= Tok::If && peek().kind < Tok::Null ? "this word is reserved" : "";
  error(Diag::expected_expression, peek().range, describe(peek()), help);
  return errorExpr();
}

Expr* Parser::parseName() {
  const Token& token = advance();
  Expr* expr = newExpr(Expr::Name, token.range);
  expr->name = spell(token);
  return expr;
}

Expr* Parser::parseIntrinsic(Expr::Kind kind) {
  Expr* expr = newExpr(kind, advance().range);
  advance();
  expr->name = parseMemberName();
  expr->range.end = previous().range.end;
  return expr;
}

Expr* Parser::parseLiteral() {
  const Token& token = advance();
  Expr* expr = newExpr(Expr::IntLit, token.range);
  switch (token.kind) {
  case Tok::FloatLiteral:
    expr->kind = Expr::FloatLit;
    expr->floating = token.floating;
    expr->literal_bits = token.bits;
    return expr;
  case Tok::CharLiteral:
    expr->kind = Expr::CharLit;
    break;
  case Tok::True:
  case Tok::False:
    expr->kind = Expr::BoolLit;
    expr->integer = token.kind == Tok::True;
    return expr;
  case Tok::Null:
  case Tok::Nullptr:
    expr->kind = Expr::Null;
    return expr;
  default:
    expr->literal_bits = token.bits;
    expr->literal_unsigned = token.is_unsigned;
    break;
  }
  expr->integer = token.integer;
  return expr;
}

Expr* Parser::parseString() {
  Expr* expr = newExpr(Expr::StringLit, peek().range);
  std::string bytes;
  while (at(Tok::StringLiteral))
    bytes += stringBytes(spell(advance()));
  expr->name = arena_.copy(bytes);
  expr->range.end = previous().range.end;
  return expr;
}

Expr* Parser::parseParenthesized() {
  const Token& open = advance();
  Expr* expr = parseExpr();
  expectClose(Tok::RParen, open);
  if (!panic_)
    expr->range = rangeFrom(open.range.begin);
  return expr;
}

// T(a, b); the type is one word or name, or dlist(T), or typeof(x).
Expr* Parser::parseConstruct() {
  SourcePos begin = peek().range.begin;
  Expr* expr = newExpr(Expr::Construct, peek().range);
  constructing_ = true;
  Specifiers specifiers = parseSpecifiers();
  constructing_ = false;
  expr->type = specifiers.base ? specifiers.base : wrongType();
  bool word_alone = !panic_ && previous().range.begin == begin && !at(Tok::Less) && !at(Tok::Greater) && !atName();
  if (!panic_ && at(Tok::LBrace))
    rejectBraces(spellRange(rangeFrom(begin)));
  else if (word_alone && !at(Tok::LParen))
    rejectTypeAsName(previous()); // y = half + 1
  else if (!panic_ && !at(Tok::LParen))
    expectedHere("'(' after the type");
  if (!panic_ && at(Tok::LParen))
    expr->args = parseArguments();
  expr->range = rangeFrom(begin);
  return expr;
}

// P{1, 2}, as in C++; { .x = 1 } has names, which are left out.
void Parser::rejectBraces(std::string_view type) {
  size_t end = afterBalanced(0);
  bool named = peek(1).kind == Tok::Dot;
  std::string_view values = end == 2 || named ? "" : spellRange({peek(1).range.begin, peek(end - 2).range.end});
  complain(Diag::expected_token, peek().range, "'('", describe(peek()),
           fmt::format("a value of a type is made in parentheses: {}({})", type, named ? "a, b" : values));
  skipBalanced();
}

} // namespace bsgp
