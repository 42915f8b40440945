// Types of lists and views: dlist(int), int<>, int[,]; what comes close to them, said with what to write.
#include "parse/parser.h"

namespace bsgp {

using ast::TypeExpr;

bool Parser::atDListWithoutParentheses(size_t ahead) const {
  if (peek(ahead).kind != Tok::Dlist || names_.count("dlist"))
    return false;
  Tok next = peek(ahead + 1).kind;
  bool of_type = isTypeWord(next) || next == Tok::Const || next == Tok::Struct;
  if (next == Tok::Less)
    of_type = isTypeWord(peek(ahead + 2).kind) || isTypeName(ahead + 2);
  return next == Tok::Identifier || of_type;
}

// dlist l, dlist<int> l, dlist int l: the last two say a type, which is taken.
TypeExpr* Parser::rejectDList() {
  SourcePos begin = advance().range.begin;
  TypeExpr* type = newType(TypeExpr::DList, previous().range);
  bool angles = accept(Tok::Less);
  if (angles || startsType()) {
    SourcePos inner = peek().range.begin;
    type->inner = parseTypeName(false);
    std::string_view written = spellRange(rangeFrom(inner));
    if (angles)
      accept(Tok::Greater);
    type->range = rangeFrom(begin);
    complain(Diag::dlist_of_what, type->range, written, atName() ? " " + std::string(spell(peek())) : "");
    return type;
  }
  type->inner = wrongType();
  complain(Diag::dlist_of_what, type->range, "int", " " + std::string(spell(peek())));
  return type;
}

TypeExpr* Parser::parseDListType() {
  SourcePos begin = advance().range.begin;
  const Token& open = advance();
  TypeExpr* type = newType(TypeExpr::DList, previous().range);
  if (enterNesting()) {
    type->inner = parseTypeName(false);
    leaveNesting();
  }
  expectClose(Tok::RParen, open);
  type->range = rangeFrom(begin);
  return type;
}

// int<>, int[,], int[,,], and those of each other.
TypeExpr* Parser::parseTypeSuffixes(TypeExpr* type) {
  for (unsigned depth = 0; !panic_; ++depth) {
    bool list = at(Tok::Less) && peek(1).kind == Tok::Greater;
    if (!list && !atViewSuffix())
      break;
    if (depth == kMaxTypeDepth) {
      error(Diag::nesting_too_deep, peek().range, kMaxTypeDepth);
      break;
    }
    TypeExpr* outer = newType(list ? TypeExpr::DList : TypeExpr::View, type->range);
    outer->inner = type;
    if (list)
      at_ += 2;
    else
      outer->extents = parseViewSuffix();
    outer->range = rangeFrom(type->range.begin);
    type = outer;
  }
  return type;
}

bool Parser::atViewSuffix() const {
  return at(Tok::LBracket) && peek(1).kind == Tok::Comma;
}

// float x[,]: taken as float[,] x.
TypeExpr* Parser::rejectViewSuffix(TypeExpr* element) {
  std::string name(spell(previous()));
  const Token& open = peek();
  TypeExpr* view = newType(TypeExpr::View, element->range);
  view->inner = element, view->extents = parseViewSuffix();
  SourceRange range = {open.range.begin, previous().range.end};
  if (!panic_)
    complain(Diag::extents_behind_name, range, spellRange(element->range), spellRange(range), name);
  return view;
}

// int[10] x, float[h, w] u
const char* Parser::bracketsHelp() const {
  if (previous().kind == Tok::Auto)
    return "write auto t = f(); and t.a, t.b";
  size_t end = afterBalanced(0);
  for (size_t i = 1; i < end; ++i)
    if (peek(i).kind == Tok::Comma)
      return "the extents stand where it is made: float[,] u = dnew[h, w]float";
  return "the brackets stand behind it: int x[10]";
}

void Parser::rejectFurtherExtents(SourceRange range) {
  complain(Diag::too_many_extents, range, "an array", ast::kMostExtents,
           "multiply the others into the first: dnew[e * d, h, w]float");
}

// [,] or [,,]: how many extents.
uint8_t Parser::parseViewSuffix() {
  const Token& open = advance();
  size_t extents = 1;
  for (; at(Tok::Comma); advance())
    ++extents;
  bool closed = expectClose(Tok::RBracket, open);
  if (closed && extents > ast::kMostExtents)
    rejectFurtherExtents({open.range.begin, previous().range.end});
  return static_cast<uint8_t>(std::min(extents, ast::kMostExtents));
}

} // namespace bsgp
