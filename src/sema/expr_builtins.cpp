// Operations that are no functions of the library: memory, printf, assert, exact math.
#include <fmt/format.h>

#include "sema/checker.h"
#include "sema/printing.h"

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

Expr* Body::builtin(std::string_view name, const ast::Expr* e) {
  if (name == "printf")
    return printCall(*this, *e);
  if (name == "assert")
    return assert_(e);
  if (name == "static_assert")
    return staticAssert(e);
  if (name == "identity" || name == "__identity")
    return identity(e);
  if (name == "__commutes")
    return commutes(e);
  if (name == "__exact")
    return exact(e);
  if (name == "__is_used")
    return useQuery(e);
  if (name == "__needs")
    return needs(e);
  if (name == "__uses")
    return useBuiltin(e);
  if (name == "__instead")
    return sema_.make(Expr::Construct, types_.void_, e->range); // said when it is asked for: misplaced.cpp
  if (Expr* made = typeQuery(name, e))
    return made;
  if (Expr* made = keyBuiltin(name, e))
    return made;
  if (name == "copy")
    return copy(e);
  if (name == "view")
    return viewOf(e);
  if (Expr* made = elementCall(name, e))
    return made;
  if (name == "__restate")
    return restate(e);
  if (Expr* made = sumBuiltin(name, e))
    return made;
  if (name == "dfree")
    return release(e);
  if (Expr* made = memoryCall(name, e))
    return made;
  if (Expr* made = machineQuery(name, e))
    return made;
  if (Expr* made = warpBuiltin(name, e))
    return made;
  if (Expr* made = tileBuiltin(name, e))
    return made;
  if (Expr* made = appendBuiltin(name, e))
    return made;
  for (const BitName& b : kBits) {
    if (b.name != name)
      continue;
    if (e->args.size() != 1)
      return fail(Diag::argument_count, e->range, name, 1, e->args.size());
    const Type* to = b.to == 'f' ? types_.floating(b.bits) : types_.integer(b.bits, b.to == 'i');
    const Type* from = b.to == 'f' ? types_.integer(b.bits, true) : types_.floating(b.bits);
    Expr* r = sema_.make(Expr::BuiltinCall, to, e->range);
    r->builtin = Builtin::BitCast, r->a = convert(rvalue(e->args[0]), from, "this argument");
    r->args = sema_.keep<Expr*>({r->a});
    return r->a->type->isError() ? r->a : r;
  }
  for (const MathName& m : kMath) {
    if (m.name != name)
      continue;
    if (e->args.size() != m.arity)
      return fail(Diag::argument_count, e->range, name, m.arity, e->args.size());
    std::vector<Expr*> args;
    for (ast::Expr* arg : e->args)
      args.push_back(rvalue(arg));
    const Type* type = args[0]->type;
    if (type->isError())
      return args[0];
    if (m.domain == 'f' ? !type->isFloat() : !type->isInt())
      return fail(Diag::bad_operand, e->range, name, typeName(type));
    for (Expr*& arg : args)
      arg = convert(arg, type, "this argument");
    Expr* r = sema_.make(Expr::BuiltinCall, type, e->range);
    r->builtin = m.builtin, r->args = sema_.keep(args), r->a = args[0];
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

Expr* Body::assert_(const ast::Expr* e) {
  bool says_why = e->args.size() == 2;
  if (e->args.size() != 1 && !says_why)
    return fail(Diag::argument_count, e->range, "assert", 1, e->args.size());
  if (const ast::Expr* text = onDevice() && !says_why ? joinedText(e->args[0]) : nullptr) {
    const ast::Expr* holds = e->args[0]->kind == ast::Expr::Binary ? e->args[0]->a : nullptr;
    return fail(
        Diag::string_on_device, text->range,
        fmt::format("write assert({}, {})", holds ? sourceText(holds->range) : "false", sourceText(text->range)));
  }
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = Builtin::Assert, r->a = condition(e->args[0]);
  if (r->a->type->isError())
    return r->a;
  if (says_why && e->args[1]->kind == ast::Expr::StringLit) {
    r->text = e->args[1]->name;
    return r;
  }
  if (says_why) {
    if (onDevice())
      return fail(Diag::assert_text, e->args[1]->range);
    r->b = convert(decay(expr(e->args[1])), types_.pointer(types_.i8, Space::Host), "the text of an assert");
    return r;
  }
  SourceRange range = e->args[0]->range;
  std::string_view file = sema_.diag.sources().text(range.begin);
  SourcePos start = sema_.diag.sources().begin(range.begin);
  r->text = file.substr(range.begin - start, std::min<size_t>(range.end - range.begin, 120));
  return r;
}

Expr* Body::staticAssert(const ast::Expr* e) {
  bool says_why = e->args.size() == 2;
  if (e->args.size() != 1 && !says_why)
    return fail(Diag::argument_count, e->range, "static_assert", 2, e->args.size());
  if (says_why && e->args[1]->kind != ast::Expr::StringLit)
    return fail(Diag::static_assert_text, e->args[1]->range);
  Expr* holds = condition(e->args[0]);
  ConstValue known;
  if (holds->type->isError())
    return holds;
  if (!Sema::constantValue(holds, known))
    return fail(Diag::not_constant, e->args[0]->range, "the condition of a static_assert");
  if (!known.integer)
    return fail(Diag::static_assert_failed, e->args[0]->range,
                says_why ? std::string(e->args[1]->name) : sourceText(e->args[0]->range));
  return sema_.make(Expr::Construct, types_.void_, e->range); // of nothing
}

// __restate(x, value), a statement of the library behind a barrier: value is what x is, cheaper to come by than to
// carry x across the barrier. What a thread.put has done to x there stays.
Expr* Body::restate(const ast::Expr* e) {
  if (e->args.size() != 2)
    return fail(Diag::argument_count, e->range, "__restate", 2, e->args.size());
  Expr* target = expr(e->args[0]);
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = Builtin::Restate, r->a = assignTo(target, rvalue(e->args[1]), e->range);
  return r->a->type->isError() ? r->a : r;
}

Expr* Body::copy(const ast::Expr* e) {
  if (onDevice())
    return fail(Diag::host_call_on_device, e->range, "copy", kInRequire);
  if (e->args.size() == 2)
    return copyOfView(e);
  if (e->args.size() != 3)
    return fail(Diag::argument_count, e->range, "copy", "2 or 3", e->args.size());
  std::vector<Expr*> args;
  for (int i = 0; i < 2; ++i) {
    Expr* p = dataOf(rvalue(e->args[i]));
    if (p->type->isDList())
      p = listData(p, p->range);
    if (p->type->isError())
      return p;
    if (!p->type->isPointer() || p->type->element->isVoid() || p->type->element->holds_lists)
      return fail(Diag::copy_needs_pointer, p->range, typeName(p->type));
    args.push_back(p);
  }
  if (!checkPointee(args[0], args[0]->range))
    return error(e->range);
  if (!sema_.sameType(args[0]->type->element, args[1]->type->element))
    return fail(Diag::copy_types, e->range, typeName(args[0]->type), typeName(args[1]->type));
  args.push_back(convert(rvalue(e->args[2]), types_.i64, "the count of copy"));
  if (args[2]->type->isError())
    return args[2];
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = Builtin::Copy, r->args = sema_.keep(args);
  return r;
}

Expr* Body::allocation(const ast::Expr* e) {
  static constexpr const char* kNames[] = {"new", "dnew", "dtempnew"};
  if (onDevice())
    return fail(Diag::host_call_on_device, e->range, kNames[e->alloc], kInRequire);
  const Type* element =
      sema_.resolve(e->type, this, e->alloc == ast::Expr::Host ? nullptr : types_.cell(Space::Device));
  if (element->isError())
    return error(e->range);
  if (element->isDList() && e->alloc == ast::Expr::Host && !e->a)
    return zero(element, e->range); // as the papers write it
  if (element->isVoid() || element->holds_lists)
    return fail(element->isVoid() ? Diag::bad_variable_type : Diag::lists_inside, e->range, "allocated memory",
                typeName(element));
  Expr* r = sema_.make(Expr::BuiltinCall,
                       types_.pointer(element, e->alloc == ast::Expr::Host ? Space::Host : Space::Device), e->range);
  r->builtin = e->alloc == ast::Expr::Host     ? Builtin::New
               : e->alloc == ast::Expr::Device ? Builtin::Dnew
                                               : Builtin::DtempNew;
  r->text = sema_.arena.copy(typeName(element));
  r->of_library = sema_.diag.sources().ofLibrary(e->range);
  if (r->builtin == Builtin::DtempNew)
    fn_.uses_temps = true;
  if (!e->args.empty())
    return allocationOfView(e, r);
  Expr* count = e->a ? rvalue(e->a) : number(1, types_.i64, e->range);
  if (!count->type->isError() && !count->type->isInt())
    return fail(Diag::bad_index, count->range, typeName(count->type));
  r->a = convert(count, types_.i64, "the count");
  return r->a->type->isError() ? r->a : withValues(r);
}

// What stands where memory of new or dnew is freed, and frees itself: {what it is, why nobody frees it}.
std::pair<std::string, const char*> Body::freedByItself(const Expr* value) const {
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

Expr* Body::release(const ast::Expr* e) {
  bool host = e->kind == ast::Expr::Delete && e->alloc == ast::Expr::Host;
  if (onDevice())
    return fail(Diag::host_call_on_device, e->range, host ? "delete" : "dfree", kInRequire);
  if (e->kind == ast::Expr::Call && e->args.size() != 1)
    return fail(Diag::argument_count, e->range, "dfree", 1, e->args.size());
  Expr* p = dataOf(rvalue(e->kind == ast::Expr::Call ? e->args[0] : e->a));
  if (p->type->isError())
    return p;
  if (auto [what, why] = freedByItself(p); why)
    return fail(Diag::freed_by_itself, e->range, host ? "delete" : "dfree", host ? "new" : "dnew", what, why);
  if (!p->type->isPointer())
    return fail(Diag::not_a_pointer, p->range, typeName(p->type), "");
  SpaceCell* cell = p->type->space->root();
  if (cell->space == Space::Unknown)
    sema_.decide(cell, host ? Space::Host : Space::Device, e->range,
                 host ? "it is freed with delete here" : "it is freed with dfree here");
  if ((cell->space == Space::Host) != host)
    return fail(Diag::wrong_release, e->range, typeWithArticle(p->type), host ? "dfree" : "delete");
  Expr* r = sema_.make(Expr::BuiltinCall, types_.void_, e->range);
  r->builtin = host ? Builtin::Delete : Builtin::Dfree, r->a = p;
  return r;
}

const Type* Body::typeOf(const ast::Expr* e) {
  ++unevaluated_;
  const Type* type = expr(e)->type;
  --unevaluated_;
  return type;
}

Expr* Body::sizeOf(const ast::Expr* e) {
  const Type* type = e->kind == ast::Expr::SizeofType ? sema_.resolve(e->type, this) : typeOf(e->a);
  if (type->isError())
    return error(e->range);
  return number(type->isVoid() ? 1 : type->size, types_.i64, e->range);
}

} // namespace bsgp::sema
