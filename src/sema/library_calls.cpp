// What is wrong inside an instance of the library because of how the program called it is told at the call: one
// message, with the reason, and no line that the program's author never wrote. The library itself says what it needs by
// __needs(condition, "text").
#include <algorithm>

#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

// Messages that make sense at the call as they are.
bool speaksOfTheCall(Diag kind) {
  return kind == Diag::no_identity || kind == Diag::not_an_operator || kind == Diag::operator_of_two ||
         kind == Diag::library_needs;
}

// Messages that name a function which cannot be called on this side: at the call, that of the library is it.
bool speaksOfTheSide(Diag kind) {
  return kind == Diag::host_call_on_device || kind == Diag::collective_on_host || kind == Diag::device_call_on_host;
}

// Messages that name what only threads have.
bool speaksOfThreads(Diag kind) {
  return kind == Diag::thread_outside_spawn || kind == Diag::block_outside_spawn || kind == Diag::warp_outside_spawn;
}

// __sort_records and the like are the library's own affair.
bool namesInternals(const std::string& message) {
  size_t at = message.find("__");
  bool inside_word = at != std::string::npos && at > 0 && isalnum(static_cast<unsigned char>(message[at - 1]));
  return at != std::string::npos && !inside_word;
}

} // namespace

std::string shown(const std::vector<Argument>& arguments) {
  std::string out;
  for (const Argument& a : arguments) {
    bool is_lambda = a.is_callable && a.callable.is_lambda;
    const char* what = is_lambda ? "" : a.is_callable && a.callable.is_operator ? "operator " : "function ";
    out += (out.empty() ? "" : ", ") + (a.is_callable ? what + std::string(a.callable.name) : typeName(a.value->type));
  }
  return out;
}

bool Sema::entersLibrary(const ast::Function& node, SourceRange call, const Body* caller) const {
  return caller && diag.sources().ofLibrary(node.range) && !diag.sources().ofLibrary(call);
}

// An instance of the library in which errors were said since `before`. The first of them is kept for other calls of
// it. Messages at the program's own lines stay (its operator may be wrong); where the program calls it, the first one
// of the others is told at the call. Null, always: what it gives is wrong.
Function* Sema::breakInstance(const Function& function, const std::vector<Argument>& arguments, SourceRange call,
                              const Body* caller, const Diagnostics::Mark& before) {
  bool at_program = caller && !diag.sources().ofLibrary(call);
  std::vector<Diagnostic> said = diag.takeSince(before);
  std::optional<Diagnostic> first;
  bool own = false, dropping = false;
  for (Diagnostic& message : said) {
    bool library = diag.sources().ofLibrary(message.range);
    if (message.severity != Severity::Note) {
      dropping = library && message.severity == Severity::Error;
      own |= !library && message.severity == Severity::Error;
      if (dropping && !first)
        first = message;
    }
    bool stays = at_program ? !dropping && !(library && message.kind == Diag::note_called_here) : true;
    if (stays)
      diag.put(std::move(message));
  }
  if (first && !own)
    broken_.emplace(&function, *first);
  if (at_program && own)
    diag.report(Diag::note_called_here, call, function.name);
  else if (at_program && first)
    tellOf(*first, function.name, arguments, call);
  return nullptr;
}

void Sema::tellOf(Diagnostic inside, std::string_view name, const std::vector<Argument>& arguments, SourceRange call) {
  if (std::string help = helpForOrder(inside, name, arguments); !help.empty())
    inside.help = help;
  if (speaksOfTheSide(inside.kind))
    return diag.report(inside.kind, call, name,
                       inside.kind == Diag::host_call_on_device ? formOfThreads(name) : formOfArrays(name, arguments));
  if (size_t place = parameterOfHost(inside, name, arguments.size()); place < arguments.size())
    return diag.report(Diag::library_needs, call,
                       fmt::format("'{}' takes a '{}' that is one for all threads, and '{}' is each thread's own", name,
                                   diag.sources().text(inside.range), diag.sources().text(arguments[place].range)),
                       inside.help);
  if (speaksOfThreads(inside.kind))
    return diag.report(Diag::collective_on_host, call, name, formOfArrays(name, arguments));
  if (namesInternals(inside.message))
    return diag.report(Diag::no_overload, call, name, shown(arguments), "");
  if (!speaksOfTheCall(inside.kind))
    return diag.report(Diag::library_call, call, name, shown(arguments), inside.message, inside.help);
  inside.range = call;
  diag.put(std::move(inside));
}

// __needs(condition, x, "text", "way out"), in the library: an error at the program's call where the constant condition
// is false. {} in the text stands for the type of x.
Expr* Body::needs(const ast::Expr* e) {
  ConstValue known;
  Expr* holds = condition(e->args[0]);
  bool wrong = !holds->type->isError() && Sema::constantValue(holds, known) && !known.integer;
  if (wrong)
    return fail(Diag::library_needs, e->range,
                fmt::format(fmt::runtime(e->args[2]->name), typeName(typeOf(e->args[1]))), e->args[3]->name);
  return sema_.make(Expr::Construct, types_.void_, e->range); // of nothing
}

std::optional<size_t> Sema::parametersOf(std::string_view name) const {
  auto set = functions_.find(name);
  if (set == functions_.end())
    return std::nullopt;
  size_t count = set->second[0]->params.size();
  bool alike = std::all_of(set->second.begin(), set->second.end(),
                           [&](const ast::Function* node) { return node->params.size() == count; });
  return alike ? std::optional(count) : std::nullopt;
}

// __is_number(x), __is_integer(x), __is_real(x) (floating-point, or a vector of such), __is_vector(x), __is_pointer(x),
// __is_dlist(x),
// __is_function(x), __is_operator(x): constants; x is not evaluated. __skips_nan(op): collectives leave out operands of op
// that are NaN, for op is a function with that clause.
Expr* Body::typeQuery(std::string_view name, const ast::Expr* e) {
  if (Callable callable; name == "__is_function" || name == "__is_operator")
    return number(asCallable(e->args[0], callable) && (name == "__is_function" || callable.is_operator), types_.bool_,
                  e->range);
  if (Callable op; name == "__skips_nan")
    return number(asCallable(e->args[0], op) && !op.is_operator &&
                      sema_.hasFunction(fmt::format("{}.skips_nan", op.name)),
                  types_.bool_, e->range);
  constexpr std::string_view kNames[] = {"__is_number", "__is_integer", "__is_real",
                                         "__is_vector", "__is_pointer", "__is_dlist"};
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
    return nullptr;
  const Type* type = typeOf(e->args[0]);
  if (type->isError())
    return error(e->range);
  bool holds = name == "__is_number"    ? type->isScalar()
               : name == "__is_integer" ? type->isInt() || type->isBool()
               : name == "__is_real"    ? type->isFloat() || (type->isVector() && type->element->isFloat())
               : name == "__is_vector"  ? type->isVector()
               : name == "__is_pointer" ? type->isPointer() || type->isArray()
                                        : type->isDList();
  return number(holds, types_.bool_, e->range);
}

} // namespace bsgp::sema
