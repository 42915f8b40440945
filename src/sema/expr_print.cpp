// printf. printf(c ? "%d " : "%d\n", x) is the call that c chooses, and each of the formats fits what is printed.
#include "sema/printing.h"

#include <algorithm>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_names.h"
#include "sema/expressions.h"
#include "sema/misplaced.h"
#include "sema/name_scopes.h"
#include "sema/views.h"

namespace bsgp::sema {

namespace {

// A text, or a choice of texts.
bool isFormat(const ast::Expr* e) {
  return e->kind == ast::Expr::StringLit || (e->kind == ast::Expr::Conditional && isFormat(e->b) && isFormat(e->c));
}

// printf prints such a type as double, long or ulong, lane by lane.
const Type* printedType(TypeTable& types, const Type* type) {
  const Type* lane = laneType(type);
  const Type* wide = lane->isFloat() ? types.f64 : types.integer(64, lane->isBool() || lane->is_signed);
  return type->isVector() ? types.vector(wide, unsigned(type->count)) : wide;
}

// Unsigned, of the width in which its bits are shown.
const Type* unsignedOf(TypeTable& types, const Type* type) {
  if (type->isVector())
    return types.vector(unsignedOf(types, type->element), unsigned(type->count));
  return types.integer(std::max<unsigned>(type->bits, 32), false);
}

// A conversion for each component: (%g, %g, %g).
std::string byComponent(std::string_view conversion, uint64_t count) {
  std::string out = "(";
  for (uint64_t i = 0; i < count; ++i)
    out += std::string(i ? ", " : "") + std::string(conversion);
  return out + ")";
}

} // namespace

struct Printing {
  Body& body_;
  Sema& sema_ = body_.sema;

  Expr* call(const ast::Expr& e) {
    if (e.args.empty() || !isFormat(e.args[0]))
      return fail(body_, Diag::format_not_literal, e.range);
    const ast::Expr* format = e.args[0];
    Expr* asked = format->kind == ast::Expr::Conditional ? condition(body_, format->a) : nullptr;
    if (asked && asked->type->isError())
      return asked;
    std::vector<Expr*> values;
    for (size_t i = 1; i < e.args.size(); ++i) {
      if (onDevice(body_) && e.args[i]->kind == ast::Expr::StringLit)
        return fail(body_, Diag::string_on_device, e.args[i]->range,
                    fmt::format("write the text in the format itself, in place of its %s: {}",
                                sourceText(body_, e.args[i]->range)));
      Expr* value = rvalue(body_, e.args[i]);
      if (value->type->isError())
        return value;
      if (!value->type->isScalar() && !value->type->isVector() && !value->type->isPointer())
        return fail(body_, Diag::bad_print_argument, value->range, typeName(value->type), helpFor(*value));
      values.push_back(value);
    }
    if (!asked)
      return printed(*format, values, e.range);
    std::vector<Expr*> first;
    keepUpToLast(asked, values, first);
    return behind(body_, first, printedByChoice(*format, asked, values, e.range));
  }

  std::string helpFor(const Expr& value) {
    bool has_characters = value.type->isStruct() && hasFunction(sema_, methodName(value.type, "c"));
    return has_characters ? fmt::format("{}.c()", sourceText(body_, value.range)) : "its parts";
  }

  // Each arm prints the same values, which are computed once, and from left to right.
  void keepUpToLast(Expr*& condition, std::vector<Expr*>& values, std::vector<Expr*>& first) {
    auto last = std::find_if(values.rbegin(), values.rend(), [](const Expr* value) { return !isRepeatable(value); });
    if (last == values.rend())
      return;
    auto keep = [&](Expr*& value) {
      if (value->kind == Expr::Constant)
        return;
      first.push_back(keptLocal(body_, "printed", value));
      value = useVariable(body_, first.back()->a->variable, value->range);
    };
    keep(condition);
    std::for_each(values.begin(), last.base(), keep);
  }

  // `asked`: its outermost condition, or null.
  Expr* printedByChoice(const ast::Expr& format, Expr* asked, const std::vector<Expr*>& values, SourceRange range) {
    if (format.kind == ast::Expr::StringLit) {
      std::vector<Expr*> copies;
      for (const Expr* value : values)
        copies.push_back(sema_.nodes.copyOf(value));
      return printed(format, copies, range);
    }
    Expr* r = sema_.nodes.make(Expr::Conditional, sema_.types.void_, range);
    r->a = asked ? asked : condition(body_, format.a);
    if (r->a->type->isError())
      return r->a;
    body_.flow.enclosing.push_back({r->a, format.a->range, Construct::Choice});
    r->b = printedByChoice(*format.b, nullptr, values, range);
    body_.flow.enclosing.back().negated = true;
    r->c = printedByChoice(*format.c, nullptr, values, range);
    body_.flow.enclosing.pop_back();
    return r->b->type->isError() ? r->b : r->c->type->isError() ? r->c : r;
  }

  Expr* printed(const ast::Expr& written, std::vector<Expr*> values, SourceRange range) {
    Expr* format = sema_.nodes.make(Expr::String, sema_.types.pointer(sema_.types.i8, Space::Host), written.range);
    format->text = sema_.arena.copy(checkFormat(written.name, values, format->range));
    for (Expr*& value : values)
      if (!value->type->isPointer())
        value = cast(body_, value, printedType(sema_.types, value->type));
    values.insert(values.begin(), format);
    Expr* r = sema_.nodes.make(Expr::BuiltinCall, sema_.types.void_, range);
    r->builtin = Builtin::Printf, r->args = sema_.nodes.keep(values);
    return r;
  }

  // Each % of the format against its argument; * is not supported. Gives the format with the conversions of vectors
  // written out.
  std::string checkFormat(std::string_view format, std::vector<Expr*>& values, SourceRange range) {
    size_t next = 0, copied = 0;
    std::string out;
    for (size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%')
        continue;
      size_t start = i;
      if (++i < format.size() && format[i] == '%')
        continue;
      while (i < format.size() && std::string_view("-+ #0123456789.hlLzjt").find(format[i]) != std::string_view::npos)
        ++i;
      char c = i < format.size() ? format[i] : 0;
      bool whole = c && std::string_view("diuxXoc").find(c) != std::string_view::npos;
      bool floating = c && std::string_view("fFeEgGaA").find(c) != std::string_view::npos;
      if (!whole && !floating && c != 's' && c != 'p') {
        bool shown = c > ' ' && c < 127;
        sema_.diag.report(Diag::bad_format, range, format.substr(start, i - start + shown));
        return out;
      }
      if (next >= values.size()) {
        sema_.diag.report(Diag::format_count, range, next + 1, values.size());
        return out;
      }
      Expr*& value = values[next++];
      const Type *shown = value->type, *type = laneType(shown);
      if (floating && (type->isInt() || type->isBool()))
        sema_.diag.report(Diag::format_mismatch, value->range, c, typeName(shown), "use %d, or convert it to a float");
      if (whole && type->isFloat())
        sema_.diag.report(Diag::format_mismatch, value->range, c, typeName(shown), "use %g, or convert it to an int");
      bool no_address = c == 's' ? !type->isPointer() || onDevice(body_) : c == 'p' && shown->isVector();
      if (no_address || ((whole || floating) && type->isPointer()))
        sema_.diag.report(Diag::format_mismatch, value->range, c, typeName(shown),
                          type->isPointer() ? "use %p for an address, %s for a host string"
                                            : "use %d for a whole number, %g for a float");
      // unsigned conversions show the bits of the argument's own width
      if (whole && std::string_view("uxXo").find(c) != std::string_view::npos && type->isInt() && type->is_signed)
        value = cast(body_, value, unsignedOf(sema_.types, shown));
      if (shown->isVector()) {
        out += format.substr(copied, start - copied);
        out += byComponent(format.substr(start, i + 1 - start), shown->count);
        copied = i + 1;
      }
    }
    if (next < values.size())
      sema_.diag.report(Diag::format_count, range, next, values.size());
    return out + std::string(format.substr(copied));
  }
};

Expr* printCall(Body& body, const ast::Expr& call) {
  return Printing{body}.call(call);
}

} // namespace bsgp::sema
