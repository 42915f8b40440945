// Type parameters and type arguments, as other languages have them: struct Pair<T>, Pair(T), f<T>(T x), f<int>(x),
// template <...>. They are said where they stand and passed. The name of a type parameter is taken as a type that is
// wrong, so that what it stands for is no further error.
#include <fmt/format.h>

#include "parse/parser.h"

namespace bsgp {

namespace {

bool mayStandInTypeList(Tok kind) {
  return kind == Tok::Identifier || kind == Tok::Comma || kind == Tok::Star || kind == Tok::Struct ||
         kind == Tok::Const || isTypeWord(kind);
}

} // namespace

size_t Parser::afterTypeWords(size_t ahead) const {
  while (mayStandInTypeList(peek(ahead).kind))
    ++ahead;
  return ahead;
}

// At peek(ahead) a < or (: the distance past its partner where nothing but types stands between, else 0.
size_t Parser::afterTypeList(size_t ahead) const {
  bool angle = peek(ahead).kind == Tok::Less;
  if (!angle && peek(ahead).kind != Tok::LParen)
    return 0;
  size_t i = afterTypeWords(ahead + 1);
  bool closed = i > ahead + 1 && peek(i).kind == (angle ? Tok::Greater : Tok::RParen);
  return closed ? i + 1 : 0;
}

// Pair<int> p, Pair<int>* p, Pair(int) p, of an undeclared Pair
bool Parser::atUnknownGeneric() const {
  bool unknown = at(Tok::Identifier) && !isTypeName(0);
  bool parentheses = unknown && peek(1).kind == Tok::LParen && startsType(2); // Pair(int) p
  size_t past = parentheses ? afterBalanced(1) : unknown && peek(1).kind == Tok::Less ? afterTypeList(1) : 0;
  bool pointer = past != 0 && peek(past).kind == Tok::Star;
  return past != 0 && peek(past + pointer).kind == Tok::Identifier;
}

// f<T>(T x) {
bool Parser::atGenericFunction() const {
  size_t past = atName() && !isTypeName(0) && peek(1).kind == Tok::Less ? afterTypeList(1) : 0;
  return past != 0 && peek(past).kind == Tok::LParen && peek(afterBalanced(past)).kind == Tok::LBrace;
}

void Parser::skipTypeParameters(size_t count) {
  for (; count > 0; --count) {
    std::string_view word = spell(peek());
    if (at(Tok::Identifier) && !isTypeName(0) && word != "typename" && word != "class")
      declareWrongType(word, peek().range);
    advance();
  }
}

// Behind the name of f<T>(T x) {...}.
void Parser::rejectTypeParameters() {
  size_t count = at(Tok::Less) ? afterTypeList(0) : 0;
  if (count == 0)
    return;
  complain(Diag::generic_function, {peek().range.begin, peek(count - 1).range.end});
  skipTypeParameters(count);
}

// At the second ( of f(T)(T x) {...}: the first parentheses hold types.
bool Parser::rejectTypeParametersInParentheses(const ast::Function& function) {
  if (!at(Tok::LParen) || function.params.empty())
    return false;
  complain(Diag::generic_function, {function.params.front().range.begin, function.params.back().range.end});
  for (const ast::Param& param : function.params)
    declareWrongType(param.name, param.range);
  return true;
}

// At the < behind a name: f<int>(x), Pair<int> p.
bool Parser::rejectTypeArguments(std::string_view name, bool of_function) {
  size_t count = at(Tok::Less) ? afterTypeList(0) : 0;
  bool types = count != 0 && (isTypeName(1) || isTypeWord(peek(1).kind));
  if (!types || (of_function && (peek(count).kind != Tok::LParen || findForeignWord(name))))
    return false;
  std::string help = of_function ? fmt::format("write {0}(...): the types of the arguments decide; a cast changes one: "
                                               "{0}(({1})x)",
                                               name, spell(peek(1)))
                                 : fmt::format("write {}", name);
  complain(Diag::type_arguments, {peek().range.begin, peek(count - 1).range.end}, name, help);
  at_ += count;
  return true;
}

// template <typename T, int n>: goes on with the declaration behind it.
void Parser::skipTemplate() {
  SourceRange word = advance().range;
  unsigned depth = 0;
  std::vector<ast::TypeParam> parameters;
  do {
    depth += at(Tok::Less);
    depth -= at(Tok::Greater);
    std::string_view before = spell(previous());
    if (at(Tok::Identifier) && (before == "typename" || before == "class"))
      parameters.push_back({spell(peek()), peek().range});
    advance();
  } while (depth > 0 && !at(Tok::End));
  if (at(Tok::Struct) && peek(1).kind == Tok::Identifier && !parameters.empty()) {
    template_parameters_ = parameters;
    return rejectGenericStruct(spell(peek(1)), peek(1).range, parameters);
  }
  complain(Diag::foreign_word, word, "template", findForeignWord("template")->help);
  for (const ast::TypeParam& parameter : parameters)
    declareWrongType(parameter.name, parameter.range);
}

// struct Pair<T> {
void Parser::rejectGenericStruct(std::string_view name, SourceRange range,
                                 const std::vector<ast::TypeParam>& parameters) {
  std::string list;
  for (const ast::TypeParam& parameter : parameters)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", parameter.name);
  complain(Diag::generic_struct, range, name, list);
  generics_.try_emplace(name, parameters);
  names_[name] = {true, false, name, true};
  misspelt_generics_.insert(name);
}

} // namespace bsgp
