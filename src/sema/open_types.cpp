#include "sema/open_types.h"

#include <algorithm>

#include "sema/arguments.h"
#include "sema/convert.h"
#include "sema/generic_structs.h"
#include "sema/resolve_type.h"
#include "sema/services.h"

namespace bsgp::sema {

namespace {

using ast::TypeExpr;

bool isAuto(const TypeExpr* type) {
  return type->kind == TypeExpr::Auto || type->kind == TypeExpr::Open;
}

bool holdsAuto(const TypeExpr* type) {
  return isAuto(type) || (type->inner && holdsAuto(type->inner)) ||
         std::any_of(type->args.begin(), type->args.end(), holdsAuto);
}

} // namespace

bool isOpen(const ast::Param& param) {
  return holdsAuto(param.type);
}

bool isPartlyOpen(const ast::Param& param) {
  return !isAuto(param.type) && holdsAuto(param.type);
}

bool sameOpenType(const TypeExpr* a, const TypeExpr* b) {
  if (isAuto(a) && isAuto(b))
    return true;
  if (a->kind != b->kind || a->name != b->name || a->is_const != b->is_const || a->space != b->space ||
      a->extents != b->extents || !a->inner != !b->inner)
    return false;
  return (!a->inner || sameOpenType(a->inner, b->inner)) &&
         std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end(), sameOpenType);
}

int closedDepth(const TypeExpr* type) {
  if (isAuto(type))
    return 0;
  int deepest = type->inner ? closedDepth(type->inner) : 0;
  for (const TypeExpr* argument : type->args)
    deepest = std::max(deepest, closedDepth(argument));
  return 1 + deepest;
}

static const Type* matchedPointer(Sema& sema, const ast::TypeExpr& pattern, const Type* given);
static bool matchesArguments(Sema& sema, const ast::TypeExpr& pattern, const Type* given);

// By value an array is the pointer it decays to.
bool takesPartlyOpen(Sema& sema, const ast::Param& param, const Expr& value) {
  const Type* given = value.type;
  if (given->isArray() && !param.by_reference)
    given = sema.types.pointer(given->element, sema.types.freshCell(), sema::isConst(&value));
  return matched(sema, param.type, given) != nullptr;
}

// The type of the parameter for an argument of type `given`; null: it takes none of these. Nothing is converted but
// what a pointer to const may point to.
const Type* matched(Sema& sema, const TypeExpr* pattern, const Type* given) {
  if (given->isError())
    return nullptr;
  switch (pattern->kind) {
  case TypeExpr::Auto:
  case TypeExpr::Open:
    return given->isVoid() ? nullptr : given;
  case TypeExpr::DList:
    return given->isDList() && matched(sema, pattern->inner, given->element) ? given : nullptr;
  case TypeExpr::Pointer:
  case TypeExpr::Array:
    return given->isPointer() ? matchedPointer(sema, *pattern, given) : nullptr;
  case TypeExpr::View:
    return given->isView() && given->count == pattern->extents ? matchedPointer(sema, *pattern, given) : nullptr;
  case TypeExpr::Generic:
    return given->isStruct() && matchesArguments(sema, *pattern, given) ? given : nullptr;
  default: {
    const Type* type = resolve(sema, pattern, nullptr, sema.types.cell(Space::Device));
    return sameType(type, given) ? given : nullptr;
  }
  }
}

static const Type* matchedPointer(Sema& sema, const TypeExpr& pattern, const Type* given) {
  const Type* element = matched(sema, pattern.inner, given->element);
  bool to_const = isConst(sema, pattern.inner);
  SpaceCell *cell = given->space->root(), *wanted = spaceAsWritten(sema, pattern, cell);
  bool fits = wanted == cell || cell->space == Space::Unknown || cell->space == wanted->space;
  if (!element || !fits || (given->to_const && !to_const))
    return nullptr;
  return given->isView() ? sema.types.view(element, given->count, wanted, to_const)
                         : sema.types.pointer(element, wanted, to_const);
}

static bool matchesArguments(Sema& sema, const TypeExpr& pattern, const Type* given) {
  const StructInfo& structure = *given->structure;
  auto generic = sema.generics.declared.find(pattern.name);
  if (generic == sema.generics.declared.end() || structure.generic != generic->second ||
      pattern.args.size() != structure.arguments.size())
    return false;
  for (size_t i = 0; i < pattern.args.size(); ++i) {
    const ast::TypeParam& param = generic->second->params[i];
    const TypeArgument& argument = structure.arguments[i];
    if (argument.type) {
      if (!matched(sema, pattern.args[i], argument.type))
        return false;
    } else if (typeArgument(sema, param, *pattern.args[i], nullptr) != argument) {
      return false;
    }
  }
  return true;
}

} // namespace bsgp::sema
