// Types of lists: dlist(int) and int<>; what comes close to them, said with what to write.
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

TypeExpr* Parser::parseListSuffix(TypeExpr* type) {
  for (unsigned depth = 0; at(Tok::Less) && peek(1).kind == Tok::Greater && !panic_; ++depth) {
    if (depth == kMaxTypeDepth) {
      error(Diag::nesting_too_deep, peek().range, kMaxTypeDepth);
      break;
    }
    at_ += 2;
    TypeExpr* list = newType(TypeExpr::DList, rangeFrom(type->range.begin));
    list->inner = type;
    type = list;
  }
  return type;
}

} // namespace bsgp
