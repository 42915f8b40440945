// Notes which parts of the text a syntax error leaves in doubt, and the names that the tokens there may declare. Sema
// goes on after syntax errors, but suppresses errors about these (sema/after_errors.h).
#include "parse/parser.h"

namespace bsgp {

// Includes are files of their own; a top-level item is looked at as a whole.
void Parser::parseTopLevel() {
  if (at(Tok::Include))
    return parseInclude();
  size_t start = at_;
  Faults before = faults_;
  SourcePos begin = peek().range.begin;
  bool anchored = inFirstColumn(peek()) && !at(Tok::RBrace);
  item_lost_ = false;
  names_in_doubt_.clear(), error_ranges_.clear();
  size_t items_before = items_.size();
  parseItem();
  bool broken = faults_.all != before.all;
  size_t own = faults_.outside(before);
  if (own)
    error_ranges_.push_back({begin, begin});
  bool understood = items_.size() > items_before && items_.back().kind != ast::TopLevel::Global;
  incomplete_ |= own && !understood;
  if (broken || (astray_ && !anchored))
    doubtItem(start, own, anchored ? begin : last_anchor_, !anchored);
  if (anchored)
    last_anchor_ = begin, astray_ = broken;
}

// Code behind a broken item that does not begin in the first column may be the rest of it: all since then is lost.
void Parser::doubtItem(size_t start, bool own, SourcePos from, bool stray) {
  bool lost = item_lost_ || stray;
  if (own || lost)
    doubtDeclared(start);
  if (lost)
    doubtFirstColumn(start);
  astray_ = true;
  broken_.push_back({{from ? from : tokens_[start].range.begin, previous().range.end},
                     lost,
                     keep(error_ranges_),
                     keep(names_in_doubt_)});
}

// Puts in doubt all names of a type; else those outside of braces, of which the ones in parentheses are parameters.
void Parser::doubtDeclared(size_t start) {
  int braces = 0, parentheses = 0;
  bool type = false, named = false;
  for (size_t i = start; i < at_; ++i) {
    Tok kind = tokens_[i].kind;
    type |= braces == 0 && (kind == Tok::Struct || kind == Tok::Enum || kind == Tok::Typedef);
    braces += (kind == Tok::LBrace) - (kind == Tok::RBrace);
    parentheses += (kind == Tok::LParen) - (kind == Tok::RParen);
    if (!isName(kind) || (braces > 0 && !type))
      continue;
    names_in_doubt_.push_back(spell(tokens_[i]));
    if (parentheses > 0 && !type)
      continue;
    doubted_everywhere_.push_back(spell(tokens_[i]));
    auto known = names_.find(spell(tokens_[i]));
    named |= known == names_.end() || !known->second.is_type;
  }
  incomplete_ |= !named || tokens_[start].kind == Tok::Enum;
}

// Puts in doubt declarations that a missing brace put into a function.
void Parser::doubtFirstColumn(size_t start) {
  bool inside = false;
  for (size_t i = start; i < at_; ++i) {
    inside = startsLine(tokens_[i]) ? inFirstColumn(tokens_[i]) : inside;
    if (inside && isName(tokens_[i].kind))
      doubted_everywhere_.push_back(spell(tokens_[i]));
  }
}

// A statement with an error that is not one of a statement in it: it may have declared any name in it.
void Parser::doubtStatement(size_t start, const Faults& before) {
  size_t own = faults_.outside(before);
  if (!own)
    return;
  faults_.in_statements += own;
  error_ranges_.push_back({tokens_[start].range.begin, previous().range.end});
  for (size_t i = start; i < at_; ++i)
    if (isName(tokens_[i].kind))
      names_in_doubt_.push_back(spell(tokens_[i]));
}

} // namespace bsgp
