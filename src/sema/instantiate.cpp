// Overload resolution, and instances of functions: one for each combination of parameter types, function arguments,
// side, and, in device code, rank type, block and which parameters are host values.
#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

constexpr int kNo = -1;
constexpr unsigned kDepth = 256;

bool hostArgument(const Argument& argument, bool by_reference) {
  if (!argument.value)
    return false;
  if (!by_reference)
    return isHostValued(argument.value);
  const Variable* root = rootVariable(argument.value);
  return root && root->side == Side::Host && root->kind != Variable::Shared;
}

// Can the argument be changed through a reference? Variables of the host cannot from device code.
bool bindsToReference(const Expr* value, Side side) {
  if (!isLvalue(value) || isConst(value) || (value->kind == Expr::Swizzle && value->lane_count > 1))
    return false;
  const Variable* root = rootVariable(value);
  return !root || side == Side::Host || root->side == Side::Device;
}

bool isOpen(const ast::Param& param) {
  return param.type->kind == ast::TypeExpr::Open || param.type->kind == ast::TypeExpr::Auto;
}

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
constexpr int kDropsConst = 1000; // such units, for a conversion that will be refused: it says why

// For messages: a number, or "1 to 3". Of a method without the value it is called on.
std::string wantedBy(const ast::Function& function) {
  size_t fewest = ast::fewestArguments(function) - function.is_method,
         all = function.params.size() - function.is_method;
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

void Sema::checkDefaults(const ast::Function& node) {
  for (const ast::Param& param : node.params)
    if (param.otherwise && !param.by_reference)
      defaultOf(param);
}

// A reference through which nothing is written may be bound to what cannot be changed: then it is one to const.
bool Sema::refersToConst(const ast::Function& node, const ast::Param& param, const Expr* argument, Side side) {
  return param.by_reference && argument && !argument->type->holds_lists && !bindsToReference(argument, side) &&
         !writesParameter(node, param);
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
  return to->isPointer() ? pointerCost(value, to) : kNo;
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

int Sema::rank(const ast::Function& node, const std::vector<Argument>& arguments, Body& caller) {
  if (!ast::takes(node, arguments.size()))
    return kNo;
  size_t given = std::min(arguments.size(), node.params.size());
  int total = kLeftOut * int(node.params.size() - given);
  for (size_t i = 0; i < given; ++i) {
    const ast::Param& param = node.params[i];
    const Argument& argument = arguments[i];
    bool open = isOpen(param), is_const = isConst(param.type);
    if (argument.is_callable && (!open || param.by_reference))
      return kNo;
    total += passingCost(param, argument, is_const, caller.side());
    if (open) {
      total += kOpen;
      continue;
    }
    const Type* type = parameterType(param, node.is_extern ? types.cell(Space::Host) : nullptr);
    if (type->isError())
      return kNo;
    int cost = conversionCost(argument.value, type);
    if (cost == kNo || (param.by_reference && !is_const && cost != 0))
      return kNo;
    total += cost * kConversion;
  }
  return total;
}

bool Sema::takes(std::string_view name, const std::vector<Argument>& arguments, Body& caller) {
  auto set = functions_.find(name);
  return set != functions_.end() && std::any_of(set->second.begin(), set->second.end(), [&](const ast::Function* node) {
           return rank(*node, arguments, caller) != kNo;
         });
}

void Sema::reportUnknownFunction(std::string_view name, SourceRange range, Body& caller) {
  if (const char* help = foreignNameHelp(name))
    diag.report(Diag::foreign_word, range, name, help);
  else if (std::string file = includeOf(name); !file.empty())
    diag.report(Diag::not_included, range, name, file);
  else
    diag.report(Diag::unknown_function, range, name, suggestion(name, &caller));
}

std::string Sema::methodsOf(const Type* structure) const {
  std::string prefix = typeName(structure) + ".";
  std::vector<std::string_view> names;
  for (const auto& [name, set] : methods_)
    if (functions_.count(prefix + std::string(name)))
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
                   isLvalue(value) && !bindsToReference(value, caller.side()) && writesParameter(node, param);
    if (!written)
      continue;
    if (caller.requireLvalue(value, "a reference parameter") && caller.checkWritable(value, arguments[i].range))
      diag.report(Diag::no_address, arguments[i].range);
    return false;
  }
  return true;
}

Function* Sema::select(std::string_view name, std::vector<Argument>& arguments, SourceRange range, Body& caller,
                       bool used) {
  auto it = functions_.find(name);
  if (it == functions_.end()) {
    reportUnknownFunction(name, range, caller);
    return nullptr;
  }
  const ast::Function* best = nullptr;
  const ast::Function* tie = nullptr;
  int best_cost = 0;
  for (const ast::Function* node : it->second) {
    int cost = rank(*node, arguments, caller);
    if (cost == kNo)
      continue;
    if (!best || cost < best_cost)
      best = node, best_cost = cost, tie = nullptr;
    else if (cost == best_cost)
      tie = node;
  }
  if (!best) {
    if (it->second.size() == 1 && !ast::takes(*it->second[0], arguments.size()))
      diag.report(Diag::argument_count, range, name, wantedBy(*it->second[0]),
                  arguments.size() - it->second[0]->is_method);
    else
      diag.report(Diag::no_overload, range, name, shown(arguments));
    for (size_t i = 0; i < it->second.size() && i < 4; ++i)
      diag.report(Diag::note_candidate, it->second[i]->range, name);
    return nullptr;
  }
  if (tie) {
    diag.report(Diag::ambiguous_call, range, name, shown(arguments));
    diag.report(Diag::note_candidate, best->range, name);
    diag.report(Diag::note_candidate, tie->range, name);
    return nullptr;
  }
  for (size_t i = arguments.size(); i < best->params.size(); ++i)
    arguments.push_back({copyOf(defaultOf(best->params[i])), false, {}, range});
  for (size_t i = 0; i < best->params.size(); ++i) // an array passed by value is the pointer it decays to
    if (arguments[i].value && !arguments[i].value->type->holds_lists &&
        !passedByReference(*best, best->params[i], arguments[i].value, caller.side()))
      arguments[i].value = caller.decay(arguments[i].value);
  if (!canChange(*best, arguments, caller))
    return nullptr;
  return instantiate(*best, arguments, range, caller.side(), &caller, used || !traits(*best).asks_use);
}

void Sema::typeKey(const Type* type, std::string& out) {
  if (type->isPointer()) {
    typeKey(type->element, out);
    SpaceCell* cell = type->space->root();
    out += cell->space == Space::Unknown ? fmt::format("*{}", static_cast<void*>(cell))
                                         : fmt::format("*{}", int(cell->space));
    out += type->to_const ? "c" : "";
  } else if (type->element) {
    typeKey(type->element, out);
    out += fmt::format("[{}:{}{}]", int(type->kind), type->count, type->to_const ? "c" : "");
  } else {
    out += fmt::format("{}", static_cast<const void*>(type));
  }
}

// Of a parameter with a type the argument decides no more than what the type leaves open: the spaces of pointers.
const Type* Sema::keyType(const ast::Param& param, const Type* given) {
  if (isOpen(param))
    return given;
  const Type* type = parameterType(param);
  if (type->isPointer() && given->isPointer())
    return types.pointer(given->element, given->space, type->to_const);
  return type->isPointer() || type->isArray() ? given : type;
}

// A constant given to a const parameter of an inline function is a constant in that instance.
std::optional<ConstValue> Sema::knownArgument(const ast::Function& node, const ast::Param& param,
                                              const Argument& argument, Body* caller) {
  if (!caller || !node.is_inline || param.by_reference || !isConst(param.type) || !argument.value)
    return std::nullopt;
  const Type* type = isOpen(param) ? argument.value->type : parameterType(param);
  if (!type->isScalar() || !argument.value->type->isScalar())
    return std::nullopt;
  ConstValue value;
  return constantValue(caller->cast(argument.value, type), value) ? std::optional(value) : std::nullopt;
}

std::string Sema::instanceKey(const ast::Function& node, const std::vector<Argument>& arguments, Side side,
                              Body* caller, bool used) {
  std::string key =
      fmt::format("{}{}{}", static_cast<const void*>(&node), side == Side::Host ? 'h' : 'd', used ? "" : "u");
  if (side == Side::Device && caller && caller->rankType())
    key += fmt::format("{}b{}", caller->rankType()->bits, caller->block());
  for (size_t i = 0; i < node.params.size(); ++i) {
    const Argument& argument = arguments[i];
    key += ',';
    if (argument.is_callable) {
      key += argument.callable.name;
      continue;
    }
    const ast::Param& param = node.params[i];
    bool by_reference = caller ? passedByReference(node, param, argument.value, side) : param.by_reference;
    typeKey(keyType(param, argument.value->type), key);
    key += by_reference != param.by_reference ? "v" : "";
    key += caller && by_reference && refersToConst(node, param, argument.value, side) ? "c" : "";
    if (auto known = knownArgument(node, param, argument, caller))
      key += fmt::format("={}:{}", known->integer, std::bit_cast<int64_t>(known->floating));
    if (side == Side::Device && (by_reference || traits(node).barriers_inside) && hostArgument(argument, by_reference))
      key += 'H';
  }
  return key;
}

// `caller`: null for a root. A root in device code is of no spawn: as if of one of int ranks and usual blocks.
Function* Sema::instantiate(const ast::Function& node, std::vector<Argument>& arguments, SourceRange range, Side side,
                            Body* caller, bool used) {
  const Traits& found = traits(node);
  if (side == Side::Device && (node.is_extern || !node.body)) {
    diag.report(node.is_extern ? Diag::host_call_on_device : Diag::no_body, range, node.name);
    diag.report(Diag::note_declared, node.range, node.name);
    return nullptr;
  }
  if (side == Side::Device && found.host_only) {
    diag.report(Diag::host_call_on_device, range, node.name);
    diag.report(Diag::note_host_only, found.host_place);
    return nullptr;
  }
  if (side == Side::Host && found.barriers && caller) {
    diag.report(Diag::collective_on_host, range, node.name);
    return nullptr;
  }
  if (!node.body && !node.is_extern) {
    diag.report(Diag::no_body, range, node.name);
    diag.report(Diag::note_declared, node.range, node.name);
    return nullptr;
  }
  std::string key = instanceKey(node, arguments, side, caller, used);
  if (auto it = instances_.find(key); it != instances_.end()) {
    Function* function = it->second;
    if (in_progress_.count(function) && side == Side::Device) {
      diag.report(Diag::recursion_on_device, range, node.name);
      return nullptr;
    }
    if (!function->result) {
      diag.report(Diag::recursive_auto, range, node.name);
      return nullptr;
    }
    if (auto broken = broken_.find(function); broken != broken_.end()) {
      if (entersLibrary(node, range, caller))
        tellOf(broken->second, node.name, arguments, range);
      else
        diag.put(broken->second);
      return nullptr;
    }
    return function;
  }
  if (depth_ >= kDepth) {
    diag.report(Diag::instances_too_deep, range, node.name);
    return nullptr;
  }
  Function* function = createInstance(node, arguments, side, caller);
  function->result_used = used;
  instances_[key] = function;
  bool fresh = checked_.insert(&node).second;
  if (trial_) {
    trial_->instances.push_back(key);
    if (fresh)
      trial_->checked.push_back(&node);
  }
  if (node.is_extern) {
    finishExtern(*function, node);
    return function;
  }
  bool deduce = node.result && node.result->kind == ast::TypeExpr::Auto;
  if (!deduce && !function->result)
    function->result = node.result ? resultType(node, side) : types.void_;
  if (node.name == "main" && !node.result)
    function->result = types.i32; // C's old habit: main { ... } returns a status
  ++depth_;
  in_progress_[function] = true;
  Diagnostics::Mark before = diag.mark();
  rejectListsByValue(*function);
  Body body(*this, *function, caller);
  body.side_ = side, body.in_spawn_ = side == Side::Device;
  if (side == Side::Device) {
    body.rank_type_ = caller ? caller->rankType() : types.i32;
    body.block_ = caller ? caller->block() : kDefaultBlock;
  }
  body.pushScope();
  size_t runtime = 0;
  for (size_t i = 0; i < node.params.size(); ++i) {
    Symbol symbol;
    if (arguments[i].is_callable) {
      symbol.kind = Symbol::Callable, symbol.callable = arguments[i].callable;
    } else {
      symbol.kind = Symbol::Variable, symbol.variable = function->params[runtime++];
      symbol.type = symbol.variable->type;
    }
    body.bind(node.params[i].name, symbol);
  }
  bool outer_strict = std::exchange(making_strict, node.is_strict);
  body.checkBody(node, deduce);
  making_strict = outer_strict;
  in_progress_.erase(function);
  // What was open when it was made is decided now: a call with just these spaces is a call of this instance.
  std::string decided = instanceKey(node, arguments, side, caller, used);
  if (instances_.try_emplace(decided, function).second && trial_)
    trial_->instances.push_back(std::move(decided));
  --depth_;
  if (diag.errors() != before.errors && diag.sources().ofLibrary(node.range))
    return breakInstance(*function, arguments, range, caller, before);
  if (diag.errors() != before.errors && caller)
    diag.report(Diag::note_called_here, range, node.name);
  if (function->collective && !node.is_inline) {
    diag.report(Diag::collective_not_inline, node.range, node.name);
    return nullptr;
  }
  if (side == Side::Host)
    program.functions.push_back(function);
  return function;
}

Function* Sema::createInstance(const ast::Function& node, std::vector<Argument>& arguments, Side side, Body* caller) {
  Function* function = arena.make<Function>();
  function->name = node.name, function->range = node.range, function->side = side;
  function->is_extern = node.is_extern, function->is_variadic = node.is_variadic;
  unsigned count = symbol_counts_[std::string(node.name)]++;
  function->symbol = node.is_extern ? std::string(node.name)
                     : count        ? fmt::format("fn.{}.{}", node.name, count)
                                    : fmt::format("fn.{}", node.name);
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    Argument& argument = arguments[i];
    if (argument.is_callable)
      continue;
    bool by_reference = caller ? passedByReference(node, param, argument.value, side) : param.by_reference;
    const Type* given = argument.value->type;
    const Type* type = nullptr;
    if (node.is_extern) {
      type = parameterType(param, types.cell(Space::Host));
    } else if (isOpen(param)) {
      type = given;
      if (type->kind == TypeKind::Null)
        type = types.pointer(types.void_, types.freshCell());
      if (type->isInt() && !type->enum_name.empty())
        type = types.i32;
    } else {
      type = parameterType(param);
      if (type->isPointer() && given->isPointer() && spacesFit(type, given))
        type = sameSpaces(type, given);
    }
    auto* variable = arena.make<Variable>(param.name, type, param.range);
    variable->by_reference = by_reference || type->isDList();
    variable->is_const = isConst(param.type) && (by_reference || param.type->kind != ast::TypeExpr::Array);
    variable->is_const |= caller && refersToConst(node, param, argument.value, side);
    if (auto known = knownArgument(node, param, argument, caller))
      variable->constants.push_back(*known);
    bool host = side == Side::Host || hostParameter(node, param, argument, variable->by_reference);
    variable->side = host ? Side::Host : Side::Device;
    if (!caller && type->isPointer())
      argument.value->type = type;
    function->params.push_back(variable);
  }
  return function;
}

void Sema::rejectListsByValue(Function& function) {
  for (Variable* param : function.params) {
    const Type* type = param->type->isPointer() ? param->type->element : param->type; // arrays are passed as pointers
    if (param->by_reference || !type->holds_lists)
      continue;
    diag.report(Diag::lists_by_value, param->range, param->name, typeName(type), type != param->type ? "[n]" : "");
    param->type = types.error;
  }
}

// A parameter of a collective is a host value when its argument is and nothing in the body writes to it; a reference
// is whatever it refers to.
bool Sema::hostParameter(const ast::Function& node, const ast::Param& param, const Argument& argument,
                         bool by_reference) {
  if (by_reference)
    return hostArgument(argument, true);
  return traits(node).barriers_inside && hostArgument(argument, false) && !writesParameter(node, param);
}

// A parameter written without spaces takes those of its argument; spaces still open stay shared with it.
const Type* Sema::sameSpaces(const Type* type, const Type* given) {
  if (type->isArray())
    return types.array(sameSpaces(type->element, given->element), type->count);
  if (!type->isPointer())
    return type;
  const Type* element = sameSpaces(type->element, given->element);
  SpaceCell* cell = type->space->root()->space != Space::Unknown ? type->space : given->space->root();
  return types.pointer(element, cell, type->to_const);
}

// May a parameter of type `type` be given this pointer? That one of them is a pointer to const is another question.
bool Sema::spacesFit(const Type* type, const Type* given) const {
  Space a = type->space->root()->space, b = given->space->root()->space;
  return sameType(type->element, given->element) && (a == b || a == Space::Unknown || b == Space::Unknown);
}

const Type* Sema::resultType(const ast::Function& node, Side side) {
  const Type* type = resolve(node.result, nullptr);
  bool lists = type->holds_lists && side == Side::Device;
  if (!lists && !type->isArray())
    return type;
  diag.report(lists ? Diag::list_on_device : Diag::bad_variable_type, node.result->range, "a result", typeName(type));
  return types.error;
}

void Sema::finishExtern(Function& function, const ast::Function& node) {
  function.result = node.result ? resolve(node.result, nullptr, types.cell(Space::Host)) : types.void_;
  auto plain = [](const Type* type) {
    return type->isVoid() || type->isScalar() || type->isPointer() || type->isError();
  };
  for (const Variable* param : function.params)
    if (!plain(param->type) || param->by_reference)
      diag.report(Diag::bad_extern_type, node.range, typeName(param->type));
  if (!plain(function.result))
    diag.report(Diag::bad_extern_type, node.range, typeName(function.result));
}

void Body::checkBody(const ast::Function& node, bool deduce) {
  deduce_result_ = deduce;
  gives_status_ = node.name == "main" && !node.result;
  unsigned before = sema_.diag.errors();
  host_locals_ = &sema_.hostLocals(node);
  std::vector<Stmt*> list;
  stmts(node.body->stmts, list);
  Stmt* made = sema_.make(Stmt::Block, node.body->range);
  made->stmts = sema_.keep(list);
  fn_.body = made;
  if (!fn_.result)
    fn_.result = deduce && sema_.diag.errors() != before ? types_.error : types_.void_;
  if (fn_.name.starts_with("warp.") && fn_.syncs_block)
    fn_.syncs_warp = true;
  if (fn_.side == Side::Device)
    reportMisplaced(&fn_, made);
  if (fn_.syncs_block || fn_.syncs_warp)
    sema_.block_flow.check(fn_);
  if (fn_.collective)
    fn_.host_result = !fn_.result->isVoid() && hostReturns(made);
  if (sema_.diag.errors() == before)
    checkReturns(node);
}

// True when every value returned is one the host has.
bool Body::hostReturns(const Stmt* s) {
  if (!s)
    return true;
  if (s->kind == Stmt::Return)
    return s->expr && isHostValued(s->expr);
  for (const Stmt* inner : s->stmts)
    if (!hostReturns(inner))
      return false;
  return hostReturns(s->body) && hostReturns(s->otherwise);
}

} // namespace bsgp::sema
