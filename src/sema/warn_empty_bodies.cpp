// A ';' that ends an if or a loop before its body: if (c); x = 1;
//
// Loops without a body are right if their head does the work. So a loop is reported only if its ';' stands in front
// of code that looks like its body, or if its head has no lasting effect.
#include <algorithm>

#include "sema/tree_walk.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

// At the next token behind a place: past spaces and comments.
SourcePos nextToken(SourcePos behind, const SourceManager& sources) {
  std::string_view text = sources.text(behind);
  SourcePos begin = sources.begin(behind);
  for (size_t at = behind - begin; at < text.size();) {
    std::string_view rest = text.substr(at);
    size_t past = std::string_view::npos;
    if (rest.starts_with("//"))
      past = rest.find('\n');
    else if (rest.starts_with("/*"))
      past = rest.find("*/", 2);
    else if (rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\n' && rest[0] != '\r')
      return begin + SourcePos(at);
    else
      past = 0;
    if (past == std::string_view::npos)
      break;
    at += past + (rest.starts_with("/*") ? 2 : 1);
  }
  return 0;
}

bool startsLine(SourcePos at, const SourceManager& sources) {
  return sources.lineText(at).find_first_not_of(" \t") + 1 == sources.at(at).column;
}

// A block, or a line that is further in than the loop.
bool bodyFollows(const ast::Stmt& s, const SourceManager& sources) {
  SourcePos next = nextToken(s.body->range.end, sources);
  if (next == 0)
    return false;
  if (sources.text(SourceRange{next, next + 1}) == "{")
    return true;
  LineColumn loop = sources.at(s.range.begin), after = sources.at(next);
  return after.line > loop.line && after.column > loop.column;
}

bool hasEffect(const ast::Expr* e) {
  bool has = false;
  ast::walk(e, [&](const ast::Expr* part) {
    has |= part->kind == ast::Expr::Call || part->kind == ast::Expr::Assign || isCount(part);
  });
  return has;
}

// True if the condition reads memory, which another thread may change, or at which a walk through memory ends.
bool readsMemory(const ast::Expr* e) {
  bool reads = false;
  ast::walk(e, [&](const ast::Expr* part) {
    reads |= part->kind == ast::Expr::Index || part->kind == ast::Expr::Arrow ||
             (part->kind == ast::Expr::Unary && part->unary == ast::UnaryOp::Deref);
  });
  return reads;
}

// Does the head of a for change only what it declares?
bool keepsToItself(const ast::Stmt& s) {
  if (!s.init || s.init->kind != ast::Stmt::Decl || hasEffect(s.expr) || !s.expr || !s.step)
    return false;
  const ast::Expr* step = s.step;
  bool changes = (step->kind == ast::Expr::Assign && !hasEffect(step->b)) || isCount(step);
  const ast::Expr* place = changes ? step->a : nullptr;
  return place && place->kind == ast::Expr::Name &&
         std::any_of(s.init->decls.begin(), s.init->decls.end(),
                     [&](const ast::Declarator& d) { return d.name == place->name && !d.by_reference; });
}

// if (c) ; else x = 1;
bool elseFollows(const ast::Stmt& s, const SourceManager& sources) {
  SourcePos next = s.kind == ast::Stmt::If && s.otherwise ? nextToken(s.body->range.end, sources) : 0;
  return next && sources.at(next).line == sources.at(s.body->range.begin).line;
}

const char* constructOf(const ast::Stmt& s) {
  return s.kind == ast::Stmt::If ? "if" : s.kind == ast::Stmt::While ? "while" : s.kind == ast::Stmt::For ? "for" : "";
}

} // namespace

void warnOfEmptyBody(const ast::Stmt& s, Diagnostics& diagnostics) {
  const SourceManager& sources = diagnostics.sources();
  const char* construct = constructOf(s);
  bool semicolon = *construct && s.body && s.body->kind == ast::Stmt::Empty && sources.text(s.body->range) == ";";
  if (!semicolon || startsLine(s.body->range.begin, sources) || elseFollows(s, sources)) // then it is meant
    return;
  bool idle = s.kind == ast::Stmt::If || (s.kind == ast::Stmt::While && !hasEffect(s.expr) && !readsMemory(s.expr)) ||
              (s.kind == ast::Stmt::For && keepsToItself(s));
  if (idle || bodyFollows(s, sources))
    diagnostics.report(Diag::empty_body, s.body->range, construct,
                       s.kind == ast::Stmt::If && s.otherwise ? "an arm that is meant to be empty is {}"
                                                              : "leave it out; a body that is meant to be empty is {}");
}

} // namespace bsgp::sema
