// Bounds the depth of a tree, so that the phases after the parser may recurse over it. Nesting as written is bounded
// while parsing; this is for what is parsed by loops: long chains of operators, members and else-ifs.
#include "parse/parser.h"

namespace bsgp {

using ast::Expr;
using ast::Stmt;
using ast::TypeExpr;

namespace {

// Walks top down with a stack of its own, cutting where the limit is passed.
class DepthLimiter {
public:
  void add(Stmt* stmt, unsigned depth = 0) {
    if (stmt)
      pending_.push_back({stmt, nullptr, depth});
  }
  void add(Expr* expr, unsigned depth = 0) {
    if (expr)
      pending_.push_back({nullptr, expr, depth});
  }

  SourceRange run() {
    while (!pending_.empty()) {
      Node node = pending_.back();
      pending_.pop_back();
      if (node.depth >= kMaxTreeDepth)
        cut(node);
      else if (node.stmt)
        addChildren(*node.stmt, node.depth + 1);
      else
        addChildren(*node.expr, node.depth + 1);
    }
    return first_;
  }

private:
  struct Node {
    Stmt* stmt;
    Expr* expr;
    unsigned depth;
  };

  // The type's own links are bounded; the expressions in it count from its end.
  void addType(TypeExpr* type, unsigned depth) {
    for (; type; type = type->inner) {
      add(type->count, ++depth);
      for (TypeExpr* argument : type->args)
        addType(argument, depth);
    }
  }

  void addChildren(Stmt& stmt, unsigned depth) {
    add(stmt.expr, depth);
    add(stmt.count, depth);
    add(stmt.step, depth);
    for (Expr* extent : stmt.extents)
      add(extent, depth);
    add(stmt.init, depth);
    add(stmt.body, depth);
    add(stmt.otherwise, depth);
    for (Stmt* child : stmt.stmts)
      add(child, depth);
    for (auto operands : {stmt.outputs, stmt.inputs})
      for (ast::AsmOperand& operand : operands)
        add(operand.value, depth);
    for (ast::Declarator& declarator : stmt.decls) {
      addType(declarator.type, depth);
      add(declarator.init, depth);
    }
  }

  void addChildren(Expr& expr, unsigned depth) {
    add(expr.a, depth);
    add(expr.b, depth);
    add(expr.c, depth);
    for (Expr* child : expr.args)
      add(child, depth);
    addType(expr.type, depth);
  }

  void cut(const Node& node) {
    SourceRange range = node.stmt ? node.stmt->range : node.expr->range;
    if (!first_.valid())
      first_ = range;
    if (node.stmt) {
      *node.stmt = Stmt{};
      node.stmt->kind = Stmt::Empty;
      node.stmt->range = range;
    } else {
      *node.expr = Expr{};
      node.expr->kind = Expr::Error;
      node.expr->range = range;
    }
  }

  std::vector<Node> pending_;
  SourceRange first_;
};

} // namespace

SourceRange limitDepth(Stmt* body) {
  DepthLimiter limiter;
  limiter.add(body);
  return limiter.run();
}

SourceRange limitDepth(Expr* expr) {
  DepthLimiter limiter;
  limiter.add(expr);
  return limiter.run();
}

} // namespace bsgp
