// Which names are types: the built-in ones, those declared so far, and the variables that hide them.
#include "parse/parser.h"

namespace bsgp {

using ast::TypeExpr;

namespace {

struct BuiltinType {
  std::string_view name;
  std::string_view normalized;
};

// These make vectors by appending 2, 3 or 4: float3.
constexpr BuiltinType kScalars[] = {
    {"bool", "bool"}, {"char", "i8"},  {"uchar", "u8"},  {"short", "i16"}, {"ushort", "u16"}, {"int", "i32"},
    {"uint", "u32"},  {"long", "i64"}, {"ulong", "u64"}, {"half", "f16"},  {"float", "f32"},  {"double", "f64"},
};
// These by appending x2, x3 or x4: int8x4.
constexpr BuiltinType kSized[] = {
    {"int8", "i8"},  {"int16", "i16"},  {"int32", "i32"},  {"int64", "i64"},
    {"uint8", "u8"}, {"uint16", "u16"}, {"uint32", "u32"}, {"uint64", "u64"},
};
constexpr BuiltinType kStandard[] = {
    {"int8_t", "i8"},  {"int16_t", "i16"},   {"int32_t", "i32"},  {"int64_t", "i64"},
    {"uint8_t", "u8"}, {"uint16_t", "u16"},  {"uint32_t", "u32"}, {"uint64_t", "u64"},
    {"size_t", "u64"}, {"ptrdiff_t", "i64"}, {"intptr_t", "i64"}, {"uintptr_t", "u64"},
};

} // namespace

bool isNormalizedName(std::string_view name) {
  if (size_t x = name.rfind('x');
      x != std::string_view::npos && x + 2 == name.size() && name[x + 1] >= '2' && name[x + 1] <= '4')
    name = name.substr(0, x);
  for (const BuiltinType& type : kScalars)
    if (name == type.normalized)
      return true;
  return false;
}

void Parser::addBuiltinTypes() {
  auto add = [&](std::string_view name, std::string_view normalized) { names_[name] = {true, true, normalized}; };
  auto addVectors = [&](const BuiltinType& type, std::string_view between) {
    for (std::string_view lanes : {"2", "3", "4"})
      add(concatenate(concatenate(type.name, between), lanes), concatenate(concatenate(type.normalized, "x"), lanes));
  };
  for (const BuiltinType& type : kScalars) {
    add(type.name, type.normalized);
    addVectors(type, "");
  }
  for (const BuiltinType& type : kSized) {
    add(type.name, type.normalized);
    addVectors(type, "x");
  }
  for (const BuiltinType& type : kStandard)
    add(type.name, type.normalized);
}

bool Parser::isTypeName(size_t ahead) const {
  if (peek(ahead).kind != Tok::Identifier)
    return false;
  auto found = names_.find(spell(peek(ahead)));
  return found != names_.end() && found->second.is_type;
}

// struct S and enum E may be used above their declaration in the file; a typedef only below it.
void Parser::predeclareTypes() {
  unsigned level = 0;
  for (size_t i = 0; i + 2 < tokens_.size(); ++i) {
    Tok kind = tokens_[i].kind;
    level += kind == Tok::LBrace;
    level -= kind == Tok::RBrace && level > 0;
    bool declares = level == 0 && (kind == Tok::Struct || kind == Tok::Enum) && tokens_[i + 1].kind == Tok::Identifier;
    size_t past = declares && kind == Tok::Struct ? afterTypeParameters(i + 2) : 0;
    declares = declares && (past != 0 || tokens_[i + 2].kind == Tok::LBrace);
    std::string_view name = declares ? spell(tokens_[i + 1]) : std::string_view();
    if (!declares || names_.count(name) || isNormalizedName(name))
      continue;
    names_[name] = {true, false, name};
    if (past != 0)
      predeclareGeneric(i + 1, past);
  }
}

// Only a variable that hides a type, or a word with a meaning of its own, need be known.
void Parser::declareVariable(std::string_view name) {
  rejectHiddenParameter(name, previous().range);
  auto found = names_.find(name);
  bool word = name == "thread" || name == "block" || name == "warp" || name == "NULL";
  bool hides = found != names_.end() ? found->second.is_type : word;
  if (!hides)
    return;
  hidden_.emplace_back(name, found != names_.end() ? found->second : Name{});
  names_[name] = Name{};
}

void Parser::closeScope(size_t mark) {
  for (; hidden_.size() > mark; hidden_.pop_back()) {
    const auto& [name, before] = hidden_.back();
    if (before.is_type)
      names_[name] = before;
    else
      names_.erase(name);
  }
}

// False: the name means this already (typedef unsigned int uint), nothing is to be declared. The built-in names cannot
// get another meaning.
bool Parser::declareType(std::string_view name, SourceRange range, const TypeExpr* same_as) {
  auto found = names_.find(name);
  bool builtin = found != names_.end() && found->second.is_builtin;
  if (!builtin && !isNormalizedName(name)) {
    names_[name] = {true, false, name};
    return true;
  }
  bool plain = same_as && same_as->kind == TypeExpr::Named && !same_as->is_const;
  if (plain && same_as->name == (builtin ? found->second.normalized : name))
    names_[name] = {true, true, same_as->name};
  else
    complain(Diag::builtin_type_name, range, name);
  return false;
}

} // namespace bsgp
