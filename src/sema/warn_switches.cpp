// Cases of a switch whose statements go on into those of the next label. A comment in between says that it is meant.
#include <algorithm>

#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using ast::Stmt;

bool isLabel(const Stmt& s) {
  return s.kind == Stmt::Case || s.kind == Stmt::Default;
}

bool isForever(const Stmt& s) {
  bool loops = s.kind == Stmt::For || s.kind == Stmt::While;
  return loops && (!s.expr || s.expr->kind == ast::Expr::BoolLit || s.expr->kind == ast::Expr::IntLit);
}

bool asserts(const Stmt& s) {
  const ast::Expr* call = s.kind == Stmt::ExprStmt && s.expr->kind == ast::Expr::Call ? s.expr : nullptr;
  return call && call->a->kind == ast::Expr::Name && (call->a->name == "assert" || call->a->name == "exit");
}

// True if nothing is run behind the statement.
bool leaves(const Stmt& s) {
  switch (s.kind) {
  case Stmt::Break:
  case Stmt::Continue:
  case Stmt::Return:
    return true;
  case Stmt::Block:
    return std::ranges::any_of(s.stmts, [](const Stmt* inner) { return leaves(*inner); });
  case Stmt::If:
    return s.otherwise && leaves(*s.body) && leaves(*s.otherwise);
  default:
    return isForever(s) || asserts(s);
  }
}

// Returns the end of the innermost last statement: a comment may stand in front of the brace.
SourcePos endOf(const Stmt& s) {
  return s.kind == Stmt::Block && !s.stmts.empty() ? endOf(*s.stmts.back()) : s.range.end;
}

std::string_view labelText(const Stmt& label, const SourceManager& sources) {
  std::string_view text = sources.text(label.range);
  return text.substr(0, text.find_last_not_of(": \n") + 1);
}

bool isCommented(SourceRange between, const SourceManager& sources) {
  std::string_view text = sources.text(between);
  return text.find("//") != std::string_view::npos || text.find("/*") != std::string_view::npos;
}

} // namespace

void warnOfFallThrough(const Stmt& s, Diagnostics& diagnostics) {
  if (s.kind != Stmt::Switch || !s.body)
    return;
  const SourceManager& sources = diagnostics.sources();
  const Stmt *label = nullptr, *last = nullptr;
  bool left = false;
  for (const Stmt* inner : s.body->stmts) {
    if (!isLabel(*inner)) {
      bool empty = inner->kind == Stmt::Empty;
      last = empty ? last : inner;
      left |= leaves(*inner);
      continue;
    }
    bool goes_on = label && last && !left && !isCommented({endOf(*last), inner->range.begin}, sources);
    if (goes_on)
      diagnostics.report(Diag::falls_through, inner->range, labelText(*label, sources), labelText(*inner, sources));
    label = inner, last = nullptr, left = false;
  }
}

} // namespace bsgp::sema
