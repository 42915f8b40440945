// Tokens, nodes, and the order of the files.
#include "parse/parser.h"

#include <filesystem>

#include "parse/builder.h"

namespace bsgp {

ast::Program* parse(SourceManager& sources, Arena& arena, Diagnostics& diagnostics, SourcePos main_file,
                    const ParseOptions& options) {
  return Parser(sources, arena, diagnostics, options).run(main_file);
}

Parser::Parser(SourceManager& sources, Arena& arena, Diagnostics& diagnostics, const ParseOptions& options)
    : NamesOfFiles(options.prelude ? options.prelude->names() : NamesOfFiles{}), sources_(sources), arena_(arena),
      diagnostics_(diagnostics), options_(options) {
  if (!options.prelude)
    addBuiltinTypes();
}

ast::Program* Parser::runPrelude(std::span<const LibraryFile> files) {
  for (const LibraryFile& file : files)
    if (std::string name = libraryName(file.path); files_read_.insert(name).second)
      parseFile(sources_.addText(name, std::string(file.text), Origin::Library));
  return programOfItems();
}

ast::Program* Parser::run(SourcePos main_file) {
  if (options_.prelude) {
    std::span<const ast::TopLevel> before = options_.prelude->tree().items;
    items_.assign(before.begin(), before.end());
  }
  rememberFile(std::string(sources_.name(main_file)));
  parseFile(main_file);
  return programOfItems();
}

ast::Program* Parser::programOfItems() {
  auto* program = arena_.make<ast::Program>();
  program->items = keep(items_);
  program->broken = keep(broken_), program->in_doubt = keep(doubted_everywhere_);
  program->incomplete = incomplete_;
  return program;
}

// Parses one file, from within another one where that includes it.
void Parser::parseFile(SourcePos file) {
  std::vector<Token> tokens = lex(sources_, file, diagnostics_);
  std::vector<uint32_t> past_partner = std::exchange(past_partner_, partnersOf(tokens));
  std::swap(tokens, tokens_);
  size_t at = std::exchange(at_, 0);
  const char* text = std::exchange(text_, sources_.text(file).data());
  SourcePos base = std::exchange(base_, sources_.begin(file));
  std::string folder =
      std::exchange(folder_, std::filesystem::path(std::string(sources_.name(file))).parent_path().string());
  bool in_library = std::exchange(in_library_, sources_.ofLibrary({base_, base_}));
  stray_reported_ = astray_ = false;
  last_anchor_ = 0;
  incomplete_ |= tokens_.size() > 1 && tokens_[tokens_.size() - 2].kind == Tok::Error;
  keepNamesOfLibrary();
  predeclareTypes();
  while (!this->at(Tok::End))
    parseTopLevel();
  in_library_ = in_library;
  folder_ = std::move(folder);
  base_ = base;
  text_ = text;
  at_ = at;
  past_partner_ = std::move(past_partner);
  std::swap(tokens, tokens_);
}

std::string Parser::describe(const Token& token) const {
  if (token.kind == Tok::End)
    return "the end of the file";
  std::string_view text = spell(token);
  constexpr size_t kShown = 40;
  return text.size() <= kShown ? "'" + std::string(text) + "'" : "'" + std::string(text.substr(0, kShown)) + "...'";
}

bool Parser::inFirstColumn(const Token& token) const {
  return token.range.begin == base_ || text_[token.range.begin - base_ - 1] == '\n';
}

bool Parser::startsLine(const Token& token) const {
  const char* p = text_ + (token.range.begin - base_);
  while (p != text_ && (p[-1] == ' ' || p[-1] == '\t'))
    --p;
  return p == text_ || p[-1] == '\n';
}

// On a line of machine-made length the answer does not matter.
unsigned Parser::indentOf(const Token& token) const {
  constexpr ptrdiff_t kLongest = 4096;
  const char* start = text_ + (token.range.begin - base_);
  const char* p = start;
  while (p != text_ && p[-1] != '\n' && start - p < kLongest)
    --p;
  unsigned indent = 0;
  while (p[indent] == ' ' || p[indent] == '\t')
    ++indent;
  return indent;
}

ast::Expr* Parser::newExpr(ast::Expr::Kind kind, SourceRange range) {
  ++nodes_;
  return ast::Builder(arena_).expr(kind, range);
}

ast::Stmt* Parser::newStmt(ast::Stmt::Kind kind, SourceRange range) {
  ++nodes_;
  return ast::Builder(arena_).stmt(kind, range);
}

ast::TypeExpr* Parser::newType(ast::TypeExpr::Kind kind, SourceRange range, std::string_view name) {
  ++nodes_;
  auto* type = ast::Builder(arena_).type(kind, range);
  type->name = name;
  return type;
}

} // namespace bsgp
