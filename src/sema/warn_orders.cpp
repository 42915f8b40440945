// Orders of the library that hold for two equal values: sort(p, n, <=), sort(p, n, [](a, b) { return a.x <= b.x; }).
#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/services.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

using ast::BinaryOp;

// < of <=, > of >=; null: the operator is none of them.
const char* strictFormOf(BinaryOp op) {
  return op == BinaryOp::Le ? "<" : op == BinaryOp::Ge ? ">" : nullptr;
}

bool isComparison(const ast::Expr& e) {
  return e.kind == ast::Expr::Binary && e.binary >= BinaryOp::Lt && e.binary <= BinaryOp::Ne;
}

// The text of a part without blanks, with each of two names in the other's place.
std::string withNamesSwapped(std::string_view text, std::string_view a, std::string_view b) {
  auto isLetter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::string swapped;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isLetter(text[end]))
      ++end;
    std::string_view word = text.substr(at, std::max<size_t>(end - at, 1));
    bool is_field = swapped.ends_with('.') || swapped.ends_with("->");
    if (!std::isspace(static_cast<unsigned char>(text[at])))
      swapped += is_field ? word : word == a ? b : word == b ? a : word;
    at += word.size();
  }
  return swapped;
}

// An order, run with two values that are equal: comparisons of the same part of both are known then, and a strict order is false.
class EqualValues {
public:
  EqualValues(const ast::Function& order, const SourceManager& sources) : order_(order), sources_(sources) {}

  // The comparison by <= or >= that makes the order true; null: none does, or it is not known.
  const ast::Expr* loose() { return run(*order_.body) == Flow::Returns && result_ == true ? loose_ : nullptr; }

private:
  enum class Flow : uint8_t { GoesOn, Returns, Unknown };

  Flow run(const ast::Stmt& s) {
    switch (s.kind) {
    case ast::Stmt::Empty:
      return Flow::GoesOn;
    case ast::Stmt::Decl: {
      bool refers = std::ranges::any_of(s.decls, [](const ast::Declarator& d) { return d.by_reference; });
      return refers ? Flow::Unknown : Flow::GoesOn;
    }
    case ast::Stmt::Block:
      for (const ast::Stmt* inner : s.stmts)
        if (Flow flow = run(*inner); flow != Flow::GoesOn)
          return flow;
      return Flow::GoesOn;
    case ast::Stmt::If: {
      std::optional<bool> taken = value(*s.expr);
      const ast::Stmt* way = taken == true ? s.body : s.otherwise;
      return !taken ? Flow::Unknown : way ? run(*way) : Flow::GoesOn;
    }
    case ast::Stmt::Return:
      if (s.expr && s.expr->kind != ast::Expr::BoolLit)
        loose_ = nullptr; // a condition before it decides about literals alone
      result_ = s.expr ? value(*s.expr) : std::nullopt;
      return Flow::Returns;
    default:
      return Flow::Unknown;
    }
  }

  std::optional<bool> value(const ast::Expr& e) {
    if (e.kind == ast::Expr::BoolLit)
      return e.integer != 0;
    if (e.kind == ast::Expr::Unary && e.unary == ast::UnaryOp::Not) {
      std::optional<bool> negated = value(*e.a);
      return negated ? std::optional(!*negated) : std::nullopt;
    }
    if (e.kind == ast::Expr::Conditional) {
      std::optional<bool> first = value(*e.a);
      return first ? value(*first ? *e.b : *e.c) : std::nullopt;
    }
    if (isComparison(e))
      return compared(e);
    bool joins = e.kind == ast::Expr::Binary && (e.binary == BinaryOp::LogicalAnd || e.binary == BinaryOp::LogicalOr);
    return joins ? joined(e) : std::nullopt;
  }

  std::optional<bool> joined(const ast::Expr& e) {
    bool decisive = e.binary == BinaryOp::LogicalOr;
    std::optional<bool> a = value(*e.a), b = a == decisive ? std::nullopt : value(*e.b);
    if (a == decisive || b == decisive)
      return decisive;
    return a && b ? std::optional(!decisive) : std::nullopt;
  }

  std::optional<bool> compared(const ast::Expr& e) {
    std::string_view a = order_.params[0].name, b = order_.params[1].name;
    std::string right = withNamesSwapped(sources_.text(e.b->range), {}, {});
    if (withNamesSwapped(sources_.text(e.a->range), a, b) != right)
      return std::nullopt;
    if (strictFormOf(e.binary))
      loose_ = &e;
    return strictFormOf(e.binary) || e.binary == BinaryOp::Eq;
  }

  const ast::Function& order_;
  const SourceManager& sources_;
  const ast::Expr* loose_ = nullptr;
  std::optional<bool> result_;
};

// The comparison by <= or >= that is all that an order of the program returns, or that holds for two equal values.
const ast::Expr* looseComparison(const Callable& order, const Sema& sema) {
  Overloads set = overloads(sema, order.name, order.scope);
  const ast::Function* node = set.size() == 1 ? set.front() : nullptr;
  if (!node || !node->body || sema.diag.sources().ofLibrary(node->range))
    return nullptr;
  const ast::Stmt* only = node->body->stmts.size() == 1 ? node->body->stmts[0] : nullptr;
  if (only && only->kind == ast::Stmt::Return && only->expr && isComparison(*only->expr))
    return strictFormOf(only->expr->binary) ? only->expr : nullptr;
  return node->params.size() == 2 ? EqualValues(*node, sema.diag.sources()).loose() : nullptr;
}

void warnOfOrder(const Argument& argument, Sema& sema) {
  const Callable& order = argument.callable;
  if (const char* strict = order.is_operator ? strictFormOf(order.op) : nullptr)
    return sema.warnings.report(Diag::order_not_strict, argument.range, sema.diag.sources().text(argument.range),
                                strict);
  const ast::Expr* compared = order.is_operator ? nullptr : looseComparison(order, sema);
  auto text = [&](const ast::Expr* part) { return sema.diag.sources().text(part->range); };
  if (compared)
    sema.warnings.report(Diag::order_not_strict, compared->range, text(compared),
                         fmt::format("{} {} {}", text(compared->a), strictFormOf(compared->binary), text(compared->b)));
}

} // namespace

void warnOfOrders(const Function& function, std::span<const Argument> arguments, Sema& sema) {
  const ast::Function* node = declarationOf(sema, function);
  if (!node || scopeOf(sema, node->range) != Scope::Library)
    return;
  for (size_t i = 0; i < arguments.size() && i < node->params.size(); ++i)
    if (node->params[i].name == "less" && arguments[i].is_callable)
      warnOfOrder(arguments[i], sema);
}

} // namespace bsgp::sema
