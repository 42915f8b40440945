// Requires: a rank loop with the thread's body in it. Ensures: the operation is gone.
//
//   %q = check.access(p, base, s)   %q = bsgp_rt_check_access(launch, rank, p, base, s)
//
// If only bounds are checked, or in a proven copy, and the base is a parameter of the kernel, the runtime is asked
// for its memory once:
//
//   before the loop:  begin, end = bsgp_rt_check_memory(launch, base)
//   in it:            br (p - begin < end - begin - bytes + 1), rest, bad;  bad: %q = bsgp_rt_check_access(...)
//
//   check.value(bad, k, v, _, s)    br bad, report, rest;  report: bsgp_rt_check_value(launch, rank, k, v, s); br rest
#include "target/cpu/calls/check_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/check_code.h"
#include "ir/freedom.h"
#include "ir/operations.h"
#include "plan/check_abi.h"
#include "target/common/check_sites.h"
#include "target/cpu/calls/check_rows.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr char kChecked[] = "checked"; // an address

Type* resultOf(ir::Op op, IRBuilder<>& builder) {
  if (op == ir::Op::CheckAccess)
    return builder.getPtrTy();
  return op == ir::Op::CheckIsWritten ? builder.getInt32Ty() : builder.getVoidTy();
}

// As C takes it.
Value* argument(IRBuilder<>& builder, Value* value) {
  if (value->getType()->isPointerTy())
    return builder.CreateAddrSpaceCast(value, builder.getPtrTy());
  return value->getType()->isIntegerTy(1) ? builder.CreateZExt(value, builder.getInt32Ty()) : value;
}

CallInst* callRuntime(IRBuilder<>& builder, ir::Op op, ArrayRef<Value*> given, const RankLoop& loop) {
  SmallVector<Value*, 6> arguments{loop.launch(), builder.CreateSExt(loop.rank, builder.getInt64Ty())};
  for (Value* value : given)
    arguments.push_back(argument(builder, value));
  SmallVector<Type*, 6> types;
  for (Value* value : arguments)
    types.push_back(value->getType());
  auto* type = FunctionType::get(resultOf(op, builder), types, false);
  FunctionCallee callee = loop.function->getParent()->getOrInsertFunction(ir::runtimeFunctionOf(op), type);
  auto* function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  if (op != ir::Op::CheckSetWritten) // bits that are loaded here (areWritten)
    function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  function->addFnAttr(Attribute::WillReturn);
  return builder.CreateCall(callee, arguments);
}

void lowerValue(CallInst& check, const RankLoop& loop) {
  MDNode* unlikely = ir::unlikely(check.getContext());
  Instruction* told = SplitBlockAndInsertIfThen(check.getArgOperand(0), &check, false, unlikely);
  IRBuilder<> builder(told);
  callRuntime(builder, ir::Op::CheckValue, {check.getArgOperand(1), check.getArgOperand(2), check.getArgOperand(4)},
              loop);
}

struct Memory {
  Value *begin, *end;
};

// Calls a function of the runtime with a base, once before the loop, and returns that call.
CallInst* askedOf(const char* function, Type* result, Argument& base, const RankLoop& loop) {
  for (Instruction& instruction : *loop.entry)
    if (auto* call = dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() && call->getCalledFunction()->getName() == function &&
          call->getArgOperand(1)->stripPointerCasts() == &base)
        return call;
  IRBuilder<> builder(loop.entry->getTerminator());
  Value* pointer = builder.CreateAddrSpaceCast(&base, builder.getPtrTy());
  FunctionCallee callee = loop.function->getParent()->getOrInsertFunction(
      function, FunctionType::get(result, {builder.getPtrTy(), builder.getPtrTy()}, false));
  return builder.CreateCall(callee, {loop.launch(), pointer});
}

constexpr char kMemory[] = "bsgp_rt_check_memory", kWrittenMemory[] = "bsgp_rt_check_written_memory";

Memory memoryOf(const char* function, Argument& base, const RankLoop& loop) {
  Type* word = Type::getInt64Ty(base.getContext());
  CallInst* call = askedOf(function, StructType::get(word, word), base, loop);
  if (auto* begin = dyn_cast<ExtractValueInst>(call->getNextNode()))
    return {begin, begin->getNextNode()};
  IRBuilder<> builder(call->getNextNode());
  Value* begin = builder.CreateExtractValue(call, 0, "memory.begin");
  return {begin, builder.CreateExtractValue(call, 1, "memory.end")};
}

// Selects the result for the parameter that the base is at run time, of the several that it may be.
template <class Of> Value* ofChosen(IRBuilder<>& builder, Value& base, ArrayRef<Argument*> parameters, const Of& of) {
  Value* result = of(*parameters.front());
  for (Argument* parameter : drop_begin(parameters))
    result = builder.CreateSelect(builder.CreateICmpEQ(&base, builder.CreateAddrSpaceCast(parameter, base.getType())),
                                  of(*parameter), result);
  return result;
}

Memory memoryOf(const char* function, IRBuilder<>& builder, Value& base, ArrayRef<Argument*> parameters,
                const RankLoop& loop) {
  return {ofChosen(builder, base, parameters, [&](Argument& one) { return memoryOf(function, one, loop).begin; }),
          ofChosen(builder, base, parameters, [&](Argument& one) { return memoryOf(function, one, loop).end; })};
}

// The access is compared with the memory of its base; only if it is outside, the runtime is called.
Value* lowerBounds(CallInst& check, ArrayRef<Argument*> bases, uint64_t bytes, uint64_t align, const RankLoop& loop) {
  IRBuilder<> builder(&check);
  Memory memory = memoryOf(kMemory, builder, *check.getArgOperand(1), bases, loop);
  Value* address = check.getArgOperand(0);
  Value* at = builder.CreatePtrToInt(address, builder.getInt64Ty());
  Value* room = builder.CreateSub(builder.CreateAdd(memory.end, builder.getInt64(1)), memory.begin);
  Value* places = builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, room, builder.getInt64(bytes));
  Value* bad = builder.CreateICmpUGE(builder.CreateSub(at, memory.begin), places);
  if (align > 1)
    bad = builder.CreateOr(bad, builder.CreateIsNotNull(builder.CreateAnd(at, builder.getInt64(align - 1))));
  MDNode* unlikely = ir::unlikely(check.getContext());
  BasicBlock* before = check.getParent();
  Instruction* told = SplitBlockAndInsertIfThen(bad, &check, false, unlikely);
  builder.SetInsertPoint(told);
  SmallVector<Value*, 4> given(check.args());
  Value* other = builder.CreateAddrSpaceCast(callRuntime(builder, ir::Op::CheckAccess, given, loop), check.getType());
  builder.SetInsertPoint(&check);
  PHINode* chosen = builder.CreatePHI(check.getType(), 2, kChecked);
  chosen->addIncoming(address, before);
  chosen->addIncoming(other, told->getParent());
  return chosen;
}

bool isProven(const CallInst& check) {
  return check.hasMetadata(kProvenCheck);
}

// Null if the runtime has to look at every access.
Value* lowerBounds(CallInst& check, const RankLoop& loop) {
  SiteFacts facts = factsOf(*check.getArgOperand(2));
  SmallVector<Argument*, 4> bases = parametersOf(*check.getArgOperand(1));
  bool bounds_alone = !(checksOf(*loop.function->getParent()) & (BSGP_CHECK_RACE | BSGP_CHECK_INIT));
  if (bases.empty() || facts.space != BSGP_MEMORY_DEVICE || !(bounds_alone || isProven(check)))
    return nullptr;
  return lowerBounds(check, bases, facts.bytes, facts.align, loop);
}

// ---- written-bits: in a proven copy they are loaded, and the runtime is called only if they are not set

// Finds the base that an address was computed from; accesses on the way may have been lowered already.
Value* baseOf(Value* address) {
  while (true) {
    if (auto* element = dyn_cast<GEPOperator>(address))
      address = element->getPointerOperand();
    else if (auto* cast = dyn_cast<AddrSpaceCastInst>(address))
      address = cast->getPointerOperand();
    else if (auto* chosen = dyn_cast<PHINode>(address); chosen && chosen->getName().starts_with(kChecked))
      address = chosen->getIncomingValue(0);
    else if (auto* call = dyn_cast<CallInst>(address); call && ir::opOf(*call) == ir::Op::CheckAccess)
      address = call->getArgOperand(1);
    else if (call && call->getCalledFunction() &&
             call->getCalledFunction()->getName() == ir::runtimeFunctionOf(ir::Op::CheckAccess))
      address = call->getArgOperand(3);
    else
      return address;
  }
}

struct Written {
  Value *is_followed, *bits; // i1: the memory is followed; the bits of its bytes
  Memory memory;
};

Written writtenOf(Argument& base, const RankLoop& loop) {
  Memory memory = memoryOf(kWrittenMemory, base, loop);
  auto* bits = askedOf("bsgp_rt_check_written", PointerType::get(base.getContext(), 0), base, loop);
  if (auto* known = dyn_cast<ICmpInst>(bits->getNextNode()))
    return {known, bits, memory};
  IRBuilder<> builder(bits->getNextNode());
  return {builder.CreateICmpNE(bits, Constant::getNullValue(bits->getType()), "is.followed"), bits, memory};
}

std::optional<Written> writtenOf(CallInst& check, const RankLoop& loop) {
  Value* base = isProven(check) ? baseOf(check.getArgOperand(0)) : nullptr;
  SmallVector<Argument*, 4> bases;
  if (base)
    bases = parametersOf(*base);
  if (bases.empty())
    return {};
  IRBuilder<> builder(&check);
  return Written{ofChosen(builder, *base, bases, [&](Argument& one) { return writtenOf(one, loop).is_followed; }),
                 ofChosen(builder, *base, bases, [&](Argument& one) { return writtenOf(one, loop).bits; }),
                 memoryOf(kWrittenMemory, builder, *base, bases, loop)};
}

// True (i1) if all bytes were written. Other threads may write them meanwhile.
Value* areWritten(IRBuilder<>& builder, const Written& written, Value* address, uint64_t bytes) {
  Value* offset = builder.CreateSub(builder.CreatePtrToInt(address, builder.getInt64Ty()), written.memory.begin);
  Value* inside = builder.CreateICmpULT(offset, builder.CreateSub(written.memory.end, written.memory.begin));
  Value* index = builder.CreateSelect(inside, builder.CreateLShr(offset, 3), builder.getInt64(0));
  Value* place = builder.CreateGEP(builder.getInt8Ty(), written.bits, index);
  return builder.CreateAnd(inside, ir::areSet(builder, place, offset, bytes));
}

bool lowerIsWritten(CallInst& check, const RankLoop& loop) {
  std::optional<Written> written = writtenOf(check, loop);
  if (!written)
    return false;
  BasicBlock* before = check.getParent();
  Instruction* looks = SplitBlockAndInsertIfThen(written->is_followed, &check, false);
  IRBuilder<> builder(looks);
  Value* set = areWritten(builder, *written, check.getArgOperand(0), factsOf(*check.getArgOperand(1)).bytes);
  BasicBlock* looking = looks->getParent();
  Instruction* asks = SplitBlockAndInsertIfThen(builder.CreateNot(set), looks, false, ir::unlikely(check.getContext()));
  builder.SetInsertPoint(asks);
  SmallVector<Value*, 4> given(check.args());
  Value* told = builder.CreateIsNotNull(callRuntime(builder, ir::Op::CheckIsWritten, given, loop));
  auto choose = [&](Instruction* at, BasicBlock* known, Value* other, BasicBlock* from) {
    builder.SetInsertPoint(at);
    PHINode* chosen = builder.CreatePHI(builder.getInt1Ty(), 2);
    chosen->addIncoming(builder.getTrue(), known);
    chosen->addIncoming(other, from);
    return chosen;
  };
  Value* looked = choose(looks, looking, told, asks->getParent());
  check.replaceAllUsesWith(choose(&check, before, looked, looks->getParent()));
  check.eraseFromParent();
  return true;
}

bool lowerSetWritten(CallInst& check, const RankLoop& loop) {
  std::optional<Written> written = writtenOf(check, loop);
  if (!written)
    return false;
  Instruction* looks = SplitBlockAndInsertIfThen(written->is_followed, &check, false);
  IRBuilder<> builder(looks);
  Value* set = areWritten(builder, *written, check.getArgOperand(0), factsOf(*check.getArgOperand(2)).bytes);
  Value* changes = builder.CreateNot(builder.CreateAnd(set, check.getArgOperand(1)));
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(changes, looks, false));
  SmallVector<Value*, 4> given(check.args());
  callRuntime(builder, ir::Op::CheckSetWritten, given, loop);
  check.eraseFromParent();
  return true;
}

} // namespace

uint64_t checksOf(const Module& module) {
  const GlobalVariable* mark = module.getGlobalVariable("bsgp_program_checks", true);
  return mark ? cast<ConstantInt>(mark->getInitializer())->getZExtValue() : 0;
}

Value* askedOfHost(IRBuilder<>& builder, const CallInst& ask, Value* launch) {
  Type *pointer = builder.getPtrTy(), *rank = builder.getInt64Ty();
  auto* type = FunctionType::get(builder.getInt32Ty(), {pointer, rank, pointer, pointer}, false);
  FunctionCallee callee =
      builder.GetInsertBlock()->getModule()->getOrInsertFunction(ir::runtimeFunctionOf(ir::Op::CheckIsWritten), type);
  return builder.CreateIsNotNull(
      builder.CreateCall(callee, {launch, builder.getInt64(0), ask.getArgOperand(0), ask.getArgOperand(1)}));
}

// Asks before the loop, once for each part of a value that the host gives all threads.
static Value* askBefore(const CallInst& check, const RankLoop& loop) {
  for (Instruction& instruction : *loop.entry)
    if (auto* call = dyn_cast<CallInst>(&instruction); call && call->getCalledFunction() && call->arg_size() == 4)
      if (call->getCalledFunction()->getName() == ir::runtimeFunctionOf(ir::Op::CheckIsWritten) &&
          call->getArgOperand(2) == check.getArgOperand(0))
        return *call->user_begin();
  IRBuilder<> builder(loop.entry->getTerminator());
  return askedOfHost(builder, check, loop.launch());
}

static void replace(CallInst& check, Value* by) {
  check.replaceAllUsesWith(by);
  check.eraseFromParent();
}

void lowerCheck(CallInst& check, const RankLoop& loop) {
  ir::Op op = ir::opOf(check);
  if (op == ir::Op::CheckValue) {
    lowerValue(check, loop);
    check.eraseFromParent();
    return;
  }
  if (Value* address = op == ir::Op::CheckAccess ? lowerBounds(check, loop) : nullptr)
    return replace(check, address);
  if (ir::asksOfHost(check))
    return replace(check, askBefore(check, loop));
  if ((op == ir::Op::CheckIsWritten && lowerIsWritten(check, loop)) ||
      (op == ir::Op::CheckSetWritten && lowerSetWritten(check, loop)))
    return;
  IRBuilder<> builder(&check);
  SmallVector<Value*, 4> given(check.args());
  Value* result = callRuntime(builder, op, given, loop);
  if (op == ir::Op::CheckAccess)
    result = builder.CreateAddrSpaceCast(result, check.getType());
  else if (op == ir::Op::CheckIsWritten)
    result = builder.CreateIsNotNull(result);
  if (!check.getType()->isVoidTy())
    check.replaceAllUsesWith(result);
  check.eraseFromParent();
}

} // namespace bsgp::target
