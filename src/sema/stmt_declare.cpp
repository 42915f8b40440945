#include "sema/stmt_declare.h"

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/block.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/expr_construct.h"
#include "sema/expressions.h"
#include "sema/field_values.h"
#include "sema/host_flow.h"
#include "sema/lists.h"
#include "sema/references.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/stmt_loop.h"
#include "sema/suggest.h"

namespace bsgp::sema {

static Stmt* declare(Body& body, const ast::Declarator& d, const ast::Stmt* s);

Stmt* declaration(Body& body, const ast::Stmt* s) {
  std::vector<Stmt*> list;
  for (const ast::Declarator& d : s->decls)
    if (Stmt* made = declare(body, d, s))
      list.push_back(made);
  if (list.size() == 1)
    return list[0];
  Stmt* made = body.sema.nodes.make(Stmt::Sequence, s->range);
  made->stmts = body.sema.nodes.keep(list);
  return made;
}

static Stmt* declare(Body& body, const ast::Declarator& d, const ast::Stmt* s) {
  if (d.is_shared)
    return declareShared(body, d);
  if (d.by_reference)
    if (auto made = reference(body, d))
      return *made;
  Expr* init = nullptr;
  const Type* type = nullptr;
  if (d.type->kind == ast::TypeExpr::Auto) {
    if (!d.init) {
      body.sema.diag.report(Diag::auto_without_value, d.range, d.name);
    } else {
      init = rvalue(body, d.init);
      type = init->type;
    }
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count && d.init &&
             (d.init->kind == ast::Expr::InitList || d.init->kind == ast::Expr::StringLit)) {
    uint64_t count = d.init->kind == ast::Expr::StringLit ? d.init->name.size() + 1 : d.init->args.size();
    const Type* element = resolve(body.sema, d.type->inner, &body);
    type = element->isError() || !count ? body.sema.types.error : body.sema.types.array(element, count);
  } else if (d.type->kind == ast::TypeExpr::Array && !d.type->count) {
    body.sema.diag.report(Diag::bad_array_size, d.range, kAllocated);
  } else if (d.init && d.type->kind != ast::TypeExpr::Array && isPartlyOpen({d.name, d.range, d.type})) {
    body.sema.diag.report(Diag::auto_here, d.type->range,
                          fmt::format("write auto {}: it takes the type of the value", d.name));
  } else {
    type = resolve(body.sema, d.type, &body);
  }
  if (type && (type->isVoid() || type->kind == TypeKind::Null)) {
    body.sema.diag.report(Diag::bad_variable_type, d.range, d.name, typeName(type));
    type = nullptr;
  }
  if (type && type->holds_lists && onDevice(body)) {
    body.sema.diag.report(Diag::dlist_on_device, d.range, d.name, typeWithArticle(type));
    type = nullptr;
  }
  rejectRedefinition(body, d);
  if (!type || type->isError()) {
    if (d.init && !init)
      d.init->kind == ast::Expr::InitList ? nullptr : rvalue(body, d.init);
    local(body, d.name, body.sema.types.error, d.range);
    return nullptr;
  }
  if (d.init && !init)
    init = initializer(body, d.init, type);
  else if (!d.init && givesValues(body.sema, type))
    init = zero(body, type, d.range);
  bool on_host = becomesHost(body, &d, type, init);
  Variable* v = local(body, d.name, type, d.range, on_host ? Side::Host : body.mode.side);
  v->is_const = isConst(body.sema, d.type);
  body.function.uses_temps |= type->holds_lists;
  ConstValue value;
  if (v->is_const && init && type->isScalar() && constantValue(init, value))
    v->constants.push_back(value);
  if (init && init->type->isError()) {
    v->type = body.sema.types.error;
    return nullptr;
  }
  if (on_host)
    return declareOnHost(body, v, init, d.range);
  Stmt* made = body.sema.nodes.make(Stmt::Decl, d.range);
  made->variable = v, made->expr = init;
  return made;
}

Stmt* implicitLocal(Body& body, const ast::Expr* assign, SourceRange range) {
  std::string_view name = assign->a->name;
  Expr* value = assign->b->kind == ast::Expr::InitList
                    ? fail(body, Diag::init_list_here, assign->b->range, kIntoDeclaration)
                    : rvalue(body, assign->b);
  const Type* type = value->type;
  if (type->kind == TypeKind::Null) {
    body.sema.diag.report(Diag::null_implicit, assign->range, name);
    type = body.sema.types.error;
  }
  if (type->holds_lists && onDevice(body))
    type = listOnDevice(body, value, "this assignment")->type;
  body.function.uses_temps |= type->holds_lists;
  bool is_slip = warnNearMiss(body, name, assign->a->range);
  if (type->isInt() && !type->enum_name.empty())
    type = body.sema.types.i32;
  checkHeadType(body, name, value, type, assign->a->range);
  bool on_host = becomesHost(body, assign, type, value);
  Variable* v = local(body, name, type, assign->a->range, on_host ? Side::Host : body.mode.side);
  v->by_assignment = true;
  if (!is_slip)
    body.sema.names.implicit_locals.insert(assign->a->range.begin);
  if (type->isError())
    return nullptr;
  if (on_host)
    return declareOnHost(body, v, value, range);
  Stmt* made = body.sema.nodes.make(Stmt::Decl, range);
  made->variable = v, made->expr = value;
  return made;
}

} // namespace bsgp::sema
