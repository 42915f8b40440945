#include "sema/expr_builtins.h"

#include <fmt/format.h>

#include "sema/append.h"
#include "sema/block.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/expr_assign.h"
#include "sema/expr_construct.h"
#include "sema/expr_identity.h"
#include "sema/expr_memory.h"
#include "sema/expressions.h"
#include "sema/field_values.h"
#include "sema/key_parts.h"
#include "sema/library_calls.h"
#include "sema/lists.h"
#include "sema/misplaced.h"
#include "sema/narrow_sums.h"
#include "sema/printing.h"
#include "sema/resolve_type.h"
#include "sema/views.h"
#include "sema/warn_counts.h"
#include "sema/warp.h"

namespace bsgp::sema {

namespace {

struct MathName {
  std::string_view name;
  Builtin builtin;
  unsigned arity;
  char domain; // f: float scalars; i: integers
};

// The library gives these their public names and their vector forms.
constexpr MathName kMath[] = {
    {"__sqrt", Builtin::Sqrt, 1, 'f'},           {"__floor", Builtin::Floor, 1, 'f'},
    {"__ceil", Builtin::Ceil, 1, 'f'},           {"__trunc", Builtin::Trunc, 1, 'f'},
    {"__roundeven", Builtin::RoundEven, 1, 'f'}, {"__fabs", Builtin::Fabs, 1, 'f'},
    {"__copysign", Builtin::CopySign, 2, 'f'},   {"__fma", Builtin::Fma, 3, 'f'},
    {"__popcount", Builtin::PopCount, 1, 'i'},   {"__clz", Builtin::LeadingZeros, 1, 'i'},
    {"__ctz", Builtin::TrailingZeros, 1, 'i'},   {"__bitreverse", Builtin::BitReverse, 1, 'i'},
    {"__bswap", Builtin::ByteSwap, 1, 'i'},      {"__mulhi", Builtin::MulHigh, 2, 'i'},
};

struct BitName {
  std::string_view name;
  unsigned bits;
  char to; // i u f
};
constexpr BitName kBits[] = {{"float_as_int", 32, 'i'},   {"float_as_uint", 32, 'u'},   {"int_as_float", 32, 'f'},
                             {"double_as_long", 64, 'i'}, {"double_as_ulong", 64, 'u'}, {"long_as_double", 64, 'f'},
                             {"half_as_ushort", 16, 'u'}, {"ushort_as_half", 16, 'f'}};

} // namespace

void appendBuiltinNames(std::vector<std::string_view>& names) {
  names.insert(names.end(), {"printf", "assert", "static_assert", "copy", "view", "peek", "poke"});
  for (const BitName& bits : kBits)
    names.push_back(bits.name);
  appendDeviceCalls(names);
}

static Expr* assert_(Body& body, const ast::Expr* e);
static Expr* staticAssert(Body& body, const ast::Expr* e);
static Expr* restate(Body& body, const ast::Expr* e);
static Expr* copy(Body& body, const ast::Expr* e);

Expr* builtin(Body& body, std::string_view name, const ast::Expr* e) {
  if (name == "printf")
    return printCall(body, *e);
  if (name == "assert")
    return assert_(body, e);
  if (name == "static_assert")
    return staticAssert(body, e);
  if (name == "identity" || name == "__identity")
    return identity(body, e);
  if (name == "__commutes")
    return commutes(body, e);
  if (name == "__exact")
    return exact(body, e);
  if (name == "__is_used")
    return useQuery(body, e);
  if (name == "__needs")
    return needs(body, e);
  if (name == "__uses")
    return useBuiltin(body, e);
  if (name == "__instead")
    return body.sema.nodes.make(Expr::Construct, body.sema.types.void_,
                                e->range); // reported when it is used: misplaced.cpp
  if (Expr* made = typeQuery(body, name, e))
    return made;
  if (Expr* made = keyBuiltin(body, name, e))
    return made;
  if (name == "copy")
    return copy(body, e);
  if (name == "view")
    return viewOf(body, e);
  if (Expr* made = elementCall(body, name, e))
    return made;
  if (name == "__restate")
    return restate(body, e);
  if (Expr* made = sumBuiltin(body, name, e))
    return made;
  if (name == "dfree")
    return release(body, e);
  if (Expr* made = memoryCall(body, name, e))
    return made;
  if (Expr* made = machineQuery(body, name, e))
    return made;
  if (Expr* made = warpBuiltin(body, name, e))
    return made;
  if (Expr* made = tileBuiltin(body, name, e))
    return made;
  if (Expr* made = appendBuiltin(body, name, e))
    return made;
  for (const BitName& b : kBits) {
    if (b.name != name)
      continue;
    if (e->args.size() != 1)
      return fail(body, Diag::argument_count, e->range, name, 1, e->args.size());
    const Type* to = b.to == 'f' ? body.sema.types.floating(b.bits) : body.sema.types.integer(b.bits, b.to == 'i');
    const Type* from = b.to == 'f' ? body.sema.types.integer(b.bits, true) : body.sema.types.floating(b.bits);
    Expr* r = body.sema.nodes.make(Expr::BuiltinCall, to, e->range);
    r->builtin = Builtin::BitCast, r->a = convert(body, rvalue(body, e->args[0]), from, "this argument");
    r->args = body.sema.nodes.keep<Expr*>({r->a});
    return r->a->type->isError() ? r->a : r;
  }
  for (const MathName& m : kMath) {
    if (m.name != name)
      continue;
    if (e->args.size() != m.arity)
      return fail(body, Diag::argument_count, e->range, name, m.arity, e->args.size());
    std::vector<Expr*> args;
    for (ast::Expr* arg : e->args)
      args.push_back(rvalue(body, arg));
    const Type* type = args[0]->type;
    if (type->isError())
      return args[0];
    if (m.domain == 'f' ? !type->isFloat() : !type->isInt())
      return fail(body, Diag::bad_operand, e->range, name, typeName(type));
    for (Expr*& arg : args)
      arg = convert(body, arg, type, "this argument");
    Expr* r = body.sema.nodes.make(Expr::BuiltinCall, type, e->range);
    r->builtin = m.builtin, r->args = body.sema.nodes.keep(args), r->a = args[0];
    return r;
  }
  return nullptr;
}

// The text in assert(x > 0 && "why"), assert(!"why"), as in C; or null.
static const ast::Expr* joinedText(const ast::Expr* condition) {
  bool joined = condition->kind == ast::Expr::Binary && condition->binary == ast::BinaryOp::LogicalAnd;
  bool negated = condition->kind == ast::Expr::Unary && condition->unary == ast::UnaryOp::Not;
  const ast::Expr* text = joined ? condition->b : negated ? condition->a : nullptr;
  return text && text->kind == ast::Expr::StringLit ? text : nullptr;
}

static Expr* assert_(Body& body, const ast::Expr* e) {
  bool says_why = e->args.size() == 2;
  if (e->args.size() != 1 && !says_why)
    return fail(body, Diag::argument_count, e->range, "assert", 1, e->args.size());
  if (const ast::Expr* text = onDevice(body) && !says_why ? joinedText(e->args[0]) : nullptr) {
    const ast::Expr* holds = e->args[0]->kind == ast::Expr::Binary ? e->args[0]->a : nullptr;
    return fail(body, Diag::string_on_device, text->range,
                fmt::format("write assert({}, {})", holds ? sourceText(body, holds->range) : "false",
                            sourceText(body, text->range)));
  }
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = Builtin::Assert, r->a = condition(body, e->args[0]);
  if (r->a->type->isError())
    return r->a;
  if (says_why && e->args[1]->kind == ast::Expr::StringLit) {
    r->text = e->args[1]->name;
    return r;
  }
  if (says_why) {
    if (onDevice(body))
      return fail(body, Diag::assert_text, e->args[1]->range);
    r->b = convert(body, decay(body, expr(body, e->args[1])), body.sema.types.pointer(body.sema.types.i8, Space::Host),
                   "the text of an assert");
    return r;
  }
  SourceRange range = e->args[0]->range;
  std::string_view file = body.sema.diag.sources().text(range.begin);
  SourcePos start = body.sema.diag.sources().begin(range.begin);
  r->text = file.substr(range.begin - start, std::min<size_t>(range.end - range.begin, 120));
  return r;
}

static Expr* staticAssert(Body& body, const ast::Expr* e) {
  bool says_why = e->args.size() == 2;
  if (e->args.size() != 1 && !says_why)
    return fail(body, Diag::argument_count, e->range, "static_assert", 2, e->args.size());
  if (says_why && e->args[1]->kind != ast::Expr::StringLit)
    return fail(body, Diag::static_assert_text, e->args[1]->range);
  Expr* holds = condition(body, e->args[0]);
  ConstValue known;
  if (holds->type->isError())
    return holds;
  if (!constantValue(holds, known))
    return fail(body, Diag::not_constant, e->args[0]->range, "the condition of a static_assert");
  if (!known.integer)
    return fail(body, Diag::static_assert_failed, e->args[0]->range,
                says_why ? std::string(e->args[1]->name) : sourceText(body, e->args[0]->range));
  return body.sema.nodes.make(Expr::Construct, body.sema.types.void_, e->range); // of no values
}

// __restate(x, value), a statement of the library behind a barrier: value is the present value of x, cheaper to
// compute than to carry across the barrier. If a thread.put has changed x there, its value stays.
static Expr* restate(Body& body, const ast::Expr* e) {
  if (e->args.size() != 2)
    return fail(body, Diag::argument_count, e->range, "__restate", 2, e->args.size());
  Expr* target = expr(body, e->args[0]);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = Builtin::Restate, r->a = assignTo(body, target, rvalue(body, e->args[1]), e->range);
  return r->a->type->isError() ? r->a : r;
}

static Expr* copy(Body& body, const ast::Expr* e) {
  if (onDevice(body))
    return fail(body, Diag::host_call_on_device, e->range, "copy", kInRequire);
  if (e->args.size() == 2)
    return copyOfView(body, e);
  if (e->args.size() != 3)
    return fail(body, Diag::argument_count, e->range, "copy", "2 or 3", e->args.size());
  std::vector<Expr*> args;
  for (int i = 0; i < 2; ++i) {
    Expr* p = dataOf(body, rvalue(body, e->args[i]));
    if (p->type->isDList())
      p = listData(body, p, p->range);
    if (p->type->isError())
      return p;
    if (!p->type->isPointer() || p->type->element->isVoid() || p->type->element->holds_lists)
      return fail(body, Diag::copy_needs_pointer, p->range, typeName(p->type));
    args.push_back(p);
  }
  if (!checkPointee(body, args[0], args[0]->range))
    return error(body, e->range);
  if (!sameType(args[0]->type->element, args[1]->type->element))
    return fail(body, Diag::copy_types, e->range, typeName(args[0]->type), typeName(args[1]->type));
  args.push_back(convert(body, rvalue(body, e->args[2]), body.sema.types.i64, "the count of copy"));
  if (args[2]->type->isError())
    return args[2];
  for (int i = 0; i < 2; ++i)
    if (!checkCount(body, {args[i], e->args[i]->range}, *args[2], e->args[2]->range))
      return error(body, e->range);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = Builtin::Copy, r->args = body.sema.nodes.keep(args);
  return r;
}

Expr* allocation(Body& body, const ast::Expr* e) {
  static constexpr const char* kNames[] = {"new", "dnew", "dtempnew"};
  if (onDevice(body))
    return fail(body, Diag::host_call_on_device, e->range, kNames[e->alloc],
                "a thread's own array is T x[n], with a constant n; what all threads reach is allocated in front of "
                "the spawn, as "
                "p = dnew[n]T");
  const Type* element =
      resolve(body.sema, e->type, &body, e->alloc == ast::Expr::Host ? nullptr : body.sema.types.cell(Space::Device));
  if (element->isError())
    return error(body, e->range);
  if (element->isDList() && e->alloc == ast::Expr::Host && !e->a)
    return zero(body, element, e->range); // as the papers write it
  if (element->isVoid() || element->holds_lists)
    return fail(body, element->isVoid() ? Diag::bad_variable_type : Diag::lists_inside, e->range, "allocated memory",
                typeName(element));
  Expr* r = body.sema.nodes.make(
      Expr::BuiltinCall, body.sema.types.pointer(element, e->alloc == ast::Expr::Host ? Space::Host : Space::Device),
      e->range);
  r->builtin = e->alloc == ast::Expr::Host     ? Builtin::New
               : e->alloc == ast::Expr::Device ? Builtin::Dnew
                                               : Builtin::DtempNew;
  r->text = body.sema.arena.copy(typeName(element));
  r->of_library = body.sema.diag.sources().ofLibrary(e->range);
  if (r->builtin == Builtin::DtempNew)
    body.function.uses_temps = true;
  if (!e->args.empty())
    return allocationOfView(body, e, r);
  Expr* count = e->a ? rvalue(body, e->a) : number(body, 1, body.sema.types.i64, e->range);
  if (!count->type->isError() && !count->type->isInt())
    return fail(body, Diag::bad_index, count->range, typeName(count->type));
  r->a = convert(body, count, body.sema.types.i64, "the count");
  if (e->a)
    warnOfBytes(body, *element, e->a->range);
  return r->a->type->isError() ? r->a : withValues(body, r);
}

// Returns a description of memory that need not be freed, and the reason; empty for other memory.
static std::pair<std::string, const char*> freedByItself(const Expr* value) {
  constexpr const char* kList = "a list frees its elements itself";
  if (value->type->isDList())
    return {"a dlist", kList};
  if (value->kind == Expr::DListData)
    return {"the data of a dlist", kList};
  if (value->kind == Expr::String)
    return {"a string literal", "it lives as long as the program"};
  bool address = value->kind == Expr::AddrOf || value->kind == Expr::Decay;
  if (const Variable* root = address ? rootVariable(value->a) : nullptr)
    return {fmt::format("the memory of the variable '{}'", root->name), "a variable needs no freeing"};
  return {};
}

Expr* release(Body& body, const ast::Expr* e) {
  bool host = e->kind == ast::Expr::Delete && e->alloc == ast::Expr::Host;
  if (onDevice(body))
    return fail(body, Diag::host_call_on_device, e->range, host ? "delete" : "dfree", "write it behind the spawn");
  if (e->kind == ast::Expr::Call && e->args.size() != 1)
    return fail(body, Diag::argument_count, e->range, "dfree", 1, e->args.size());
  Expr* p = dataOf(body, rvalue(body, e->kind == ast::Expr::Call ? e->args[0] : e->a));
  if (p->type->isError())
    return p;
  if (auto [what, why] = freedByItself(p); why)
    return fail(body, Diag::freed_by_itself, e->range, host ? "delete" : "dfree", host ? "new" : "dnew", what, why);
  if (!p->type->isPointer())
    return fail(body, Diag::not_a_pointer, p->range, typeName(p->type), "");
  SpaceCell* cell = p->type->space->root();
  if (cell->space == Space::Unknown)
    decide(body.sema, cell, host ? Space::Host : Space::Device, e->range,
           host ? "it is freed with delete here" : "it is freed with dfree here");
  if ((cell->space == Space::Host) != host)
    return fail(body, Diag::wrong_release, e->range, typeWithArticle(p->type), host ? "dfree" : "delete");
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = host ? Builtin::Delete : Builtin::Dfree, r->a = p;
  return r;
}

Expr* sizeOf(Body& body, const ast::Expr* e) {
  const Type* type = e->kind == ast::Expr::SizeofType ? resolve(body.sema, e->type, &body) : typeOf(body, e->a);
  if (type->isError())
    return error(body, e->range);
  return number(body, type->isVoid() ? 1 : type->size, body.sema.types.i64, e->range);
}

} // namespace bsgp::sema
