// sizeof, new and delete, and their forms of other languages.
#include <fmt/format.h>

#include "parse/parser.h"

namespace bsgp {

using ast::Expr;

Expr* Parser::parseSizeof() {
  SourcePos begin = advance().range.begin;
  const Token& open = peek();
  bool type = at(Tok::LParen) && startsType(1);
  Expr* expr = newExpr(type ? Expr::SizeofType : Expr::SizeofExpr, previous().range);
  if (type) {
    advance();
    expr->type = parseTypeName(true);
    expectClose(Tok::RParen, open);
  } else {
    expr->a = parseUnary();
  }
  expr->range = rangeFrom(begin);
  return expr;
}

// new T   new[n]T   dnew[n]T   dtempnew[n]T   dnew[h, w]T   dnew[d, h, w]T
Expr* Parser::parseNew() {
  const Token& word = advance();
  Expr* expr = newExpr(Expr::New, word.range);
  expr->alloc = word.kind == Tok::New ? Expr::Host : word.kind == Tok::Dnew ? Expr::Device : Expr::DeviceTemp;
  if (at(Tok::LParen) || at(Tok::Less))
    return rejectNewCall(word, expr);
  if (at(Tok::LBracket)) {
    const Token& open = advance();
    expr->a = parseAssign();
    expr->args = parseFurtherExtents();
    expectClose(Tok::RBracket, open);
  }
  std::string inside = !panic_ && at(Tok::LBracket) ? extentsApart(expr) : "";
  if (!panic_ && rejectBytes(word, expr->a)) {
    expr->type = wrongType();
    return expr;
  }
  expr->type = panic_ ? wrongType() : parseTypeName(false);
  if (!inside.empty() && !panic_)
    complain(Diag::extents_apart, expr->args[0]->range, spell(word), inside, spellRange(expr->type->range));
  if (!panic_)
    rejectNewForm(word, *expr);
  expr->range = rangeFrom(word.range.begin);
  return expr;
}

namespace {

// n * sizeof(T): the size of one element and how many there are; as C's malloc is given them.
struct Bytes {
  const Expr* count;
  const ast::TypeExpr* type; // null: the size says none
};

Bytes bytesOf(const Expr* size) {
  if (size->kind == Expr::Binary && size->binary == ast::BinaryOp::Mul)
    for (auto [count, one] : {std::pair(size->a, size->b), std::pair(size->b, size->a)})
      if (one->kind == Expr::SizeofType)
        return {count, one->type};
  return {size, nullptr};
}

} // namespace

// dnew(10), dnew(int, 10), dnew(10, int), dnew(n * sizeof(int)), dnew<int>(10), new(10)
Expr* Parser::rejectNewCall(const Token& word, Expr* made) {
  made->type = wrongType();
  std::string_view type;
  auto takeType = [&](Tok end) {
    SourcePos begin = advance().range.end;
    while (!at(end) && !at(Tok::RParen) && !at(Tok::Semicolon) && !at(Tok::End))
      advance();
    while (begin < peek().range.begin && spellRange({begin, begin + 1}) == " ")
      ++begin;
    type = spellRange({begin, peek().range.begin});
  };
  if (at(Tok::Less))
    takeType(Tok::Greater), accept(Tok::Greater);
  else if (startsType(1) && !(isTypeName(1) && peek(2).kind == Tok::LParen))
    takeType(Tok::Comma);
  const Expr* size = nullptr;
  if (at(Tok::LParen) || at(Tok::Comma)) {
    advance();
    size = at(Tok::RParen) ? nullptr : parseAssign();
    if (!panic_ && type.empty() && at(Tok::Comma) && startsType(1))
      takeType(Tok::RParen);
  }
  if (panic_)
    return made;
  while (!at(Tok::RParen) && !at(Tok::Semicolon) && !at(Tok::End))
    advance();
  accept(Tok::RParen);
  SourcePos end = previous().range.end;
  Bytes bytes = size ? bytesOf(size) : Bytes{nullptr, nullptr};
  if (bytes.type)
    type = spellRange(bytes.type->range);
  complain(Diag::foreign_word, {word.range.begin, end}, spellRange({word.range.begin, end}),
           fmt::format("write {}[{}]{}", spell(word), bytes.count ? spellRange(bytes.count->range) : "n",
                       type.empty() ? "T, with the type of an element in place of T" : type));
  return made;
}

// dnew[n * sizeof(int)], with no type behind it.
bool Parser::rejectBytes(const Token& word, const Expr* count) {
  bool ends = at(Tok::Semicolon) || at(Tok::Comma) || at(Tok::RParen);
  if (!ends || !count)
    return false;
  Bytes bytes = bytesOf(count);
  complain(Diag::expected_token, peek().range, "a type", describe(peek()),
           fmt::format("write {}[{}]{}", spell(word), spellRange(bytes.count->range),
                       bytes.type ? spellRange(bytes.type->range) : "T, with the type of an element in place of T"));
  return true;
}

// dnew[h][w]T: taken as dnew[h, w]T.
std::string Parser::extentsApart(Expr* made) {
  std::vector<Expr*> extents(made->args.begin(), made->args.end());
  std::string inside(spellRange(made->a->range));
  while (!panic_ && at(Tok::LBracket)) {
    const Token& open = advance();
    extents.push_back(parseAssign());
    expectClose(Tok::RBracket, open);
  }
  for (const Expr* extent : extents)
    inside += ", " + std::string(spellRange(extent->range));
  made->args = keep(extents).first(std::min(extents.size(), ast::kMostExtents - 1));
  return inside;
}

// new int[10], new int<10>, new int(5): taken as meant.
void Parser::rejectNewForm(const Token& word, const Expr& made) {
  const ast::TypeExpr* type = made.type;
  bool count = at(Tok::LBracket) || (at(Tok::Less) && peek(2).kind == Tok::Greater);
  if (count) {
    SourcePos begin = peek().range.begin;
    std::string inside;
    while (at(Tok::LBracket) || at(Tok::Less)) {
      SourcePos first = advance().range.end;
      while (!at(Tok::RBracket) && !at(Tok::Greater) && !at(Tok::Semicolon) && !at(Tok::End))
        advance();
      inside += (inside.empty() ? "" : ", ") + std::string(spellRange({first, peek().range.begin}));
      if (!accept(Tok::RBracket) && !accept(Tok::Greater))
        break;
    }
    inside = inside.empty() ? "n" : inside;
    complain(Diag::new_count_after_type, rangeFrom(begin), spell(word), inside, spellRange(type->range));
  } else if (at(Tok::LParen) && made.a) { // dnew[10]int()
    complain(Diag::expected_token, peek().range, "';'", describe(peek()),
             fmt::format("leave the parentheses out: {}", spellRange(rangeFrom(word.range.begin))));
    skipBalanced();
  } else if (at(Tok::LParen)) {
    complain(Diag::new_with_value, peek().range, spell(word), spellRange(type->range));
    skipBalanced();
  }
}

Expr* Parser::parseDelete() {
  const Token& word = advance();
  Expr* expr = newExpr(Expr::Delete, word.range);
  expr->alloc = word.kind == Tok::Delete ? Expr::Host : Expr::Device;
  if (at(Tok::LBracket) && peek(1).kind == Tok::RBracket)
    error(Diag::foreign_word, peek().range, "delete[]", "write delete p, for arrays too");
  expr->a = parseUnary();
  expr->range.end = std::max(word.range.end, expr->a->range.end);
  return expr;
}

} // namespace bsgp
