// Generic structs: struct P(T, const N) {...}, and types made of them: P(int, 4). In their braces T is the name of a
// type and N one of a constant; sema finds their values.
//
// P(int) p declares, P(int)(1, 2) makes a value, P(1, 2) makes one of a P whose arguments are missing: types in the
// parentheses make the difference.
#include <algorithm>

#include "parse/parser.h"

namespace bsgp {

using ast::TypeExpr;

// ---- declarations

// At peek(ahead) the ( or < behind the name of a struct: returns the distance past its partner, at the {; else 0.
size_t Parser::afterTypeParameters(size_t ahead) const {
  size_t past = afterTypeList(ahead);
  bool no_brace = past != 0 && startsLine(peek(past)) && !inFirstColumn(peek(past));
  if (no_brace)
    return past;
  if (past == 0 && peek(ahead).kind == Tok::LParen) // a slip is in the parentheses
    past = peek(afterTypeWords(ahead + 1)).kind == Tok::LBrace ? afterTypeWords(ahead + 1) : afterBalanced(ahead);
  return peek(past).kind == Tok::LBrace ? past : 0;
}

// Declares the name and parameters of `struct P(T, const N) {`, P being tokens_[name], for code above it.
void Parser::predeclareGeneric(size_t name, size_t past) {
  std::vector<ast::TypeParam> params;
  for (size_t i = name + 2; i < past; ++i)
    if (tokens_[i].kind == Tok::Identifier)
      params.push_back({spell(tokens_[i]), tokens_[i].range, tokens_[i - 1].kind == Tok::Const});
  names_[spell(tokens_[name])].is_generic = true;
  generics_.try_emplace(spell(tokens_[name]), std::move(params));
}

// At the ( or <; of the struct `owner`, whose name stands at `range`.
std::vector<ast::TypeParam> Parser::parseTypeParameters(std::string_view owner, SourceRange range) {
  const Token& open = advance();
  std::vector<ast::TypeParam> params;
  do {
    bool is_number = accept(Tok::Const);
    bool foreign = at(Tok::Identifier) && (spell(peek()) == "typename" || spell(peek()) == "class");
    if (foreign) {
      complain(Diag::foreign_word, peek().range, spell(peek()), "the name of a type parameter stands alone");
      advance();
    }
    if (isTypeWord(peek().kind) && peek(1).kind == Tok::Identifier) { // int N
      complain(Diag::expected_token, peek().range, "a type parameter", describe(peek()), "a number is written const N");
      advance(), is_number = true;
    }
    if (!atName()) {
      rejectName();
      break;
    }
    const Token& name = advance();
    auto same = [&](const ast::TypeParam& other) { return other.name == spell(name); };
    if (std::any_of(params.begin(), params.end(), same))
      complain(Diag::type_parameter_twice, name.range, spell(name));
    params.push_back({spell(name), name.range, is_number});
  } while (accept(Tok::Comma));
  if (open.kind == Tok::Less && !panic_) {
    advance();
    rejectGenericStruct(owner, range, params);
  } else {
    expectClose(Tok::RParen, open);
  }
  if (!panic_)
    return params;
  while (!at(Tok::LBrace) && !at(Tok::End))
    advance();
  panic_ = false;
  return generics_[owner];
}

// In front of the braces, whose scope is open.
void Parser::declareTypeParameters(const ast::Struct& owner) {
  if (owner.params.empty())
    return;
  generic_owner_ = &owner;
  generics_[owner.name].assign(owner.params.begin(), owner.params.end());
  names_[owner.name].is_generic = true;
  for (const ast::TypeParam& param : owner.params) {
    if (param.is_number)
      continue;
    auto known = names_.find(param.name);
    if (known != names_.end() && known->second.is_builtin)
      complain(Diag::builtin_type_name, param.range, param.name);
    type_parameters_[param.name] = owner.name;
    hidden_.emplace_back(param.name, known != names_.end() ? known->second : Name{});
    names_[param.name] = {true, false, param.name};
  }
}

// A constant of the struct means the same everywhere in its braces.
void Parser::rejectHiddenParameter(std::string_view name, SourceRange range) {
  if (!generic_owner_)
    return;
  for (const ast::TypeParam& param : generic_owner_->params)
    if (param.is_number && param.name == name)
      complain(Diag::hides_parameter, range, name, generic_owner_->name);
}

// P(T, N), the type of `this` in the braces of P; S if S is not generic.
TypeExpr* Parser::typeOfOwner(const ast::Struct& owner, SourceRange range) {
  TypeExpr* type = newType(owner.params.empty() ? TypeExpr::Named : TypeExpr::Generic, range, owner.name);
  std::vector<TypeExpr*> arguments;
  for (const ast::TypeParam& param : owner.params) {
    arguments.push_back(newType(param.is_number ? TypeExpr::Number : TypeExpr::Named, range, param.name));
    if (!param.is_number)
      continue;
    arguments.back()->count = newExpr(ast::Expr::Name, range);
    arguments.back()->count->name = param.name;
  }
  type->args = keep(arguments);
  return type;
}

// ---- uses
bool Parser::isGeneric(size_t ahead) const {
  return isTypeName(ahead) && names_.find(spell(peek(ahead)))->second.is_generic;
}

// At peek(ahead) a type's name: returns the distance past its type arguments in parentheses, 0 if it has none. A name
// that is not generic has some only if nothing else can be meant: S(int) s.
size_t Parser::afterTypeArguments(size_t ahead, unsigned depth) const {
  if (!isTypeName(ahead) || peek(ahead + 1).kind != Tok::LParen)
    return 0;
  if (isGeneric(ahead))
    return looksLikeArguments(ahead, depth) ? afterBalanced(ahead + 1) : 0;
  size_t past = startsType(ahead + 2) ? afterTypeList(ahead + 1) : 0;
  return past != 0 && peek(past).kind == Tok::Identifier ? past : 0;
}

// At peek(name) a generic struct's: true if these are types, or numbers for its constants, and not the values of its
// fields.
bool Parser::looksLikeArguments(size_t name, unsigned depth) const {
  constexpr unsigned kDeepest = 64;
  if (depth == kDeepest)
    return true;
  const auto& params = generics_.find(spell(peek(name)))->second;
  size_t first = name + 2, past = afterBalanced(name + 1);
  if (isGeneric(first) && peek(first + 1).kind == Tok::LParen) {
    size_t inner = afterTypeArguments(first, depth + 1);
    return inner != 0 && peek(inner).kind != Tok::LParen;
  }
  if (startsType(first))
    return peek(first).kind == Tok::Dlist || peek(first).kind == Tok::Typeof || peek(first + 1).kind != Tok::LParen;
  bool number_first = !params.empty() && params.front().is_number;
  Tok next = peek(past).kind;
  return number_first || isName(next) || next == Tok::LParen ||
         (next == Tok::Star && peek(first + 1).kind == Tok::RParen);
}

// P(int), with no ( behind it
bool Parser::atGenericType(size_t ahead) const {
  size_t past = afterTypeArguments(ahead);
  return past != 0 && peek(past).kind != Tok::LParen;
}

// At a type's name: do type arguments follow? constructing: P(1, 2) may be meant.
bool Parser::hasTypeArguments(bool constructing) const {
  if (peek(1).kind == Tok::Less)
    return isGeneric(0) && peek(2).kind != Tok::Greater;
  return peek(1).kind == Tok::LParen && ((isGeneric(0) && !constructing) || afterTypeArguments(0) != 0);
}

// At the ( or < behind `name`.
TypeExpr* Parser::parseTypeArguments(const Token& name) {
  const Token& open = advance();
  TypeExpr* type = newType(TypeExpr::Generic, name.range, spell(name));
  bool angle = open.kind == Tok::Less;
  std::vector<TypeExpr*> arguments;
  auto known = generics_.find(spell(name));
  if (enterNesting()) {
    while (!panic_ && !at(Tok::RParen)) {
      size_t i = arguments.size();
      bool is_number = known != generics_.end() && i < known->second.size() && known->second[i].is_number;
      arguments.push_back(parseTypeArgument(spell(name), is_number));
      if (!accept(Tok::Comma))
        break;
    }
    leaveNesting();
  }
  type->args = keep(arguments);
  if (!angle)
    expectClose(Tok::RParen, open);
  else if (!panic_ && !accept(Tok::Greater))
    expectedHere("'>'");
  type->range = rangeFrom(name.range.begin);
  if (angle && !misspelt_generics_.count(spell(name)))
    complain(Diag::angle_arguments, {open.range.begin, previous().range.end}, spell(name),
             spellRange({open.range.end, previous().range.begin}));
  return type;
}

// If the head of the struct was wrong, its parameters are unknown: nothing is reported.
void Parser::rejectTypeArgument(std::string_view owner, std::string_view wanted, std::string_view help) {
  const auto& doubted = doubted_everywhere_;
  if (std::find(doubted.begin(), doubted.end(), owner) == doubted.end())
    complain(Diag::expected_token, peek().range, wanted, describe(peek()), help);
}

TypeExpr* Parser::parseTypeArgument(std::string_view owner, bool is_number) {
  const Token& first = peek();
  if (is_number) {
    TypeExpr* number = newType(TypeExpr::Number, first.range);
    if (startsType()) {
      rejectTypeArgument(owner, "a number", at(Tok::Auto) ? "a parameter without a type takes any of them" : "");
      parseTypeName(false);
      number->count = errorExpr();
    } else {
      number->count = parseConditional();
    }
    number->range = number->count->range;
    return number;
  }
  if (at(Tok::IntLiteral)) {
    rejectTypeArgument(owner, "a type", "the parameter of a number is written const N");
    parseConditional();
    return wrongType();
  }
  Tok next = peek(1).kind;
  bool unknown =
      at(Tok::Identifier) && !isTypeName(0) && (next == Tok::Comma || next == Tok::RParen || next == Tok::Star);
  if (!unknown)
    return parseTypeName(false);
  advance();
  if (unknown_types_.insert(spell(first)).second)
    complain(Diag::unknown_type_name, first.range, spell(first), helpForUnknown(spell(first)));
  while (accept(Tok::Star)) {
  }
  return wrongType();
}

} // namespace bsgp
