// Overload resolution: what a call needs of each function of its name, and what is given for the arguments it leaves out.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/foreign_functions.h"

namespace bsgp::sema {

bool bindsToReference(const Expr* value, Side side) {
  if (!isLvalue(value) || isConst(value) || (value->kind == Expr::Swizzle && value->lane_count > 1))
    return false;
  const Variable* root = rootVariable(value);
  return !root || side == Side::Host || root->side == Side::Device;
}

std::string methodName(const Type* structure, std::string_view name) {
  return fmt::format("{}.{}", typeName(structure), name);
}

namespace {

// What the way a parameter is passed costs. Beside an overload by value, one by reference is for what can be changed;
// where there is no such overload, not even with a conversion, it is for all else, too.
int passingCost(const ast::Param& param, const Argument& argument, bool is_const, Side side) {
  constexpr int kByReference = 0, kByValue = 1, kToConst = 1 << 20;
  if (!param.by_reference || is_const || !argument.value)
    return kByValue;
  return argument.value->type->holds_lists || bindsToReference(argument.value, side) ? kByReference : kToConst;
}

constexpr int kLeftOut = 100;     // an argument, for which there is a default value
constexpr int kOpen = 10;         // a parameter without a type, beside typed ones that need no conversion
constexpr int kConversion = 1000; // a unit of conversionCost
constexpr int kAddsConst = 1; // a conversionCost: to a pointer that lets less be changed. No reason to take an open one
constexpr int kDropsConst = 1000; // such units, for a conversion that will be refused: it says why

// For messages: a number, or "1 to 3". Of a method without the value it is called on.
std::string wantedBy(const ast::Function& function) {
  size_t hidden = ast::hiddenParameters(function);
  size_t fewest = ast::fewestArguments(function) - hidden, all = function.params.size() - hidden;
  if (function.is_variadic)
    return fmt::format("{} or more", fewest);
  return fewest == all ? std::to_string(all) : fmt::format("{} to {}", fewest, all);
}

} // namespace

// Names in it mean what they mean where the function stands.
const Expr* Sema::defaultOf(const ast::Param& param) {
  auto [it, fresh] = defaults_.try_emplace(&param, nullptr);
  if (!fresh)
    return it->second;
  const Type* type = isOpen(param) ? nullptr : parameterType(param);
  Expr* value = globalInitializer(param.otherwise, type);
  std::vector<ConstValue> numbers;
  if (!value->type->isError() && !constantLeaves(value, type, numbers)) {
    diag.report(Diag::not_constant, param.otherwise->range, "the default value of a parameter");
    value = make(Expr::Constant, types.error, param.range);
  }
  return defaults_[&param] = value;
}

// What the operators of other types mean is not the program's to say: it would never be asked.
void Sema::checkOperands(const ast::Function& node) {
  constexpr std::string_view kWord = "operator";
  bool named =
      node.name.size() > kWord.size() && !std::isalnum(node.name[kWord.size()]) && node.name[kWord.size()] != '_';
  if (!node.name.starts_with(kWord) || !named || diag.sources().ofLibrary(node.range))
    return;
  for (const ast::Param& param : node.params) {
    const Type* type = isOpen(param) ? nullptr : parameterType(param);
    bool fits = !type || type->isError() || (type->isStruct() && !(type->isView() && node.name == "operator[]"));
    if (fits)
      return;
  }
  diag.report(Diag::operator_without_struct, node.range, node.name);
}

void Sema::checkDefaults(const ast::Function& node) {
  for (const ast::Param& param : node.params)
    if (param.otherwise && !param.by_reference)
      defaultOf(param);
}

// A reference through which nothing is written may be bound to what cannot be changed: then it is one to const.
bool Sema::refersToConst(const ast::Function& node, const ast::Param& param, const Expr* argument, Side side) {
  return param.by_reference && argument && !argument->type->holds_lists && !bindsToReference(argument, side) &&
         !writesParameter(node, param, argument->type);
}

bool Sema::passedByReference(const ast::Function& node, const ast::Param& param, const Expr* argument, Side side) {
  if (!param.by_reference || !(isConst(param.type) || refersToConst(node, param, argument, side)))
    return param.by_reference;
  // What a reference to const cannot refer to it gets a copy of.
  bool whole = isLvalue(argument) && argument->kind != Expr::ThreadSize &&
               !(argument->kind == Expr::Swizzle && argument->lane_count > 1);
  return (whole || argument->type->holds_lists) && (isOpen(param) || sameType(argument->type, parameterType(param)));
}

// 0: the same type; 2: promotion; 3 and more: conversions; kNo: none.
int Sema::conversionCost(const Expr* value, const Type* to) {
  const Type* from = value->type;
  if (sameType(from, to))
    return 0;
  if (from->isScalar() && to->isScalar()) {
    if (sameType(promoted(from), to) || (from->isFloat() && to->isFloat() && to->bits == 2 * from->bits))
      return 2;
    if (from->isFloat() && !to->isFloat())
      return 6;
    return to->isFloat() && to->bits < 64 && !from->isFloat()
               ? 4
               : 3; // an int goes to double before float, as C's sqrt(2) does
  }
  if (from->isScalar() && to->isVector())
    return 7;
  if (to->isView())
    return viewCost(from, to);
  return to->isPointer() ? pointerCost(value, to) : kNo;
}

// The same but for const; kNo: another type.
int Sema::viewCost(const Type* from, const Type* to) {
  if (!from->isView() || from->count != to->count || !sameType(from->element, to->element))
    return kNo;
  Space given = from->space->root()->space, wanted = to->space->root()->space;
  if (given != wanted && given != Space::Unknown && wanted != Space::Unknown)
    return kNo;
  return to->to_const ? kAddsConst : kDropsConst;
}

// 1: to a pointer to const.
int Sema::pointerCost(const Expr* value, const Type* to) {
  const Type* from = value->type;
  if (from->kind == TypeKind::Null || (value->kind == Expr::Constant && from->isInt() && value->value.integer == 0))
    return 3;
  if (!from->isPointer() && !from->isArray() && !from->isDList())
    return kNo;
  bool from_const = from->to_const || (!from->isPointer() && sema::isConst(value));
  bool same = sameType(from->element, to->element), adds = !from_const && to->to_const;
  Space given = from->isPointer() ? from->space->root()->space : Space::Unknown, wanted = to->space->root()->space;
  if (same && given != wanted && given != Space::Unknown && wanted != Space::Unknown)
    return kNo;
  if (!same && (from->isDList() || (!to->element->isVoid() && !(from->isPointer() && from->element->isVoid()))))
    return kNo;
  if (from_const && !to->to_const)
    return kDropsConst;
  return (same ? from->isDList() ? 2 : 0 : 3) + adds;
}

// What it costs to give this argument for a parameter of the function.
int Sema::argumentCost(const ast::Function& node, const ast::Param& param, const Argument& argument, Body& caller) {
  bool open = isOpen(param), is_const = isConst(param.type);
  if (argument.is_callable && (!open || param.by_reference))
    return kNo;
  int passing = passingCost(param, argument, is_const, caller.side());
  if (open) {
    bool partly = isPartlyOpen(param);
    if (partly && (argument.is_callable || !takesPartlyOpen(param, *argument.value)))
      return kNo;
    return passing + (partly ? std::max(1, kOpen - 2 * closedDepth(param.type)) : kOpen);
  }
  const Type* type = parameterType(param, node.is_extern ? types.cell(Space::Host) : nullptr);
  if (type->isError())
    return kNo;
  int cost = conversionCost(argument.value, type);
  if (cost == kNo || (param.by_reference && !is_const && cost != 0))
    return kNo;
  return passing + (cost == kAddsConst ? kAddsConst : cost * kConversion);
}

int Sema::rank(const ast::Function& node, const std::vector<Argument>& arguments, Body& caller) {
  if (!ast::takes(node, arguments.size()))
    return kNo;
  size_t given = std::min(arguments.size(), node.params.size());
  int total = kLeftOut * int(node.params.size() - given);
  for (size_t i = 0; i < given; ++i) {
    int cost = argumentCost(node, node.params[i], arguments[i], caller);
    if (cost == kNo)
      return kNo;
    total += cost;
  }
  return total;
}

bool Sema::takes(std::string_view name, const std::vector<Argument>& arguments, Body& caller) {
  Overloads set = candidates(name, arguments, caller.scope());
  return std::any_of(set.begin(), set.end(), [&](const ast::Function* node) {
    return isCandidate(*node, caller.scope(), set) && rank(*node, arguments, caller) != kNo;
  });
}

void Sema::reportUnknownFunction(std::string_view name, SourceRange range, Body& caller) {
  if (name == "exit" && caller.side() == Side::Device) // <host.bsgp> declares it for host code
    diag.report(Diag::host_call_on_device, range, name, kEndOfProgram);
  else if (std::string help = foreignCallHelp(name); !help.empty())
    diag.report(Diag::foreign_word, range, name, help);
  else if (std::string file = includeOf(name); !file.empty())
    diag.report(Diag::not_included, range, name, file);
  else
    diag.report(Diag::unknown_function, range, name, suggestion(name, &caller));
}

std::string Sema::methodsOf(const Type* structure) const {
  std::vector<std::string_view> names;
  for (const auto& [name, set] : methods_)
    if (functions_.count(methodName(structure, name)))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

// Can the variables that the function writes through its references be changed where it is called? Reports what cannot,
// before an instance is made that could not be right either.
bool Sema::canChange(const ast::Function& node, const std::vector<Argument>& arguments, Body& caller) {
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    Expr* value = arguments[i].value;
    bool written = param.by_reference && !isConst(param.type) && value && !value->type->holds_lists &&
                   isLvalue(value) && !bindsToReference(value, caller.side()) &&
                   writesParameter(node, param, value->type);
    if (!written)
      continue;
    if (caller.requireLvalue(value, kReferenceParameter) && caller.checkWritable(value, arguments[i].range))
      diag.report(Diag::no_address, arguments[i].range, kIntoVariable);
    return false;
  }
  return true;
}

namespace {

// frexp(x, &e), as in C
const char* helpForAddresses(std::span<const ast::Function* const> set, const std::vector<Argument>& arguments) {
  for (const ast::Function* node : set)
    for (size_t i = 0; i < std::min(arguments.size(), node->params.size()); ++i)
      if (node->params[i].by_reference && arguments[i].value && arguments[i].value->kind == Expr::AddrOf)
        return "a variable that is written stands there by itself, without '&'";
  return "";
}

} // namespace

std::string Sema::helpForArguments(Overloads set, const std::vector<Argument>& arguments, Body& caller) {
  std::string help = helpForAddresses(set, arguments);
  if (help.empty())
    help = operatorFirst(set.front()->name, arguments);
  if (const ast::Function* near = help.empty() ? nearestForm(set, arguments, caller) : nullptr)
    help = "the nearest form is " + formOf(*near);
  return help;
}

Selected Sema::select(std::string_view name, std::vector<Argument>& arguments, SourceRange range, Body& caller,
                      bool used, Scope scope) {
  Overloads set = candidates(name, arguments, scope);
  if (set.empty()) {
    reportUnknownFunction(name, range, caller);
    return {};
  }
  const ast::Function* best = nullptr;
  const ast::Function* tie = nullptr;
  int best_cost = 0;
  for (const ast::Function* node : set) {
    int cost = isCandidate(*node, scope, set) ? rank(*node, arguments, caller) : kNo;
    if (cost == kNo)
      continue;
    bool goes_before = best && cost == best_cost && isOfProgram(*node) && !isOfProgram(*best);
    if (!best || cost < best_cost || goes_before)
      best = node, best_cost = cost, tie = nullptr;
    else if (cost == best_cost && isOfProgram(*node) == isOfProgram(*best))
      tie = node;
  }
  if (!best) {
    if (set.size() == 1 && !ast::takes(*set[0], arguments.size()))
      diag.report(Diag::argument_count, range, set[0]->name, wantedBy(*set[0]),
                  arguments.size() - ast::hiddenParameters(*set[0]));
    else
      diag.report(Diag::no_overload, range, name, shown(arguments), helpForArguments(set, arguments, caller));
    for (size_t i = 0; i < set.size() && i < 4; ++i)
      diag.report(Diag::note_candidate, set[i]->range, set[i]->name);
    if (set.size() > 4)
      diag.report(Diag::note_more_candidates, set[4]->range, set.size() - 4);
    return {};
  }
  if (tie)
    if (Selected found = selectBySpace(*best, *tie, arguments, range, caller, used); found.function)
      return found;
  if (tie) {
    diag.report(Diag::ambiguous_call, range, name, shown(arguments));
    diag.report(Diag::note_candidate, best->range, best->name);
    diag.report(Diag::note_candidate, tie->range, tie->name);
    return {};
  }
  for (size_t i = arguments.size(); i < best->params.size(); ++i)
    arguments.push_back({copyOf(defaultOf(best->params[i])), false, {}, range});
  for (size_t i = 0; i < best->params.size(); ++i) // an array passed by value is the pointer it decays to
    if (arguments[i].value && !arguments[i].value->type->holds_lists &&
        !passedByReference(*best, best->params[i], arguments[i].value, caller.side()))
      arguments[i].value = caller.decay(arguments[i].value);
  if (!canChange(*best, arguments, caller))
    return {};
  return {instantiate(*best, arguments, range, caller.sideFor(*best), &caller, used || !traits(*best).asks_use)};
}

} // namespace bsgp::sema
