// Checks the calls by which the library's threads append values to memory in the order of their ranks, on a CPU:
//
//   __append(to, value, keep)     a scalar, of the threads where keep holds
//   __append_take(to, bytes)      the address, a long, of so many bytes, which the thread writes itself
//
// `to` is a host variable that leads to a bsgp_append (plan_abi.h). stdlib/cpu/append.bsgp makes it, and nothing else of
// the program looks there.
#include "sema/checker.h"

namespace bsgp::sema {

Expr* Body::appendBuiltin(std::string_view name, const ast::Expr* e) {
  bool value = name == "__append";
  if ((!value && name != "__append_take") || !sema_.appends || !onDevice())
    return nullptr;
  size_t wanted = value ? 3 : 2;
  if (e->args.size() != wanted)
    return fail(Diag::argument_count, e->range, name, wanted, e->args.size());
  Expr* r = sema_.make(Expr::BuiltinCall, value ? types_.void_ : types_.i64, e->range);
  r->builtin = value ? Builtin::Append : Builtin::AppendTake;
  r->a = sharedPlace(name, e->args[0]);
  r->b = value ? rvalue(e->args[1]) : convert(rvalue(e->args[1]), types_.i64, "the bytes to take");
  r->c = value ? condition(e->args[2]) : nullptr;
  for (Expr* part : {r->a, r->b, r->c})
    if (part && part->type->isError())
      return part;
  if (value && !r->b->type->isScalar())
    return fail(Diag::bad_operand, r->b->range, name, typeName(r->b->type));
  return r;
}

} // namespace bsgp::sema
