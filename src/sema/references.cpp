#include "sema/references.h"

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expr_names.h"
#include "sema/expressions.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"

namespace bsgp::sema {

static Expr* fixed(Body& body, Expr* place, const ast::Declarator& d, std::vector<Stmt*>& before);
static Expr* once(Body& body, Expr* value, const ast::Declarator& d, std::vector<Stmt*>& before);

std::optional<Stmt*> reference(Body& body, const ast::Declarator& d) {
  bool is_const = isConst(body.sema, d.type);
  bool is_list = d.init && d.init->kind == ast::Expr::InitList;
  const Type* type = d.type->kind == ast::TypeExpr::Auto ? nullptr : resolve(body.sema, d.type, &body);
  Expr* place = d.init && !is_list ? expr(body, d.init) : nullptr;
  if (place && is_const && !place->type->isError() && (!isLvalue(place) || (type && !sameType(type, place->type))))
    return std::nullopt;
  rejectRedefinition(body, d);
  if (!place)
    body.sema.diag.report(Diag::reference_of_nothing, d.range, d.name);
  bool sound =
      place && !place->type->isError() && (!type || !type->isError()) && requireLvalue(body, place, "a reference");
  if (sound && type && !sameType(type, place->type)) {
    body.sema.diag.report(Diag::reference_type, d.range, d.name, typeName(type), typeName(place->type));
    sound = false;
  } else if (sound && place->kind == Expr::Swizzle && place->lane_count > 1) {
    body.sema.diag.report(Diag::reference_to_parts, d.init->range);
    sound = false;
  }
  if (!sound) {
    local(body, d.name, body.sema.types.error, d.range);
    return nullptr;
  }
  std::vector<Stmt*> before;
  Symbol symbol;
  symbol.kind = Symbol::Reference, symbol.type = place->type;
  symbol.variable = body.sema.arena.make<Variable>(d.name, place->type, d.range);
  Expr* kept = fixed(body, place, d, before);
  kept->is_const = is_const, kept->text = d.name;
  symbol.place = kept;
  bind(body, d.name, symbol);
  return body.sema.nodes.sequence(before, d.range);
}

// Makes the same place of parts that cannot change to another one.
static Expr* fixed(Body& body, Expr* place, const ast::Declarator& d, std::vector<Stmt*>& before) {
  switch (place->kind) {
  case Expr::Index:
    place->a = place->a->type->isPointer() && place->a->kind != Expr::DListData ? once(body, place->a, d, before)
                                                                                : fixed(body, place->a, d, before);
    place->b = once(body, place->b, d, before);
    return place;
  case Expr::Deref:
    place->a = once(body, place->a, d, before);
    return place;
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::DListData:
    place->a = fixed(body, place->a, d, before);
    return place;
  default:
    return place;
  }
}

// Computes a value once, before the reference. A value of the host stays as written in device code.
static Expr* once(Body& body, Expr* value, const ast::Declarator& d, std::vector<Stmt*>& before) {
  ConstValue known;
  if (constantValue(value, known) || (onDevice(body) && isHostValued(value)))
    return value;
  auto* variable = body.sema.arena.make<Variable>(d.name, value->type, value->range);
  variable->side = body.mode.side;
  if (body.mode.side == Side::Host)
    body.function.locals.push_back(variable);
  before.push_back(body.sema.nodes.declaration(variable, value, value->range));
  return useVariable(body, variable, value->range);
}

// Checks the place as if it were written at this use of the reference: on another side it may be no place.
Expr* seenHere(Body& body, const Expr* place, SourceRange range) {
  if (place->kind == Expr::Var) {
    Expr* variable = useVariable(body, place->variable, range);
    variable->is_const |= place->is_const, variable->text = place->text;
    return variable;
  }
  Expr* made = body.sema.nodes.copyOf(place);
  made->range = range;
  if (place->a)
    made->a = seenHere(body, place->a, range);
  if (place->b)
    made->b = seenHere(body, place->b, range);
  if (made->a && made->a->type->isError())
    return made->a;
  bool memory = made->kind == Expr::Deref || (made->kind == Expr::Index && made->a->type->isPointer());
  bool copied = memory && made->a->kind == Expr::DListData && !onDevice(body);
  if (memory && !copied)
    touchMemory(body, made->a, range);
  return made;
}

} // namespace bsgp::sema
