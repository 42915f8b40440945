// Parameters that are open in a part of their type: dlist(auto), auto*, auto[,], P(auto).
#include <algorithm>

#include "sema/arguments.h"
#include "sema/checker.h"

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

// By value an array is the pointer it decays to.
bool Sema::takesPartlyOpen(const ast::Param& param, const Expr& value) {
  const Type* given = value.type;
  if (given->isArray() && !param.by_reference)
    given = types.pointer(given->element, types.freshCell(), sema::isConst(&value));
  return matched(param.type, given) != nullptr;
}

// The type of the parameter for an argument of type `given`; null: it takes none of these. Nothing is converted but
// what a pointer to const may point to.
const Type* Sema::matched(const TypeExpr* pattern, const Type* given) {
  if (given->isError())
    return nullptr;
  switch (pattern->kind) {
  case TypeExpr::Auto:
  case TypeExpr::Open:
    return given->isVoid() ? nullptr : given;
  case TypeExpr::DList:
    return given->isDList() && matched(pattern->inner, given->element) ? given : nullptr;
  case TypeExpr::Pointer:
  case TypeExpr::Array:
    return given->isPointer() ? matchedPointer(*pattern, given) : nullptr;
  case TypeExpr::View:
    return given->isView() && given->count == pattern->extents ? matchedPointer(*pattern, given) : nullptr;
  case TypeExpr::Generic:
    return given->isStruct() && matchesArguments(*pattern, given) ? given : nullptr;
  default: {
    const Type* type = resolve(pattern, nullptr, types.cell(Space::Device));
    return sameType(type, given) ? given : nullptr;
  }
  }
}

const Type* Sema::matchedPointer(const TypeExpr& pattern, const Type* given) {
  const Type* element = matched(pattern.inner, given->element);
  bool to_const = isConst(pattern.inner);
  SpaceCell *cell = given->space->root(), *wanted = spaceAsWritten(pattern, cell);
  bool fits = wanted == cell || cell->space == Space::Unknown || cell->space == wanted->space;
  if (!element || !fits || (given->to_const && !to_const))
    return nullptr;
  return given->isView() ? types.view(element, given->count, wanted, to_const)
                         : types.pointer(element, wanted, to_const);
}

bool Sema::matchesArguments(const TypeExpr& pattern, const Type* given) {
  const StructInfo& structure = *given->structure;
  auto generic = generics_.find(pattern.name);
  if (generic == generics_.end() || structure.generic != generic->second ||
      pattern.args.size() != structure.arguments.size())
    return false;
  for (size_t i = 0; i < pattern.args.size(); ++i) {
    const ast::TypeParam& param = generic->second->params[i];
    const TypeArgument& argument = structure.arguments[i];
    if (argument.type) {
      if (!matched(pattern.args[i], argument.type))
        return false;
    } else if (typeArgument(param, *pattern.args[i], nullptr) != argument) {
      return false;
    }
  }
  return true;
}

} // namespace bsgp::sema
