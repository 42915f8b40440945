// What the text of a function tells without its types.
#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>

#include "sema/tree_walk.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

std::string_view textOf(SourceRange range, const SourceManager& sources) {
  return sources.text(range.begin).substr(range.begin - sources.begin(range.begin), range.end - range.begin);
}

bool isWord(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c));
}

// Past a comment, a text or a character that begins at `at`; `at` where none does.
size_t pastQuoted(std::string_view text, size_t at) {
  std::string_view rest = text.substr(at);
  if (rest.starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) {
    size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (rest[0] != '"' && rest[0] != '\'')
    return at;
  size_t end = at + 1;
  while (end < text.size() && text[end] != rest[0])
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

// How often each word stands in a text, comments and literals apart.
std::unordered_map<std::string_view, unsigned> wordsOf(std::string_view text) {
  std::unordered_map<std::string_view, unsigned> counts;
  for (size_t at = 0; at < text.size();) {
    if (size_t past = pastQuoted(text, at); past > at) {
      at = past;
      continue;
    }
    size_t end = at;
    while (end < text.size() && isWord(text[end]))
      ++end;
    if (end > at)
      ++counts[text.substr(at, end - at)];
    at = std::max(end, at + 1);
  }
  return counts;
}

// if (a = 3); a second pair of parentheses says that it is meant.
void warnOfAssignment(const ast::Expr* condition, Diagnostics& diagnostics) {
  bool assigns = condition && condition->kind == ast::Expr::Assign && !condition->has_op;
  if (!assigns || condition->range.begin != condition->a->range.begin)
    return;
  const SourceManager& sources = diagnostics.sources();
  diagnostics.report(Diag::assignment_condition, condition->range, textOf(condition->a->range, sources),
                     textOf(condition->range, sources));
}

bool hasCondition(const ast::Stmt& s) {
  return s.kind == ast::Stmt::If || s.kind == ast::Stmt::While || s.kind == ast::Stmt::Do || s.kind == ast::Stmt::For;
}

} // namespace

void warnOfText(const ast::Function& function, Diagnostics& diagnostics) {
  if (!function.body || !function.body->range.valid())
    return;
  std::string_view text = textOf(function.body->range, diagnostics.sources());
  std::unordered_map<std::string_view, unsigned> words; // made where a declaration asks
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        if (hasCondition(*s))
          warnOfAssignment(s->expr, diagnostics);
        for (const ast::Declarator& d : s->decls) {
          if (words.empty())
            words = wordsOf(text);
          if (!d.is_shared && !d.by_reference && words[d.name] == 1)
            diagnostics.report(Diag::unused_variable, d.range, d.name);
        }
        return true;
      },
      [](const ast::Expr*) {}, [](const ast::Expr*) { return std::optional<bool>(); });
}

} // namespace bsgp::sema
