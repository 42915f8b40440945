// Instances of functions: one for each combination of parameter types, function arguments, side, and, in device code,
// rank type, block, which parameters are host values, and constants given to const parameters.
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/checker.h"
#include "sema/host_flow.h"
#include "sema/warnings.h"

namespace bsgp::sema {

namespace {

constexpr unsigned kDepth = 256;

} // namespace

std::vector<Argument> argumentsOf(const std::vector<Expr*>& values) {
  std::vector<Argument> arguments;
  for (Expr* value : values) {
    Argument& argument = arguments.emplace_back();
    argument.value = value, argument.range = value->range;
  }
  return arguments;
}

bool hostArgument(const Argument& argument, bool by_reference) {
  if (!argument.value)
    return false;
  if (!by_reference)
    return isHostValued(argument.value);
  const Variable* root = rootVariable(argument.value);
  return root && root->side == Side::Host && root->kind != Variable::Shared;
}

void Sema::typeKey(const Type* type, std::string& out) {
  if (type->space) {
    typeKey(type->element, out);
    SpaceCell* cell = type->space->root();
    out += type->isView() ? fmt::format("v{}", type->count) : "";
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
  if ((type->isPointer() && given->isPointer()) || (type->isView() && given->isView()))
    return types.reaching(type, given->element, given->space);
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

// The variables that thread.x and its like mean in an instance. The library names none, nor do functions that only it
// calls.
const Grid* Sema::gridOf(const ast::Function& node, const std::vector<Argument>& arguments, Side side, Body* caller) {
  if (side == Side::Host)
    return nullptr;
  if (!caller || caller->side() == Side::Host)
    return anyGrid();
  bool names_none = diag.sources().ofLibrary(node.range) &&
                    std::none_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.is_callable; });
  return names_none ? nullptr : caller->grid();
}

std::string Sema::instanceKey(const ast::Function& node, const std::vector<Argument>& arguments, Side side,
                              Body* caller, bool used) {
  std::string key =
      fmt::format("{}{}{}", static_cast<const void*>(&node), side == Side::Host ? 'h' : 'd', used ? "" : "u");
  if (side == Side::Device && caller && caller->rankType())
    key += fmt::format("{}b{}", caller->rankType()->bits, caller->block());
  if (const Grid* grid = gridOf(node, arguments, side, caller))
    key += fmt::format("g{}", static_cast<const void*>(grid));
  bool collective = runsCollective(node, arguments);
  for (size_t i = 0; i < node.params.size(); ++i) {
    const Argument& argument = arguments[i];
    key += ',';
    if (argument.is_callable) {
      capturedKey(argument.callable, node, collective, side, key);
      continue;
    }
    const ast::Param& param = node.params[i];
    bool by_reference = caller ? passedByReference(node, param, argument.value, side) : param.by_reference;
    typeKey(keyType(param, argument.value->type), key);
    key += by_reference != param.by_reference ? "v" : "";
    key += caller && by_reference && refersToConst(node, param, argument.value, side) ? "c" : "";
    if (auto known = knownArgument(node, param, argument, caller))
      key += fmt::format("={}:{}", known->integer, std::bit_cast<int64_t>(known->floating));
    if (side == Side::Device && (by_reference || collective) && hostArgument(argument, by_reference))
      key += 'H';
  }
  return key;
}

// Where a call is not evaluated only its type counts: that of a side on which the function can run.
Side Body::sideFor(const ast::Function& function) const {
  const Traits& found = sema_.traits(function);
  if (unevaluated_ && (function.is_extern || found.host_only))
    return Side::Host;
  return unevaluated_ && (found.barriers_inside || found.reaches_thread) ? Side::Device : side_;
}

// `caller`: null for a root. A root in device code is of no spawn: as if of one of int ranks and usual blocks.
Function* Sema::instantiate(const ast::Function& node, std::vector<Argument>& arguments, SourceRange range, Side side,
                            Body* caller, bool used) {
  const Traits& found = traits(node);
  if (side == Side::Device && (node.is_extern || !node.body)) {
    bool ends = node.name == "exit" || node.name == "abort";
    diag.report(node.is_extern ? Diag::host_call_on_device : Diag::no_body, range, node.name,
                ends ? kEndOfProgram : kInRequire);
    diag.report(Diag::note_declared, node.range, node.name);
    return nullptr;
  }
  if (side == Side::Device && found.host_only) {
    diag.report(Diag::host_call_on_device, range, node.name, formOfThreads(node.name));
    diag.report(Diag::note_host_only, found.host_place);
    return nullptr;
  }
  if (side == Side::Host && found.barriers && caller) {
    diag.report(Diag::collective_on_host, range, node.name, formOfArrays(node.name, arguments));
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
    function->result = node.result ? resultType(node) : types.void_;
  if (node.name == "main" && !node.result)
    function->result = types.i32; // C's old habit: main { ... } returns a status
  if (side == Side::Device && function->result && function->result->holds_lists) {
    diag.report(Diag::list_on_device, range, "this call", typeWithArticle(function->result));
    diag.report(Diag::note_declared, node.range, node.name);
    function->result = types.error;
    return nullptr;
  }
  ++depth_;
  in_progress_[function] = true;
  Diagnostics::Mark before = diag.mark();
  rejectListsByValue(*function);
  Body body(*this, *function, caller);
  body.side_ = side, body.in_spawn_ = side == Side::Device;
  if (side == Side::Device) {
    body.rank_type_ = caller && caller->rankType() ? caller->rankType() : types.i32;
    body.grid_ = gridOf(node, arguments, side, caller);
    body.block_ = caller && caller->block() ? caller->block() : kDefaultBlock;
  }
  body.pushScope();
  size_t runtime = 0;
  for (size_t i = 0; i < node.params.size(); ++i) {
    Symbol symbol;
    if (arguments[i].is_callable) {
      symbol.kind = Symbol::Callable, symbol.callable = boundTo(arguments[i].callable, *function, runtime);
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
  function->name = node.name, function->range = node.range, function->side = side, function->family = node.family;
  function->is_extern = node.is_extern, function->is_variadic = node.is_variadic;
  unsigned count = symbol_counts_[std::string(node.name)]++;
  function->symbol = node.is_extern ? std::string(node.name)
                     : count        ? fmt::format("fn.{}.{}", node.name, count)
                                    : fmt::format("fn.{}", node.name);
  bool collective = runsCollective(node, arguments);
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    Argument& argument = arguments[i];
    if (argument.is_callable) {
      addCaptured(argument.callable, node, collective, *function);
      continue;
    }
    bool by_reference = caller ? passedByReference(node, param, argument.value, side) : param.by_reference;
    const Type* given = argument.value->type;
    const Type* type = nullptr;
    if (node.is_extern) {
      type = parameterType(param, types.cell(Space::Host));
    } else if (isOpen(param)) {
      type = isPartlyOpen(param) ? matched(param.type, given) : given;
      if (type->kind == TypeKind::Null)
        type = types.pointer(types.void_, types.freshCell());
      if (type->isInt() && !type->enum_name.empty())
        type = types.i32;
    } else {
      type = parameterType(param);
      if (type->space && given->kind == type->kind && given->count == type->count && spacesFit(type, given))
        type = sameSpaces(type, given);
    }
    auto* variable = arena.make<Variable>(param.name, type, param.range);
    variable->by_reference = by_reference || type->isDList();
    variable->is_const = isConst(param.type) && (by_reference || param.type->kind != ast::TypeExpr::Array);
    variable->is_const |= caller && refersToConst(node, param, argument.value, side);
    if (auto known = knownArgument(node, param, argument, caller))
      variable->constants.push_back(*known);
    bool host = side == Side::Host || hostParameter(node, param, argument, variable->by_reference, collective);
    variable->side = host ? Side::Host : Side::Device;
    variable->is_assigned = host && collective && !variable->by_reference && isWritten(node, param, argument);
    if (!caller && type->space)
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

// A parameter written without spaces takes those of its argument; spaces still open stay shared with it.
const Type* Sema::sameSpaces(const Type* type, const Type* given) {
  if (type->isArray())
    return types.array(sameSpaces(type->element, given->element), type->count);
  if (!type->space)
    return type;
  const Type* element = sameSpaces(type->element, given->element);
  SpaceCell* cell = type->space->root()->space != Space::Unknown ? type->space : given->space->root();
  return types.reaching(type, element, cell);
}

// May a parameter of type `type` be given this pointer? That one of them is a pointer to const is another question.
bool Sema::spacesFit(const Type* type, const Type* given) const {
  if (!given->space)
    return false;
  Space a = type->space->root()->space, b = given->space->root()->space;
  return sameType(type->element, given->element) && (a == b || a == Space::Unknown || b == Space::Unknown);
}

const Type* Sema::resultType(const ast::Function& node) {
  const Type* type = resolve(node.result, nullptr);
  if (!type->isArray())
    return type;
  diag.report(Diag::bad_variable_type, node.result->range, "a result", typeName(type));
  return types.error;
}

void Sema::finishExtern(Function& function, const ast::Function& node) {
  function.result = node.result ? resolve(node.result, nullptr, types.cell(Space::Host)) : types.void_;
}

void Sema::checkExtern(const ast::Function& node) {
  if (!node.is_extern)
    return;
  auto plain = [](const Type* type) {
    return type->isVoid() || type->isScalar() || type->isPointer() || type->isError();
  };
  for (const ast::Param& param : node.params)
    if (const Type* type = parameterType(param, types.cell(Space::Host)); !plain(type) || param.by_reference)
      diag.report(Diag::bad_extern_type, node.range, typeName(type) + (param.by_reference ? "&" : ""));
  const Type* result = node.result ? resolve(node.result, nullptr, types.cell(Space::Host)) : types.void_;
  if (!plain(result))
    diag.report(Diag::bad_extern_type, node.range, typeName(result));
}

void Body::checkBody(const ast::Function& node, bool deduce) {
  deduce_result_ = deduce;
  body_begin_ = node.body->range.begin;
  gives_status_ = node.name == "main" && !node.result;
  unsigned before = sema_.diag.mistakes();
  host_locals_ = &sema_.hostLocals(node);
  std::vector<Stmt*> list;
  stmts(node.body->stmts, list);
  Stmt* made = sema_.make(Stmt::Block, node.body->range);
  made->stmts = sema_.keep(list);
  fn_.body = made;
  if (!fn_.result)
    fn_.result = deduce && sema_.diag.mistakes() != before ? types_.error : types_.void_;
  if (fn_.family == ast::Family::Warp && fn_.syncs_block)
    fn_.syncs_warp = true;
  if (fn_.side == Side::Device)
    decideFlow(&fn_, made);
  if (fn_.syncs_block || fn_.syncs_warp)
    sema_.block_flow.check(fn_);
  if (fn_.collective)
    fn_.host_result = !fn_.result->isVoid() && hostReturns(made);
  if (sema_.diag.mistakes() == before)
    checkReturns(node);
  if (sema_.diag.mistakes() == before && scope_ == Scope::Program) {
    warnOfUnset(*made, sema_.warnings);
    warnOfFractions(*made, sema_.warnings);
    warnOfShared(*made, sema_.warnings);
  }
}

// True when every value returned is one the host has, and the host knows which.
bool Body::hostReturns(const Stmt* s) {
  if (!s)
    return true;
  bool of_threads = (s->kind == Stmt::If || s->kind == Stmt::Loop || s->kind == Stmt::Switch) && !s->host;
  if (of_threads)
    return !containsReturn(s);
  if (s->kind == Stmt::Return)
    return s->expr && isHostValued(s->expr);
  for (const Stmt* inner : s->stmts)
    if (!hostReturns(inner))
      return false;
  return hostReturns(s->body) && hostReturns(s->otherwise);
}

} // namespace bsgp::sema
