#include "sema/expressions.h"

#include <fmt/format.h>

#include "sema/block.h"
#include "sema/body.h"
#include "sema/conditions.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expr_builtins.h"
#include "sema/expr_calls.h"
#include "sema/expr_construct.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expr_thread.h"
#include "sema/warp.h"

namespace bsgp::sema {

static Expr* literal(Body& body, const ast::Expr* e);

Expr* expr(Body& body, const ast::Expr* e) {
  switch (e->kind) {
  case ast::Expr::IntLit:
  case ast::Expr::FloatLit:
  case ast::Expr::CharLit:
  case ast::Expr::StringLit:
  case ast::Expr::BoolLit:
  case ast::Expr::Null:
    return literal(body, e);
  case ast::Expr::Name:
    return name(body, e);
  case ast::Expr::Lambda:
    return fail(body, Diag::lambda_as_value, e->range);
  case ast::Expr::OperatorRef:
    return fail(body, Diag::operator_as_value, e->range, ast::spelling(e->binary));
  case ast::Expr::Unary:
    return unary(body, e);
  case ast::Expr::Binary:
    return binary(body, e);
  case ast::Expr::Assign:
    return e->has_op ? compound(body, e) : assign(body, e);
  case ast::Expr::Conditional:
    return conditional(body, e);
  case ast::Expr::Call:
    return call(body, e);
  case ast::Expr::Construct:
    return construct(body, e);
  case ast::Expr::Index:
    return index(body, e);
  case ast::Expr::Member:
  case ast::Expr::Arrow:
    return member(body, e);
  case ast::Expr::Cast:
    return explicitCast(body, e);
  case ast::Expr::SizeofType:
  case ast::Expr::SizeofExpr:
    return sizeOf(body, e);
  case ast::Expr::New:
    return allocation(body, e);
  case ast::Expr::Delete:
    return release(body, e);
  case ast::Expr::Thread:
    return threadMember(body, e);
  case ast::Expr::Block:
    return blockMember(body, e);
  case ast::Expr::Warp:
    return warpMember(body, e);
  case ast::Expr::InitList:
    return fail(body, Diag::init_list_here, e->range, kIntoDeclaration);
  case ast::Expr::Error:
    return error(body, e->range);
  }
  return error(body, e->range);
}

Expr* rvalue(Body& body, const ast::Expr* e) {
  Expr* value = decay(body, expr(body, e));
  return value->type->isVoid() ? noValue(body, value) : value;
}

Expr* noValue(Body& body, const Expr* e) {
  return fail(body, Diag::void_value, e->range,
              e->kind == Expr::Call ? fmt::format("'{}'", e->function->name) : "this");
}

Expr* condition(Body& body, const ast::Expr* e) {
  Diagnostics::Mark before = body.sema.diag.mark();
  Expr* value = toBool(body, rvalue(body, e));
  if (value->type->isError())
    sayToCompare(*e, before, body.sema.diag);
  return value;
}

Expr* number(Body& body, int64_t value, const Type* type, SourceRange range) {
  Expr* e = body.sema.nodes.make(Expr::Constant, type, range);
  e->value.integer = value;
  return e;
}

static Expr* literal(Body& body, const ast::Expr* e) {
  switch (e->kind) {
  case ast::Expr::IntLit: {
    bool wide = e->literal_bits == 64 || e->integer > (e->literal_unsigned ? 0xffffffffull : 0x7fffffffull);
    bool is_unsigned = e->literal_unsigned || e->integer > 0x7fffffffffffffffull;
    return number(body, static_cast<int64_t>(e->integer), body.sema.types.integer(wide ? 64 : 32, !is_unsigned),
                  e->range);
  }
  case ast::Expr::CharLit:
    return number(body, static_cast<int64_t>(e->integer), body.sema.types.i32, e->range);
  case ast::Expr::BoolLit:
    return number(body, e->integer != 0, body.sema.types.bool_, e->range);
  case ast::Expr::FloatLit: {
    Expr* value = body.sema.nodes.make(Expr::Constant, body.sema.types.floating(e->literal_bits ? e->literal_bits : 64),
                                       e->range);
    value->value.floating = e->floating; // the lexer has rounded it to its type
    return value;
  }
  case ast::Expr::StringLit: {
    if (onDevice(body))
      return fail(body, Diag::string_on_device, e->range,
                  "strings stand in printf and in host code; use a const array of char");
    Expr* s = body.sema.nodes.make(Expr::String, body.sema.types.pointer(body.sema.types.i8, Space::Host), e->range);
    s->text = e->name;
    return s;
  }
  default:
    return body.sema.nodes.make(Expr::Null, body.sema.types.null, e->range);
  }
}

const Type* typeOf(Body& body, const ast::Expr* e) {
  ++body.mode.unevaluated;
  const Type* type = expr(body, e)->type;
  --body.mode.unevaluated;
  return type;
}

} // namespace bsgp::sema
