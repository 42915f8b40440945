// Implicit conversions and the spaces of pointers.
#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

// The call that makes a Text, or another struct with a function of this name, of characters.
std::string helpForCharacters(const Sema& sema, const Expr& value, const Type* to, std::string_view text) {
  bool characters = value.type->isPointer() && value.type->element->isInt() && value.type->element->bits == 8;
  if (!characters || !to->isStruct())
    return "";
  for (const ast::Function* made : sema.overloads("text", Scope::Program))
    if (made->result && made->result->name == to->structure->name && ast::takes(*made, 1))
      return fmt::format("write text({})", text);
  return "";
}

} // namespace

bool Sema::sameType(const Type* a, const Type* b) const {
  if (a == b)
    return true;
  if (a->kind != b->kind || a->bits != b->bits || a->count != b->count || a->to_const != b->to_const)
    return false;
  if (a->structure != b->structure && !(a->isView() && b->isView()))
    return false;
  if (a->isInt())
    return a->is_signed == b->is_signed;
  if (a->space) {
    SpaceCell *x = a->space->root(), *y = b->space->root();
    if (x != y && x->space != Space::Unknown && y->space != Space::Unknown && x->space != y->space)
      return false;
  }
  return !a->element || sameType(a->element, b->element);
}

const Type* Sema::promoted(const Type* type) {
  if (type->isBool() || (type->isInt() && type->bits < 32))
    return types.i32;
  if (type->isInt() && !type->enum_name.empty())
    return types.i32;
  return type;
}

// C's usual arithmetic conversions; a vector and a scalar meet as the vector.
const Type* Sema::common(const Type* a, const Type* b) {
  if (a->isVector() && b->isVector())
    return sameType(a, b) ? a : nullptr;
  if (a->isVector() && b->isScalar())
    return a;
  if (b->isVector() && a->isScalar())
    return b;
  if (!a->isScalar() || !b->isScalar())
    return nullptr;
  a = promoted(a), b = promoted(b);
  if (a->isFloat() || b->isFloat()) {
    if (!b->isFloat())
      return a;
    if (!a->isFloat())
      return b;
    return a->bits >= b->bits ? a : b;
  }
  if (a->bits != b->bits)
    return a->bits > b->bits ? a : b;
  return a->is_signed ? b : a;
}

void Sema::decide(SpaceCell* open, Space space, SourceRange why, const char* reason) {
  open->space = space, open->why = why, open->reason = reason;
  if (trial_)
    trial_->spaces.push_back(open);
}

void Sema::join(SpaceCell* open, SpaceCell* with) {
  open->parent = with;
  if (trial_)
    trial_->spaces.push_back(open);
}

// Makes the spaces of two pointer types (and of what they point to) one; reports when they cannot be.
bool Body::unify(const Type* a, const Type* b, SourceRange range) {
  while ((a->space && b->space) || (a->isArray() && b->isArray())) {
    SpaceCell *x = a->space ? a->space->root() : nullptr, *y = x ? b->space->root() : nullptr;
    if (x != y) {
      if (x->space == Space::Unknown) {
        sema_.join(x, y);
      } else if (y->space == Space::Unknown) {
        sema_.join(y, x);
      } else if (x->space != y->space) {
        bool of_threads = x->space >= Space::Shared || y->space >= Space::Shared;
        sema_.diag.report(Diag::space_mismatch, range, typeName(a), typeName(b),
                          of_threads ? "a pointer is to one kind of memory: choose with 'if', and reach each in an arm "
                                       "of its own"
                                     : "use copy(to, from, count) to move data between host and device");
        for (SpaceCell* cell : {x, y})
          if (cell->why.valid())
            sema_.diag.report(Diag::note_space, cell->why, cell->reason);
        return false;
      }
    }
    a = a->element, b = b->element;
  }
  return true;
}

namespace {

bool isZeroLiteral(const Expr* e) {
  return e->kind == Expr::Constant && e->type->isInt() && e->value.integer == 0;
}

// Two pointers, or two views of as many extents.
bool reachAlike(const Sema& sema, const Type* from, const Type* to) {
  if (to->isView())
    return from->isView() && from->count == to->count && sema.sameType(from->element, to->element);
  return from->isPointer() && to->isPointer() &&
         (from->element->isVoid() || to->element->isVoid() || sema.sameType(from->element, to->element));
}

} // namespace

bool Body::dropsConst(const Expr* e, const Type* to) const {
  const Type* from = e->type;
  if (!to->space || to->to_const)
    return false;
  return from->space ? from->to_const : (from->isArray() || from->isDList()) && (from->to_const || sema::isConst(e));
}

bool Body::convertible(const Expr* e, const Type* to) const {
  const Type* from = e->type;
  if (from->isError() || to->isError() || sema_.sameType(from, to))
    return true;
  if (from->isScalar() && to->isScalar())
    return true;
  if (from->isScalar() && to->isVector())
    return true;
  if (to->isPointer()) {
    if (from->kind == TypeKind::Null || isZeroLiteral(e))
      return true;
    if (from->isArray())
      return sema_.sameType(from->element, to->element) || to->element->isVoid();
    if (from->isDList())
      return sema_.sameType(from->element, to->element) && spaceOf(to) != Space::Private;
  }
  return reachAlike(sema_, from, to) || (to->isBool() && from->isPointer());
}

Expr* Body::convert(Expr* e, const Type* to, const char* what) {
  const Type* from = e->type;
  if (from->isError() || to->isError())
    return e;
  if (reachAlike(sema_, from, to)) {
    if (dropsConst(e, to))
      return fail(Diag::const_dropped, e->range, what, typeWithArticle(from), typeWithArticle(to));
    if (!unify(from, to, e->range))
      return error(e->range);
    return from == to ? e : castTo(e, to, e->range);
  }
  if (sema_.sameType(from, to))
    return from->holds_lists && onDevice() ? listOnDevice(e, what) : e;
  if (from->isVoid())
    return noValue(e);
  if (from->isView() && to->isPointer())
    return viewAsPointer(e, what);
  if (to->isView() && (from->isPointer() || from->isDList()) && sema_.sameType(from->element, to->element))
    return fail(Diag::pointer_is_no_view, e->range, what, typeName(from), sourceText(e->range));
  if (to->isBool() && from->isVector() && from->element->isBool())
    return fail(Diag::vector_condition, e->range, what, typeWithArticle(from), "ask any(v) or all(v)");
  if (!convertible(e, to))
    return fail(Diag::cannot_convert, e->range, what, typeName(from), typeName(to),
                helpForCharacters(sema_, *e, to, sourceText(e->range)));
  if (to->isPointer()) {
    if (from->isArray())
      return convert(decay(e), to, what);
    if (from->isDList())
      return convert(listPointer(e, e->range), to, what);
    return sema_.make(Expr::Null, to, e->range);
  }
  warnOfLoss(e, to, what);
  return to->isBool() ? toBool(e) : cast(e, to);
}

// Arithmetic conversions, known to exist. Scalar to vector: splat.
Expr* Body::cast(Expr* e, const Type* to) {
  if (e->type->isError() || sema_.sameType(e->type, to))
    return e;
  if (to->isVector() && e->type->isScalar()) {
    Expr* splat = sema_.make(Expr::Construct, to, e->range);
    splat->args = sema_.keep<Expr*>({cast(e, to->element)});
    return splat;
  }
  Expr* c = sema_.make(Expr::Cast, to, e->range);
  c->a = e;
  ConstValue value;
  if (e->kind == Expr::Constant && Sema::constantValue(c, value)) {
    Expr* folded = sema_.make(Expr::Constant, to, e->range);
    folded->value = value;
    return folded;
  }
  return c;
}

// To a pointer to the first element. In device code a constant table is device memory, and an array of the host a copy
// that each thread has of it.
Expr* Body::decay(Expr* e) {
  if (!e->type->isArray())
    return e;
  if (e->type->holds_lists)
    return noListValue(e, "an array alone");
  if (!onDevice() && isListElement(e))
    return noElementAddress(e, e->range);
  const Variable* root = rootVariable(e);
  bool captured = root && onDevice() && root->side == Side::Host && root->kind != Variable::Constant;
  bool to_const = captured || isConst(e);
  Space space = Space::Host;
  if (root && root->kind == Variable::Shared)
    space = Space::Shared;
  else if (onDevice() && root)
    space = root->kind == Variable::Constant ? Space::Device : Space::Private;
  const Type* pointer = nullptr;
  for (const Expr* at = e; !root && at; at = at->a) // memory behind a pointer: its space
    if ((at->kind == Expr::Index || at->kind == Expr::Deref) && at->a->type->isPointer()) {
      pointer = types_.pointer(e->type->element, at->a->type->space, to_const);
      break;
    }
  if (root && root->side == Side::Host && !onDevice())
    const_cast<Variable*>(root)->address_taken = true;
  Expr* d = sema_.make(Expr::Decay, pointer ? pointer : types_.pointer(e->type->element, space, to_const), e->range);
  d->a = e;
  return d;
}

Expr* Body::toBool(Expr* e) {
  e = decay(e);
  if (e->type->isError() || e->type->isBool())
    return e;
  if (e->type->isVector() && e->type->element->isBool())
    return fail(Diag::vector_condition, e->range, "a condition", typeWithArticle(e->type), "ask any(v) or all(v)");
  if (!e->type->isScalar() && !e->type->isPointer())
    return fail(Diag::not_a_condition, e->range, typeName(e->type));
  Expr* c = sema_.make(Expr::Cast, types_.bool_, e->range);
  c->a = e;
  return c;
}

} // namespace bsgp::sema
