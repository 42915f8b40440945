// Lists: what is said to them and asked of them, and their elements in host code.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

Expr* Body::noListValue(const Expr* list, const char* what) {
  return fail(Diag::list_value, list->range, what, typeWithArticle(list->type));
}

Expr* Body::listOnDevice(const Expr* list, const char* what) {
  return fail(Diag::list_on_device, list->range, what, typeWithArticle(list->type));
}

// {a, b, c} for a dlist.
Expr* Body::listOf(const ast::Expr* list, const Type* type) {
  if (onDevice())
    return fail(Diag::list_on_device, list->range, "this value", typeWithArticle(type));
  std::vector<Expr*> elements;
  for (const ast::Expr* element : list->args) {
    elements.push_back(initializer(element, type->element));
    if (elements.back()->type->isError())
      return elements.back();
  }
  Expr* r = sema_.make(Expr::Construct, type, list->range);
  r->args = sema_.keep(elements);
  return r;
}

// The elements of a const list are const too.
Expr* Body::listData(Expr* list, SourceRange range) {
  bool to_const = list->type->to_const || isConst(list);
  Expr* data = sema_.make(Expr::DListData, types_.pointer(list->type->element, Space::Device, to_const), range);
  data->a = list;
  return data;
}

// l.data, or a list where a pointer is wanted: that of a list which is gone behind the statement points nowhere then.
Expr* Body::listPointer(Expr* list, SourceRange range) {
  return isLvalue(list) ? listData(list, range) : fail(Diag::list_ends, range);
}

Expr* Body::listMember(Expr* list, std::string_view name, SourceRange range) {
  if (name == "data")
    return listPointer(list, range);
  if (name == "n" || name == "length") {
    Expr* r = sema_.make(Expr::DListCount, name == "n" ? types_.i64 : types_.i32, range);
    r->a = list;
    return r;
  }
  if (name == "capacity") {
    if (onDevice())
      return fail(Diag::host_call_on_device, range, name, kInRequire);
    Expr* r = sema_.make(Expr::BuiltinCall, types_.i64, range);
    r->builtin = Builtin::DListRoom, r->a = list;
    return r;
  }
  const char* help = foreignMemberHelp(name);
  return fail(Diag::no_member, range, typeName(list->type), name, help ? "" : sema_.fieldSuggestion(list->type, name),
              help ? help : "");
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

// What to write for a function of lists of other languages, or for one of lists that is called on an array.
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
  if (type.isArray() && (name == "size" || name == "length"))
    return fmt::format("it has {} elements", type.count);
  return fmt::format("an array stays as long as it is, and a pointer knows no length; what grows is a list: dlist({})",
                     typeName(type.element));
}

} // namespace

Expr* Body::dlistMethod(Expr* list, const ast::Expr* e) {
  std::string_view name = e->a->name;
  const ListMethod* method = list->type->isDList() ? findMethod(name) : nullptr;
  if (!method) {
    std::string help = helpForMethod(*list->type, name);
    return fail(Diag::no_method, e->range, typeName(list->type), name,
                help.empty() ? sema_.fieldSuggestion(list->type, name) : "",
                help.empty() ? "a function f on a value a is called f(a)" : help);
  }
  if (onDevice())
    return fail(Diag::host_call_on_device, e->range, name,
                method->builtin == Builtin::DListAppend ? kByCompact : kInRequire);
  bool of_size = method->builtin == Builtin::DListResize || method->builtin == Builtin::DListReserve;
  if (e->args.size() > 1 && of_size)
    return fail(Diag::one_dimension, e->range, "the size of a dlist", "write the product of the two");
  if (e->args.size() != method->arguments)
    return fail(Diag::argument_count, e->range, name, method->arguments, e->args.size());
  if (!checkWritable(list, list->range))
    return error(e->range);
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = method->builtin, r->a = list;
  if (method->builtin == Builtin::DListDetach) {
    r->type = types_.pointer(list->type->element, Space::Device, list->type->to_const);
    return r;
  }
  if (of_size) {
    r->b = convert(rvalue(e->args[0]), types_.i64, "the size of a dlist");
  } else if (method->builtin == Builtin::DListAppend) {
    r->b = initializer(e->args[0], list->type->element);
    warnOfCopies(e->range);
  } else {
    r->b = expr(e->args[0]);
    if (!r->b->type->isError() && !sema_.sameType(list->type, r->b->type))
      return fail(Diag::no_overload, e->args[0]->range, name, typeName(r->b->type), "");
    if (!r->b->type->isError() && !checkWritable(r->b, r->b->range))
      return error(e->range);
  }
  return r->b->type->isError() ? r->b : r;
}

// ---- one element at a time, in host code

// Once for each loop that no other loop is around.
void Body::warnOfCopies(SourceRange range) {
  if (!unevaluated_ && !onDevice() && inLoop() && !std::exchange(warned_of_copies_, true))
    sema_.diag.report(Diag::copy_in_loop, range);
}

bool Body::inLoop() const {
  return std::any_of(enclosing_.begin(), enclosing_.end(), [](const Enclosing& around) { return around.loop; });
}

// Which list of an array it is has to be the same for all threads: what is read of it are parameters of the kernel.
bool Body::checkListIndex(const Expr* array, const Expr* index) {
  const Variable* root = onDevice() && array->type->isArray() ? rootVariable(array) : nullptr;
  ConstValue known;
  if (!root || !root->type->holds_lists || Sema::constantValue(index, known))
    return true;
  NotOfHost reason;
  if (!array->type->holds_lists || isHostValued(index, &reason))
    return !capturesTooMuch(root) ||
           (sema_.diag.report(Diag::too_many_lists, array->range, root->name, kMostCaptured), false);
  sema_.diag.report(Diag::list_index_differs, index->range, sourceText(array->range));
  sema_.diag.report(Diag::note_why, reason.where, reason.why);
  return false;
}

// &l[i].x, and what decays to a pointer there.
Expr* Body::noElementAddress(const Expr* place, SourceRange range) {
  while (!(place->kind == Expr::Index && place->a->type->isPointer()))
    place = place->a;
  std::string at = sourceText(place->b->range);
  bool binds = place->b->kind != Expr::Binary && place->b->kind != Expr::Conditional;
  return fail(Diag::element_address, range, "a dlist",
              sourceText(place->a->range) + ".data + " + (binds ? at : "(" + at + ")"));
}

// peek(p, i) and poke(p, i, x): null: no such built-in.
Expr* Body::elementCall(std::string_view name, const ast::Expr* e) {
  bool pokes = name == "poke";
  if (!pokes && name != "peek")
    return nullptr;
  size_t wanted = pokes ? 3 : 2;
  if (onDevice())
    return fail(Diag::host_call_on_device, e->range, name, kInRequire);
  if (e->args.size() != wanted)
    return fail(Diag::argument_count, e->range, name, wanted, e->args.size());
  Expr *pointer = rvalue(e->args[0]), *at = rvalue(e->args[1]);
  if (pointer->type->isError() || at->type->isError())
    return error(e->range);
  if (!pointer->type->isPointer() || pointer->type->element->isVoid() || pointer->type->element->holds_lists)
    return fail(Diag::element_of_pointer, pointer->range, name, typeName(pointer->type));
  if (!at->type->isInt())
    return fail(Diag::bad_index, at->range, typeName(at->type));
  SpaceCell* cell = pointer->type->space->root();
  if (cell->space == Space::Unknown)
    sema_.decide(cell, Space::Device, e->range, "its elements are peeked at or poked here, so it is a device pointer");
  if (cell->space != Space::Device)
    return fail(Diag::element_of_pointer, pointer->range, name, typeName(pointer->type));
  if (pokes && !checkPointee(pointer, pointer->range))
    return error(e->range);
  Expr* r = sema_.make(Expr::BuiltinCall, pokes ? types_.void_ : pointer->type->element, e->range);
  r->builtin = pokes ? Builtin::Poke : Builtin::Peek;
  r->a = pointer, r->b = cast(at, types_.i64);
  if (pokes)
    r->c = initializer(e->args[2], pointer->type->element);
  warnOfCopies(e->range);
  return r->c && r->c->type->isError() ? r->c : r;
}

} // namespace bsgp::sema
