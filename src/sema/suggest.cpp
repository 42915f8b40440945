#include "sema/suggest.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/foreign_functions.h"
#include "sema/instantiate.h"
#include "sema/scopes.h"
#include "sema/tree_walk.h"
#include "support/nearest_word.h"

namespace bsgp::sema {

namespace {

std::string lowered(std::string_view name) {
  std::string letters;
  std::transform(name.begin(), name.end(), std::back_inserter(letters),
                 [](unsigned char c) { return std::tolower(c); });
  return letters;
}

// Behind so many errors there are no suggestions: only the first errors are read, and comparing a name with all
// others takes long.
constexpr unsigned kEnoughErrors = 100;

constexpr std::string_view kListMembers[] = {"data",    "n",         "length", "capacity", "resize",
                                             "reserve", "push_back", "detach", "swap"};

// Words of the language that a misspelt name may stand for, as a statement or as a value.
constexpr std::string_view kWords[] = {"barrier", "break", "continue", "return", "true",   "false", "thread",
                                       "block",   "warp",  "spawn",    "while",  "switch", "NULL",  "nullptr"};

// True if the function does more with the name than assign to it: then it is meant to exist.
bool isRead(std::string_view name, const ast::Function& function) {
  size_t named = 0, assigned = 0;
  auto is = [&](const ast::Expr* e) { return e->kind == ast::Expr::Name && e->name == name; };
  walk(
      function.body, [](const ast::Stmt*) { return true; },
      [&](const ast::Expr* e) {
        named += is(e);
        assigned += e->kind == ast::Expr::Assign && !e->has_op && is(e->a);
      },
      [](const ast::Expr*) { return std::optional<bool>(); });
  return named > assigned;
}

} // namespace

// Returns the one function whose name is nearest; empty if none is, or if several are as near, which compute other
// things.
static std::string_view nearestFunction(const Sema& sema, std::string_view name, unsigned limit) {
  std::string_view found;
  unsigned nearest = limit + 1;
  bool several = false;
  std::vector<std::string_view> known;
  appendBuiltinNames(known);
  for (const auto& [other, set] : sema.functions.all)
    known.push_back(other);
  for (std::string_view other : known) {
    if (other == name || other.size() < 2 || other.starts_with("__") ||
        other.find_first_of(".(") != std::string_view::npos)
      continue;
    unsigned d = haveSameLetters(name, other) ? 0 : editDistance(name, other, limit);
    if (d > limit || d > nearest)
      continue;
    several = d == nearest;
    nearest = d, found = other;
  }
  return several ? std::string_view() : found;
}

// The member that counts threads, blocks or lanes, where another language calls it so: thread.id, block.index, warp.lane.
static std::string_view numberCalled(ast::Family family, std::string_view name) {
  bool is_number =
      name == "id" || name == "idx" || name == "index" || name == "tid" || name == "number" || name == "num";
  if (is_number)
    return family == ast::Family::Thread ? "rank" : "id";
  if (family == ast::Family::Thread && (name == "count" || name == "n" || name == "limit"))
    return "size";
  return family == ast::Family::Warp && (name == "lane" || name == "laneid") ? "rank" : "";
}

std::string memberSuggestion(const Sema& sema, ast::Family family, std::string_view name) {
  using Words = std::vector<std::string_view>;
  bool of_thread = family == ast::Family::Thread;
  std::string_view of = of_thread ? "thread." : family == ast::Family::Block ? "block." : "warp.";
  Words known = of_thread ? Words{"rank", "size", "oldrank", "get", "put", "x", "y", "z", "width", "height", "depth"}
                          : Words{"rank", "size", "limit", "id", "count", "sync"};
  for (const auto& [full, set] : sema.functions.all)
    if (set.front()->family == family && !full.substr(of.size()).starts_with("__"))
      known.push_back(full.substr(of.size()));
  if (std::string_view counted = numberCalled(family, name); !counted.empty())
    return fmt::format("; did you mean '{}{}'?", of, counted);
  std::string_view near = nearestOf(name, known);
  if (near.empty() && name.size() >= 3) // thread.sort: thread.sortby
    for (std::string_view word : known)
      if (word.starts_with(name) && (near.empty() || word.size() < near.size()))
        near = word;
  return near.empty() ? "" : fmt::format("; did you mean '{}{}'?", of, near);
}

std::string fieldSuggestion(const Sema& sema, const Type* type, std::string_view name) {
  std::vector<std::string_view> known;
  auto add = [&](std::string_view other) {
    if (withoutDigits(other) != withoutDigits(name)) // a2 is no slip for a1
      known.push_back(other);
  };
  if (type->isDList())
    for (std::string_view word : kListMembers)
      add(word);
  if (type->isStruct())
    for (const StructField& field : type->structure->fields)
      add(field.name);
  if (type->isStruct())
    for (const auto& [method, set] : sema.functions.methods)
      if (!method.starts_with("__") && sema.functions.all.count(methodName(type, method)))
        add(method);
  std::string_view near = nearestOf(name, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string suggestion(Sema& sema, std::string_view name, Body* body, bool variables_only) {
  if (sema.diag.errors() >= kEnoughErrors)
    return "";
  unsigned best = name.size() < 3 ? 0 : name.size() < 6 || variables_only ? 1 : 2;
  std::string_view found;
  bool same_letters = false;
  auto consider = [&](std::string_view other) {
    if (same_letters || other == name || other.starts_with("__") || other.find_first_of(".(") != std::string_view::npos)
      return;
    if (!variables_only && haveSameLetters(name, other)) {
      same_letters = true, best = 0;
      found = other;
      return;
    }
    if (other.size() < 2)
      return;
    // x1 beside x2, key beside keys, sumA beside sumB are no slips: names that differ at their very end.
    size_t shorter = std::min(name.size(), other.size());
    bool end_only = name.substr(0, shorter) == other.substr(0, shorter) ||
                    (name.size() == other.size() && name.substr(0, shorter - 1) == other.substr(0, shorter - 1));
    if (variables_only && (end_only || withoutDigits(name) == withoutDigits(other)))
      return;
    if (unsigned d = editDistance(name, other, best); d <= best && d > 0) {
      best = d - 1;
      found = other;
    }
  };
  if (body && body->names.visible.size() <= 1000)
    for (std::string_view other : body->names.visible)
      if (Symbol known = find(*body, other);
          !known.variable || !known.variable->type->isError()) // not an unknown one itself
        consider(other);
  for (const auto* all : {&sema.names.globals, &sema.names.library_globals})
    if (all->size() <= 1000)
      for (auto& [other, symbol] : *all)
        consider(other);
  if (!body) {
    for (auto& [other, type] : sema.names.types)
      consider(other);
  } else if (found.empty() && !variables_only && sema.functions.all.size() <= 1000 && foreignCallHelp(name).empty()) {
    constexpr size_t kLong = 8; // in shorter names two letters make another function: Printf is no rint
    found = nearestFunction(sema, name, name.size() < kLong ? std::min(best, 1u) : best);
    best -= best > 0 && !found.empty();
    for (auto& [other, type] : sema.names.types) // S(a, b) makes a value
      consider(other);
  }
  if (body && found.empty() && !variables_only)
    for (std::string_view word : kWords)
      if (haveSameLetters(name, word) || editDistance(lowered(name), word, best) <= best) {
        found = word;
        break;
      }
  return found.empty() ? "" : fmt::format("; did you mean '{}'?", found);
}

// Warns of a new variable that is hardly used and has nearly the name of another one: a slip. True if it is one.
bool warnNearMiss(Body& body, std::string_view name, SourceRange range) {
  if (name.size() < 4 || body.names.visible.size() > 1000)
    return false;
  std::string hint = suggestion(body.sema, name, &body, true);
  const ast::Function* node = hint.empty() ? nullptr : declarationOf(body.sema, body.function);
  bool is_slip = node && !isRead(name, *node);
  if (is_slip)
    body.sema.diag.report(Diag::near_miss, range, name, hint);
  return is_slip;
}

} // namespace bsgp::sema
