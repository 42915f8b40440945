#include "sema/nearest_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/expressions.h"
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

// Prints a function with the parameters as they are written; of a method, the part behind the dot.
std::string formOf(const Sema& sema, const ast::Function& node) {
  std::string parameters;
  for (size_t i = ast::hiddenParameters(node); i < node.params.size(); ++i) {
    std::string_view written = sema.diag.sources().text(node.params[i].range);
    parameters += (parameters.empty() ? "" : ", ") + std::string(written.empty() ? node.params[i].name : written);
  }
  std::string_view name = node.is_method ? node.name.substr(node.name.rfind('.') + 1) : node.name;
  return fmt::format("{}({}{})", name, parameters, node.is_variadic ? ", ..." : "");
}

// reduce(x, +), scan(p, n, +): the form of the call with its operator in front. Empty if it is in front, or if there
// is none.
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

std::string formOfMember(const Sema& sema, std::string_view family, std::string_view name) {
  std::string full = fmt::format("{}.{}", family, name);
  Overloads set = overloads(sema, full, Scope::Program);
  return fmt::format("write {}", set.empty() ? full + "()" : formOf(sema, *set.front()));
}

namespace {

using Arguments = std::vector<Argument>;

// Calls are compared with overloads as if they were written so.
struct Calls {
  Sema& sema;
  Overloads set;
  Body& caller;

  bool takes(const Arguments& arguments) const {
    return std::ranges::any_of(set, [&](const ast::Function* node) {
      return node->params.size() == arguments.size() &&
             costAfter(sema, {arguments.size()}, *node, arguments, caller) != kNo;
    });
  }
  std::string text(const Arguments& arguments) const {
    std::string call;
    for (const Argument& argument : arguments)
      call += fmt::format("{}{}", call.empty() ? "" : ", ", sema.diag.sources().text(argument.range));
    return fmt::format("{}({})", set.front()->name, call);
  }
};

bool isCount(const Argument& argument) {
  return argument.value && argument.value->type->isInt();
}

bool isList(const Argument& argument) {
  return argument.value && argument.value->type->isDList();
}

// sort_by_key(l, n), reduce(+, l, n), fill(l, 3, 0): a count beside a list. Of several numbers the first one is it.
std::string withoutCount(const Calls& calls, const Arguments& arguments) {
  auto count = std::ranges::find_if(arguments, isCount);
  bool of_host = calls.caller.mode.side == Side::Host; // threads give values beside a list
  if (!of_host || count == arguments.end() || std::ranges::none_of(arguments, isList))
    return "";
  Arguments others(arguments.begin(), count);
  others.insert(others.end(), count + 1, arguments.end());
  return calls.takes(others) ? fmt::format("a list knows its length: {}", calls.text(others)) : "";
}

// sort_by_key(l, n), histogram(l, n): of lists there is a form with another list in the place of the count.
std::string formOfLists(const Calls& calls, const Arguments& arguments) {
  auto list = std::ranges::find_if(arguments, isList), count = std::ranges::find_if(arguments, isCount);
  if (list == arguments.end() || count == arguments.end())
    return "";
  Arguments others = arguments;
  others[size_t(count - arguments.begin())].value = list->value;
  for (const ast::Function* node : calls.set) {
    bool of_lists = node->params.size() == others.size() &&
                    node->params[size_t(count - arguments.begin())].type->kind == ast::TypeExpr::DList;
    if (of_lists && costAfter(calls.sema, {others.size()}, *node, others, calls.caller) != kNo)
      return "a list knows its length: the form of lists is " + formOf(calls.sema, *node);
  }
  return "";
}

// sort(keys, values): the second array is to move with the first.
std::string withValues(const Calls& calls, std::string_view keys, std::string_view values) {
  bool sorts = calls.set.front()->name == "sort" && !values.starts_with(keys);
  return sorts ? fmt::format("; to move {1} with {0}: sort_by_key({0}, {1}, n)", keys, values) : "";
}

// sort(p, p + n): the end stands where a count is wanted.
std::string withCount(const Calls& calls, const Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (!isArray(arguments[i]) || !isArray(arguments[i - 1]))
      continue;
    auto text = [&](size_t at) { return calls.sema.diag.sources().text(arguments[at].range); };
    Arguments others = arguments;
    others[i].value = number(calls.caller, 1, calls.sema.types.i32, arguments[i].range);
    if (i + 1 == others.size() && calls.takes(others))
      return fmt::format("a count stands behind the array, and no end: {}({}, n){}", calls.set.front()->name,
                         text(i - 1), withValues(calls, text(i - 1), text(i)));
  }
  return "";
}

// sort(>, p, n): the comparison stands last.
std::string withOrderLast(const Calls& calls, const Arguments& arguments) {
  if (arguments.size() < 2 || !arguments[0].is_callable)
    return "";
  Arguments others(arguments.begin() + 1, arguments.end());
  others.push_back(arguments[0]);
  return calls.takes(others) ? fmt::format("the order stands last: {}", calls.text(others)) : "";
}

// reduce(+, n, p): a number in front of its array.
std::string withArrayFirst(const Calls& calls, const Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (!isCount(arguments[i - 1]) || !(isArray(arguments[i]) || isList(arguments[i])))
      continue;
    Arguments others = arguments;
    std::swap(others[i - 1], others[i]);
    if (std::string listed = withoutCount(calls, others); !listed.empty())
      return listed;
    if (calls.takes(others))
      return fmt::format("the array stands in front of its count: {}", calls.text(others));
  }
  return "";
}

// sort(keys, values, n) of two arrays is sort_by_key.
std::string byKey(const Calls& calls, const Arguments& arguments) {
  std::string name = fmt::format("{}_by_key", calls.set.front()->name);
  Overloads set = overloads(calls.sema, name, Scope::Program);
  Calls others{calls.sema, set, calls.caller};
  Arguments given = arguments;
  if (std::ranges::any_of(given, isList))
    std::erase_if(given, isCount);
  return !set.empty() && others.takes(given) ? fmt::format("{} orders the second by the first", others.text(given))
                                             : "";
}

} // namespace

std::string meantCall(Sema& sema, Overloads set, const std::vector<Argument>& arguments, Body& caller) {
  if (set.empty() || isOfProgram(sema, *set.front()))
    return "";
  Calls calls{sema, set, caller};
  for (auto* form : {withoutCount, formOfLists, withOrderLast, withArrayFirst, byKey, withCount})
    if (std::string help = form(calls, arguments); !help.empty())
      return help;
  return "";
}

// min(a, b, c): the calls of two values each.
std::string nestedCall(const Sema& sema, Overloads set, const std::vector<Argument>& arguments) {
  constexpr std::string_view kOfTwo[] = {"min", "max", "fmin", "fmax"};
  if (arguments.size() < 3 || set.empty() || isOfProgram(sema, *set.front()) ||
      std::ranges::find(kOfTwo, set.front()->name) == std::end(kOfTwo))
    return "";
  std::string call(sema.diag.sources().text(arguments.back().range));
  for (size_t i = arguments.size() - 1; i-- > 0;)
    call = fmt::format("{}({}, {})", set.front()->name, sema.diag.sources().text(arguments[i].range), call);
  return fmt::format("write {}", call);
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

bool threadsCall(Sema& sema, std::string_view name) {
  return std::ranges::any_of(overloads(sema, name, Scope::Program),
                             [&](const ast::Function* node) { return isOfThreads(sema, *node); });
}

// Gives what to write where device code calls a function of host code: the form of that name that threads call together.
std::string formOfThreads(Sema& sema, std::string_view name) {
  for (const ast::Function* node : overloads(sema, name, Scope::Program))
    if (isOfThreads(sema, *node))
      return fmt::format("threads call {} together; this one stands in a 'require'", formOf(sema, *node));
  return kInRequire;
}

// Gives what to write for a call of the library in which `inside` was said, where its arguments stand in another order.
std::string helpForOrder(Sema& sema, const Diagnostic& inside, std::string_view name,
                         const std::vector<Argument>& arguments, Body* caller) {
  if (inside.kind == Diag::not_a_pointer && caller) {
    if (std::string call = meantCall(sema, overloads(sema, name, Scope::Program), arguments, *caller); !call.empty())
      return call;
  }
  if (inside.kind == Diag::not_an_operator)
    return operatorFirst(sema, name, arguments);
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
