#include "parse/missing_includes.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lex/lex.h"

namespace bsgp {

namespace {

// The text of a file and its tokens, which end with Tok::End.
struct File {
  const std::vector<Token>& tokens;
  std::string_view text;
  SourcePos base;

  std::string_view spell(const Token& token) const {
    return text.substr(token.range.begin - base, token.range.end - token.range.begin);
  }
  Tok before(size_t at) const { return at ? tokens[at - 1].kind : Tok::Semicolon; }
  Tok behind(size_t at, size_t distance = 1) const {
    return at + distance < tokens.size() ? tokens[at + distance].kind : Tok::End;
  }
};

bool endsType(Tok kind) {
  return kind == Tok::Identifier || isTypeWord(kind) || kind == Tok::Auto || kind == Tok::Star || kind == Tok::Amp ||
         kind == Tok::Greater || kind == Tok::RBracket || kind == Tok::Const || kind == Tok::Struct ||
         kind == Tok::Enum || kind == Tok::Inline || kind == Tok::Export || kind == Tok::Extern || kind == Tok::Static;
}

bool beginsDeclaration(Tok kind) {
  return kind == Tok::LParen || kind == Tok::Comma || kind == Tok::LBrace || kind == Tok::RBrace ||
         kind == Tok::Semicolon || kind == Tok::Const || kind == Tok::Inline || kind == Tok::Export ||
         kind == Tok::Include;
}

// f(x), P(int) p, Text t, Text* t
bool isUse(const File& file, size_t at) {
  Tok before = file.before(at), next = file.behind(at);
  if (before == Tok::Dot || before == Tok::Arrow)
    return false;
  if (next == Tok::LParen)
    return !endsType(before);
  bool pointer = (next == Tok::Star || next == Tok::Amp) && file.behind(at, 2) == Tok::Identifier;
  return beginsDeclaration(before) && (next == Tok::Identifier || pointer);
}

// A name that begins to be the program's here: int x, x = 3, struct X, f(x) of a function's head, f(x) in the first column.
bool isDeclared(const File& file, size_t at) {
  Tok before = file.before(at), next = file.behind(at);
  size_t offset = file.tokens[at].range.begin - file.base;
  bool first_column = offset == 0 || file.text[offset - 1] == '\n';
  bool alone = (before == Tok::LParen || before == Tok::Comma) && (next == Tok::RParen || next == Tok::Comma);
  return before != Tok::Dot && before != Tok::Arrow &&
         (next == Tok::Equal || endsType(before) || alone || (first_column && next == Tok::LParen));
}

// A name in the program's files that a file of the library declares.
struct Use {
  std::string file;
  SourceRange first{};   // where it is called, or is a variable's type; invalid: nowhere
  bool declared = false; // the program has one of its own
};
using Uses = std::unordered_map<std::string_view, Use>;

void addUses(const File& file, const IncludeOf& include_of, Uses& uses) {
  for (size_t at = 0; at < file.tokens.size(); ++at) {
    if (file.tokens[at].kind != Tok::Identifier)
      continue;
    std::string_view name = file.spell(file.tokens[at]);
    std::string declares = include_of(name);
    if (declares.empty())
      continue;
    Use& use = uses.try_emplace(name, Use{std::move(declares)}).first->second;
    if (isUse(file, at) && !use.first.valid())
      use.first = file.tokens[at].range;
    else if (isDeclared(file, at))
      use.declared = true;
  }
}

Uses usesIn(const SourceManager& sources, const IncludeOf& include_of) {
  Uses uses;
  Diagnostics reported_before(sources);
  for (SourcePos base : sources.begins())
    if (!sources.ofLibrary({base, base})) {
      std::vector<Token> tokens = lex(sources, base, reported_before);
      addUses({tokens, sources.text(base), base}, include_of, uses);
    }
  return uses;
}

// The files of the library that the messages so far ask for.
std::unordered_set<std::string> filesReported(const IncludeOf& include_of, const Diagnostics& diagnostics) {
  std::unordered_set<std::string> files;
  for (const Diagnostic& message : diagnostics.all()) {
    bool of_name = message.kind == Diag::not_included || message.kind == Diag::unknown_type_name;
    if (!of_name || !message.range.valid())
      continue;
    std::string_view text = diagnostics.sources().text(message.range); // f(x)
    auto isOfName = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
    auto end = std::ranges::find_if_not(text, isOfName);
    if (std::string file = include_of({text.begin(), end}); !file.empty())
      files.insert(std::move(file));
  }
  return files;
}

} // namespace

void tellOtherIncludes(const IncludeOf& include_of, Diagnostics& diagnostics) {
  std::unordered_set<std::string> known = filesReported(include_of, diagnostics);
  if (known.empty())
    return;
  Uses uses = usesIn(diagnostics.sources(), include_of);
  for (std::string_view name : diagnostics.sources().names()) // the files that were read
    if (name.starts_with('<'))
      known.emplace(name.substr(1, name.size() - 2));
  std::vector<std::pair<std::string_view, Use>> missing(uses.begin(), uses.end());
  std::erase_if(missing, [](const auto& each) { return !each.second.first.valid() || each.second.declared; });
  std::ranges::sort(missing, {}, [](const auto& each) { return each.second.first.begin; });
  for (const auto& [name, use] : missing)
    if (known.insert(use.file).second)
      diagnostics.report(Diag::not_included, use.first, name, use.file);
}

} // namespace bsgp
