#include "sema/append.h"

#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_memory.h"
#include "sema/expressions.h"

namespace bsgp::sema {

Expr* appendBuiltin(Body& body, std::string_view name, const ast::Expr* e) {
  bool value = name == "__append";
  if ((!value && name != "__append_take") || !body.sema.options.appends || !onDevice(body))
    return nullptr;
  size_t wanted = value ? 3 : 2;
  if (e->args.size() != wanted)
    return fail(body, Diag::argument_count, e->range, name, wanted, e->args.size());
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, value ? body.sema.types.void_ : body.sema.types.i64, e->range);
  r->builtin = value ? Builtin::Append : Builtin::AppendTake;
  r->a = sharedPlace(body, name, e->args[0]);
  r->b = value ? rvalue(body, e->args[1])
               : convert(body, rvalue(body, e->args[1]), body.sema.types.i64, "the bytes to take");
  r->c = value ? condition(body, e->args[2]) : nullptr;
  for (Expr* part : {r->a, r->b, r->c})
    if (part && part->type->isError())
      return part;
  if (value && !r->b->type->isScalar())
    return fail(body, Diag::bad_operand, r->b->range, name, typeName(r->b->type));
  return r;
}

} // namespace bsgp::sema
