// Calls of host code: functions of the program, C functions, output, and the checks that fail a call.
#include <algorithm>

#include "irgen/host_emitter.h"
#include "plan/plan_abi.h"
#include "support/check.h"

namespace bsgp::irgen {

Leaves HostEmitter::call(const Expr* e) {
  if (e->function->is_extern)
    return externCall(e);
  Place result = callInMemory(e);
  return result.type ? load(result) : Leaves();
}

Place HostEmitter::callInMemory(const Expr* e) {
  const Function& callee = e->on_host ? *e->on_host : *e->function;
  frame_.calls = true;
  llvm::SmallVector<llvm::Value*> arguments{call_};
  std::vector<std::pair<Place, Place>> write_back; // places that are not contiguous: copied in and out
  for (size_t i = 0; i < e->args.size(); ++i) {
    const Variable* param = callee.params[i];
    const Expr* arg = e->args[i];
    if (passingOf(param) == Passing::Value) {
      arguments.push_back(scalar(arg));
      continue;
    }
    Place given = passingOf(param) == Passing::Address ? place(arg)
                  : isLarge(arg->type)                 ? copied(arg)
                                                       : spilled(arg->type, value(arg));
    if (given.kind != Place::Memory) {
      Place copy = spilled(arg->type, load(given));
      if (!param->is_const)
        write_back.emplace_back(given, copy);
      given = copy;
    }
    arguments.push_back(plain(given.address));
  }
  bool has_result = !callee.result->isVoid();
  Place result = !has_result                  ? Place()
                 : callee.result->holds_lists ? newTemporaryLists(callee.result)
                                              : temporary(callee.result, "result");
  if (callee.may_return_nothing)
    leavePartsUnset(result, resultOf(callee));
  arguments.push_back(has_result ? result.address : llvm::ConstantPointerNull::get(m.pointer()));
  bool enters_library = m.sources.ofLibrary(callee.range) && !m.sources.ofLibrary(e->range);
  if (enters_library && m.options.checked)
    callRuntime("bsgp_rt_check_calls", b.getVoidTy(), {call_, m.site(e->range)});
  llvm::CallInst* made = b.CreateCall(m.hostFunction(&callee), arguments);
  made->setDoesNotThrow();
  checkStatus(made, enters_library ? m.site(e->range) : nullptr);
  for (auto& [target, copy] : write_back)
    store(target, load(copy));
  return result;
}

void HostEmitter::reached(llvm::Value* pointer) {
  tellReached(pointer, 0, false);
}

// `bytes`: of the variable that it points to, or 0: unknown.
void HostEmitter::tellReached(llvm::Value* pointer, uint64_t bytes, bool holds_pointers) {
  if (m.options.checked)
    callRuntime("bsgp_rt_check_reached", b.getVoidTy(),
                {call_, plain(pointer), b.getInt64(bytes), b.getInt32(holds_pointers)});
}

namespace {

bool mayHoldPointers(const Type* type) {
  switch (type->kind) {
  case TypeKind::Void:
  case TypeKind::Pointer:
  case TypeKind::DList:
    return true;
  case TypeKind::Array:
    return mayHoldPointers(type->element);
  case TypeKind::Struct:
    return std::ranges::any_of(type->structure->fields,
                               [](const StructField& field) { return mayHoldPointers(field.type); });
  default:
    return false;
  }
}

} // namespace

// A C function may write all that it gets a pointer to.
void HostEmitter::givenToC(const Expr* argument, llvm::Value* pointer) {
  const Expr* e = argument;
  while (e->kind == Expr::Cast && e->a->type->isPointer())
    e = e->a;
  if (!m.options.checked || e->kind == Expr::String || e->kind == Expr::Null)
    return;
  bool holds_pointers = mayHoldPointers(e->type->element);
  const Variable* named = e->kind == Expr::AddrOf || e->kind == Expr::Decay ? rootVariable(e->a) : nullptr;
  if (named && named->side == Side::Host)
    tellReached(variable(named).address, named->type->size, holds_pointers || mayHoldPointers(named->type));
  else
    tellReached(pointer, 0, holds_pointers);
}

// ---- C functions
Leaves HostEmitter::externCall(const Expr* e) {
  llvm::Function* callee = m.externFunction(e->function);
  llvm::SmallVector<llvm::Value*> arguments;
  for (size_t i = 0; i < e->args.size(); ++i) {
    llvm::Value* v = scalar(e->args[i]);
    arguments.push_back(i < e->function->params.size() ? v : promoted(v, e->args[i]->type));
    if (arguments.back()->getType()->isPointerTy()) {
      givenToC(e->args[i], v);
      arguments.back() = plain(arguments.back());
    }
  }
  llvm::CallInst* made = b.CreateCall(callee, arguments);
  made->setAttributes(callee->getAttributes());
  if (e->function->result->isVoid())
    return {};
  if (e->function->result->isPointer())
    return {b.CreateAddrSpaceCast(made, m.types.value(e->function->result))};
  return {made};
}

// As C passes it to "...".
llvm::Value* HostEmitter::promoted(llvm::Value* v, const Type* type) {
  if (type->isFloat())
    return b.CreateFPCast(v, b.getDoubleTy());
  if (type->isBool() || (type->isInt() && type->bits < 32))
    return b.CreateIntCast(v, m.int32(), isSigned(type));
  return v;
}

// ---- output and failures
Leaves HostEmitter::print(const Expr* e) {
  llvm::Value* format = scalar(e->args[0]);
  Leaves values;
  for (const Expr* arg : e->args.subspan(1))
    appendPrinted(arg, values);
  for (size_t i = 0; isChecked() && i < values.size(); ++i)
    checkValue(b.getFalse(), BSGP_VALUE_UNDEFINED, values[i]);
  auto count = static_cast<unsigned>(values.size());
  llvm::Value* slots = llvm::ConstantPointerNull::get(m.pointer());
  if (count) {
    slots = newAlloca(llvm::ArrayType::get(m.int64(), count), llvm::Align(8), "arguments");
    for (unsigned i = 0; i < count; ++i)
      b.CreateAlignedStore(values[i], offset(slots, 8 * i), llvm::Align(8));
  }
  callRuntime("bsgp_rt_print", b.getVoidTy(), {format, b.getInt32(count), slots});
  if (e->type->isVoid())
    return {};
  return {llvm::ConstantInt::get(m.types.value(e->type), 0)};
}

Leaves HostEmitter::check(const Expr* e) {
  llvm::Value* fails = b.CreateNot(scalar(e->a));
  if (!e->b) {
    failIf(fails, BSGP_FAIL_ASSERT, e->range, e->text);
    return {};
  }
  llvm::BasicBlock *failed = newBlock("failed"), *go_on = newBlock("fine");
  b.CreateCondBr(fails, failed, go_on);
  enter(failed);
  llvm::Value* text = scalar(e->b);
  b.CreateStore(callRuntime("bsgp_rt_fail_saying", m.int32(), {call_, text, m.site(e->range)}), status_);
  jump(exit_);
  enter(go_on);
  return {};
}

// Division by zero fails the call; the one quotient that does not fit wraps.
llvm::Value* HostEmitter::divide(ast::BinaryOp op, const Type* type, llvm::Value* x, llvm::Value* y,
                                 SourceRange range) {
  bool quotient = op == ast::BinaryOp::Div;
  failIf(b.CreateIsNull(y), BSGP_FAIL_DIVIDE, range);
  if (!isSigned(type))
    return quotient ? b.CreateUDiv(x, y) : b.CreateURem(x, y);
  unsigned bits = type->bits;
  llvm::Value* least = b.CreateICmpEQ(x, b.getInt(llvm::APInt::getSignedMinValue(bits)));
  llvm::Value* overflows = b.CreateAnd(least, b.CreateICmpEQ(y, b.getInt(llvm::APInt::getAllOnes(bits))));
  llvm::Value* by = b.CreateSelect(overflows, b.getInt(llvm::APInt(bits, 1)), y);
  return quotient ? b.CreateSDiv(x, by) : b.CreateSRem(x, by);
}

} // namespace bsgp::irgen
