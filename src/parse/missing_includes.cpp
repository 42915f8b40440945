#include "parse/missing_includes.h"

#include <algorithm>

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

} // namespace

void findLibraryNames(const std::vector<Token>& tokens, std::string_view text, SourcePos base,
                      const IncludeOf& include_of, LibraryNames& names) {
  File file{tokens, text, base};
  for (size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].kind != Tok::Identifier || include_of(file.spell(tokens[at])).empty())
      continue;
    LibraryNames::Use& use = names.uses[file.spell(tokens[at])];
    if (isUse(file, at) && !use.first.valid())
      use.first = tokens[at].range;
    else if (isDeclared(file, at))
      use.declared = true;
  }
}

std::vector<ast::MissingInclude> missingIncludes(const LibraryNames& names, const IncludeOf& include_of,
                                                 const std::unordered_set<std::string>& files_read, Arena& arena) {
  std::vector<ast::MissingInclude> uses;
  for (const auto& [name, use] : names.uses)
    if (std::string file = include_of(name);
        use.first.valid() && !use.declared && !files_read.contains("<" + file + ">"))
      uses.push_back({name, arena.copy(file), use.first});
  std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
  std::unordered_set<std::string_view> seen;
  std::erase_if(uses, [&](const ast::MissingInclude& use) { return !seen.insert(use.file).second; });
  return uses;
}

void tellOtherIncludes(const ast::Program& program, const IncludeOf& include_of, Diagnostics& diagnostics) {
  if (program.missing_includes.empty() || !include_of)
    return;
  std::unordered_set<std::string> told;
  for (const Diagnostic& message : diagnostics.all()) {
    bool of_name = message.kind == Diag::not_included || message.kind == Diag::unknown_type_name;
    if (!of_name || !message.range.valid())
      continue;
    SourcePos start = diagnostics.sources().begin(message.range.begin);
    std::string_view rest = diagnostics.sources().text(message.range.begin).substr(message.range.begin - start);
    size_t length = 0;
    while (length < rest.size() && (rest[length] == '_' || std::isalnum(static_cast<unsigned char>(rest[length]))))
      ++length;
    if (std::string file = include_of(rest.substr(0, length)); !file.empty())
      told.insert(std::move(file));
  }
  for (const ast::MissingInclude& missing : program.missing_includes)
    if (!told.empty() && !told.contains(std::string(missing.file)))
      diagnostics.report(Diag::not_included, missing.range, missing.name, missing.file);
}

} // namespace bsgp
