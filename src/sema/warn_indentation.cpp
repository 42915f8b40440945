// Lines that are indented as the body of an if, a loop or a spawn, and stand behind it, for its body has no braces.
#include <fmt/format.h>

#include "lex/lex.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

const char* constructOf(const ast::Stmt& s) {
  switch (s.kind) {
  case ast::Stmt::If:
    return s.otherwise ? "else" : "if";
  case ast::Stmt::For:
    return "for";
  case ast::Stmt::While:
    return "while";
  case ast::Stmt::Spawn:
    return "spawn";
  default:
    return nullptr;
  }
}

// The text in front of a place in its line; `first`: it is blanks alone.
std::string_view indentation(SourcePos at, const SourceManager& sources, bool& first) {
  std::string_view before = sources.lineText(at).substr(0, sources.at(at).column - 1);
  first = before.find_first_not_of(" \t") == std::string_view::npos;
  return before;
}

// The body that ends the statement; null: it has braces, or is empty.
const ast::Stmt* bareBody(const ast::Stmt& s) {
  const ast::Stmt* body = s.kind == ast::Stmt::If && s.otherwise ? s.otherwise : s.body;
  bool bare = body && body->range.valid() && body->kind != ast::Stmt::Block && body->kind != ast::Stmt::Empty;
  return bare ? body : nullptr;
}

bool isLabel(const ast::Stmt& s) {
  return s.kind == ast::Stmt::Case || s.kind == ast::Stmt::Default;
}

} // namespace

// The word in a part of the text, which may have comments; invalid: a macro gives it.
static SourceRange elseBetween(SourceRange part, const SourceManager& sources) {
  Diagnostics reported_before(sources);
  for (const Token& token : lex(sources, part, reported_before))
    if (sources.text(token.range) == "else")
      return token.range;
  return {};
}

// if (a)
//   if (b) x;
// else y;
static void warnOfElse(const ast::Stmt& outer, Diagnostics& diagnostics) {
  const ast::Stmt* inner = outer.kind == ast::Stmt::If && !outer.otherwise ? outer.body : nullptr;
  if (!inner || inner->kind != ast::Stmt::If || !inner->otherwise || !inner->otherwise->range.valid())
    return;
  const SourceManager& sources = diagnostics.sources();
  SourceRange word = elseBetween({inner->body->range.end, inner->otherwise->range.begin}, sources);
  if (!word.valid())
    return;
  bool outer_first = false, inner_first = false, else_first = false;
  std::string_view around = indentation(outer.range.begin, sources, outer_first);
  std::string_view own = indentation(inner->range.begin, sources, inner_first);
  bool misleads = indentation(word.begin, sources, else_first) == around && own != around;
  if (misleads && outer_first && inner_first && else_first)
    diagnostics.report(
        Diag::misleading_indentation, word,
        "this 'else' is of the inner 'if', though it is indented as the outer one is",
        "write braces around the inner 'if' where the outer one is meant; or indent this as the inner one is");
}

void warnOfIndentation(const ast::Stmt& block, Diagnostics& diagnostics) {
  warnOfElse(block, diagnostics);
  const SourceManager& sources = diagnostics.sources();
  for (size_t i = 0; i + 1 < block.stmts.size(); ++i) {
    const ast::Stmt &s = *block.stmts[i], &next = *block.stmts[i + 1];
    const char* construct = constructOf(s);
    const ast::Stmt* body = construct ? bareBody(s) : nullptr;
    if (!body || !next.range.valid() || isLabel(next))
      continue;
    bool head_first = false, body_first = false, next_first = false;
    std::string_view head = indentation(s.range.begin, sources, head_first);
    std::string_view inner = indentation(body->range.begin, sources, body_first);
    bool misleads = indentation(next.range.begin, sources, next_first) == inner && inner != head;
    if (misleads && head_first && body_first && next_first)
      diagnostics.report(
          Diag::misleading_indentation, next.range,
          fmt::format("this stands behind the '{}' above, though it is indented as its body is", construct),
          fmt::format("write braces around what the '{0}' is for; or indent this as the '{0}' is", construct));
  }
}

} // namespace bsgp::sema
