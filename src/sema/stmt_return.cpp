#include "sema/stmt_return.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_construct.h"
#include "sema/expressions.h"
#include "sema/instantiate.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/statements.h"
#include "sema/visit.h"

namespace bsgp::sema {

// Reports a value returned by a function that returns nothing, by its written result or its first return.
static void rejectReturnedValue(Body& body, SourceRange range) {
  const ast::Function* node = declarationOf(body.sema, body.function);
  bool written = node && node->result;
  body.sema.diag.report(Diag::return_from_void, range, body.function.name,
                        body.result.deduced ? "let all its returns give a value, or none"
                        : written           ? "write the type of the value in place of 'void'"
                                            : "write the type before the name, or 'auto'");
  if (body.result.return_without_value.valid())
    body.sema.diag.report(Diag::note_return_nothing, body.result.return_without_value);
  body.function.result = body.sema.types.error; // said once, and not at its calls
}

static Expr* returned(Body& body, const ast::Expr* value) {
  if (value->kind != ast::Expr::InitList || !body.function.result)
    return decay(body, expr(body, value));
  if (onDevice(body) && body.function.side == Side::Host)
    return fail(body, Diag::return_value_in_spawn, value->range, "write 'return;'");
  if (!body.function.result->isVoid())
    return body.function.result->isError() ? error(body, value->range) : initializer(body, value, body.function.result);
  rejectReturnedValue(body, value->range);
  return error(body, value->range);
}

// return reduce(+, x); in a spawn: the host returns what it is assigned there.
static std::string helpForValue(const Body& body, const Expr& value, SourceRange range) {
  bool is_of_all = false;
  visitExpr(&value, [&](const Expr* e) { return !(is_of_all |= e->kind == Expr::Call && e->function->collective); });
  if (!is_of_all || !value.type->isScalar() || !isHostValued(&value))
    return "write 'return;'";
  return fmt::format("declare a variable in front of the spawn, assign it there, and return it behind the spawn: "
                     "{0} result; spawn (...) {{ result = {1}; }} return result;",
                     typeName(value.type), sourceText(body, range));
}

Stmt* returnStmt(Body& body, const ast::Stmt* s) {
  Stmt* made = body.sema.nodes.make(Stmt::Return, s->range);
  if (body.mode.in_require) {
    body.sema.diag.report(Diag::return_in_require, s->range);
    return nullptr;
  }
  if (!body.function.result_used && !(onDevice(body) && body.function.side == Side::Host))
    body.mode.unused = s->expr;
  if (body.mode.in_par) {
    body.sema.diag.report(Diag::leaves_par, s->range, "return");
    return nullptr;
  }
  Expr* value = nullptr; // before the return counts: it may call a collective
  if (s->expr)
    value = returned(body, s->expr);
  if (onDevice(body)) {
    body.flow.returns.push_back(s->range);
    body.flow.returned_alone |= std::none_of(body.flow.enclosing.begin(), body.flow.enclosing.end(),
                                             [](const Enclosing& e) { return e.by_text; });
  }
  bool in_thread = onDevice(body) && body.function.side == Side::Host; // directly in a spawn: ends the thread
  if (!s->expr) {
    if (body.result.is_status && !in_thread)
      made->expr = number(body, 0, body.sema.types.i32, s->range);
    else if (!in_thread && body.function.result && !body.function.result->isVoid() && !body.function.result->isError())
      body.sema.diag.report(Diag::return_without_value, s->range, body.function.name, typeName(body.function.result));
    if (!in_thread && body.result.deduced && !body.function.result)
      body.function.result = body.sema.types.void_, body.result.return_without_value = s->range;
    return made;
  }
  bool converted = body.function.result && (body.function.result->space || body.function.result->isError());
  if (value->type->holds_lists && onDevice(body) && !converted)
    value = listOnDevice(body, value, "this return value");
  if (value->type->isError() && body.result.deduced && !body.function.result)
    body.function.result = body.sema.types.error;
  if (value->type->isError())
    return nullptr;
  if (in_thread) {
    body.sema.diag.report(Diag::return_value_in_spawn, s->range, helpForValue(body, *value, s->expr->range));
    return nullptr;
  }
  if (body.result.deduced && !body.function.result) {
    body.function.result = value->type->kind == TypeKind::Null
                               ? body.sema.types.pointer(body.sema.types.void_, body.sema.types.freshCell())
                               : value->type;
    body.result.return_without_value = value->type->isVoid() ? s->range : SourceRange{};
  }
  if (body.function.result->isVoid()) {
    if (value->type->isVoid()) { // return f(); of a void f
      Stmt* both = body.sema.nodes.make(Stmt::Sequence, s->range);
      both->stmts = body.sema.nodes.keep<Stmt*>({wrap(body, value), made});
      return both;
    }
    rejectReturnedValue(body, s->range);
    return nullptr;
  }
  if (value->kind == Expr::AddrOf || value->kind == Expr::Decay)
    if (const Variable* root = rootVariable(value->a); root && root->kind == Variable::Local && !root->by_reference)
      body.sema.diag.report(Diag::returns_local_address, s->range, "the address of a local variable", "");
  made->expr = convert(body, value, body.function.result, "this return value");
  return made->expr->type->isError() ? nullptr : made;
}

} // namespace bsgp::sema
