#include "sema/convert.h"

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/expr_construct.h"
#include "sema/expressions.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/views.h"
#include "sema/warn_constants.h"

namespace bsgp::sema {

namespace {

// The call that makes a Text, or another struct with a function of this name, of characters.
std::string helpForCharacters(const Sema& sema, const Expr& value, const Type* to, std::string_view text) {
  bool characters = value.type->isPointer() && value.type->element->isInt() && value.type->element->bits == 8;
  if (!characters || !to->isStruct())
    return "";
  for (const ast::Function* made : overloads(sema, "text", Scope::Program))
    if (made->result && made->result->name == to->structure->name && ast::takes(*made, 1))
      return fmt::format("write text({})", text);
  return "";
}

// char c = "x"; char c = "some text";
std::string helpForLiteral(const Expr& value, const Type* to, std::string_view text) {
  if (value.kind != Expr::String || !to->isInt() || to->bits != 8)
    return "";
  bool single = value.text.size() == 1 && text.size() > 2;
  return single ? fmt::format("a character stands in single quotes: '{}'", text.substr(1, text.size() - 2))
                : std::string("a text is reached by a pointer: char* s = \"...\"; one character of it is s[i]");
}

// Names the form to write for a value that does not become a `to` by itself.
std::string helpForConversion(Body& body, const Expr& value, const Type* to) {
  constexpr std::string_view kComponents = "xyzw";
  const Type* from = value.type;
  std::string text = sourceText(body, value.range);
  if (from->isVector() && to->isVector() && from->count == to->count)
    return fmt::format("write {}({})", typeName(to), text);
  if (from->isVector() && to->isScalar())
    return "take one component of it, as .x";
  if (from->isVector() && to->isVector() && from->count > to->count && sameType(from->element, to->element))
    return fmt::format("take components of it: .{}", kComponents.substr(0, to->count));
  if (from->isScalar() && to->isDList())
    return fmt::format("fill(l, {}) gives all elements of a list l one value", text);
  if (from->kind == TypeKind::Null && to->isView())
    return "an array of no elements is {}";
  std::string help = helpForLiteral(value, to, text);
  return help.empty() ? helpForCharacters(body.sema, value, to, text) : help;
}

} // namespace

bool sameType(const Type* a, const Type* b) {
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

const Type* promoted(Sema& sema, const Type* type) {
  if (type->isBool() || (type->isInt() && type->bits < 32))
    return sema.types.i32;
  if (type->isInt() && !type->enum_name.empty())
    return sema.types.i32;
  return type;
}

// C's usual arithmetic conversions; a vector and a scalar meet as the vector.
const Type* common(Sema& sema, const Type* a, const Type* b) {
  if (a->isVector() && b->isVector())
    return sameType(a, b) ? a : nullptr;
  if (a->isVector() && b->isScalar())
    return a;
  if (b->isVector() && a->isScalar())
    return b;
  if (!a->isScalar() || !b->isScalar())
    return nullptr;
  a = promoted(sema, a), b = promoted(sema, b);
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

void decide(Sema& sema, SpaceCell* open, Space space, SourceRange why, const char* reason) {
  open->space = space, open->why = why, open->reason = reason;
  if (sema.instances.trial)
    sema.instances.trial->spaces.push_back(open);
}

void join(Sema& sema, SpaceCell* open, SpaceCell* with) {
  open->parent = with;
  if (sema.instances.trial)
    sema.instances.trial->spaces.push_back(open);
}

// Makes the spaces of two pointer types (and of what they point to) one; reports when they cannot be.
bool unify(Body& body, const Type* a, const Type* b, SourceRange range) {
  while ((a->space && b->space) || (a->isArray() && b->isArray())) {
    SpaceCell *x = a->space ? a->space->root() : nullptr, *y = x ? b->space->root() : nullptr;
    if (x != y) {
      if (x->space == Space::Unknown) {
        join(body.sema, x, y);
      } else if (y->space == Space::Unknown) {
        join(body.sema, y, x);
      } else if (x->space != y->space) {
        bool of_threads = x->space >= Space::Shared || y->space >= Space::Shared;
        body.sema.diag.report(Diag::space_mismatch, range, typeName(a), typeName(b),
                              of_threads
                                  ? "a pointer is to one kind of memory: choose with 'if', and reach each in an arm "
                                    "of its own"
                                  : "use copy(to, from, count) to move data between host and device");
        for (SpaceCell* cell : {x, y})
          if (cell->why.valid())
            body.sema.diag.report(Diag::note_space, cell->why, cell->reason);
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
bool reachAlike(const Type* from, const Type* to) {
  if (to->isView())
    return from->isView() && from->count == to->count && sameType(from->element, to->element);
  return from->isPointer() && to->isPointer() &&
         (from->element->isVoid() || to->element->isVoid() || sameType(from->element, to->element));
}

} // namespace

bool dropsConst(const Expr* e, const Type* to) {
  const Type* from = e->type;
  if (!to->space || to->to_const)
    return false;
  return from->space ? from->to_const : (from->isArray() || from->isDList()) && (from->to_const || sema::isConst(e));
}

bool convertible(const Body& body, const Expr* e, const Type* to) {
  const Type* from = e->type;
  if (from->isError() || to->isError() || sameType(from, to))
    return true;
  if (from->isScalar() && to->isScalar())
    return true;
  if (from->isScalar() && to->isVector())
    return true;
  if (to->isPointer()) {
    if (from->kind == TypeKind::Null || isZeroLiteral(e))
      return true;
    if (from->isArray())
      return sameType(from->element, to->element) || to->element->isVoid();
    if (from->isDList())
      return sameType(from->element, to->element) && spaceOf(to) != Space::Private;
  }
  return reachAlike(from, to) || (to->isBool() && from->isPointer());
}

Expr* convert(Body& body, Expr* e, const Type* to, const char* what) {
  const Type* from = e->type;
  if (from->isError() || to->isError())
    return e;
  if (reachAlike(from, to)) {
    if (dropsConst(e, to))
      return fail(body, Diag::const_dropped, e->range, what, typeWithArticle(from), typeWithArticle(to));
    if (!unify(body, from, to, e->range))
      return error(body, e->range);
    return from == to ? e : castTo(body, e, to, e->range);
  }
  if (sameType(from, to))
    return from->holds_lists && onDevice(body) ? listOnDevice(body, e, what) : e;
  if (from->isVoid())
    return noValue(body, e);
  if (from->isView() && to->isPointer())
    return viewAsPointer(body, e, what);
  if (to->isView() && (from->isPointer() || from->isDList()) && sameType(from->element, to->element))
    return fail(body, Diag::pointer_is_no_view, e->range, what, typeName(from), sourceText(body, e->range));
  if (to->isBool() && from->isVector() && from->element->isBool())
    return fail(body, Diag::vector_condition, e->range, what, typeWithArticle(from), "ask any(v) or all(v)");
  if (from->isArray() && to->isArray())
    return fail(body, Diag::not_assignable, e->range, typeName(from));
  if (!convertible(body, e, to))
    return fail(body, Diag::cannot_convert, e->range, what, typeName(from), typeName(to),
                helpForConversion(body, *e, to));
  if (to->isPointer()) {
    if (from->isArray())
      return convert(body, decay(body, e), to, what);
    if (from->isDList())
      return convert(body, listPointer(body, e, e->range), to, what);
    return body.sema.nodes.make(Expr::Null, to, e->range);
  }
  warnOfLoss(body, e, to, what);
  return to->isBool() ? toBool(body, e) : cast(body, e, to);
}

// Arithmetic conversions, known to exist. Scalar to vector: splat.
Expr* cast(Body& body, Expr* e, const Type* to) {
  if (e->type->isError() || sameType(e->type, to))
    return e;
  if (to->isVector() && e->type->isScalar()) {
    Expr* splat = body.sema.nodes.make(Expr::Construct, to, e->range);
    splat->args = body.sema.nodes.keep<Expr*>({cast(body, e, to->element)});
    return splat;
  }
  Expr* c = body.sema.nodes.make(Expr::Cast, to, e->range);
  c->a = e;
  ConstValue value;
  if (e->kind == Expr::Constant && constantValue(c, value)) {
    return body.sema.nodes.constant(value, to, e->range);
  }
  return c;
}

// To a pointer to the first element. In device code a constant table is device memory, and an array of the host a copy
// that each thread has of it.
SpaceCell* memoryOf(Sema& sema, const Expr* array, bool on_device) {
  const Variable* root = rootVariable(array);
  for (const Expr* at = array; !root && at; at = at->a)
    if ((at->kind == Expr::Index || at->kind == Expr::Deref) && at->a->type->isPointer())
      return at->a->type->space;
  if (root && root->kind == Variable::Shared)
    return sema.types.cell(Space::Shared);
  if (!on_device || !root)
    return sema.types.cell(Space::Host);
  return sema.types.cell(root->kind == Variable::Constant ? Space::Device : Space::Private);
}

Expr* decay(Body& body, Expr* e) {
  if (!e->type->isArray())
    return e;
  if (e->type->holds_lists)
    return noListValue(body, e, "an array alone");
  if (!onDevice(body) && isListElement(e))
    return noElementAddress(body, e, e->range);
  const Variable* root = rootVariable(e);
  bool captured = root && onDevice(body) && root->side == Side::Host && root->kind != Variable::Constant;
  bool to_const = captured || isConst(e);
  if (root && root->side == Side::Host && !onDevice(body))
    const_cast<Variable*>(root)->address_taken = true;
  const Type* pointer = body.sema.types.pointer(e->type->element, memoryOf(body.sema, e, onDevice(body)), to_const);
  Expr* d = body.sema.nodes.make(Expr::Decay, pointer, e->range);
  d->a = e;
  return d;
}

// A list or an array with extents in the place of a truth.
static std::string helpForCondition(const Body& body, const Expr& e) {
  std::string text = sourceText(body, e.range);
  return e.type->isDList()  ? fmt::format("ask whether it has elements: {}.n > 0", text)
         : e.type->isView() ? fmt::format("ask for its pointer: {}.data != NULL", text)
                            : "compare it with something";
}

Expr* toBool(Body& body, Expr* e) {
  e = decay(body, e);
  if (e->type->isError() || e->type->isBool())
    return e;
  if (e->type->isVector() && e->type->element->isBool())
    return fail(body, Diag::vector_condition, e->range, "a condition", typeWithArticle(e->type),
                "ask any(v) or all(v)");
  if (!e->type->isScalar() && !e->type->isPointer())
    return fail(body, Diag::not_a_condition, e->range, typeName(e->type), helpForCondition(body, *e));
  Expr* c = body.sema.nodes.make(Expr::Cast, body.sema.types.bool_, e->range);
  c->a = e;
  return c;
}

} // namespace bsgp::sema
