// Texts of the program that are written to: char* s = "text"; s[0] = 'T';
#include <unordered_map>

#include <fmt/format.h>

#include "sema/sema.h"
#include "sema/visit.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

const Expr* withoutCasts(const Expr* e) {
  while (e && (e->kind == Expr::Cast || e->kind == Expr::Decay))
    e = e->a;
  return e;
}

bool isText(const Expr* e) {
  return e && withoutCasts(e)->kind == Expr::String;
}

// The pointer whose element a place is; null: it is none.
const Expr* pointerOf(const Expr& place) {
  bool is_element = place.kind == Expr::Index || place.kind == Expr::Deref;
  return is_element && place.a->type->isPointer() ? withoutCasts(place.a) : nullptr;
}

// Pointers that are declared with a text and never changed.
std::unordered_map<const Variable*, const Expr*> textsIn(const Stmt& body) {
  std::unordered_map<const Variable*, const Expr*> texts;
  forEachStmt(&body, [&](const Stmt* s) {
    if (s->kind == Stmt::Decl && s->variable->type->isPointer() && isText(s->expr))
      texts.emplace(s->variable, withoutCasts(s->expr));
  });
  if (texts.empty())
    return texts;
  forEachExprIn(&body, [&](const Expr* e) {
    bool changes = isAssignment(*e) || e->kind == Expr::AddrOf;
    if (changes && e->a->kind == Expr::Var)
      texts.erase(e->a->variable);
    for (size_t i = 0; e->kind == Expr::Call && i < e->args.size(); ++i)
      if (i < e->function->params.size() && e->function->params[i]->by_reference)
        texts.erase(e->args[i]->variable);
  });
  return texts;
}

} // namespace

void warnOfWrittenLiterals(const Stmt& body, Diagnostics& diagnostics) {
  auto texts = textsIn(body);
  auto text = [&](const Expr* e) { return diagnostics.sources().text(e->range); };
  forEachExprIn(&body, [&](const Expr* e) {
    const Expr* pointer = isAssignment(*e) ? pointerOf(*e->a) : nullptr;
    if (!pointer || !e->range.valid())
      return;
    if (pointer->kind == Expr::String)
      return diagnostics.report(Diag::literal_written, e->range, text(pointer),
                                fmt::format("put it into an array first: char text[] = {};", text(pointer)));
    auto found = pointer->kind == Expr::Var ? texts.find(pointer->variable) : texts.end();
    if (found == texts.end())
      return;
    diagnostics.report(Diag::literal_written, e->range, text(pointer),
                       fmt::format("declare an array, which gets a copy: char {}[] = {};", pointer->variable->name,
                                   text(found->second)));
    diagnostics.report(Diag::note_declared, pointer->variable->range, pointer->variable->name);
  });
}

} // namespace bsgp::sema
