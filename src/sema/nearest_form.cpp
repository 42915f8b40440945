#include "sema/nearest_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/name_scopes.h"
#include "sema/select.h"
#include "sema/traits.h"

namespace bsgp::sema {

namespace {

// Gives the name by which the library calls a function or operator that it is given.
bool isForCallables(const ast::Param& param) {
  return param.name == "op" || param.name == "less";
}

bool isArray(const Argument& argument) {
  return argument.value && (argument.value->type->isPointer() || argument.value->type->isArray());
}

} // namespace

// A change of a call: an argument is added in front of the one at `added`, those at `from` and `to` are exchanged.
struct Change {
  size_t added, from = 0, to = 0;
};

static bool isOfThreads(Sema& sema, const ast::Function& node);

// With the parameters as they are written; of a method what stands behind the dot.
std::string formOf(const Sema& sema, const ast::Function& node) {
  std::string parameters;
  for (size_t i = ast::hiddenParameters(node); i < node.params.size(); ++i) {
    std::string_view written = sema.diag.sources().text(node.params[i].range);
    parameters += (parameters.empty() ? "" : ", ") + std::string(written.empty() ? node.params[i].name : written);
  }
  std::string_view name = node.is_method ? node.name.substr(node.name.rfind('.') + 1) : node.name;
  return fmt::format("{}({}{})", name, parameters, node.is_variadic ? ", ..." : "");
}

// reduce(x, +), scan(p, n, +): what the call is with its operator in front. Empty: it is there, or there is none.
std::string operatorFirst(const Sema& sema, std::string_view name, const std::vector<Argument>& arguments) {
  auto found = std::ranges::find_if(arguments, &Argument::is_callable);
  Overloads set = overloads(sema, name, Scope::Program);
  bool takes_one = std::ranges::any_of(
      set, [](const ast::Function* node) { return !node->params.empty() && node->params[0].name == "op"; });
  if (!takes_one || found == arguments.begin() || found == arguments.end())
    return "";
  std::string call = fmt::format("{}({}", name, sema.diag.sources().text(found->range));
  for (const Argument& argument : arguments)
    if (&argument != &*found)
      call += fmt::format(", {}", sema.diag.sources().text(argument.range));
  return fmt::format("the operator stands first: {})", call);
}

// Computes what the function would cost these arguments if the call were changed so; kNo: it does not take them either.
static int costAfter(Sema& sema, const Change& change, const ast::Function& node,
                     const std::vector<Argument>& arguments, Body& caller) {
  int total = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i == change.from ? change.to : i == change.to ? change.from : i];
    const ast::Param& param = node.params[i + (i >= change.added)];
    bool fits = argument.is_callable || !isForCallables(param);
    int cost = fits ? argumentCost(sema, node, param, argument, caller) : kNo;
    if (cost == kNo)
      return kNo;
    total += cost;
  }
  return total;
}

// The function that takes these arguments and further ones behind them, as few as may be; or these in another order; or one more
// among them. Null: none is near.
const ast::Function* nearestForm(Sema& sema, Overloads set, const std::vector<Argument>& arguments, Body& caller) {
  const ast::Function* best = nullptr;
  int least = 0;
  size_t count = arguments.size();
  auto consider = [&](const ast::Function* node, const Change& change) {
    bool other_side = caller.mode.side == Side::Host ? isOfThreads(sema, *node)
                                                     : traits(sema, *node).synchronizes && !isOfThreads(sema, *node);
    constexpr int kFurther = 1 << 24; // a parameter more counts more than any conversion
    int cost = other_side ? kNo : costAfter(sema, change, *node, arguments, caller);
    if (cost == kNo)
      return;
    cost += kFurther * int(std::min<size_t>(node->params.size() - count, 100));
    if (!best || cost < least)
      best = node, least = cost;
  };
  for (const ast::Function* node : set)
    if (node->params.size() > count)
      consider(node, {count});
  for (size_t i = 0; i < count && !best; ++i)
    for (const ast::Function* node : set)
      for (size_t k = 0; k < i && node->params.size() == count; ++k)
        consider(node, {count, k, i});
  for (size_t i = 0; i < count && !best; ++i)
    for (const ast::Function* node : set)
      if (node->params.size() == count + 1)
        consider(node, {i});
  return best;
}

// Gives what to write where host code calls a collective: where it gives an array, the form with its length behind it.
std::string formOfArrays(const Sema& sema, std::string_view name, const std::vector<Argument>& arguments) {
  Overloads set = overloads(sema, name, Scope::Program);
  bool has_form = std::ranges::any_of(set, [&](const ast::Function* other) {
    return other->params.size() == arguments.size() + 1 && other->params.back().name == "n";
  });
  if (!has_form || arguments.empty() || !isArray(arguments.back()))
    return kIntoSpawn;
  std::string call;
  for (const Argument& argument : arguments)
    call += fmt::format("{}, ", sema.diag.sources().text(argument.range));
  return fmt::format("of n elements in device memory write {}({}n); of values of threads, {}", name, call, kIntoSpawn);
}

// Do threads call the function together? By its text, what it calls may be any function of a name: lists and lengths are given to
// forms of host code.
static bool isOfThreads(Sema& sema, const ast::Function& node) {
  auto ofHost = [](const ast::Param& param) { return param.type->kind == ast::TypeExpr::DList || param.name == "n"; };
  const Traits& found = traits(sema, node);
  return found.synchronizes && !found.host_only && std::ranges::none_of(node.params, ofHost);
}

// Gives what to write where device code calls a function of host code: the form of that name that threads call together.
std::string formOfThreads(Sema& sema, std::string_view name) {
  for (const ast::Function* node : overloads(sema, name, Scope::Program))
    if (isOfThreads(sema, *node))
      return fmt::format("threads call {} together; this one stands in a 'require'", formOf(sema, *node));
  return kInRequire;
}

// Gives what to write for a call of the library in which `inside` was said, where its arguments stand in another order.
std::string helpForOrder(const Sema& sema, const Diagnostic& inside, std::string_view name,
                         const std::vector<Argument>& arguments) {
  if (inside.kind == Diag::not_an_operator)
    return operatorFirst(sema, name, arguments);
  auto isList = [](const Argument& argument) { return argument.value && argument.value->type->isDList(); };
  bool later = inside.kind == Diag::library_needs && !isList(arguments[0]) && std::ranges::any_of(arguments, isList);
  for (const ast::Function* node : overloads(sema, name, Scope::Program))
    if (node->params.size() == arguments.size() &&
        ((later && node->params[0].name == "list") ||
         parameterOfHost(sema, inside, name, arguments.size()) < arguments.size()))
      return "the arguments stand in this order: " + formOf(sema, *node);
  return "";
}

// The place of the parameter that `inside` says to be each thread's, where host code of the library uses it; `arguments`: it
// says no such thing.
size_t parameterOfHost(const Sema& sema, const Diagnostic& inside, std::string_view name, size_t arguments) {
  if (inside.kind == Diag::thread_variable_on_host)
    for (const ast::Function* node : overloads(sema, name, Scope::Program))
      for (size_t i = 0; node->params.size() == arguments && i < arguments; ++i)
        if (node->params[i].name == sema.diag.sources().text(inside.range))
          return i;
  return arguments;
}

} // namespace bsgp::sema
