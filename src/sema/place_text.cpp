#include "sema/place_text.h"

#include "sema/name_scopes.h"
#include "sema/resolve_type.h"

namespace bsgp::sema {

namespace {

// A name of a type as that type. Others stay as they are written.
TextType resolved(const Sema& sema, const TextType& type) {
  if (!type.written || type.written->kind != ast::TypeExpr::Named)
    return type;
  const ast::TypeExpr& written = *type.written;
  const Type* builtin = builtinType(sema, written.name);
  return {nullptr, builtin ? builtin : typeNamed(sema, written.name, scopeOf(sema, written.range))};
}

// A parameter may be an array or a struct of the host; whether it is, the check of each instance finds.
bool isOpen(const TextType& type) {
  return type.written && type.written->kind == ast::TypeExpr::Open;
}

TextType elementOf(const Sema& sema, const TextType& of) {
  TextType type = resolved(sema, of);
  if (isOpen(type))
    return type;
  if (type.written)
    return type.written->kind == ast::TypeExpr::Array ? TextType{type.written->inner} : TextType{};
  bool own = type.type && (type.type->isArray() || type.type->isVector());
  return {nullptr, own ? type.type->element : nullptr};
}

TextType fieldOf(const Sema& sema, const ast::TypeExpr& generic, std::string_view name) {
  auto found = sema.generics.declared.find(generic.name);
  if (found != sema.generics.declared.end())
    for (const ast::Declarator& field : found->second->fields)
      if (field.name == name)
        return {field.type};
  return {};
}

// Each member of a list, and of an array with extents, is a number, except `data`.
TextType memberOf(const Sema& sema, const TextType& of, std::string_view name) {
  TextType type = resolved(sema, of);
  if (isOpen(type))
    return type;
  if (type.written) {
    bool counts = type.written->kind == ast::TypeExpr::DList || type.written->kind == ast::TypeExpr::View;
    if (counts)
      return {nullptr, name == "data" ? nullptr : sema.types.i64};
    return type.written->kind == ast::TypeExpr::Generic ? fieldOf(sema, *type.written, name) : TextType{};
  }
  if (!type.type || type.type->isVector())
    return type;
  if (type.type->isDList())
    return {nullptr, name == "data" ? nullptr : sema.types.i64};
  if (type.type->isStruct())
    for (const StructField& field : type.type->structure->fields)
      if (field.name == name)
        return {nullptr, field.type};
  return {};
}

} // namespace

TextType typeOfPlace(const Sema& sema, const ast::Expr& place, const TextType& root) {
  if (place.kind == ast::Expr::Name)
    return root;
  if (place.kind == ast::Expr::Member)
    return memberOf(sema, typeOfPlace(sema, *place.a, root), place.name);
  if (place.kind != ast::Expr::Index)
    return {};
  TextType element = elementOf(sema, typeOfPlace(sema, *place.a, root));
  for (size_t further = 0; further < place.args.size(); ++further) // a[y, x]
    element = elementOf(sema, element);
  return element;
}

const ast::Expr* rootOfPlace(const ast::Expr& place) {
  const ast::Expr* root = &place;
  while (root->kind == ast::Expr::Member || root->kind == ast::Expr::Index)
    root = root->a;
  return root->kind == ast::Expr::Name ? root : nullptr;
}

} // namespace bsgp::sema
