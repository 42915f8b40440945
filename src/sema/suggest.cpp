// "Did you mean": the nearest visible name, by edit distance; and new variables that are slips.
#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/foreign_functions.h"
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

std::string withoutDigits(std::string_view name) {
  std::string rest;
  std::copy_if(name.begin(), name.end(), std::back_inserter(rest), [](char c) { return c < '0' || c > '9'; });
  return rest;
}

// Who has more errors reads the first ones; comparing a name with all others takes long.
constexpr unsigned kEnoughErrors = 100;

constexpr std::string_view kListMembers[] = {"data",    "n",         "length", "capacity", "resize",
                                             "reserve", "push_back", "detach", "swap"};

// Words of the language that a name can stand in the place of: as a statement, or as a value.
constexpr std::string_view kWords[] = {"barrier", "break", "continue", "return", "true",   "false", "thread",
                                       "block",   "warp",  "spawn",    "while",  "switch", "NULL",  "nullptr"};

// Does the function do anything with the name but assign to it? Then it is meant to be there.
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

// The one function whose name is nearest; empty: none is, or several are as near, which compute other things.
std::string_view Sema::nearestFunction(std::string_view name, unsigned limit) const {
  std::string_view found;
  unsigned nearest = limit + 1;
  bool several = false;
  std::vector<std::string_view> known;
  appendBuiltinNames(known);
  for (const auto& [other, set] : functions_)
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

std::string Sema::memberSuggestion(ast::Family family, std::string_view name) const {
  using Words = std::vector<std::string_view>;
  bool of_thread = family == ast::Family::Thread;
  std::string_view of = of_thread ? "thread." : family == ast::Family::Block ? "block." : "warp.";
  Words known = of_thread ? Words{"rank", "size", "oldrank", "get", "put", "x", "y", "z", "width", "height", "depth"}
                          : Words{"rank", "size", "limit", "id", "count", "sync"};
  for (const auto& [full, set] : functions_)
    if (set.front()->family == family && !full.substr(of.size()).starts_with("__"))
      known.push_back(full.substr(of.size()));
  std::string_view near = nearestOf(name, known);
  if (near.empty() && name.size() >= 3) // thread.sort: thread.sortby
    for (std::string_view word : known)
      if (word.starts_with(name) && (near.empty() || word.size() < near.size()))
        near = word;
  return near.empty() ? "" : fmt::format("; did you mean '{}{}'?", of, near);
}

std::string Sema::fieldSuggestion(const Type* type, std::string_view name) const {
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
    for (const auto& [method, set] : methods_)
      if (functions_.count(methodName(type, method)))
        add(method);
  std::string_view near = nearestOf(name, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string Sema::suggestion(std::string_view name, Body* body, bool variables_only) {
  if (diag.errors() >= kEnoughErrors)
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
  if (body && body->visibleCount() <= 1000)
    for (std::string_view other : body->visibleNames())
      if (Symbol known = body->find(other);
          !known.variable || !known.variable->type->isError()) // not an unknown one itself
        consider(other);
  for (const auto* all : {&globals, &library_globals})
    if (all->size() <= 1000)
      for (auto& [other, symbol] : *all)
        consider(other);
  if (!body) {
    for (auto& [other, type] : type_names)
      consider(other);
  } else if (found.empty() && !variables_only && functions_.size() <= 1000 && foreignCallHelp(name).empty()) {
    constexpr size_t kLong = 8; // in shorter names two letters make another function: Printf is no rint
    found = nearestFunction(name, name.size() < kLong ? std::min(best, 1u) : best);
    best -= best > 0 && !found.empty();
    for (auto& [other, type] : type_names) // S(a, b) makes a value
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

// A slip is a new variable with nearly the name of another one, and of no use. True if it is one.
bool Body::warnNearMiss(std::string_view name, SourceRange range) {
  if (name.size() < 4 || visible_.size() > 1000)
    return false;
  std::string hint = sema_.suggestion(name, this, true);
  const ast::Function* node = hint.empty() ? nullptr : sema_.declarationOf(fn_);
  bool is_slip = node && !isRead(name, *node);
  if (is_slip)
    sema_.diag.report(Diag::near_miss, range, name, hint);
  return is_slip;
}

} // namespace bsgp::sema
