#include "parse/copy_tree.h"

namespace bsgp::ast {

template <class T, class F> std::span<T> TreeCopy::each(std::span<T> list, const F& copy) {
  std::vector<T> copies;
  copies.reserve(list.size());
  for (const T& item : list)
    copies.push_back(copy(item));
  return arena_.keep(copies);
}

TypeExpr* TreeCopy::type(const TypeExpr* type) {
  if (!type)
    return nullptr;
  auto* made = arena_.make<TypeExpr>(*type);
  if (auto name = types_.find(type->name); type->kind == TypeExpr::Named && name != types_.end())
    made->name = name->second;
  made->inner = this->type(type->inner);
  made->count = expression(type->count);
  made->args = each(type->args, [&](const TypeExpr* argument) { return this->type(argument); });
  return made;
}

Expr* TreeCopy::expression(const Expr* expr) {
  if (!expr)
    return nullptr;
  auto* made = arena_.make<Expr>(*expr);
  if (auto name = numbers_.find(expr->name); expr->kind == Expr::Name && name != numbers_.end())
    made->name = name->second;
  if (expr->kind == Expr::Lambda)
    made->name = lambda_(expr->name);
  made->a = expression(expr->a), made->b = expression(expr->b), made->c = expression(expr->c);
  made->args = each(expr->args, [&](const Expr* argument) { return expression(argument); });
  made->type = type(expr->type);
  return made;
}

Declarator TreeCopy::declarator(const Declarator& declarator) {
  Declarator made = declarator;
  made.type = type(declarator.type), made.init = expression(declarator.init);
  return made;
}

Stmt* TreeCopy::statement(const Stmt* stmt) {
  if (!stmt)
    return nullptr;
  auto* made = arena_.make<Stmt>(*stmt);
  made->expr = expression(stmt->expr), made->count = expression(stmt->count), made->step = expression(stmt->step);
  made->init = statement(stmt->init), made->body = statement(stmt->body);
  made->otherwise = statement(stmt->otherwise);
  made->stmts = each(stmt->stmts, [&](const Stmt* inner) { return statement(inner); });
  made->decls = each(stmt->decls, [&](const Declarator& inner) { return declarator(inner); });
  auto operand = [&](const AsmOperand& of) { return AsmOperand{expression(of.constraint), expression(of.value)}; };
  made->outputs = each(stmt->outputs, operand), made->inputs = each(stmt->inputs, operand);
  for (auto list : {&Stmt::clobbers, &Stmt::extents})
    made->*list = each(stmt->*list, [&](const Expr* one) { return expression(one); });
  return made;
}

Function* TreeCopy::function(const Function& function) {
  auto* made = arena_.make<Function>(function);
  made->result = type(function.result);
  made->params = each(function.params, [&](const Param& param) {
    Param copy = param;
    copy.type = type(param.type), copy.otherwise = expression(param.otherwise);
    return copy;
  });
  made->body = statement(function.body);
  return made;
}

} // namespace bsgp::ast
