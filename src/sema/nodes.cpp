#include "sema/nodes.h"

namespace bsgp::sema {

Expr* Nodes::copyOf(const Expr* e) {
  if (!e)
    return nullptr;
  Expr* copy = like(e);
  copy->a = copyOf(e->a), copy->b = copyOf(e->b), copy->c = copyOf(e->c);
  std::vector<Expr*> args;
  for (const Expr* arg : e->args)
    args.push_back(arg == e->a ? copy->a : copyOf(arg));
  copy->args = keep(args);
  return copy;
}

} // namespace bsgp::sema
