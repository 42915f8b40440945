// Types as written to types.
#include <utility>

#include "sema/checker.h"

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

// What to write where this is the size of an array, and no constant that one may have. Threads allocate nothing.
const char* helpForSize(const Expr& size, bool on_device) {
  if (ConstValue known; Sema::constantValue(&size, known) && known.integer == 0)
    return "it has one element at least; a list may be empty: dlist(T)";
  if (size.kind == Expr::BlockSize)
    return "the threads of a full block are a constant: block.limit";
  return on_device
             ? "write the largest that it may be, or a name for it: const int most = 256; memory of other sizes is "
               "allocated in front of the spawn: dnew[n]T"
             : kAllocated;
}

} // namespace

// The parser's normalized spelling: i32, f32x3, bool, void.
const Type* Sema::builtinType(std::string_view name) const {
  unsigned lanes = 0;
  if (size_t x = name.rfind('x'); x != std::string_view::npos && x + 2 == name.size()) {
    lanes = static_cast<unsigned>(name.back() - '0');
    name = name.substr(0, x);
  }
  for (const ScalarName& s : kScalars) {
    if (s.name != name)
      continue;
    const Type* type = s.kind == 'b'   ? types.bool_
                       : s.kind == 'v' ? types.void_
                       : s.kind == 'f' ? types.floating(s.bits)
                                       : types.integer(s.bits, s.kind == 'i');
    return lanes ? types.vector(type, lanes) : type;
  }
  return nullptr;
}

const Type* Sema::badElement(const ast::TypeExpr& node, const char* what, const Type* element) {
  diag.report(element->holds_lists ? Diag::lists_inside : Diag::bad_variable_type, node.range, what, typeName(element));
  return types.error;
}

SpaceCell* Sema::spaceAsWritten(const ast::TypeExpr& pointer, SpaceCell* open_space) {
  switch (pointer.space) {
  case ast::Space::Host:
    return types.cell(Space::Host);
  case ast::Space::Device:
    return types.cell(Space::Device);
  case ast::Space::Shared:
    return types.cell(Space::Shared);
  case ast::Space::Open:
    break;
  }
  return open_space ? open_space : types.freshCell();
}

// Of a pointer the word behind its star counts, of an array what its elements are.
bool Sema::isConst(const ast::TypeExpr* type) const {
  while (type->kind == ast::TypeExpr::Array)
    type = type->inner;
  return type->is_const || (type->kind == ast::TypeExpr::Named && const_names_.count(type->name));
}

// A parameter that is written as an array is a pointer to its first element, as in C.
const Type* Sema::parameterType(const ast::Param& param, SpaceCell* open_space) {
  const Type* type = resolve(param.type, nullptr, open_space);
  if (!type->isArray() || param.by_reference)
    return type;
  return types.pointer(type->element, spaceAsWritten(*param.type, open_space), isConst(param.type));
}

const Type* Sema::resolve(const ast::TypeExpr* node, Body* body, SpaceCell* open_space) {
  const Type* type = resolveWritten(node, body, open_space);
  declareWaiting();
  return type;
}

const Type* Sema::resolveWritten(const ast::TypeExpr* node, Body* body, SpaceCell* open_space) {
  switch (node->kind) {
  case ast::TypeExpr::Named: {
    if (const Type* type = builtinType(node->name))
      return type;
    bool copied = node->name.starts_with('('); // in the copy of a generic struct: what T stands for
    const auto& names = copied ? argument_types_ : type_names;
    if (auto it = names.find(node->name); it != names.end()) {
      if (needs_fields_)
        needFields(it->second);
      return it->second;
    }
    if (generics_.count(node->name)) {
      rejectMissingArguments(*node);
      return types.error;
    }
    diag.report(Diag::unknown_type, node->range, node->name, suggestion(node->name, nullptr));
    return types.error;
  }
  case ast::TypeExpr::Pointer: {
    bool outer = std::exchange(needs_fields_, false); // a pointer may point to a struct whose fields come later
    const Type* element = resolveWritten(node->inner, body, open_space);
    needs_fields_ = outer;
    if (element->isError())
      return element;
    if (element->holds_lists)
      return badElement(*node, "what a pointer points to", element);
    return types.pointer(element, spaceAsWritten(*node, open_space), isConst(node->inner));
  }
  case ast::TypeExpr::Array: {
    const Type* element = resolveWritten(node->inner, body, open_space);
    if (element->isError())
      return element;
    if (!node->count) // a parameter
      return types.pointer(element, spaceAsWritten(*node, open_space), isConst(node->inner));
    if (node->inner->kind == ast::TypeExpr::Array && !node->inner->count) {
      diag.report(Diag::bad_array_size, node->range, kAllocated);
      return types.error;
    }
    Function scope;
    scope.range = node->range;
    Body outside(*this, scope, nullptr);
    Expr* count = (body ? body : &outside)->rvalue(node->count);
    ConstValue value;
    if (count->type->isError())
      return types.error;
    if (!constantValue(count, value) || !count->type->isInt() || value.integer <= 0 ||
        value.integer > (int64_t(1) << 28)) {
      diag.report(Diag::bad_array_size, node->count->range, helpForSize(*count, body && body->onDevice()));
      return types.error;
    }
    if (element->isVoid())
      return badElement(*node, "an array element", element);
    if (uint64_t(value.integer) * element->size > (uint64_t(1) << 30)) {
      diag.report(Diag::bad_array_size, node->count->range, kAllocated);
      return types.error;
    }
    return types.array(element, static_cast<uint64_t>(value.integer));
  }
  case ast::TypeExpr::DList: {
    const Type* element = resolveWritten(node->inner, body, types.cell(Space::Device));
    if (element->isVoid() || element->holds_lists)
      return badElement(*node, "an element of a list", element);
    return element->isError() ? element : types.dlist(element, isConst(node->inner));
  }
  case ast::TypeExpr::View: {
    const Type* element = resolveWritten(node->inner, body, open_space);
    if (element->isVoid() || element->holds_lists)
      return badElement(*node, "an element of an array", element);
    return element->isError()
               ? element
               : types.view(element, node->extents, spaceAsWritten(*node, open_space), isConst(node->inner));
  }
  case ast::TypeExpr::TypeOf: {
    if (body)
      return body->typeOf(node->count);
    diag.report(Diag::auto_here, node->range, "");
    return types.error;
  }
  case ast::TypeExpr::Generic: {
    const Type* type = genericType(*node, body);
    if (needs_fields_)
      needFields(type);
    return type;
  }
  case ast::TypeExpr::Auto:
  case ast::TypeExpr::Open:
  case ast::TypeExpr::Number:
    diag.report(Diag::auto_here, node->range, "");
    return types.error;
  }
  return types.error;
}

} // namespace bsgp::sema
