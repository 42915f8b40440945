// Types as written.
//
// A pointer's space stands before the type and then belongs to the outermost pointer of each declarator, or directly
// before the star it belongs to:
//   host int* p      int host* p        a pointer into host memory
//   device float** q                    a pointer into device memory, to pointers of a space not written
//   float host* device* q               a pointer into device memory, to pointers into host memory
#include <fmt/format.h>

#include "parse/foreign_declarations.h"
#include "parse/parser.h"
#include "support/nearest_word.h"

namespace bsgp {

using ast::Space;
using ast::TypeExpr;

namespace {

// The words of one type: unsigned long long int.
struct TypeWords {
  unsigned is_signed = 0, is_unsigned = 0, shorts = 0, longs = 0, bases = 0;
  Tok base = Tok::Int;

  void add(Tok kind) {
    switch (kind) {
    case Tok::Signed:
      ++is_signed;
      break;
    case Tok::Unsigned:
      ++is_unsigned;
      break;
    case Tok::Short:
      ++shorts;
      break;
    case Tok::Long:
      ++longs;
      break;
    default:
      ++bases, base = kind;
      break;
    }
  }

  // Empty: no such type.
  std::string_view normalized() const {
    unsigned signs = is_signed + is_unsigned;
    if (bases > 1 || signs > 1 || shorts > 1 || longs > 2 || (shorts && longs))
      return {};
    if (shorts || longs) {
      bool plain = base == Tok::Int;
      return !plain ? "" : shorts ? (is_unsigned ? "u16" : "i16") : is_unsigned ? "u64" : "i64";
    }
    if (base == Tok::Char)
      return is_unsigned ? "u8" : "i8";
    if (base == Tok::Int)
      return is_unsigned ? "u32" : "i32";
    if (signs)
      return {};
    switch (base) {
    case Tok::Void:
      return "void";
    case Tok::Bool:
      return "bool";
    case Tok::Half:
      return "f16";
    case Tok::Float:
      return "f32";
    default:
      return "f64";
    }
  }
};

bool mayFollowDeclaredName(Tok kind) {
  return kind == Tok::Equal || kind == Tok::Semicolon || kind == Tok::Comma || kind == Tok::LBracket ||
         kind == Tok::LParen || kind == Tok::RParen || kind == Tok::Colon;
}

Space spaceOf(Tok kind) {
  return kind == Tok::Host ? Space::Host : kind == Tok::Device ? Space::Device : Space::Shared;
}

// const float[,]: as of const float*, the elements.
TypeExpr* elementsOf(TypeExpr* type) {
  while (type->kind == TypeExpr::View)
    type = type->inner;
  return type;
}

bool isSpaceWord(Tok kind) {
  return kind == Tok::Host || kind == Tok::Device || kind == Tok::Shared;
}

} // namespace

// ---- specifiers
bool Parser::startsType(size_t ahead) const {
  Tok kind = peek(ahead).kind;
  switch (kind) {
  case Tok::Const:
  case Tok::Auto:
  case Tok::Static:
  case Tok::Extern:
  case Tok::Inline:
  case Tok::Export:
  case Tok::Typedef:
  case Tok::Struct:
  case Tok::Enum:
  case Tok::Typeof:
    return true;
  case Tok::Dlist:
    return peek(ahead + 1).kind == Tok::LParen || atDListWithoutParentheses(ahead);
  case Tok::Host:
  case Tok::Device:
  case Tok::Shared: {
    Tok next = peek(ahead + 1).kind;
    return isName(next) || isTypeWord(next) || next == Tok::Const || next == Tok::Struct || next == Tok::Enum ||
           next == Tok::Typeof || next == Tok::Auto;
  }
  case Tok::Identifier:
    return isTypeName(ahead);
  default:
    return isTypeWord(kind);
  }
}

Specifiers Parser::parseSpecifiers() {
  Specifiers specifiers;
  SourcePos begin = peek().range.begin;
  while (!panic_ && (parseSpecifierWord(specifiers) || skipForeignSpecifier() || parseTypeWords(specifiers) ||
                     parseNamedBase(specifiers))) {
  }
  if (!specifiers.base && !panic_)
    parseUnknownBase(specifiers);
  if (specifiers.base && specifiers.is_const)
    elementsOf(specifiers.base)->is_const = true;
  while (specifiers.base && at(Tok::Const) && !panic_) {
    advance();
    specifiers.is_const = elementsOf(specifiers.base)->is_const = true;
  }
  specifiers.range = rangeFrom(begin);
  return specifiers;
}

// The word in front of a function; everywhere else it is a name like others.
bool Parser::atStrict() const {
  if (!at(Tok::Identifier) || spell(peek()) != "strict" || isTypeName(0))
    return false;
  Tok next = peek(1).kind;
  bool intrinsic = (next == Tok::Thread || next == Tok::Block || next == Tok::Warp) && peek(2).kind == Tok::Dot;
  return startsType(1) || isName(next) || isTypeWord(next) || next == Tok::Operator || intrinsic;
}

bool Parser::parseSpecifierWord(Specifiers& specifiers) {
  const Token& token = peek();
  SourceRange* where = nullptr;
  switch (token.kind) {
  case Tok::Const:
    specifiers.is_const = true;
    break;
  case Tok::Inline:
    where = &specifiers.inline_at;
    break;
  case Tok::Extern:
    where = &specifiers.extern_at;
    break;
  case Tok::Export:
    where = &specifiers.export_at;
    break;
  case Tok::Static:
    where = &specifiers.static_at;
    break;
  case Tok::Typedef:
    where = &specifiers.typedef_at;
    break;
  case Tok::Identifier:
    if (specifiers.base || !atStrict())
      return false;
    where = &specifiers.strict_at;
    break;
  case Tok::Host:
  case Tok::Device:
  case Tok::Shared:
    if (specifiers.base || !startsType())
      return false;
    if (specifiers.space_at.valid())
      complain(Diag::space_twice, token.range, spellRange(specifiers.space_at), spell(token));
    specifiers.space = spaceOf(token.kind);
    specifiers.space_at = token.range;
    where = specifiers.space == Space::Shared ? &specifiers.shared_at : nullptr;
    break;
  default:
    return false;
  }
  if (where)
    *where = token.range;
  advance();
  if (token.kind == Tok::Extern && at(Tok::StringLiteral))
    complain(Diag::foreign_word, advance().range, "extern \"C\"", "extern alone means a C function");
  return true;
}

// __global__ void f(...): says so and goes on as if the word were not there.
bool Parser::skipForeignSpecifier() {
  bool word_follows = peek(1).kind == Tok::Identifier || (peek(1).kind >= Tok::If && peek(1).kind < Tok::LParen);
  if (!at(Tok::Identifier) || !word_follows || isTypeName(0))
    return false;
  const ForeignWord* foreign = findForeignWord(spell(peek()));
  if (!foreign || foreign->use != ForeignWord::Specifier)
    return false;
  complain(Diag::foreign_word, advance().range, foreign->name, foreign->help);
  return true;
}

// unsigned, long long, float ...: all the words in a row, const among them.
bool Parser::parseTypeWords(Specifiers& specifiers) {
  if (!isTypeWord(peek().kind) || specifiers.defines_type)
    return false;
  SourcePos begin = peek().range.begin;
  TypeWords words;
  for (; isTypeWord(peek().kind) || at(Tok::Const); advance()) {
    if (at(Tok::Const))
      specifiers.is_const = true;
    else
      words.add(peek().kind);
  }
  SourceRange range = rangeFrom(begin);
  std::string_view name = words.normalized();
  bool for_a_name = mayFollowDeclaredName(peek().kind) && (specifiers.base || words.bases > 1); // float half = 1
  if (for_a_name)
    rejectTypeAsName(previous());
  else if (name.empty() || specifiers.base)
    complain(Diag::bad_type_words, range, spellRange(range));
  specifiers.base = parseTypeSuffixes(newType(TypeExpr::Named, range, name.empty() ? "i32" : name));
  return true;
}

// struct S, enum E, typeof(x), dlist(T), auto, and the names of types.
bool Parser::parseNamedBase(Specifiers& specifiers) {
  if (specifiers.base)
    return false;
  const Token& token = peek();
  bool constructing = std::exchange(constructing_, false);
  switch (token.kind) {
  case Tok::Struct:
  case Tok::Enum:
    specifiers.base = parseStructOrEnum(specifiers);
    break;
  case Tok::Typeof:
    specifiers.base = parseTypeOf();
    break;
  case Tok::Dlist:
    if (atDListWithoutParentheses(0)) {
      specifiers.base = rejectDList();
      return true;
    }
    if (peek(1).kind != Tok::LParen)
      return false;
    specifiers.base = parseDListType();
    break;
  case Tok::Auto:
    specifiers.base = newType(TypeExpr::Auto, advance().range);
    if (!atViewSuffix())
      return true;
    break;
  case Tok::Identifier:
    if (!isTypeName(0))
      return false;
    if (hasTypeArguments(constructing)) {
      advance();
      specifiers.base = parseTypeArguments(token);
      break;
    }
    advance();
    specifiers.base = newType(TypeExpr::Named, token.range, names_.find(spell(token))->second.normalized);
    if (!names_.find(spell(token))->second.is_builtin)
      rejectTypeArguments(spell(token), false);
    break;
  default:
    return false;
  }
  specifiers.base = parseTypeSuffixes(specifiers.base);
  return true;
}

std::string Parser::helpForUnknown(std::string_view name) const {
  if (std::string file = options_.include_of ? options_.include_of(name) : ""; !file.empty())
    return fmt::format("write #include <{}> at the top of the file", file);
  if (const ForeignWord* foreign = findForeignWord(name))
    return std::string(foreign->help);
  std::vector<std::string_view> known;
  for (const auto& [word, what] : names_)
    if (what.is_type)
      known.push_back(word);
  for (Tok word = Tok::If; word < Tok::LParen; word = Tok(unsigned(word) + 1))
    known.push_back(spelling(word));
  if (auto owner = type_parameters_.find(name); owner != type_parameters_.end())
    return fmt::format("it is a type in the braces of struct {} alone", owner->second);
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z')
    return "a parameter of any type is written without one: inline f(a, b) {...}";
  std::string_view near = nearestOf(name, known);
  return near.empty() ? "declare it above, with struct, enum or typedef" : "did you mean '" + std::string(near) + "'?";
}

bool Parser::looksLikeUnknownType() const {
  bool list = peek(1).kind == Tok::Less && peek(2).kind == Tok::Greater;
  bool pointer = peek(1).kind == Tok::Star && (atName(2) || peek(2).kind == Tok::Star);
  return at(Tok::Identifier) && !isTypeName(0) &&
         (atName(1) || isTypeWord(peek(1).kind) || list || pointer || atUnknownGeneric());
}

// Foo x, Foo* x, Foo<> x with an undeclared Foo: it is reported once here, then taken as a type.
void Parser::parseUnknownBase(Specifiers& specifiers) {
  if (!looksLikeUnknownType())
    return;
  if (reportForeignWord()) {
    panic_ = true;
    return;
  }
  const Token& token = advance();
  if (unknown_types_.insert(spell(token)).second)
    complain(Diag::unknown_type_name, token.range, spell(token), helpForUnknown(spell(token)));
  if (parseTypeWords(specifiers)) // unsinged int
    return;
  if (at(Tok::Less))
    at_ += afterTypeList(0);
  else if (at(Tok::LParen) && startsType(1))
    at_ += afterBalanced(0);
  panic_ = atName() && !mayFollowDeclaredName(peek(1).kind); // x y z: more is wrong than the type
  specifiers.base = parseTypeSuffixes(newType(TypeExpr::Named, token.range, spell(token)));
}

TypeExpr* Parser::parseTypeOf() {
  SourcePos begin = advance().range.begin;
  const Token& open = peek();
  TypeExpr* type = wrongType();
  if (!expect(Tok::LParen))
    return type;
  if (enterNesting()) {
    type->count = parseExpr();
    leaveNesting();
  }
  expectClose(Tok::RParen, open);
  type->range = rangeFrom(begin);
  return type;
}

// ---- around a name
TypeExpr* Parser::parsePointers(TypeExpr* type) {
  for (unsigned depth = 0; !panic_; ++depth) {
    Space space = Space::Open;
    for (; isSpaceWord(peek().kind) && isSpaceWord(peek(1).kind) && peek(2).kind == Tok::Star; advance())
      complain(Diag::space_twice, peek(1).range, spell(peek()), spell(peek(1)));
    if (isSpaceWord(peek().kind) && peek(1).kind == Tok::Star)
      space = spaceOf(advance().kind);
    if (!at(Tok::Star))
      return type;
    if (depth == kMaxTypeDepth) {
      error(Diag::nesting_too_deep, peek().range, kMaxTypeDepth);
      return type;
    }
    advance();
    TypeExpr* pointer = newType(TypeExpr::Pointer, rangeFrom(type->range.begin));
    pointer->inner = type;
    pointer->space = space;
    for (; at(Tok::Const) || skipForeignSpecifier();)
      if (accept(Tok::Const))
        pointer->is_const = true;
    type = pointer;
    if (atViewSuffix()) // int*[,]
      type = parseTypeSuffixes(type);
  }
  return type;
}

// t[2][3] is an array of 2 arrays of 3.
TypeExpr* Parser::parseArraySuffix(TypeExpr* element) {
  struct Dimension {
    ast::Expr* count;
    SourcePos end;
  };
  std::vector<Dimension> dimensions;
  if (atViewSuffix())
    return rejectViewSuffix(element);
  while (at(Tok::LBracket) && !panic_) {
    const Token& open = advance();
    if (dimensions.size() == kMaxTypeDepth)
      error(Diag::nesting_too_deep, open.range, kMaxTypeDepth);
    ast::Expr* count = at(Tok::RBracket) ? nullptr : parseOneNumber("the size of an array", [](auto a, auto b) {
      return "write [" + std::string(a) + "][" + std::string(b) + "]";
    });
    expectClose(Tok::RBracket, open);
    if (!count && !dimensions.empty())
      error(Diag::bad_array_size, {open.range.begin, previous().range.end});
    dimensions.push_back({count, previous().range.end});
  }
  for (size_t i = dimensions.size(); i-- > 0;) {
    TypeExpr* array = newType(TypeExpr::Array, {element->range.begin, dimensions[i].end});
    array->inner = element;
    array->count = dimensions[i].count;
    element = array;
  }
  return element;
}

// shared float t[256] is memory of the block; shared float* p points there.
bool Parser::isStorage(const Specifiers& specifiers, const TypeExpr* type, bool is_parameter) {
  return specifiers.shared_at.valid() && !is_parameter && type->kind != TypeExpr::Pointer;
}

// Hands a space written before the type to the outermost pointer that has none. An array parameter is a pointer.
void Parser::placeSpace(const Specifiers& specifiers, TypeExpr* type, bool is_parameter) {
  if (specifiers.space == Space::Open || isStorage(specifiers, type, is_parameter))
    return;
  auto skipsInward = [&](const TypeExpr* t) {
    return (t->kind == TypeExpr::Array && !is_parameter) || (t->kind == TypeExpr::Pointer && t->space != Space::Open);
  };
  TypeExpr* target = type;
  while (skipsInward(target) && target->inner)
    target = target->inner;
  switch (target->kind) {
  case TypeExpr::Pointer:
  case TypeExpr::Array:
  case TypeExpr::View:
  case TypeExpr::Auto:
    target->space = specifiers.space;
    return;
  default:
    complain(Diag::space_without_pointer, specifiers.space_at, spellRange(specifiers.space_at),
             spellRange(type->range));
  }
}

void Parser::rejectSpecifiers(const Specifiers& specifiers, const char* what, bool linkage, bool inlining) {
  auto reject = [&](SourceRange at, const char* word) {
    if (at.valid())
      complain(Diag::misplaced_specifier, at, word, what, helpForSpecifier(word, what));
  };
  if (!linkage) {
    reject(specifiers.extern_at, "extern");
    reject(specifiers.static_at, "static");
  }
  if (!inlining) {
    reject(specifiers.inline_at, "inline");
    reject(specifiers.export_at, "export");
    reject(specifiers.strict_at, "strict");
  }
  reject(specifiers.typedef_at, "typedef");
}

TypeExpr* Parser::parseTypeName(bool arrays) {
  Specifiers specifiers = startsType() || atName() ? parseSpecifiers() : Specifiers{};
  if (!specifiers.base) {
    expectedHere("a type");
    return newType(TypeExpr::Named, peek().range, "i32");
  }
  rejectSpecifiers(specifiers, "a type without a name", false, false);
  TypeExpr* type = parsePointers(specifiers.base);
  if (arrays)
    type = parseArraySuffix(type);
  placeSpace(specifiers, type, true);
  return type;
}

} // namespace bsgp
