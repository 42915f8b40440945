// Warnings that need no types, by the text of a function alone.
#include <unordered_map>

#include <fmt/format.h>

#include "lex/lex.h"
#include "sema/services.h"
#include "sema/tree_walk.h"
#include "sema/warnings.h"
#include "support/nearest_word.h"

namespace bsgp::sema {

namespace {

// How often each name stands in a part of the text.
std::unordered_map<std::string_view, unsigned> namesIn(SourceRange part, const SourceManager& sources) {
  std::unordered_map<std::string_view, unsigned> counts;
  Diagnostics reported_before(sources);
  for (const Token& token : lex(sources, part, reported_before))
    if (isName(token.kind))
      ++counts[sources.text(token.range)];
  return counts;
}

// if (a = 3); a second pair of parentheses says that it is meant.
void warnOfAssignment(const ast::Expr* condition, Diagnostics& diagnostics) {
  bool assigns = condition && condition->kind == ast::Expr::Assign && !condition->has_op;
  if (!assigns || condition->range.begin != condition->a->range.begin)
    return;
  const SourceManager& sources = diagnostics.sources();
  diagnostics.report(Diag::assignment_condition, condition->range, sources.text(condition->a->range),
                     sources.text(condition->range));
}

// f(2, n = 5): a second pair of parentheses says that it is meant.
void warnOfAssignedArguments(const ast::Expr& call, Diagnostics& diagnostics) {
  const SourceManager& sources = diagnostics.sources();
  for (const ast::Expr* argument : call.kind == ast::Expr::Call ? call.args : std::span<ast::Expr* const>())
    if (argument->kind == ast::Expr::Assign && !argument->has_op && argument->a->kind == ast::Expr::Name &&
        argument->range.begin == argument->a->range.begin)
      diagnostics.report(Diag::assigned_argument, argument->range, argument->a->name, sources.text(argument->b->range));
}

bool mayBeUnused(const ast::Declarator& d) {
  return !d.is_shared && !d.by_reference;
}

using Names = std::unordered_set<std::string_view>;

// The names that more than one declaration has.
Names declaredTwice(const ast::Stmt* body) {
  Names all, twice;
  walk(
      body,
      [&](const ast::Stmt* s) {
        for (const ast::Declarator& d : s->decls)
          if (!all.insert(d.name).second)
            twice.insert(d.name);
        return true;
      },
      [](const ast::Expr*) {}, [](const ast::Expr*) { return std::optional<bool>(); });
  return twice;
}

// A variable of this block that is never used, while another one of its name is.
void warnOfHiding(const ast::Stmt& block, const Names& twice, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, unsigned> names; // made where a declaration asks
  for (const ast::Stmt* s : block.stmts)
    for (const ast::Declarator& d : s->decls) {
      if (!mayBeUnused(d) || !twice.contains(d.name))
        continue;
      if (names.empty())
        names = namesIn(block.range, diagnostics.sources());
      if (names[d.name] == 1)
        diagnostics.report(Diag::unused_variable, d.range, d.name, "");
    }
}

// int prefix = scan(+, x), of which x has the prefixes.
void warnOfUnused(std::string_view name, SourceRange range, const ast::Expr* value, std::string_view hint,
                  Diagnostics& diagnostics) {
  const ast::Expr* call = value && value->kind == ast::Expr::Call && value->args.size() == 2 ? value : nullptr;
  bool scans = call && (calledName(call->a) == "scan" || calledName(call->a) == "scan_inclusive") &&
               call->args[1]->kind == ast::Expr::Name;
  if (!scans)
    return diagnostics.report(Diag::unused_variable, range, name, hint);
  diagnostics.report(Diag::unused_total, range, name, diagnostics.sources().text(call->range), call->args[1]->name);
}

// The variables that the text of a function declares or assigns to, its parameters, and the program's own outside of functions.
Names variablesOf(const ast::Function& function, const Sema& sema) {
  Names all;
  for (const ast::Param& param : function.params)
    all.insert(param.name);
  for (const auto& [name, symbol] : sema.names.globals)
    if (symbol.variable)
      all.insert(name);
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        for (const ast::Declarator& d : s->decls)
          all.insert(d.name);
        return true;
      },
      [&](const ast::Expr* e) {
        if (e->kind == ast::Expr::Assign && e->a->kind == ast::Expr::Name)
          all.insert(e->a->name);
      },
      [](const ast::Expr*) { return std::optional<bool>(); });
  return all;
}

// "; did you mean 'total'?" of tota1, which its first assignment declares: the one variable whose name differs in a letter. Among very
// many there is none: comparing all of them takes long.
std::string hintFor(std::string_view name, const Names& variables) {
  constexpr size_t kShortest = 4, kMost = 1000;
  if (name.size() < kShortest || variables.size() > kMost)
    return "";
  std::string_view near;
  bool several = false;
  for (std::string_view other : variables)
    if (withoutDigits(other) != withoutDigits(name) && editDistance(name, other, 1) <= 1)
      several |= !near.empty(), near = other;
  return near.empty() || several ? "" : fmt::format("; did you mean '{}'?", near);
}

bool hasCondition(const ast::Stmt& s) {
  return s.kind == ast::Stmt::If || s.kind == ast::Stmt::While || s.kind == ast::Stmt::Do || s.kind == ast::Stmt::For;
}

} // namespace

void warnOfText(const ast::Function& function, const std::unordered_set<SourcePos>& implicit, Sema& sema) {
  Diagnostics& diagnostics = sema.warnings;
  if (!function.body || !function.body->range.valid())
    return;
  std::unordered_map<std::string_view, unsigned> names;        // made where a declaration asks
  Names twice = declaredTwice(function.body), variables;       // the latter likewise
  std::unordered_set<const ast::Stmt*> lasting{function.body}; // blocks whose variables live on behind them
  auto isNamedOnce = [&](std::string_view name) {
    if (names.empty())
      names = namesIn(function.body->range, diagnostics.sources());
    return names[name] == 1;
  };
  walk(
      function.body,
      [&](const ast::Stmt* s) {
        if (hasCondition(*s))
          warnOfAssignment(s->expr, diagnostics);
        warnOfEmptyBody(*s, diagnostics);
        warnOfIndentation(*s, diagnostics);
        warnOfFallThrough(*s, diagnostics);
        warnOfEndlessLoop(*s, function, sema);
        for (const ast::Declarator& d : s->decls)
          if (mayBeUnused(d) && isNamedOnce(d.name))
            warnOfUnused(d.name, d.range, d.init, "", diagnostics);
        if (s->kind == ast::Stmt::Require)
          lasting.insert(s->body);
        if (s->kind == ast::Stmt::Block && !lasting.contains(s))
          warnOfHiding(*s, twice, diagnostics);
        return true;
      },
      [&](const ast::Expr* e) {
        warnOfReversedOperator(*e, diagnostics);
        warnOfSelfAssignment(*e, diagnostics);
        warnOfAssignedArguments(*e, diagnostics);
        warnOfChangeInItself(*e, diagnostics);
        bool declares = e->kind == ast::Expr::Assign && implicit.contains(e->a->range.begin);
        if (!declares || !isNamedOnce(e->a->name))
          return;
        if (variables.empty())
          variables = variablesOf(function, sema);
        warnOfUnused(e->a->name, e->a->range, e->b, hintFor(e->a->name, variables), diagnostics);
      },
      [](const ast::Expr*) { return std::optional<bool>(); });
}

} // namespace bsgp::sema
