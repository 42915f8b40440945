#include "sema/lists.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_assign.h"
#include "sema/expr_construct.h"
#include "sema/expr_names.h"
#include "sema/expressions.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/suggest.h"
#include "sema/warn_counts.h"

namespace bsgp::sema {

Expr* noListValue(Body& body, const Expr* list, const char* what) {
  return fail(body, Diag::list_value, list->range, what, typeWithArticle(list->type));
}

Expr* listOnDevice(Body& body, const Expr* list, const char* what) {
  return fail(body, Diag::list_on_device, list->range, what, typeWithArticle(list->type));
}

// {a, b, c} for a dlist.
Expr* listOf(Body& body, const ast::Expr* list, const Type* type) {
  if (onDevice(body))
    return fail(body, Diag::list_on_device, list->range, "this value", typeWithArticle(type));
  std::vector<Expr*> elements;
  for (const ast::Expr* element : list->args) {
    elements.push_back(initializer(body, element, type->element));
    if (elements.back()->type->isError())
      return elements.back();
  }
  Expr* r = body.sema.nodes.make(Expr::Construct, type, list->range);
  r->args = body.sema.nodes.keep(elements);
  return r;
}

// The elements of a const list are const too.
Expr* listData(Body& body, Expr* list, SourceRange range) {
  bool to_const = list->type->to_const || isConst(list);
  Expr* data = body.sema.nodes.make(Expr::DListData,
                                    body.sema.types.pointer(list->type->element, Space::Device, to_const), range);
  data->a = list;
  return data;
}

// l.data, or a list where a pointer is wanted: that of a list which is gone behind the statement points nowhere then.
Expr* listPointer(Body& body, Expr* list, SourceRange range) {
  return isLvalue(list) ? listData(body, list, range) : fail(body, Diag::list_ends, range);
}

Expr* listMember(Body& body, Expr* list, std::string_view name, SourceRange range) {
  if (name == "data")
    return listPointer(body, list, range);
  if (name == "n" || name == "length") {
    Expr* r = body.sema.nodes.make(Expr::DListCount, name == "n" ? body.sema.types.i64 : body.sema.types.i32, range);
    r->a = list;
    return r;
  }
  if (name == "capacity") {
    if (onDevice(body))
      return fail(body, Diag::host_call_on_device, range, name, kInRequire);
    Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.i64, range);
    r->builtin = Builtin::DListRoom, r->a = list;
    return r;
  }
  const char* help = foreignMemberHelp(name);
  return fail(body, Diag::no_member, range, typeName(list->type), name,
              help ? "" : fieldSuggestion(body.sema, list->type, name), help ? help : "");
}

std::string helpForLength(const Type& type, std::string_view name) {
  constexpr std::string_view kNames[] = {"n", "length", "size", "count"};
  if (std::ranges::find(kNames, name) == std::end(kNames))
    return "";
  if (type.isArray())
    return fmt::format("write {}: so many elements has it", type.count);
  return type.isPointer() ? "a pointer knows no length: keep how many elements there are in a variable beside it" : "";
}

namespace {

struct ListMethod {
  std::string_view name;
  Builtin builtin;
  size_t arguments;
};
constexpr ListMethod kListMethods[] = {{"resize", Builtin::DListResize, 1},
                                       {"reserve", Builtin::DListReserve, 1},
                                       {"push_back", Builtin::DListAppend, 1},
                                       {"detach", Builtin::DListDetach, 0},
                                       {"swap", Builtin::DListSwap, 1}};

constexpr const char* kByCompact =
    "compact(list, x, keep, LIST_APPEND) adds the values of all threads for which `keep` holds";

const ListMethod* findMethod(std::string_view name) {
  for (const ListMethod& method : kListMethods)
    if (method.name == name)
      return &method;
  return nullptr;
}

// Gives what to write for a function of lists of other languages, or for one of lists that is called on an array.
std::string helpForMethod(const Type& type, std::string_view name) {
  if (type.isDList()) {
    const char* help = foreignMemberHelp(name);
    return help ? help : "";
  }
  constexpr std::string_view kOfLists[] = {"push_back", "push", "append", "add",  "insert", "resize", "reserve",
                                           "clear",     "pop",  "length", "size", "count",  "empty",  "pop_back"};
  bool is_array = type.isArray() || type.isPointer();
  if (!is_array || std::ranges::find(kOfLists, name) == std::end(kOfLists))
    return "";
  if (std::string help = type.isArray() ? helpForLength(type, name) : ""; !help.empty())
    return help;
  return fmt::format("an array stays as long as it is, and a pointer knows no length; what grows is a list: dlist({})",
                     typeName(type.element));
}

} // namespace

namespace {

// l.resize(10, 0) gives its new elements a value in C++; l.resize(height, width) means the product.
std::string helpForSecondSize(const Body& body, const ast::Expr* call) {
  const ast::Expr* second = call->args[1];
  if (call->a->name == "reserve")
    return "write the product of the two";
  bool is_value = second->kind != ast::Expr::IntLit || second->integer <= 1;
  std::string list = sourceText(body, call->a->a->range);
  std::string filled =
      fmt::format("a list has no value for its new elements: write {0}.{1}({2}); fill({0}, {3});", list, call->a->name,
                  sourceText(body, call->args[0]->range), sourceText(body, second->range));
  bool may_be_size = second->kind == ast::Expr::Name || second->kind == ast::Expr::Binary || !is_value;
  return may_be_size ? "write the product of the two; " + filled : filled;
}

// l.sort(<) is sort(l, <).
std::string callOnList(const Body& body, const ast::Expr* call) {
  if (!hasFunction(body.sema, call->a->name, Scope::Program))
    return "a function f on a value a is called f(a)";
  std::string text = fmt::format("write {}({}", call->a->name, sourceText(body, call->a->a->range));
  for (const ast::Expr* argument : call->args)
    text += ", " + sourceText(body, argument->range);
  return text + ")";
}

} // namespace

Expr* dlistMethod(Body& body, Expr* list, const ast::Expr* e) {
  std::string_view name = e->a->name;
  const ListMethod* method = list->type->isDList() ? findMethod(name) : nullptr;
  if (!method) {
    std::string help = helpForMethod(*list->type, name);
    return fail(body, Diag::no_method, e->range, typeName(list->type), name,
                help.empty() ? fieldSuggestion(body.sema, list->type, name) : "",
                help.empty() ? callOnList(body, e) : help);
  }
  if (onDevice(body))
    return fail(body, Diag::host_call_on_device, e->range, name,
                method->builtin == Builtin::DListAppend ? kByCompact : kInRequire);
  bool of_size = method->builtin == Builtin::DListResize || method->builtin == Builtin::DListReserve;
  if (e->args.size() > 1 && of_size)
    return fail(body, Diag::one_dimension, e->range, "the size of a dlist", helpForSecondSize(body, e));
  if (e->args.size() != method->arguments)
    return fail(body, Diag::argument_count, e->range, name, method->arguments, e->args.size());
  if (!checkWritable(body, list, list->range))
    return error(body, e->range);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = method->builtin, r->a = list;
  if (method->builtin == Builtin::DListDetach) {
    r->type = body.sema.types.pointer(list->type->element, Space::Device, list->type->to_const);
    return r;
  }
  if (of_size) {
    r->b = convert(body, rvalue(body, e->args[0]), body.sema.types.i64, "the size of a dlist");
    warnOfBytes(body, *list->type->element, e->args[0]->range);
  } else if (method->builtin == Builtin::DListAppend) {
    r->b = initializer(body, e->args[0], list->type->element);
  } else {
    r->b = expr(body, e->args[0]);
    if (!r->b->type->isError() && !sameType(list->type, r->b->type))
      return fail(body, Diag::no_overload, e->args[0]->range, name, typeName(r->b->type), "");
    if (!r->b->type->isError() && !checkWritable(body, r->b, r->b->range))
      return error(body, e->range);
  }
  return r->b->type->isError() ? r->b : r;
}

// ---- one element at a time, in host code

bool inLoop(const Body& body) {
  return std::any_of(body.flow.enclosing.begin(), body.flow.enclosing.end(),
                     [](const Enclosing& around) { return around.loop; });
}

// Which list of an array it is has to be the same for all threads: what is read of it are parameters of the kernel.
bool checkListIndex(Body& body, const Expr* array, const Expr* index) {
  const Variable* root = onDevice(body) && array->type->isArray() ? rootVariable(array) : nullptr;
  ConstValue known;
  if (!root || !root->type->holds_lists || constantValue(index, known))
    return true;
  Difference reason;
  if (!array->type->holds_lists || isHostValued(index, &reason))
    return !capturesTooMuch(body, root) ||
           (body.sema.diag.report(Diag::too_many_lists, array->range, root->name, kMostCaptured), false);
  body.sema.diag.report(Diag::list_index_differs, index->range, sourceText(body, array->range));
  body.sema.diag.report(Diag::note_why, reason.where, textOf(reason));
  return false;
}

// &l[i].x, and what decays to a pointer there.
Expr* noElementAddress(Body& body, const Expr* place, SourceRange range) {
  while (!(place->kind == Expr::Index && place->a->type->isPointer()))
    place = place->a;
  std::string at = sourceText(body, place->b->range);
  bool binds = place->b->kind != Expr::Binary && place->b->kind != Expr::Conditional;
  return fail(body, Diag::element_address, range, "a dlist",
              sourceText(body, place->a->range) + ".data + " + (binds ? at : "(" + at + ")"));
}

// peek(p, i) and poke(p, i, x): null: no such built-in.
Expr* elementCall(Body& body, std::string_view name, const ast::Expr* e) {
  bool pokes = name == "poke";
  if (!pokes && name != "peek")
    return nullptr;
  size_t wanted = pokes ? 3 : 2;
  if (onDevice(body))
    return fail(body, Diag::host_call_on_device, e->range, name, kInRequire);
  if (e->args.size() != wanted)
    return fail(body, Diag::argument_count, e->range, name, wanted, e->args.size());
  Expr *pointer = rvalue(body, e->args[0]), *at = rvalue(body, e->args[1]);
  if (pointer->type->isError() || at->type->isError())
    return error(body, e->range);
  if (!pointer->type->isPointer() || pointer->type->element->isVoid() || pointer->type->element->holds_lists)
    return fail(body, Diag::element_of_pointer, pointer->range, name, typeName(pointer->type));
  if (!at->type->isInt())
    return fail(body, Diag::bad_index, at->range, typeName(at->type));
  SpaceCell* cell = pointer->type->space->root();
  if (cell->space == Space::Unknown)
    decide(body.sema, cell, Space::Device, e->range,
           "its elements are peeked at or poked here, so it is a device pointer");
  if (cell->space != Space::Device)
    return fail(body, Diag::element_of_pointer, pointer->range, name, typeName(pointer->type));
  if (pokes && !checkPointee(body, pointer, pointer->range))
    return error(body, e->range);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, pokes ? body.sema.types.void_ : pointer->type->element, e->range);
  r->builtin = pokes ? Builtin::Poke : Builtin::Peek;
  r->a = pointer, r->b = cast(body, at, body.sema.types.i64);
  if (pokes)
    r->c = initializer(body, e->args[2], pointer->type->element);
  return r->c && r->c->type->isError() ? r->c : r;
}

} // namespace bsgp::sema
