#include "sema/instantiate.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/constant.h"
#include "sema/convert.h"
#include "sema/grid.h"
#include "sema/host_flow.h"
#include "sema/host_locals.h"
#include "sema/lambdas.h"
#include "sema/library_calls.h"
#include "sema/missing_return.h"
#include "sema/nearest_form.h"
#include "sema/open_types.h"
#include "sema/resolve_type.h"
#include "sema/scopes.h"
#include "sema/select.h"
#include "sema/statements.h"
#include "sema/traits.h"
#include "sema/visit.h"
#include "sema/warnings.h"
#include "sema/written.h"

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

static Function* createInstance(Sema& sema, const ast::Function& node, std::vector<Argument>& arguments, Side side,
                                Body* caller);

static void rejectListsByValue(Sema& sema, Function& function);

static const Type* sameSpaces(Sema& sema, const Type* type, const Type* given);

static bool spacesFit(const Type* type, const Type* given);

static const Type* resultType(Sema& sema, const ast::Function& node);

static void finishExtern(Sema& sema, Function& function, const ast::Function& node);

static void checkBody(Body& body, const ast::Function& node, bool deduce_result);

void typeKey(Sema& sema, const Type* type, std::string& out) {
  if (type->space) {
    typeKey(sema, type->element, out);
    SpaceCell* cell = type->space->root();
    out += type->isView() ? fmt::format("v{}", type->count) : "";
    out += cell->space == Space::Unknown ? fmt::format("*{}", static_cast<void*>(cell))
                                         : fmt::format("*{}", int(cell->space));
    out += type->to_const ? "c" : "";
  } else if (type->element) {
    typeKey(sema, type->element, out);
    out += fmt::format("[{}:{}{}]", int(type->kind), type->count, type->to_const ? "c" : "");
  } else {
    out += fmt::format("{}", static_cast<const void*>(type));
  }
}

// A parameter with a type takes from the argument only the spaces of pointers that the type leaves open.
static const Type* keyType(Sema& sema, const ast::Param& param, const Type* given) {
  if (isOpen(param))
    return given;
  const Type* type = parameterType(sema, param);
  if ((type->isPointer() && given->isPointer()) || (type->isView() && given->isView()))
    return sema.types.reaching(type, given->element, given->space);
  return type->isPointer() || type->isArray() ? given : type;
}

// A constant given to a const parameter of an inline function is a constant in that instance.
static std::optional<ConstValue> knownArgument(Sema& sema, const ast::Function& node, const ast::Param& param,
                                               const Argument& argument, Body* caller) {
  if (!caller || !node.is_inline || param.by_reference || !isConst(sema, param.type) || !argument.value)
    return std::nullopt;
  const Type* type = isOpen(param) ? argument.value->type : parameterType(sema, param);
  if (!type->isScalar() || !argument.value->type->isScalar())
    return std::nullopt;
  ConstValue value;
  return constantValue(cast(*caller, argument.value, type), value) ? std::optional(value) : std::nullopt;
}

// Returns the variables behind thread.x and its like in an instance. The library uses none, nor do functions that
// only it calls.
static const Grid* gridOf(Sema& sema, const ast::Function& node, const std::vector<Argument>& arguments, Side side,
                          Body* caller) {
  if (side == Side::Host)
    return nullptr;
  if (!caller || caller->mode.side == Side::Host)
    return anyGrid(sema);
  bool names_none = sema.diag.sources().ofLibrary(node.range) &&
                    std::none_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.is_callable; });
  return names_none ? nullptr : caller->mode.grid;
}

static std::string instanceKey(Sema& sema, const ast::Function& node, const std::vector<Argument>& arguments, Side side,
                               Body* caller, bool used) {
  std::string key =
      fmt::format("{}{}{}", static_cast<const void*>(&node), side == Side::Host ? 'h' : 'd', used ? "" : "u");
  if (side == Side::Device && caller && caller->mode.rank_type)
    key += fmt::format("{}b{}", caller->mode.rank_type->bits, caller->mode.block);
  if (const Grid* grid = gridOf(sema, node, arguments, side, caller))
    key += fmt::format("g{}", static_cast<const void*>(grid));
  bool collective = runsCollective(sema, node, arguments);
  for (size_t i = 0; i < node.params.size(); ++i) {
    const Argument& argument = arguments[i];
    key += ',';
    if (argument.is_callable) {
      capturedKey(sema, argument.callable, node, collective, side, key);
      continue;
    }
    const ast::Param& param = node.params[i];
    bool by_reference = caller ? passedByReference(sema, node, param, argument.value, side) : param.by_reference;
    typeKey(sema, keyType(sema, param, argument.value->type), key);
    key += by_reference != param.by_reference ? "v" : "";
    key += caller && by_reference && refersToConst(sema, node, param, argument.value, side) ? "c" : "";
    if (auto known = knownArgument(sema, node, param, argument, caller))
      key += fmt::format("={}:{}", known->integer, std::bit_cast<int64_t>(known->floating));
    if (side == Side::Device && (by_reference || collective) && hostArgument(argument, by_reference))
      key += 'H';
  }
  return key;
}

// A call that is not evaluated only counts for its type: it gets a side on which the function can run.
Side sideFor(const Body& body, const ast::Function& function) {
  const Traits& found = traits(body.sema, function);
  if (body.mode.unevaluated && (function.is_extern || found.host_only))
    return Side::Host;
  return body.mode.unevaluated && (found.barriers_inside || found.reaches_thread) ? Side::Device : body.mode.side;
}

// `caller`: null for a root. A root in device code belongs to no spawn: it is checked as if in one of int ranks and
// the usual blocks.
Function* instantiate(Sema& sema, const ast::Function& node, std::vector<Argument>& arguments, SourceRange range,
                      Side side, Body* caller, bool used) {
  const Traits& found = traits(sema, node);
  if (side == Side::Device && (node.is_extern || !node.body)) {
    bool ends = node.name == "exit" || node.name == "abort";
    sema.diag.report(node.is_extern ? Diag::host_call_on_device : Diag::no_body, range, node.name,
                     ends ? kEndOfProgram : kInRequire);
    sema.diag.report(Diag::note_declared, node.range, node.name);
    return nullptr;
  }
  if (side == Side::Device && found.host_only) {
    sema.diag.report(Diag::host_call_on_device, range, node.name, formOfThreads(sema, node.name));
    sema.diag.report(Diag::note_host_only, found.host_place);
    return nullptr;
  }
  if (side == Side::Host && found.barriers && caller) {
    sema.diag.report(Diag::collective_on_host, range, node.name, formOfArrays(sema, node.name, arguments));
    return nullptr;
  }
  if (!node.body && !node.is_extern) {
    sema.diag.report(Diag::no_body, range, node.name);
    sema.diag.report(Diag::note_declared, node.range, node.name);
    return nullptr;
  }
  std::string key = instanceKey(sema, node, arguments, side, caller, used);
  if (auto it = sema.instances.all.find(key); it != sema.instances.all.end()) {
    Function* function = it->second;
    if (sema.instances.in_progress.count(function) && side == Side::Device) {
      sema.diag.report(Diag::recursion_on_device, range, node.name);
      return nullptr;
    }
    if (!function->result) {
      sema.diag.report(Diag::recursive_auto, range, node.name);
      return nullptr;
    }
    if (auto broken = sema.instances.broken.find(function); broken != sema.instances.broken.end()) {
      if (entersLibrary(sema, node, range, caller))
        tellOf(sema, broken->second, node.name, arguments, range, caller);
      else
        sema.diag.put(broken->second);
      return nullptr;
    }
    return function;
  }
  if (sema.instances.depth >= kDepth) {
    sema.diag.report(Diag::instances_too_deep, range, node.name);
    return nullptr;
  }
  Function* function = createInstance(sema, node, arguments, side, caller);
  function->result_used = used;
  sema.instances.all[key] = function;
  bool fresh = sema.instances.checked.insert(&node).second;
  if (sema.instances.trial) {
    sema.instances.trial->instances.push_back(key);
    if (fresh)
      sema.instances.trial->checked.push_back(&node);
  }
  if (node.is_extern) {
    finishExtern(sema, *function, node);
    return function;
  }
  bool deduce = node.result && node.result->kind == ast::TypeExpr::Auto;
  if (!deduce && !function->result)
    function->result = node.result ? resultType(sema, node) : sema.types.void_;
  if (node.name == "main" && !node.result)
    function->result = sema.types.i32; // C's old habit: main { ... } returns a status
  if (side == Side::Device && function->result && function->result->holds_lists) {
    sema.diag.report(Diag::list_on_device, range, "this call", typeWithArticle(function->result));
    sema.diag.report(Diag::note_declared, node.range, node.name);
    function->result = sema.types.error;
    return nullptr;
  }
  ++sema.instances.depth;
  sema.instances.in_progress[function] = true;
  Diagnostics::Mark before = sema.diag.mark();
  rejectListsByValue(sema, *function);
  Body body(sema, *function, caller);
  body.mode.side = side, body.mode.in_spawn = side == Side::Device;
  if (side == Side::Device) {
    body.mode.rank_type = caller && caller->mode.rank_type ? caller->mode.rank_type : sema.types.i32;
    body.mode.grid = gridOf(sema, node, arguments, side, caller);
    body.mode.block = caller && caller->mode.block ? caller->mode.block : kDefaultBlock;
  }
  pushScope(body);
  size_t runtime = 0;
  for (size_t i = 0; i < node.params.size(); ++i) {
    Symbol symbol;
    if (arguments[i].is_callable) {
      symbol.kind = Symbol::Callable, symbol.callable = boundTo(sema, arguments[i].callable, *function, runtime);
    } else {
      symbol.kind = Symbol::Variable, symbol.variable = function->params[runtime++];
      symbol.type = symbol.variable->type;
    }
    bind(body, node.params[i].name, symbol);
  }
  bool outer_strict = std::exchange(sema.nodes.strict, node.is_strict);
  checkBody(body, node, deduce);
  sema.nodes.strict = outer_strict;
  sema.instances.in_progress.erase(function);
  // Spaces that were open when it was made are known now: a call with just these spaces is a call of this instance.
  std::string decided = instanceKey(sema, node, arguments, side, caller, used);
  if (sema.instances.all.try_emplace(decided, function).second && sema.instances.trial)
    sema.instances.trial->instances.push_back(std::move(decided));
  --sema.instances.depth;
  if (sema.diag.errors() != before.errors && sema.diag.sources().ofLibrary(node.range))
    return breakInstance(sema, *function, arguments, range, caller, before);
  if (sema.diag.errors() != before.errors && caller)
    sema.diag.report(Diag::note_called_here, range, node.name);
  if (function->collective && !node.is_inline) {
    sema.diag.report(Diag::collective_not_inline, node.range, node.name);
    return nullptr;
  }
  if (side == Side::Host)
    sema.program.functions.push_back(function);
  return function;
}

static Function* createInstance(Sema& sema, const ast::Function& node, std::vector<Argument>& arguments, Side side,
                                Body* caller) {
  Function* function = sema.arena.make<Function>();
  function->name = node.name, function->range = node.range, function->side = side, function->family = node.family;
  function->is_extern = node.is_extern, function->is_variadic = node.is_variadic;
  unsigned count = sema.instances.symbol_counts[std::string(node.name)]++;
  function->symbol = node.is_extern ? std::string(node.name)
                     : count        ? fmt::format("fn.{}.{}", node.name, count)
                                    : fmt::format("fn.{}", node.name);
  bool collective = runsCollective(sema, node, arguments);
  for (size_t i = 0; i < node.params.size(); ++i) {
    const ast::Param& param = node.params[i];
    Argument& argument = arguments[i];
    if (argument.is_callable) {
      addCaptured(sema, argument.callable, node, collective, *function);
      continue;
    }
    bool by_reference = caller ? passedByReference(sema, node, param, argument.value, side) : param.by_reference;
    const Type* given = argument.value->type;
    const Type* type = nullptr;
    if (node.is_extern) {
      type = parameterType(sema, param, sema.types.cell(Space::Host));
    } else if (isOpen(param)) {
      type = isPartlyOpen(param) ? matched(sema, param.type, given) : given;
      if (type->kind == TypeKind::Null)
        type = sema.types.pointer(sema.types.void_, sema.types.freshCell());
      if (type->isInt() && !type->enum_name.empty())
        type = sema.types.i32;
    } else {
      type = parameterType(sema, param);
      if (type->space && given->kind == type->kind && given->count == type->count && spacesFit(type, given))
        type = sameSpaces(sema, type, given);
    }
    auto* variable = sema.arena.make<Variable>(param.name, type, param.range);
    variable->by_reference = by_reference || type->isDList();
    variable->is_const = isConst(sema, param.type) && (by_reference || param.type->kind != ast::TypeExpr::Array);
    variable->is_const |= caller && refersToConst(sema, node, param, argument.value, side);
    if (auto known = knownArgument(sema, node, param, argument, caller))
      variable->constants.push_back(*known);
    bool host = side == Side::Host || hostParameter(sema, node, param, argument, variable->by_reference, collective);
    variable->side = host ? Side::Host : Side::Device;
    variable->is_assigned = host && collective && !variable->by_reference && isWritten(sema, node, param, argument);
    if (!caller && type->space)
      argument.value->type = type;
    function->params.push_back(variable);
  }
  return function;
}

static void rejectListsByValue(Sema& sema, Function& function) {
  for (Variable* param : function.params) {
    const Type* type = param->type->isPointer() ? param->type->element : param->type; // arrays are passed as pointers
    if (param->by_reference || !type->holds_lists)
      continue;
    sema.diag.report(Diag::lists_by_value, param->range, param->name, typeName(type), type != param->type ? "[n]" : "");
    param->type = sema.types.error;
  }
}

// A parameter written without spaces takes those of its argument; they share spaces that are still open.
static const Type* sameSpaces(Sema& sema, const Type* type, const Type* given) {
  if (type->isArray())
    return sema.types.array(sameSpaces(sema, type->element, given->element), type->count);
  if (!type->space)
    return type;
  const Type* element = sameSpaces(sema, type->element, given->element);
  SpaceCell* cell = type->space->root()->space != Space::Unknown ? type->space : given->space->root();
  return sema.types.reaching(type, element, cell);
}

// True if a parameter of type `type` may be given this pointer; pointers to const are judged elsewhere.
static bool spacesFit(const Type* type, const Type* given) {
  if (!given->space)
    return false;
  Space a = type->space->root()->space, b = given->space->root()->space;
  return sameType(type->element, given->element) && (a == b || a == Space::Unknown || b == Space::Unknown);
}

static const Type* resultType(Sema& sema, const ast::Function& node) {
  const Type* type = resolve(sema, node.result, nullptr);
  if (!type->isArray())
    return type;
  sema.diag.report(Diag::bad_variable_type, node.result->range, "a result", typeName(type));
  return sema.types.error;
}

static void finishExtern(Sema& sema, Function& function, const ast::Function& node) {
  function.result = node.result ? resolve(sema, node.result, nullptr, sema.types.cell(Space::Host)) : sema.types.void_;
}

void checkExtern(Sema& sema, const ast::Function& node) {
  if (!node.is_extern)
    return;
  auto plain = [](const Type* type) {
    return type->isVoid() || type->isScalar() || type->isPointer() || type->isError();
  };
  for (const ast::Param& param : node.params)
    if (const Type* type = parameterType(sema, param, sema.types.cell(Space::Host)); !plain(type) || param.by_reference)
      sema.diag.report(Diag::bad_extern_type, node.range, typeName(type) + (param.by_reference ? "&" : ""));
  const Type* result =
      node.result ? resolve(sema, node.result, nullptr, sema.types.cell(Space::Host)) : sema.types.void_;
  if (!plain(result))
    sema.diag.report(Diag::bad_extern_type, node.range, typeName(result));
}

static void checkBody(Body& body, const ast::Function& node, bool deduce) {
  body.result.deduced = deduce;
  body.begin = node.body->range.begin;
  body.result.is_status = node.name == "main" && !node.result;
  unsigned before = body.sema.diag.mistakes();
  body.flow.host_locals = &hostLocals(body.sema, node);
  std::vector<Stmt*> list;
  stmts(body, node.body->stmts, list);
  Stmt* made = body.sema.nodes.make(Stmt::Block, node.body->range);
  made->stmts = body.sema.nodes.keep(list);
  body.function.body = made;
  if (!body.function.result)
    body.function.result =
        deduce && body.sema.diag.mistakes() != before ? body.sema.types.error : body.sema.types.void_;
  if (body.function.family == ast::Family::Warp && body.function.syncs_block)
    body.function.syncs_warp = true;
  if (body.function.side == Side::Device)
    decideFlow(body, &body.function, made);
  if (body.function.syncs_block || body.function.syncs_warp)
    body.sema.block_flow.check(body.function);
  if (body.function.collective)
    body.function.host_result = !body.function.result->isVoid() && hostReturns(body, made);
  if (body.sema.diag.mistakes() == before)
    checkReturns(body, node);
  if (body.sema.diag.mistakes() == before && body.scope == Scope::Program) {
    warnOfUnset(*made, body.sema.warnings);
    warnOfFractions(*made, body.sema.warnings);
    warnOfShared(*made, body.sema.warnings);
    warnOfQuotients(*made, body.sema.warnings);
    warnOfCopies(body.function, body.sema.warnings);
    warnOfFreed(*made, body.sema.warnings);
    warnOfArms(*made, body.sema.warnings);
    warnOfWrittenLiterals(*made, body.sema.warnings);
    warnOfKeptAddresses(body.function, body.sema.warnings);
    warnOfEndedMemory(body.function, body.sema.warnings);
    warnOfWidenedSums(*made, body.sema);
  }
}

// True if every returned value is the host's, and the host knows which one is returned.
bool hostReturns(Body& body, const Stmt* s) {
  if (!s)
    return true;
  bool of_threads = (s->kind == Stmt::If || s->kind == Stmt::Loop || s->kind == Stmt::Switch) && !s->host;
  if (of_threads)
    return !contains(s, Stmt::Return);
  if (s->kind == Stmt::Return)
    return s->expr && isHostValued(s->expr);
  for (const Stmt* inner : s->stmts)
    if (!hostReturns(body, inner))
      return false;
  return hostReturns(body, s->body) && hostReturns(body, s->otherwise);
}

const ast::Function* declarationOf(const Sema& sema, const Function& function) {
  auto set = sema.functions.all.find(function.name);
  if (set != sema.functions.all.end())
    for (const ast::Function* node : set->second)
      if (node->range.begin == function.range.begin)
        return node;
  return nullptr;
}

} // namespace bsgp::sema
