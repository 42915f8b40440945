#include "sema/resolve_type.h"

#include <utility>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/expressions.h"
#include "sema/generic_structs.h"
#include "sema/suggest.h"

namespace bsgp::sema {

namespace {

struct ScalarName {
  std::string_view name;
  char kind; // i u f b v
  unsigned bits;
};
constexpr ScalarName kScalars[] = {{"i8", 'i', 8},   {"i16", 'i', 16}, {"i32", 'i', 32}, {"i64", 'i', 64},
                                   {"u8", 'u', 8},   {"u16", 'u', 16}, {"u32", 'u', 32}, {"u64", 'u', 64},
                                   {"f16", 'f', 16}, {"f32", 'f', 32}, {"f64", 'f', 64}, {"bool", 'b', 8},
                                   {"void", 'v', 0}};

// Returns the help for an array's size that is no constant it may have. Threads allocate nothing.
std::string helpForSize(const Expr& size, const Type* element, bool on_device, const SourceManager& sources) {
  if (ConstValue known; constantValue(&size, known) && known.integer == 0)
    return "it has one element at least; a list may be empty: dlist(T)";
  if (element->isDList() && !on_device)
    return fmt::format("these are lists, a constant number of them; one list of so many elements: {} l; l.resize({});",
                       typeName(element), sources.text(size.range));
  if (size.kind == Expr::BlockSize)
    return "the threads of a full block are a constant: block.limit";
  return on_device
             ? "write the largest that it may be, or a name for it: const int most = 256; memory of other sizes is "
               "allocated in front of the spawn: dnew[n]T"
             : kAllocated;
}

} // namespace

// Reads the parser's normalized spelling: i32, f32x3, bool, void.
const Type* builtinType(const Sema& sema, std::string_view name) {
  unsigned lanes = 0;
  if (size_t x = name.rfind('x'); x != std::string_view::npos && x + 2 == name.size()) {
    lanes = static_cast<unsigned>(name.back() - '0');
    name = name.substr(0, x);
  }
  for (const ScalarName& s : kScalars) {
    if (s.name != name)
      continue;
    const Type* type = s.kind == 'b'   ? sema.types.bool_
                       : s.kind == 'v' ? sema.types.void_
                       : s.kind == 'f' ? sema.types.floating(s.bits)
                                       : sema.types.integer(s.bits, s.kind == 'i');
    return lanes ? sema.types.vector(type, lanes) : type;
  }
  return nullptr;
}

static const Type* badElement(Sema& sema, const ast::TypeExpr& node, const char* what, const Type* element) {
  sema.diag.report(element->holds_lists ? Diag::lists_inside : Diag::bad_variable_type, node.range, what,
                   typeName(element));
  return sema.types.error;
}

SpaceCell* spaceAsWritten(Sema& sema, const ast::TypeExpr& pointer, SpaceCell* open_space) {
  switch (pointer.space) {
  case ast::Space::Host:
    return sema.types.cell(Space::Host);
  case ast::Space::Device:
    return sema.types.cell(Space::Device);
  case ast::Space::Shared:
    return sema.types.cell(Space::Shared);
  case ast::Space::Open:
    break;
  }
  return open_space ? open_space : sema.types.freshCell();
}

// For a pointer, the word behind its star counts; for an array, its elements.
bool isConst(const Sema& sema, const ast::TypeExpr* type) {
  while (type->kind == ast::TypeExpr::Array)
    type = type->inner;
  return type->is_const || (type->kind == ast::TypeExpr::Named && sema.names.const_types.count(type->name));
}

// A parameter that is written as an array is a pointer to its first element, as in C.
const Type* parameterType(Sema& sema, const ast::Param& param, SpaceCell* open_space) {
  const Type* type = resolve(sema, param.type, nullptr, open_space);
  if (!type->isArray() || param.by_reference)
    return type;
  return sema.types.pointer(type->element, spaceAsWritten(sema, *param.type, open_space), isConst(sema, param.type));
}

const Type* resolve(Sema& sema, const ast::TypeExpr* node, Body* body, SpaceCell* open_space) {
  const Type* type = resolveWritten(sema, node, body, open_space);
  declareWaiting(sema);
  return type;
}

const Type* resolveWritten(Sema& sema, const ast::TypeExpr* node, Body* body, SpaceCell* open_space) {
  switch (node->kind) {
  case ast::TypeExpr::Named: {
    if (const Type* type = builtinType(sema, node->name))
      return type;
    bool copied = node->name.starts_with('('); // in the copy of a generic struct: the argument for T
    const auto& names = copied ? sema.generics.argument_types : sema.names.types;
    if (auto it = names.find(node->name); it != names.end()) {
      if (sema.structs.needs_fields)
        needFields(sema, it->second);
      return it->second;
    }
    if (sema.generics.declared.count(node->name)) {
      rejectMissingArguments(sema, *node);
      return sema.types.error;
    }
    sema.diag.report(Diag::unknown_type, node->range, node->name, suggestion(sema, node->name, nullptr));
    return sema.types.error;
  }
  case ast::TypeExpr::Pointer: {
    bool outer =
        std::exchange(sema.structs.needs_fields, false); // a pointer may point to a struct whose fields come later
    const Type* element = resolveWritten(sema, node->inner, body, open_space);
    sema.structs.needs_fields = outer;
    if (element->isError())
      return element;
    if (element->holds_lists)
      return badElement(sema, *node, "what a pointer points to", element);
    return sema.types.pointer(element, spaceAsWritten(sema, *node, open_space), isConst(sema, node->inner));
  }
  case ast::TypeExpr::Array: {
    const Type* element = resolveWritten(sema, node->inner, body, open_space);
    if (element->isError())
      return element;
    if (!node->count) // a parameter
      return sema.types.pointer(element, spaceAsWritten(sema, *node, open_space), isConst(sema, node->inner));
    if (node->inner->kind == ast::TypeExpr::Array && !node->inner->count) {
      sema.diag.report(Diag::bad_array_size, node->range, kAllocated);
      return sema.types.error;
    }
    Function scope;
    scope.range = node->range;
    Body outside(sema, scope, nullptr);
    Expr* count = rvalue(*(body ? body : &outside), node->count);
    ConstValue value;
    if (count->type->isError())
      return sema.types.error;
    if (!constantValue(count, value) || !count->type->isInt() || value.integer <= 0 ||
        value.integer > (int64_t(1) << 28)) {
      sema.diag.report(Diag::bad_array_size, node->count->range,
                       helpForSize(*count, element, body && onDevice(*body), sema.diag.sources()));
      return sema.types.error;
    }
    if (element->isVoid())
      return badElement(sema, *node, "an array element", element);
    if (uint64_t(value.integer) * element->size > (uint64_t(1) << 30)) {
      sema.diag.report(Diag::bad_array_size, node->count->range, kAllocated);
      return sema.types.error;
    }
    return sema.types.array(element, static_cast<uint64_t>(value.integer));
  }
  case ast::TypeExpr::DList: {
    const Type* element = resolveWritten(sema, node->inner, body, sema.types.cell(Space::Device));
    if (element->isVoid() || element->holds_lists)
      return badElement(sema, *node, "an element of a list", element);
    return element->isError() ? element : sema.types.dlist(element, isConst(sema, node->inner));
  }
  case ast::TypeExpr::View: {
    const Type* element = resolveWritten(sema, node->inner, body, open_space);
    if (element->isVoid() || element->holds_lists)
      return badElement(sema, *node, "an element of an array", element);
    return element->isError() ? element
                              : sema.types.view(element, node->extents, spaceAsWritten(sema, *node, open_space),
                                                isConst(sema, node->inner));
  }
  case ast::TypeExpr::TypeOf: {
    if (body)
      return typeOf(*body, node->count);
    sema.diag.report(Diag::auto_here, node->range, "");
    return sema.types.error;
  }
  case ast::TypeExpr::Generic: {
    const Type* type = genericType(sema, *node, body);
    if (sema.structs.needs_fields)
      needFields(sema, type);
    return type;
  }
  case ast::TypeExpr::Auto:
  case ast::TypeExpr::Open:
  case ast::TypeExpr::Number:
    sema.diag.report(Diag::auto_here, node->range, "");
    return sema.types.error;
  }
  return sema.types.error;
}

} // namespace bsgp::sema
