// T& n = place: another name for it. What the place is reached by, pointers and computed indices, is found once, where
// the reference is declared, and kept in variables that have no name.
#include "sema/arguments.h"
#include "sema/checker.h"

namespace bsgp::sema {

std::optional<Stmt*> Body::reference(const ast::Declarator& d) {
  bool is_const = sema_.isConst(d.type);
  bool is_list = d.init && d.init->kind == ast::Expr::InitList;
  const Type* type = d.type->kind == ast::TypeExpr::Auto ? nullptr : sema_.resolve(d.type, this);
  Expr* place = d.init && !is_list ? expr(d.init) : nullptr;
  if (place && is_const && !place->type->isError() &&
      (!isLvalue(place) || (type && !sema_.sameType(type, place->type))))
    return std::nullopt;
  rejectRedefinition(d);
  if (!place)
    sema_.diag.report(Diag::reference_of_nothing, d.range, d.name);
  bool sound = place && !place->type->isError() && (!type || !type->isError()) && requireLvalue(place, "a reference");
  if (sound && type && !sema_.sameType(type, place->type)) {
    sema_.diag.report(Diag::reference_type, d.range, d.name, typeName(type), typeName(place->type));
    sound = false;
  } else if (sound && place->kind == Expr::Swizzle && place->lane_count > 1) {
    sema_.diag.report(Diag::reference_to_parts, d.init->range);
    sound = false;
  }
  if (!sound) {
    local(d.name, types_.error, d.range);
    return nullptr;
  }
  std::vector<Stmt*> before;
  Symbol symbol;
  symbol.kind = Symbol::Reference, symbol.type = place->type;
  symbol.variable = sema_.arena.make<Variable>(d.name, place->type, d.range);
  Expr* kept = fixed(place, d, before);
  kept->is_const = is_const, kept->text = d.name;
  symbol.place = kept;
  bind(d.name, symbol);
  Stmt* made = sema_.make(Stmt::Sequence, d.range);
  made->stmts = sema_.keep(before);
  return made;
}

// The same place, made of nothing that could become another one.
Expr* Body::fixed(Expr* place, const ast::Declarator& d, std::vector<Stmt*>& before) {
  switch (place->kind) {
  case Expr::Index:
    place->a = place->a->type->isPointer() && place->a->kind != Expr::DListData ? once(place->a, d, before)
                                                                                : fixed(place->a, d, before);
    place->b = once(place->b, d, before);
    return place;
  case Expr::Deref:
    place->a = once(place->a, d, before);
    return place;
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::DListData:
    place->a = fixed(place->a, d, before);
    return place;
  default:
    return place;
  }
}

// What the host has stays as it is written, in device code.
Expr* Body::once(Expr* value, const ast::Declarator& d, std::vector<Stmt*>& before) {
  ConstValue known;
  if (Sema::constantValue(value, known) || (onDevice() && isHostValued(value)))
    return value;
  auto* variable = sema_.arena.make<Variable>(d.name, value->type, value->range);
  variable->side = side_;
  if (side_ == Side::Host)
    fn_.locals.push_back(variable);
  Stmt* declared = sema_.make(Stmt::Decl, value->range);
  declared->variable = variable, declared->expr = value;
  before.push_back(declared);
  return useVariable(variable, value->range);
}

// As if it were written where the reference is used: on another side it may be no place.
Expr* Body::seenHere(const Expr* place, SourceRange range) {
  if (place->kind == Expr::Var) {
    Expr* variable = useVariable(place->variable, range);
    variable->is_const |= place->is_const, variable->text = place->text;
    return variable;
  }
  Expr* made = sema_.copyOf(place);
  made->range = range;
  if (place->a)
    made->a = seenHere(place->a, range);
  if (place->b)
    made->b = seenHere(place->b, range);
  if (made->a && made->a->type->isError())
    return made->a;
  bool memory = made->kind == Expr::Deref || (made->kind == Expr::Index && made->a->type->isPointer());
  bool copied = memory && made->a->kind == Expr::DListData && !onDevice();
  if (memory && !copied)
    touchMemory(made->a, range);
  return made;
}

} // namespace bsgp::sema
