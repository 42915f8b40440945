#include "sema/expr_assign.h"

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_construct.h"
#include "sema/expr_names.h"
#include "sema/expr_operators.h"
#include "sema/expressions.h"
#include "sema/lambdas.h"
#include "sema/name_scopes.h"
#include "sema/scopes.h"
#include "sema/suggest.h"
#include "sema/views.h"
#include "sema/warn_constants.h"
#include "sema/warnings.h"
#include "sema/whole_operands.h"

namespace bsgp::sema {

bool requireLvalue(Body& body, Expr* e, std::string_view what) {
  if (e->type->isError())
    return false;
  bool lanes_once = true;
  if (e->kind == Expr::Swizzle)
    for (int i = 0; i < e->lane_count; ++i)
      for (int k = 0; k < i; ++k)
        lanes_once &= e->lanes[i] != e->lanes[k];
  if (isLvalue(e) && lanes_once && !(e->kind == Expr::ThreadSize && !body.mode.in_require))
    return true;
  if (e->kind == Expr::ThreadSize)
    body.sema.diag.report(Diag::thread_size_written, e->range);
  else if (e->kind == Expr::Constant && e->variable) // a const variable of the host, in device code
    body.sema.diag.report(Diag::const_written, e->range, e->variable->name);
  else
    body.sema.diag.report(Diag::not_an_lvalue, e->range, what,
                          what != kReferenceParameter ? ""
                          : e->kind == Expr::AddrOf
                              ? "a variable that is written stands there by itself, without '&'"
                              : "put the value in a variable first; a parameter 'const &' takes it as it is");
  return false;
}

namespace {

// Returns the field that makes an lvalue, or a part of it, const; null if there is none.
const StructField* constField(const Expr* lvalue) {
  for (const Expr* e = lvalue; e->kind == Expr::Field || e->kind == Expr::Swizzle || e->kind == Expr::Index; e = e->a)
    if (e->kind == Expr::Field && e->a->type->structure->fields[e->index].is_const)
      return &e->a->type->structure->fields[e->index];
  return nullptr;
}

// Returns the pointer to the memory of an lvalue without a variable.
const Expr* pointerOf(const Expr* lvalue) {
  while (!(lvalue->kind == Expr::Deref || (lvalue->kind == Expr::Index && lvalue->a->type->isPointer())))
    lvalue = lvalue->a;
  return lvalue->a;
}

const StructField* constField(const Type* type) {
  while (type->isArray())
    type = type->element;
  if (!type->isStruct())
    return nullptr;
  for (const StructField& field : type->structure->fields)
    if (field.is_const)
      return &field;
    else if (const StructField* inner = constField(field.type))
      return inner;
  return nullptr;
}

// Returns the part of a place that is a reference to const; null if there is none.
const Expr* constReference(const Expr* place) {
  while (place && !place->is_const)
    place = place->a;
  return place;
}

} // namespace

// Rejects writes to const, and those of device code to host variables.
bool checkWritable(Body& body, Expr* target, SourceRange range, const char* instead) {
  const Variable* root = rootVariable(target);
  if (isConst(target)) {
    const StructField* field = constField(target);
    if (const Expr* reference = constReference(target))
      body.sema.diag.report(Diag::const_written, range, reference->text);
    else if (!field && root && isCopy(body, *root))
      body.sema.diag.report(Diag::copy_written, range, root->name);
    else if (field || root)
      body.sema.diag.report(Diag::const_written, range, field ? field->name : root->name);
    else
      checkPointee(body, pointerOf(target), range);
    return false;
  }
  if (!root)
    return true;
  if (onDevice(body) && root->side == Side::Host && root->kind != Variable::Shared) {
    body.sema.diag.report(Diag::host_variable_written, range, root->name, instead);
    body.sema.diag.report(Diag::note_declared, root->range, root->name);
    return false;
  }
  return true;
}

bool checkPointee(Body& body, const Expr* pointer, SourceRange range) {
  if (pointer->type->to_const)
    body.sema.diag.report(Diag::const_pointee, range, typeWithArticle(pointer->type));
  return !pointer->type->to_const;
}

// The fields of a struct that are const get their values when it is made.
bool checkAssignable(Body& body, const Type* type, SourceRange range) {
  const StructField* field = constField(type);
  if (field)
    body.sema.diag.report(Diag::const_field_assigned, range, typeWithArticle(type), field->name);
  return !field;
}

Expr* assign(Body& body, const ast::Expr* e) {
  if (e->a->kind == ast::Expr::Name && find(body, e->a->name).kind == Symbol::None) {
    Expr* wrong =
        fail(body, Diag::implicit_local_here, e->a->range, e->a->name, suggestion(body.sema, e->a->name, &body));
    rvalue(body, e->b);
    return wrong;
  }
  Expr* target = assignedPlace(body, e->a);
  return assignTo(body, target, assigned(body, e->b, target->type), e->range);
}

// Checks the place in front of '='. A host variable that a spawn names is not read by that, so it may be of any size.
Expr* assignedPlace(Body& body, const ast::Expr* e) {
  Symbol named = e->kind == ast::Expr::Name ? find(body, e->name) : Symbol();
  if (named.kind != Symbol::Variable || !capturesTooMuch(body, named.variable))
    return expr(body, e);
  return body.sema.nodes.use(named.variable, e->range);
}

// Checks the value behind the '=', for a place of this type.
Expr* assigned(Body& body, const ast::Expr* value, const Type* type) {
  if (value->kind != ast::Expr::InitList)
    return decay(body, expr(body, value));
  if (type->isError())
    return error(body, value->range);
  return type->isArray() ? fail(body, Diag::not_assignable, value->range, typeName(type))
                         : initializer(body, value, type);
}

// Converts a value to the type of its place. A field that a host pointer does not fit says what to declare it as.
static Expr* convertTo(Body& body, const Expr& place, Expr* value) {
  Diagnostics::Mark before = body.sema.diag.mark();
  Expr* made = convert(body, value, place.type, "this assignment");
  bool of_field = made->type->isError() && !onDevice(body) && place.kind == Expr::Field && place.type->isPointer() &&
                  !place.a->type->isView() && value->type->isPointer() && spaceOf(place.type) == Space::Device;
  if (!of_field)
    return made;
  const StructField& field = place.a->type->structure->fields[place.index];
  bool mismatch = false;
  for (Diagnostic& message : body.sema.diag.takeSince(before)) {
    mismatch |= message.kind == Diag::space_mismatch;
    if (message.kind == Diag::space_mismatch)
      message.help =
          fmt::format("a field is a device pointer unless its type says 'host': where '{1}' is to point to host "
                      "memory, declare it as host {0}* {1}",
                      typeName(place.type->element), field.name);
    body.sema.diag.put(std::move(message));
  }
  if (mismatch)
    noteField(body, place);
  return made;
}

Expr* assignTo(Body& body, Expr* target, Expr* value, SourceRange range) {
  if (target->type->isError() || value->type->isError())
    return error(body, range);
  if (!requireLvalue(body, target, "'='") || !checkWritable(body, target, range))
    return error(body, range);
  if (target->type->isArray())
    return fail(body, Diag::not_assignable, range, typeName(target->type));
  if (value->type->isVoid())
    return noValue(body, value);
  if (!checkAssignable(body, target->type, range))
    return error(body, range);
  Expr* r = body.sema.nodes.make(Expr::Assign, target->type, range);
  if (warns(body))
    warnOfLostPrefix(*target, *value, range, body.sema);
  r->a = target, r->b = convertTo(body, *target, value);
  return r->b->type->isError() ? r->b : r;
}

// c += 300 of a uchar. A negative number takes away from an unsigned one.
static void warnOfStepLoss(Body& body, ast::BinaryOp op, Expr* value, const Type* to) {
  ConstValue known;
  bool adds = op == ast::BinaryOp::Add || op == ast::BinaryOp::Sub || op == ast::BinaryOp::Mul;
  bool whole = adds && to->isInt() && value->type->isInt() && constantValue(value, known);
  if (whole && (to->is_signed || known.integer >= 0))
    warnOfLoss(body, value, to, "this assignment");
}

Expr* compound(Body& body, const ast::Expr* e) {
  Expr *target = expr(body, e->a), *value = decay(body, expr(body, e->b));
  if (target->type->isError() || value->type->isError())
    return error(body, e->range);
  if (!requireLvalue(body, target, "this assignment") || !checkWritable(body, target, e->range, kSums))
    return error(body, e->range);
  if (isWhole(*target) && !hasFunction(body.sema, fmt::format("operator{}", ast::spelling(e->binary))))
    return fail(body, Diag::bad_operands, e->range, ast::spelling(e->binary), typeName(target->type),
                typeName(value->type), helpForWholeUpdate(body, *e, *target, *value));
  std::vector<Expr*> first;
  if (target->type->isStruct())
    keepParts(body, target, first);
  // types the operation and reports operands that do not fit
  Expr* probe = binaryOn(body, e->binary, target, value, e->range);
  if (warns(body) && !isGeneric(body))
    warnOfDivisionByZero(e->binary, *target, *value, e->range, body.sema.warnings);
  if (probe->type->isError())
    return probe;
  if (probe->kind == Expr::Call) // an operator of a struct: a = a op b
    return behind(body, first, assignTo(body, body.sema.nodes.copyOf(target), probe, e->range));
  Expr* r = body.sema.nodes.make(Expr::CompoundAssign, target->type, e->range);
  r->op = e->binary, r->a = target;
  if (target->type->isPointer()) {
    if (!value->type->isInt())
      return fail(body, Diag::bad_operands, e->range, ast::spelling(e->binary), typeName(target->type),
                  typeName(value->type), "a pointer takes += and -= with a whole number");
    r->compute = target->type, r->b = value;
    return r;
  }
  if (!convertible(body, probe, target->type))
    return fail(body, Diag::cannot_convert, e->range, "this assignment", typeName(probe->type), typeName(target->type),
                "");
  warnOfStepLoss(body, e->binary, value, target->type);
  r->compute = probe->type;
  r->b = cast(body, value, probe->type);
  return r;
}

} // namespace bsgp::sema
