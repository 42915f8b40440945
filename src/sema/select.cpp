#include "sema/select.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/declare.h"
#include "sema/expr_assign.h"
#include "sema/foreign_functions.h"
#include "sema/instantiate.h"
#include "sema/name_scopes.h"
#include "sema/nearest_form.h"
#include "sema/open_calls.h"
#include "sema/open_types.h"
#include "sema/resolve_type.h"
#include "sema/suggest.h"
#include "sema/traits.h"
#include "sema/written.h"

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

// The cost of how a parameter is passed. Beside an overload by value, one by reference is for arguments that can be
// changed; if there is no such overload, not even with a conversion, it takes all others, too.
int passingCost(const ast::Param& param, const Argument& argument, bool is_const, Side side) {
  constexpr int kByReference = 0, kByValue = 1, kToConst = 1 << 20;
  if (!param.by_reference || is_const || !argument.value)
    return kByValue;
  return argument.value->type->holds_lists || bindsToReference(argument.value, side) ? kByReference : kToConst;
}

constexpr int kLeftOut = 100;     // an argument, for which there is a default value
constexpr int kOpen = 10;         // a parameter without a type, compared with typed ones that need no conversion
constexpr int kConversion = 1000; // a unit of conversionCost
constexpr int kAddsConst = 1;     // a conversionCost: to a pointer to const. It is no reason to take an open parameter
constexpr int kDropsConst = 1000; // such units, for a conversion that will be refused with its reason

// The number for messages, or "1 to 3". A method's is without the value it is called on.
std::string wantedBy(const ast::Function& function) {
  size_t hidden = ast::hiddenParameters(function);
  size_t fewest = ast::fewestArguments(function) - hidden, all = function.params.size() - hidden;
  if (function.is_variadic)
    return fmt::format("{} or more", fewest);
  return fewest == all ? std::to_string(all) : fmt::format("{} to {}", fewest, all);
}

} // namespace

static int viewCost(const Type* from, const Type* to);
static int pointerCost(Sema& sema, const Expr* value, const Type* to);

static const Expr* rejectDefault(Sema& sema, const ast::Param& param) {
  sema.diag.report(Diag::not_constant, param.otherwise->range, "the default value of a parameter");
  return sema.instances.defaults[&param] = sema.nodes.make(Expr::Constant, sema.types.error, param.range);
}

// Names in it are looked up at the function's place. A value that calls for itself is no constant.
static const Expr* defaultOf(Sema& sema, const ast::Param& param) {
  auto [it, fresh] = sema.instances.defaults.try_emplace(&param, nullptr);
  if (!fresh)
    return it->second ? it->second : rejectDefault(sema, param);
  const Type* type = isOpen(param) ? nullptr : parameterType(sema, param);
  Expr* value = globalInitializer(sema, param.otherwise, type);
  if (const Expr* rejected = sema.instances.defaults[&param])
    return rejected;
  std::vector<ConstValue> numbers;
  if (!value->type->isError() && !constantLeaves(sema, value, type, numbers))
    return rejectDefault(sema, param);
  return sema.instances.defaults[&param] = value;
}

// Says with how many operands the operator can be called; "": with those given.
static std::string operandsOf(std::string_view symbol, size_t given) {
  bool negates = symbol == "!" || symbol == "~", both = symbol == "-" || symbol == "+";
  if (symbol == "[]")
    return given < 2 ? "a struct and an index" : "";
  if (negates)
    return given != 1 ? "one operand" : "";
  if (both)
    return given < 1 || given > 2 ? "one or two operands" : "";
  return given != 2 ? "two operands" : "";
}

static bool checkOperandCount(Sema& sema, const ast::Function& node, std::string_view symbol) {
  std::string wanted = operandsOf(symbol, node.params.size());
  if (!wanted.empty())
    sema.diag.report(Diag::operator_parameters, node.range, node.name, wanted, node.params.size(),
                     node.params.size() == 1 ? "the left operand is a parameter, too, in front of the right one"
                                             : "write another name for a function of so many values");
  return wanted.empty();
}

// Rejects an operator of the program for other types: it would never be called.
void checkOperands(Sema& sema, const ast::Function& node) {
  constexpr std::string_view kWord = "operator";
  bool named =
      node.name.size() > kWord.size() && !std::isalnum(node.name[kWord.size()]) && node.name[kWord.size()] != '_';
  if (!node.name.starts_with(kWord) || !named || sema.diag.sources().ofLibrary(node.range))
    return;
  if (!checkOperandCount(sema, node, node.name.substr(kWord.size())))
    return;
  for (const ast::Param& param : node.params) {
    const Type* type = isOpen(param) ? nullptr : parameterType(sema, param);
    bool fits = !type || type->isError() || (type->isStruct() && !(type->isView() && node.name == "operator[]"));
    if (fits)
      return;
  }
  sema.diag.report(Diag::operator_without_struct, node.range, node.name);
}

void checkDefaults(Sema& sema, const ast::Function& node) {
  for (const ast::Param& param : node.params)
    if (param.otherwise && !param.by_reference)
      defaultOf(sema, param);
}

// A reference that is never written through may be bound to a place that cannot be changed: it becomes one to const.
bool refersToConst(Sema& sema, const ast::Function& node, const ast::Param& param, const Expr* argument, Side side) {
  return param.by_reference && argument && !argument->type->holds_lists && !bindsToReference(argument, side) &&
         !writesParameter(sema, node, param, argument->type);
}

bool passedByReference(Sema& sema, const ast::Function& node, const ast::Param& param, const Expr* argument,
                       Side side) {
  if (!param.by_reference || !(isConst(sema, param.type) || refersToConst(sema, node, param, argument, side)))
    return param.by_reference;
  // A reference to const gets a copy of a value that it cannot refer to.
  bool whole = isLvalue(argument) && argument->kind != Expr::ThreadSize &&
               !(argument->kind == Expr::Swizzle && argument->lane_count > 1);
  return (whole || argument->type->holds_lists) &&
         (isOpen(param) || sameType(argument->type, parameterType(sema, param)));
}

// 0: the same type; 2: promotion; 3 and more: conversions; kNo: none.
static int conversionCost(Sema& sema, const Expr* value, const Type* to) {
  const Type* from = value->type;
  if (sameType(from, to))
    return 0;
  if (from->isScalar() && to->isScalar()) {
    if (sameType(promoted(sema, from), to) || (from->isFloat() && to->isFloat() && to->bits == 2 * from->bits))
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
  return to->isPointer() ? pointerCost(sema, value, to) : kNo;
}

// The same type but for const; kNo: another type.
static int viewCost(const Type* from, const Type* to) {
  if (!from->isView() || from->count != to->count || !sameType(from->element, to->element))
    return kNo;
  Space given = from->space->root()->space, wanted = to->space->root()->space;
  if (given != wanted && given != Space::Unknown && wanted != Space::Unknown)
    return kNo;
  return to->to_const ? kAddsConst : kDropsConst;
}

// 1: to a pointer to const.
static int pointerCost(Sema& sema, const Expr* value, const Type* to) {
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

// True for an array in another memory than the parameter points to: it will be refused with that reason.
static bool liesElsewhere(Sema& sema, const ast::Param& param, const Expr* value, const Body& caller) {
  bool pointer = param.type->kind == ast::TypeExpr::Pointer || param.type->kind == ast::TypeExpr::Array;
  if (!value || !value->type->isArray() || param.by_reference || !pointer)
    return false;
  SpaceCell* own = memoryOf(sema, value, onDevice(caller))->root();
  SpaceCell* wanted = spaceAsWritten(sema, *param.type, own)->root();
  return wanted != own && own->space != Space::Unknown && wanted->space != own->space;
}

// Computes what it costs to give this argument for a parameter of the function.
int argumentCost(Sema& sema, const ast::Function& node, const ast::Param& param, const Argument& argument,
                 Body& caller) {
  bool open = isOpen(param), is_const = isConst(sema, param.type);
  if (argument.is_callable && (!open || param.by_reference))
    return kNo;
  int passing = passingCost(param, argument, is_const, caller.mode.side);
  if (liesElsewhere(sema, param, argument.value, caller))
    passing += kDropsConst * kConversion;
  if (open) {
    bool partly = isPartlyOpen(param);
    if (partly && (argument.is_callable || !takesPartlyOpen(sema, param, *argument.value)))
      return kNo;
    return passing + (partly ? std::max(1, kOpen - 2 * closedDepth(param.type)) : kOpen);
  }
  const Type* type = parameterType(sema, param, node.is_extern ? sema.types.cell(Space::Host) : nullptr);
  if (type->isError())
    return kNo;
  int cost = conversionCost(sema, argument.value, type);
  if (cost == kNo || (param.by_reference && !is_const && cost != 0))
    return kNo;
  return passing + (cost == kAddsConst ? kAddsConst : cost * kConversion);
}

static int rank(Sema& sema, const ast::Function& node, const std::vector<Argument>& arguments, Body& caller) {
  if (!ast::takes(node, arguments.size()))
    return kNo;
  size_t given = std::min(arguments.size(), node.params.size());
  int total = kLeftOut * int(node.params.size() - given);
  for (size_t i = 0; i < given; ++i) {
    int cost = argumentCost(sema, node, node.params[i], arguments[i], caller);
    if (cost == kNo)
      return kNo;
    total += cost;
  }
  return total;
}

bool takes(Sema& sema, std::string_view name, const std::vector<Argument>& arguments, Body& caller) {
  Overloads set = candidates(sema, name, arguments, caller.scope);
  return std::any_of(set.begin(), set.end(), [&](const ast::Function* node) {
    return isCandidate(sema, *node, caller.scope, set) && rank(sema, *node, arguments, caller) != kNo;
  });
}

void reportUnknownFunction(Sema& sema, std::string_view name, SourceRange range, Body& caller) {
  if (name == "exit" && caller.mode.side == Side::Device) // <host.bsgp> declares it for host code
    sema.diag.report(Diag::host_call_on_device, range, name, kEndOfProgram);
  else if (std::string help = foreignCallHelp(name); !help.empty())
    sema.diag.report(Diag::foreign_word, range, name, help);
  else if (std::string file = includeOf(sema, name); !file.empty())
    sema.diag.report(Diag::not_included, range, name, file);
  else
    sema.diag.report(Diag::unknown_function, range, name, suggestion(sema, name, &caller));
}

std::string methodsOf(const Sema& sema, const Type* structure) {
  std::vector<std::string_view> names;
  for (const auto& [name, set] : sema.functions.methods)
    if (!name.starts_with("__") && sema.functions.all.count(methodName(structure, name)))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

// Checks that the variables which the function writes through its references can be changed at the call. Reports
// those that cannot, before an instance is made that would be wrong, too.
static bool canChange(Sema& sema, const ast::Function& node, const std::vector<Argument>& arguments, Body& caller) {
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    Expr* value = arguments[i].value;
    bool written = param.by_reference && !isConst(sema, param.type) && value && !value->type->holds_lists &&
                   isLvalue(value) && !bindsToReference(value, caller.mode.side) &&
                   writesParameter(sema, node, param, value->type);
    if (!written)
      continue;
    if (requireLvalue(caller, value, kReferenceParameter) && checkWritable(caller, value, arguments[i].range))
      sema.diag.report(Diag::no_address, arguments[i].range, kIntoVariable);
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

// sort(a) of a struct that has a function 'sort'.
static std::string callOfMethod(Sema& sema, std::string_view name, const std::vector<Argument>& arguments) {
  const Expr* object = arguments.empty() ? nullptr : arguments[0].value;
  bool has = object && object->type->isStruct() && hasFunction(sema, methodName(object->type, name));
  if (!has)
    return "";
  std::string others;
  for (const Argument& argument : std::span(arguments).subspan(1))
    others += fmt::format("{}{}", others.empty() ? "" : ", ", sema.diag.sources().text(argument.range));
  return fmt::format("write {}.{}({})", sema.diag.sources().text(arguments[0].range), name, others);
}

static std::string helpForArguments(Sema& sema, Overloads set, const std::vector<Argument>& arguments, Body& caller) {
  std::string help = helpForAddresses(set, arguments);
  if (help.empty())
    help = callOfMethod(sema, set.front()->name, arguments);
  if (help.empty())
    help = operatorFirst(sema, set.front()->name, arguments);
  if (help.empty())
    help = meantCall(sema, set, arguments, caller);
  auto isPrivate = [&](const Argument& argument) {
    const Type* type = argument.value ? argument.value->type : nullptr;
    bool memory = type && (type->isArray() || type->isPointer());
    SpaceCell* cell =
        memory ? type->isArray() ? memoryOf(sema, argument.value, onDevice(caller)) : type->space : nullptr;
    return cell && cell->root()->space == Space::Private;
  };
  if (help.empty() && std::ranges::any_of(arguments, isPrivate))
    return "this array is the thread's own: let the thread write a loop over its elements";
  if (const ast::Function* near = help.empty() ? nearestForm(sema, set, arguments, caller) : nullptr)
    help = "the nearest form is " + formOf(sema, *near);
  return help;
}

Selected select(Sema& sema, std::string_view name, std::vector<Argument>& arguments, SourceRange range, Body& caller,
                bool used, Scope scope) {
  Overloads set = candidates(sema, name, arguments, scope);
  if (set.empty()) {
    reportUnknownFunction(sema, name, range, caller);
    return {};
  }
  const ast::Function* best = nullptr;
  const ast::Function* tie = nullptr;
  int best_cost = 0;
  for (const ast::Function* node : set) {
    int cost = isCandidate(sema, *node, scope, set) ? rank(sema, *node, arguments, caller) : kNo;
    if (cost == kNo)
      continue;
    bool goes_before = best && cost == best_cost && isOfProgram(sema, *node) && !isOfProgram(sema, *best);
    if (!best || cost < best_cost || goes_before)
      best = node, best_cost = cost, tie = nullptr;
    else if (cost == best_cost && isOfProgram(sema, *node) == isOfProgram(sema, *best))
      tie = node;
  }
  if (best && tie && std::ranges::any_of(arguments, [&](const Argument& argument) {
        return liesElsewhere(sema, best->params[size_t(&argument - arguments.data())], argument.value, caller);
      }))
    best = nullptr; // none takes it, whichever is meant
  if (!best) {
    std::string nested = nestedCall(sema, set, arguments);
    if (!nested.empty())
      sema.diag.report(Diag::no_overload, range, name, shown(arguments), nested);
    else if (set.size() == 1 && !ast::takes(*set[0], arguments.size()))
      sema.diag.report(Diag::argument_count, range, set[0]->name, wantedBy(*set[0]),
                       arguments.size() - ast::hiddenParameters(*set[0]));
    else
      sema.diag.report(Diag::no_overload, range, name, shown(arguments),
                       helpForArguments(sema, set, arguments, caller));
    for (size_t i = 0; i < set.size() && i < 4; ++i)
      sema.diag.report(Diag::note_candidate, set[i]->range, set[i]->name);
    if (set.size() > 4)
      sema.diag.report(Diag::note_more_candidates, set[4]->range, set.size() - 4);
    return {};
  }
  if (tie)
    if (Selected found = selectBySpace(sema, *best, *tie, arguments, range, caller, used); found.function)
      return found;
  if (tie) {
    sema.diag.report(Diag::ambiguous_call, range, name, shown(arguments));
    sema.diag.report(Diag::note_candidate, best->range, best->name);
    sema.diag.report(Diag::note_candidate, tie->range, tie->name);
    return {};
  }
  for (size_t i = arguments.size(); i < best->params.size(); ++i)
    arguments.push_back({sema.nodes.copyOf(defaultOf(sema, best->params[i])), false, {}, range});
  for (size_t i = 0; i < best->params.size(); ++i) // an array passed by value is the pointer it decays to
    if (arguments[i].value && !arguments[i].value->type->holds_lists &&
        !passedByReference(sema, *best, best->params[i], arguments[i].value, caller.mode.side))
      arguments[i].value = decay(caller, arguments[i].value);
  if (!canChange(sema, *best, arguments, caller))
    return {};
  return {instantiate(sema, *best, arguments, range, sideFor(caller, *best), &caller,
                      used || !traits(sema, *best).asks_use)};
}

} // namespace bsgp::sema
