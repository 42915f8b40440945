// Declarations and names as C and C++ write them: operators and results that are references, L::f, enum class, functions that are
// declared inside others. Each is said, with what to write, and parsing goes on as far as what was meant is plain.
#include <algorithm>

#include <fmt/format.h>

#include "parse/foreign_declarations.h"
#include "parse/parser.h"

namespace bsgp {

namespace {

bool isCompound(Tok kind) {
  return kind >= Tok::StarEqual && kind <= Tok::PipeEqual;
}

bool isLiteral(Tok kind) {
  return kind >= Tok::IntLiteral && kind <= Tok::StringLiteral;
}

} // namespace

// ---- operators and results

std::string helpForOperator(Tok kind, std::string_view symbol) {
  if (isCompound(kind)) {
    symbol.remove_suffix(1);
    return fmt::format("define operator{0}: a {0}= b is a = a {0} b", symbol);
  }
  if (isName(kind) || isTypeWord(kind))
    return "structs are converted by functions that are called by their names";
  return "= && || ++ -- , -> and () have a fixed meaning; write x += 1 for x++";
}

// L& f(L& x) {...}: goes on as if the & were not there.
void Parser::rejectReferenceResult() {
  if (!at(Tok::Amp))
    return;
  SourceRange range = advance().range;
  if (!atFunctionName())
    --at_;
  else if (!at(Tok::Operator) || !isCompound(peek(1).kind)) // which cannot be defined at all
    complain(Diag::reference_result, range);
}

// At the word 'operator', in a struct.
void Parser::rejectOperatorInStruct() {
  SourceRange word = advance().range;
  size_t before = faults_.all;
  parseOperatorName();
  if (faults_.all == before)
    complain(Diag::operator_in_struct, word);
  skipFunctionInStruct();
}

// barrier() {...}: a function in the first column whose name is a word of the language that begins no declaration.
bool Parser::atNamedByWord() const {
  bool flow = at(Tok::For) || at(Tok::While) || at(Tok::If) || at(Tok::Switch);
  bool word = peek().kind >= Tok::If && peek().kind < Tok::LParen && !isName(peek().kind);
  return word && !flow && inFirstColumn(peek()) && peek(1).kind == Tok::LParen &&
         (peek(2).kind == Tok::RParen || startsType(2)) && peek(afterBalanced(1)).kind == Tok::LBrace;
}

// ---- names with ::
bool Parser::atScope(size_t ahead) const {
  const Token &first = peek(ahead), &second = peek(ahead + 1);
  return first.kind == Tok::Colon && second.kind == Tok::Colon && first.range.end == second.range.begin;
}

// L::get() {...} behind the result's type, or in its place. Past the function.
bool Parser::rejectQualifiedFunction() {
  size_t owner = atScope(0) ? 0 : 1; // of tokens between here and the ::
  if (!atScope(owner) || !(owner ? atName() : at_ > 0 && isName(previous().kind)) ||
      peek(owner + 3).kind != Tok::LParen)
    return false;
  const Token& name = owner ? peek() : previous();
  SourceRange range{name.range.begin, peek(owner + 2).range.end};
  complain(Diag::foreign_word, range, spellRange(range),
           fmt::format("write the function inside the braces of struct {}", spell(name)));
  at_ += owner + 2;
  skipFunctionInStruct();
  return true;
}

// E::A, L::get(), space::f(x): what stands in front of the name is left out.
void Parser::skipQualifier() {
  while (at(Tok::Identifier) && atScope(1) && atName(3) && spell(peek()) != "std") {
    SourceRange range{peek().range.begin, peek(2).range.end};
    std::string_view name = spell(peek(3));
    bool of_struct = isTypeName(0) && peek(4).kind == Tok::LParen;
    std::string help = of_struct ? fmt::format("write x.{}(...), with a variable x of type {}", name, spell(peek()))
                                 : fmt::format("write {} alone", name);
    if (of_struct)
      return error(Diag::foreign_word, range, spellRange(range), help);
    complain(Diag::foreign_word, range, spellRange(range), help);
    at_ += 3;
  }
}

// Color.Red, of an enum: its names stand alone.
void Parser::skipEnumName() {
  auto isEnum = [&](const ast::TopLevel& item) {
    return item.kind == ast::TopLevel::Enum && item.as<ast::Enum>().name == spell(peek());
  };
  bool of_type = isTypeName(0) && peek(1).kind == Tok::Dot && atName(2);
  if (!of_type || std::ranges::none_of(items_, isEnum))
    return;
  SourceRange range{peek().range.begin, peek(1).range.end};
  complain(Diag::foreign_word, range, spellRange(range), fmt::format("write {} alone", spell(peek(2))));
  at_ += 2;
}

// ---- types

// enum class E {...}, behind 'enum'.
void Parser::skipEnumClass() {
  bool is_class = at(Tok::Struct) || (at(Tok::Identifier) && spell(peek()) == "class");
  if (!is_class || !atName(1))
    return;
  SourceRange range = advance().range;
  complain(Diag::foreign_word, range, fmt::format("enum {}", spellRange(range)),
           fmt::format("write enum {} {{...}}: its names stand alone", spell(peek())));
}

// enum E : uchar {...}, behind the name.
void Parser::skipEnumBase() {
  if (!at(Tok::Colon) || !startsType(1))
    return;
  SourcePos begin = advance().range.begin;
  while (startsType())
    advance();
  complain(Diag::foreign_word, rangeFrom(begin), spellRange(rangeFrom(begin)), "delete it: an enum is an int");
}

// ---- variables and fields

// int x(3); in a struct, at the name: no function's parameters.
bool Parser::atFieldWithValue() const {
  Tok first = peek(2).kind;
  return atName() && peek(1).kind == Tok::LParen &&
         (isLiteral(first) || first == Tok::Minus || first == Tok::True || first == Tok::False);
}

// int f(int x); inside a function, behind its name.
bool Parser::rejectLocalPrototype() {
  size_t end = at(Tok::LParen) ? afterBalanced(0) : 0;
  bool parameters = end == 2 || startsType(1) || peek(1).kind == Tok::Void;
  if (end == 0 || !parameters || peek(end).kind != Tok::Semicolon)
    return false;
  std::string_view name = spell(previous());
  complain(
      Diag::nested_function, previous().range, name,
      end == 2
          ? fmt::format("leave it out: a function is known in the whole file; for a variable write {} without ()", name)
          : "leave it out: a function is known in the whole file; C's are declared outside of functions");
  at_ += end + 1;
  return true;
}

std::string_view helpForSpecifier(std::string_view word, std::string_view what) {
  struct Way {
    std::string_view word, what, help;
  };
  constexpr Way kWays[] = {
      {"static", kLocalVariable, "declare it outside of functions, where a variable keeps its value"},
      {"extern", kLocalVariable, "declare it outside of functions"},
      {"extern shared", kLocalVariable, "write shared T x[n]; the size is a constant"},
      {"shared", kGlobalVariable, "declare it inside of a spawn, or of a function that is called there"},
  };
  for (const Way& way : kWays)
    if (way.word == word && way.what == what)
      return way.help;
  return "leave it out";
}

} // namespace bsgp
