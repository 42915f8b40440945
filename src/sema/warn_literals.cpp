// Texts of the program that are written to: char* s = "text"; s[0] = 'T';
#include <algorithm>
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

bool isTexts(const Expr* e) {
  return e && e->kind == Expr::Construct && !e->args.empty() && std::ranges::all_of(e->args, isText);
}

// Pointers that are declared with a text, and arrays of pointers with texts, that are never changed.
std::unordered_map<const Variable*, const Expr*> textsIn(const Stmt& body) {
  std::unordered_map<const Variable*, const Expr*> texts;
  forEachStmt(&body, [&](const Stmt* s) {
    if (s->kind != Stmt::Decl || s->variable->kind != Variable::Local)
      return;
    if (s->variable->type->isPointer() && isText(s->expr))
      texts.emplace(s->variable, withoutCasts(s->expr));
    if (s->variable->type->isArray() && isTexts(s->expr))
      texts.emplace(s->variable, s->expr);
  });
  if (texts.empty())
    return texts;
  auto forget = [&](const Expr* place) {
    if (place->kind == Expr::Index && place->a->kind == Expr::Var && place->a->type->isArray())
      place = place->a;
    if (place->kind == Expr::Var)
      texts.erase(place->variable);
  };
  forEachExprIn(&body, [&](const Expr* e) {
    if (isAssignment(*e) || e->kind == Expr::AddrOf || e->kind == Expr::Decay)
      forget(e->a);
    for (size_t i = 0; e->kind == Expr::Call && i < e->args.size(); ++i)
      if (i < e->function->params.size() && e->function->params[i]->by_reference)
        forget(e->args[i]);
  });
  return texts;
}

// char names[2][5] = {"anna", "bob"};
std::string arrayOfCopies(const Variable& names, const Expr& texts, std::string_view written) {
  size_t longest = 0;
  for (const Expr* text : texts.args)
    longest = std::max(longest, withoutCasts(text)->text.size());
  return fmt::format("declare arrays, which get copies: char {}[{}][{}] = {};", names.name, texts.args.size(),
                     longest + 1, written);
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
    const Expr* place = pointer->kind == Expr::Index ? pointer->a : pointer;
    auto found = place->kind == Expr::Var ? texts.find(place->variable) : texts.end();
    if (found == texts.end())
      return;
    const auto& [variable, value] = *found;
    std::string help = isTexts(value) ? arrayOfCopies(*variable, *value, text(value))
                                      : fmt::format("declare an array, which gets a copy: char {}[] = {};",
                                                    variable->name, text(value));
    diagnostics.report(Diag::literal_written, e->range, text(pointer), help);
    diagnostics.report(Diag::note_declared, variable->range, variable->name);
  });
}

} // namespace bsgp::sema
