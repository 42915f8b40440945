// Expressions of typed trees as text. What calls itself to the depth of a tree keeps what needs room on the stack out.
#include <fmt/format.h>

#include "parse/parse.h"
#include "sema/sema.h"
#include "sema/tree_text.h"

namespace bsgp::sema {

namespace {

// In the order of Builtin.
constexpr const char* kBuiltins[] = {
    "__sqrt",       "__floor",      "__ceil",          "__trunc",       "__roundeven",  "__fabs",
    "__copysign",   "__fma",        "__popcount",      "__clz",         "__ctz",        "__bitreverse",
    "__bswap",      "__bits",       "__mulhi",         "printf",        "assert",       "__uses",
    "block.sync",   "memory_fence", "atomic_add",      "atomic_min",    "atomic_max",   "atomic_and",
    "atomic_or",    "atomic_xor",   "atomic_exchange", "atomic_cas",    "atomic_load",  "atomic_store",
    "store_stream", "prefetch",     "__append",        "__append_take", "warp.shuffle", "warp.ballot",
    "warp.sync",    "__tile_rank",  "__tile_size",     "__tile_id",     "asm",          "__worker_count",
    "new",          "dnew",         "dtempnew",        "delete",        "dfree",        "copy",
    "peek",         "poke",         "resize",          "reserve",       "push_back",    "detach",
    "swap",         "capacity",     "__restate"};
static_assert(std::size(kBuiltins) == size_t(Builtin::Restate) + 1);

std::string_view specialName(Expr::Kind kind) {
  return kind == Expr::Null ? "NULL" : nameOfMember(kind);
}

bool isInfix(const Expr& e) {
  switch (e.kind) {
  case Expr::Binary:
  case Expr::PtrAdd:
  case Expr::PtrDiff:
  case Expr::LogicalAnd:
  case Expr::LogicalOr:
  case Expr::Conditional:
  case Expr::Comma:
  case Expr::Assign:
  case Expr::CompoundAssign:
    return true;
  default:
    return false;
  }
}

bool isPrefix(const Expr& e) {
  switch (e.kind) {
  case Expr::Deref:
  case Expr::AddrOf:
  case Expr::Decay:
  case Expr::Neg:
  case Expr::Not:
  case Expr::BitNot:
  case Expr::IncDec:
  case Expr::Cast:
    return true;
  default:
    return false;
  }
}

} // namespace

std::string numberText(const Type* type, const ConstValue& value) {
  if (type->isVector())
    return fmt::format("{}{{{}}}", typeName(type), numberText(type->element, value));
  if (type->isBool())
    return value.integer ? "true" : "false";
  if (type->isFloat() && type->bits == 64)
    return fmt::format("{:#}", value.floating);
  if (type->isFloat())
    return fmt::format("{:#}{}", float(value.floating), type->bits == 16 ? "h" : "f");
  std::string number = type->is_signed    ? fmt::format("{}", value.integer)
                       : type->bits == 64 ? fmt::format("{}u", uint64_t(value.integer))
                                          : fmt::format("{}u", uint64_t(value.integer) & ((1ull << type->bits) - 1));
  if (type->bits < 32 || !type->enum_name.empty())
    return fmt::format("({}){}", typeName(type), number);
  return type->bits == 64 ? number + "L" : number;
}

std::string TreeText::text(const Expr* e) {
  text_.clear();
  append(e);
  return text_;
}

std::string TreeText::nameOf(const Function* f) {
  return f->side == Side::Host && !f->symbol.empty() ? f->symbol : functions_.of(f, f->name);
}

void TreeText::append(const Expr* e) {
  if (!e) {
    text_ += "none";
    return;
  }
  switch (e->kind) {
  case Expr::Binary:
  case Expr::PtrAdd:
    return infix(e->a, ast::spelling(e->op), e->b);
  case Expr::PtrDiff:
    return infix(e->a, "-", e->b);
  case Expr::LogicalAnd:
    return infix(e->a, "&&", e->b);
  case Expr::LogicalOr:
    return infix(e->a, "||", e->b);
  case Expr::Comma:
    return infix(e->a, ",", e->b);
  case Expr::Assign:
  case Expr::CompoundAssign:
    return assignment(e);
  case Expr::Conditional:
    infix(e->a, "?", e->b);
    text_ += " : ";
    return operand(e->c);
  case Expr::Field:
  case Expr::Swizzle:
  case Expr::Index:
    return access(e);
  case Expr::Call:
    return call(*e);
  case Expr::BuiltinCall:
    return builtin(*e);
  case Expr::Construct:
    text_ += typeName(e->type) + "{";
    list(e->args);
    text_ += '}';
    return;
  case Expr::Get:
  case Expr::DListData:
  case Expr::DListCount:
    text_ += e->kind == Expr::Get         ? "thread.get("
             : e->kind == Expr::DListData ? "data("
             : e->type->bits == 32        ? "length("
                                          : "count(";
    append(e->a);
    if (e->b)
      append((text_ += ", ", e->b));
    text_ += ')';
    return;
  default:
    return prefix(e) ? void() : leaf(*e);
  }
}

// In parentheses where it would read otherwise without: in front of a member or an index more than in an operation.
void TreeText::operand(const Expr* e, bool behind) {
  bool closed = e && (isInfix(*e) || (behind && isPrefix(*e)));
  text_ += closed ? "(" : "";
  append(e);
  text_ += closed ? ")" : "";
}

void TreeText::infix(const Expr* a, std::string_view between, const Expr* b) {
  operand(a);
  if (between != ",")
    text_ += ' ';
  text_ += between;
  text_ += ' ';
  operand(b);
}

void TreeText::assignment(const Expr* e) {
  operand(e->a);
  text_ += ' ';
  if (e->kind == Expr::CompoundAssign)
    appendOperator(*e);
  text_ += "= ";
  e->b->kind == Expr::Comma ? operand(e->b) : append(e->b);
}

void TreeText::list(std::span<Expr* const> parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    text_ += i ? ", " : "";
    parts[i]->kind == Expr::Comma ? operand(parts[i]) : append(parts[i]);
  }
}

bool TreeText::prefix(const Expr* e) {
  switch (e->kind) {
  case Expr::Neg:
    text_ += '-';
    break;
  case Expr::Not:
    text_ += '!';
    break;
  case Expr::BitNot:
    text_ += '~';
    break;
  case Expr::Deref:
    text_ += '*';
    break;
  case Expr::AddrOf:
    text_ += '&';
    break;
  case Expr::Decay:
    text_ += '&';
    operand(e->a, true);
    text_ += "[0]";
    return true;
  case Expr::Cast:
    text_ += "(" + typeName(e->type) + ")";
    break;
  case Expr::IncDec: {
    const char* word = e->op == ast::BinaryOp::Add ? "++" : "--";
    text_ += e->prefix ? word : "";
    operand(e->a, true);
    text_ += e->prefix ? "" : word;
    return true;
  }
  default:
    return false;
  }
  operand(e->a, e->kind != Expr::Cast || (e->a->kind != Expr::Cast && isPrefix(*e->a)));
  return true;
}

void TreeText::access(const Expr* e) {
  operand(e->a, true);
  if (e->kind == Expr::Field) {
    text_ += '.';
    text_ += e->a->type->structure->fields[e->index].name;
  } else if (e->kind == Expr::Swizzle) {
    text_ += '.';
    for (unsigned i = 0; i < e->lane_count; ++i)
      text_ += "xyzw"[e->lanes[i] & 3];
  } else {
    text_ += '[';
    append(e->b);
    text_ += ']';
  }
}

[[gnu::noinline]] void TreeText::leaf(const Expr& e) {
  switch (e.kind) {
  case Expr::Constant:
    text_ += numberText(e.type, e.value);
    return;
  case Expr::String:
    return ast::appendQuoted(text_, e.text);
  case Expr::Var:
    text_ += variables_->of(e.variable, e.variable->name);
    if (e.index)
      text_ += fmt::format("@{}", e.index - 1);
    return;
  default:
    text_ += specialName(e.kind);
    return;
  }
}

// The type it is computed in stands with the operator, where it is not that of the target.
[[gnu::noinline]] void TreeText::appendOperator(const Expr& e) {
  if (e.compute && e.compute != e.a->type)
    text_ += "(" + typeName(e.compute) + ")";
  text_ += ast::spelling(e.op);
}

void TreeText::call(const Expr& e) {
  text_ += nameOf(e.function);
  text_ += '(';
  list(e.args);
  text_ += ')';
}

void TreeText::builtin(const Expr& e) {
  if (e.builtin == Builtin::Asm)
    return inlineAssembly(e);
  text_ += kBuiltins[size_t(e.builtin)];
  if (e.builtin >= Builtin::New && e.builtin <= Builtin::DtempNew) {
    text_ += '[';
    append(e.a);
    text_ += "]" + typeName(e.type->element);
    return;
  }
  if (e.builtin == Builtin::BitCast)
    text_ += "<" + typeName(e.type) + ">";
  text_ += '(';
  size_t start = text_.size();
  auto next = [&](const Expr* part) {
    text_ += text_.size() > start ? ", " : "";
    append(part);
  };
  bool listed = !e.args.empty() && e.args[0] == e.a;
  for (const Expr* part : {e.a, e.b, e.c})
    if (part && !(listed && part == e.a))
      next(part);
  for (const Expr* part : e.args)
    next(part);
  if (e.builtin == Builtin::Assert && !e.b)
    ast::appendQuoted(text_ += ", ", e.text);
  text_ += ')';
}

// asm("text", "constraints" : outputs : inputs)
void TreeText::inlineAssembly(const Expr& e) {
  text_ += e.value.integer ? "asm volatile(" : "asm(";
  ast::appendQuoted(text_, e.text);
  text_ += ", ";
  append(e.c);
  text_ += " : ";
  list(e.args.first(e.index));
  text_ += " : ";
  list(e.args.subspan(e.index));
  text_ += ')';
}

} // namespace bsgp::sema
