// Overload resolution, and instances of functions: one for each combination of parameter types, function arguments,
// side, and, in device code, rank type, block and which parameters are host values.
#include <fmt/format.h>

#include "sema/checker.h"

namespace bsgp::sema {

namespace {

constexpr int kNo = -1;
constexpr unsigned kDepth = 256;

std::string shown(const std::vector<Argument>& arguments) {
  std::string out;
  for (const Argument& a : arguments)
    out += (out.empty() ? "" : ", ") +
           (a.is_callable ? "function " + std::string(a.callable.name) : typeName(a.value->type));
  return out;
}

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
  if (!isLvalue(value) || (value->kind == Expr::Swizzle && value->lane_count > 1))
    return false;
  const Variable* root = rootVariable(value);
  return !root || (!root->is_const && (side == Side::Host || root->side == Side::Device));
}

// What an open parameter costs. Beside an overload by value, one by reference is for what can be changed, and only for
// that.
int openCost(const ast::Param& param, const Argument& argument, Side side) {
  constexpr int kByValue = 10, kByReference = 9, kNoReference = 1 << 20;
  if (!param.by_reference || !argument.value)
    return kByValue;
  return argument.value->type->isDList() || bindsToReference(argument.value, side) ? kByReference : kNoReference;
}

} // namespace

// 0: the same type; 2: promotion; 3 and more: conversions; kNo: none.
int Sema::conversionCost(const Expr* value, const Type* to) {
  const Type* from = value->type;
  if (sameType(from, to))
    return 0;
  if (to->isPointer() && from->isArray())
    return sameType(from->element, to->element) ? 0 : to->element->isVoid() ? 3 : kNo;
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
  if (to->isPointer()) {
    if (from->kind == TypeKind::Null || (value->kind == Expr::Constant && from->isInt() && value->value.integer == 0))
      return 3;
    if (from->isPointer() && sameType(from->element, to->element))
      return kNo; // spaces that differ
    if (from->isPointer() && (to->element->isVoid() || from->element->isVoid()))
      return 3;
    if (from->isDList())
      return sameType(from->element, to->element) ? 2 : kNo;
  }
  return kNo;
}

int Sema::rank(const ast::Function& node, const std::vector<Argument>& arguments, Body& caller) {
  bool fits = node.is_variadic ? arguments.size() >= node.params.size() : arguments.size() == node.params.size();
  if (!fits)
    return kNo;
  int total = 0;
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    const Argument& argument = arguments[i];
    bool open = param.type->kind == ast::TypeExpr::Open || param.type->kind == ast::TypeExpr::Auto;
    if (argument.is_callable && (!open || param.by_reference))
      return kNo;
    if (open) {
      total += openCost(param, argument, caller.side());
      continue;
    }
    const Type* type = resolve(param.type, nullptr, node.is_extern ? types.cell(Space::Host) : nullptr);
    if (type->isError())
      return kNo;
    int cost = conversionCost(argument.value, type);
    if (cost == kNo || (param.by_reference && cost != 0))
      return kNo;
    total += cost * 100;
  }
  return total;
}

Function* Sema::select(std::string_view name, std::vector<Argument>& arguments, SourceRange range, Body& caller,
                       bool used) {
  auto it = functions_.find(name);
  if (it == functions_.end()) {
    diag.report(Diag::unknown_function, range, name, suggestion(name, &caller));
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
    if (it->second.size() == 1 && it->second[0]->params.size() != arguments.size() && !it->second[0]->is_variadic)
      diag.report(Diag::argument_count, range, name, it->second[0]->params.size(), arguments.size());
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
  for (size_t i = 0; i < best->params.size(); ++i) // an array passed by value is the pointer it decays to
    if (arguments[i].value && !best->params[i].by_reference)
      arguments[i].value = caller.decay(arguments[i].value);
  return instantiate(*best, arguments, range, &caller, used || !traits(*best).asks_use);
}

void Sema::typeKey(const Type* type, std::string& out) {
  if (type->isPointer()) {
    typeKey(type->element, out);
    SpaceCell* cell = type->space->root();
    out += cell->space == Space::Unknown ? fmt::format("*{}", static_cast<void*>(cell))
                                         : fmt::format("*{}", int(cell->space));
  } else if (type->element) {
    typeKey(type->element, out);
    out += fmt::format("[{}:{}]", int(type->kind), type->count);
  } else {
    out += fmt::format("{}", static_cast<const void*>(type));
  }
}

std::string Sema::instanceKey(const ast::Function& node, const std::vector<Argument>& arguments, Side side,
                              const Body* caller, bool used) {
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
    const ast::TypeExpr* written = node.params[i].type;
    const Type* type = written->kind == ast::TypeExpr::Named ? resolve(written, nullptr) : argument.value->type;
    typeKey(type, key);
    if (side == Side::Device && traits(node).barriers_inside && hostArgument(argument, node.params[i].by_reference))
      key += 'H';
    else if (side == Side::Device && node.params[i].by_reference && hostArgument(argument, true))
      key += 'H';
  }
  return key;
}

Function* Sema::instantiate(const ast::Function& node, std::vector<Argument>& arguments, SourceRange range,
                            Body* caller, bool used) {
  Side side = caller ? caller->side() : Side::Host;
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
    return function;
  }
  if (depth_ >= kDepth) {
    diag.report(Diag::instances_too_deep, range, node.name);
    return nullptr;
  }
  Function* function = createInstance(node, arguments, side, caller);
  function->result_used = used;
  instances_[key] = function;
  if (node.is_extern) {
    finishExtern(*function, node);
    return function;
  }
  bool deduce = node.result && node.result->kind == ast::TypeExpr::Auto;
  if (!deduce && !function->result)
    function->result = node.result ? resolve(node.result, nullptr) : types.void_;
  if (function->is_main && !node.result)
    function->result = types.i32; // C's old habit: main { ... } returns a status
  ++depth_;
  in_progress_[function] = true;
  unsigned before = diag.errors();
  Body body(*this, *function, caller);
  body.side_ = side, body.in_spawn_ = side == Side::Device;
  if (caller && side == Side::Device)
    body.rank_type_ = caller->rankType(), body.block_ = caller->block();
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
  body.checkBody(node, deduce);
  in_progress_.erase(function);
  // What was open when it was made is decided now: a call with just these spaces is a call of this instance.
  instances_.try_emplace(instanceKey(node, arguments, side, caller, used), function);
  --depth_;
  if (diag.errors() != before && caller)
    diag.report(Diag::note_called_here, range, node.name);
  if (function->collective && !node.is_inline) {
    diag.report(Diag::collective_not_inline, node.range, node.name);
    return nullptr;
  }
  if (side == Side::Host) {
    on_host_.insert(&node);
    program.functions.push_back(function);
  }
  return function;
}

Function* Sema::createInstance(const ast::Function& node, std::vector<Argument>& arguments, Side side, Body* caller) {
  Function* function = arena.make<Function>();
  function->name = node.name, function->range = node.range, function->side = side;
  function->is_extern = node.is_extern, function->is_variadic = node.is_variadic;
  function->is_main = node.name == "main" && side == Side::Host;
  unsigned count = symbol_counts_[std::string(node.name)]++;
  function->symbol = node.is_extern ? std::string(node.name)
                     : count        ? fmt::format("fn.{}.{}", node.name, count)
                                    : fmt::format("fn.{}", node.name);
  if (function->is_main)
    program.main = function;
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    Argument& argument = arguments[i];
    if (argument.is_callable)
      continue;
    bool open = param.type->kind == ast::TypeExpr::Open || param.type->kind == ast::TypeExpr::Auto;
    const Type* given = argument.value->type;
    const Type* type = nullptr;
    if (node.is_extern) {
      type = resolve(param.type, nullptr, types.cell(Space::Host));
    } else if (open) {
      type = given->isArray() && !param.by_reference ? types.pointer(given->element, types.freshCell()) : given;
      if (type->kind == TypeKind::Null)
        type = types.pointer(types.void_, types.freshCell());
      if (type->isInt() && !type->enum_name.empty())
        type = types.i32;
    } else {
      type = resolve(param.type, nullptr);
      if (type->isPointer() && given->isPointer() && sameType(type, given))
        type = sameSpaces(type, given);
    }
    auto* variable = arena.make<Variable>(param.name, type, param.range);
    variable->by_reference = param.by_reference || type->isDList();
    variable->to_const = param.type->kind == ast::TypeExpr::Pointer && param.type->inner->is_const;
    bool host = side == Side::Host || hostParameter(node, param, argument, variable->by_reference);
    variable->side = host ? Side::Host : Side::Device;
    if (!caller && type->isPointer())
      argument.value->type = type;
    function->params.push_back(variable);
  }
  return function;
}

// A parameter of a collective is a host value when its argument is and nothing in the body writes to it; a reference
// is whatever it refers to.
bool Sema::hostParameter(const ast::Function& node, const ast::Param& param, const Argument& argument,
                         bool by_reference) {
  if (by_reference)
    return hostArgument(argument, true);
  return traits(node).barriers_inside && hostArgument(argument, false) && !writesParameter(node, param.name);
}

// A parameter written without spaces takes those of its argument; spaces still open stay shared with it.
const Type* Sema::sameSpaces(const Type* type, const Type* given) {
  if (!type->isPointer())
    return type;
  const Type* element = sameSpaces(type->element, given->element);
  SpaceCell* cell = type->space->root()->space != Space::Unknown ? type->space : given->space->root();
  return types.pointer(element, cell);
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
  std::vector<Stmt*> list;
  stmts(node.body->stmts, list);
  Stmt* made = sema_.make(Stmt::Block, node.body->range);
  made->stmts = sema_.keep(list);
  fn_.body = made;
  if (!fn_.result)
    fn_.result = types_.void_;
  if (fn_.name.starts_with("warp.") && fn_.syncs_block)
    fn_.syncs_warp = true;
  if (fn_.syncs_block || fn_.syncs_warp)
    sema_.block_flow.check(fn_);
  if (fn_.collective)
    fn_.host_result = !fn_.result->isVoid() && hostReturns(made);
  if (fn_.is_main && !fn_.result->isVoid() && !fn_.result->isInt() && !fn_.result->isError())
    sema_.diag.report(Diag::bad_main, node.range);
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
