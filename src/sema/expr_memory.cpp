#include "sema/expr_memory.h"

#include <fmt/format.h>

#include "sema/arguments.h"
#include "sema/body.h"
#include "sema/convert.h"
#include "sema/expr_access.h"
#include "sema/expr_assign.h"
#include "sema/expressions.h"
#include "sema/views.h"

namespace bsgp::sema {

namespace {

enum class Operand : uint8_t { Whole, Number, Lanes, Any }; // the pointer's element
constexpr const char* kOperands[] = {"int, uint, long and ulong", "int, uint, long, ulong, float and double",
                                     "numbers and vectors", "anything"};

struct MemoryCall {
  std::string_view name;
  Builtin builtin;
  Operand operand;
  unsigned values; // number of arguments behind the pointer
  bool gives_value;
};

constexpr MemoryCall kCalls[] = {
    {"atomic_add", Builtin::AtomicAdd, Operand::Number, 1, true},
    {"atomic_min", Builtin::AtomicMin, Operand::Number, 1, true},
    {"atomic_max", Builtin::AtomicMax, Operand::Number, 1, true},
    {"atomic_and", Builtin::AtomicAnd, Operand::Whole, 1, true},
    {"atomic_or", Builtin::AtomicOr, Operand::Whole, 1, true},
    {"atomic_xor", Builtin::AtomicXor, Operand::Whole, 1, true},
    {"atomic_exchange", Builtin::AtomicExchange, Operand::Number, 1, true},
    {"atomic_cas", Builtin::AtomicCas, Operand::Whole, 2, true},
    {"atomic_load", Builtin::AtomicLoad, Operand::Number, 0, true},
    {"atomic_store", Builtin::AtomicStore, Operand::Number, 1, false},
    {"store_stream", Builtin::StoreStream, Operand::Lanes, 1, false},
    {"prefetch", Builtin::Prefetch, Operand::Any, 0, false},
};

const MemoryCall* findCall(std::string_view name) {
  for (const MemoryCall& call : kCalls)
    if (call.name == name)
      return &call;
  return nullptr;
}

bool fits(const Type* type, Operand operand) {
  if (operand == Operand::Any)
    return true;
  if (operand == Operand::Lanes)
    return type->isScalar() || type->isVector();
  bool floating = type->isFloat() && operand == Operand::Number;
  return (type->isInt() || floating) && type->bits >= 32;
}

// Returns the help for a pointer to another type.
std::string whatItTakes(const MemoryCall& call, const Type* type) {
  std::string out = fmt::format("it takes pointers to {}", kOperands[int(call.operand)]);
  bool atomic = call.operand == Operand::Whole || call.operand == Operand::Number;
  if (atomic && (type->isBool() || ((type->isInt() || type->isFloat()) && type->bits < 32)))
    out += fmt::format("; declare the place as {}: no machine changes fewer than 32 bits at once",
                       type->isFloat() ? "float" : "int");
  else if (call.builtin == Builtin::AtomicCas && type->isFloat())
    out += fmt::format(
        "; compare bits: atomic_cas(({0}*)p, {1}_as_{0}(old), {1}_as_{0}(next)), and {0}_as_{1} of the result",
        type->bits == 32 ? "int" : "long", type->bits == 32 ? "float" : "double");
  return out;
}

} // namespace

bool isDeviceCall(std::string_view name) {
  return name == "memory_fence" || findCall(name);
}

void appendDeviceCalls(std::vector<std::string_view>& names) {
  names.push_back("memory_fence");
  for (const MemoryCall& call : kCalls)
    names.push_back(call.name);
}

static Expr* floatExtreme(Body& body, const Expr* call);

// Null if it is no such built-in function.
Expr* memoryCall(Body& body, std::string_view name, const ast::Expr* e) {
  if (!isDeviceCall(name))
    return nullptr;
  const MemoryCall* call = findCall(name);
  size_t wanted = call ? 1 + call->values : 0;
  if (e->args.size() != wanted)
    return fail(body, Diag::argument_count, e->range, name, wanted, e->args.size());
  if (!onDevice(body))
    return fail(body, Diag::device_call_on_host, e->range, name);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.void_, e->range);
  r->builtin = Builtin::MemoryFence;
  if (!call)
    return r;
  r->builtin = call->builtin, r->a = sharedPlace(body, name, e->args[0]);
  const Type* type = r->a->type->isError() ? body.sema.types.error : r->a->type->element;
  bool writes = call->builtin != Builtin::AtomicLoad && call->builtin != Builtin::Prefetch;
  if (writes && !type->isError() && !checkPointee(body, r->a, e->args[0]->range))
    return error(body, e->range);
  if (!type->isError() && !fits(type, call->operand))
    return fail(body, Diag::memory_call_type, e->range, name, typeName(type), whatItTakes(*call, type));
  for (size_t i = 1; i < wanted; ++i) {
    Expr* value = convert(body, rvalue(body, e->args[i]), type, "this argument");
    (i == 1 ? r->b : r->c) = value;
    if (value->type->isError())
      return value;
  }
  if (call->gives_value)
    r->type = type;
  if (type->isError())
    return error(body, e->range);
  bool extreme = call->builtin == Builtin::AtomicMin || call->builtin == Builtin::AtomicMax;
  return extreme && type->isFloat() ? floatExtreme(body, r) : r;
}

// atomic_min, atomic_max of floating-point numbers: the library computes them, because no machine can
// (stdlib/atomics.bsgp).
static Expr* floatExtreme(Body& body, const Expr* call) {
  Expr* is_min = number(body, call->builtin == Builtin::AtomicMin, body.sema.types.bool_, call->range);
  return callOfLibrary(body, "__atomic_extreme", {call->a, call->b, is_min}, call->range);
}

// Checks a pointer to memory that several threads may reach.
Expr* sharedPlace(Body& body, std::string_view name, const ast::Expr* e) {
  Expr* pointer = rvalue(body, e);
  if (pointer->type->isError())
    return pointer;
  if (!pointer->type->isPointer())
    return fail(body, Diag::not_a_pointer, e->range, typeName(pointer->type),
                isLvalue(pointer) ? "write '&' before it for its address" : "");
  touchMemory(body, pointer, e->range);
  Space space = pointer->type->space->root()->space;
  if (space == Space::Private)
    return fail(body, Diag::memory_call_space, e->range, name, typeWithArticle(pointer->type));
  return space == Space::Host ? error(body, e->range) : pointer;
}

// target_is_cpu(), target_is_gpu(): constants of a compilation.
std::optional<bool> constantQuery(const Sema& sema, std::string_view name) {
  if (name == "target_is_cpu" || name == "target_is_gpu")
    return (name == "target_is_gpu") == sema.options.gpu;
  if (name == "__appends") // in the library: threads of a superstep append to memory in order (append.cpp)
    return sema.options.appends;
  if (name == "__tells_undefined") // in the library: --check=init
    return sema.options.tells_undefined;
  return std::nullopt;
}

// __is_used(): false in a function whose result the call discards, because the call is a statement, or the returned
// value of such a function. It is a constant of the instance.
Expr* useQuery(Body& body, const ast::Expr* e) {
  if (!e->args.empty())
    return fail(body, Diag::argument_count, e->range, "__is_used", 0, e->args.size());
  return number(body, body.function.result_used, body.sema.types.bool_, e->range);
}

// The constants; fast_math(), false in host code, which has no approximations; worker_count(): the number of threads
// of the machine that execute blocks.
Expr* machineQuery(Body& body, std::string_view name, const ast::Expr* e) {
  std::optional<bool> known = constantQuery(body.sema, name);
  if (name == "fast_math")
    known = body.sema.options.fast_math && onDevice(body);
  if (!known && name != "worker_count")
    return nullptr;
  if (!e->args.empty())
    return fail(body, Diag::argument_count, e->range, name, 0, e->args.size());
  if (known)
    return number(body, *known, body.sema.types.bool_, e->range);
  if (onDevice(body))
    return fail(body, Diag::host_call_on_device, e->range, name, kInRequire);
  Expr* r = body.sema.nodes.make(Expr::BuiltinCall, body.sema.types.i32, e->range);
  r->builtin = Builtin::WorkerCount;
  return r;
}

} // namespace bsgp::sema
