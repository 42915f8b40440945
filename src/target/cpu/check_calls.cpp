// Requires: a rank loop with the thread's body in it. Ensures: the operation is gone.
//
//   %q = check.access(p, base, s)   %q = bsgp_rt_check_access(launch, rank, p, base, s)
//
// Where bounds are all that is looked for, and the base is a parameter of the kernel, its memory is asked for once:
//
//   before the loop:  begin, end = bsgp_rt_check_memory(launch, base)
//   in it:            br (p - begin < end - begin - bytes + 1), rest, bad;  bad: %q = bsgp_rt_check_access(...)
//
//   check.value(bad, k, v, _, s)    br bad, told, rest;  told: bsgp_rt_check_value(launch, rank, k, v, s); br rest
#include "target/cpu/check_calls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/operations.h"
#include "plan/check_abi.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kSiteSpace = 9, kSiteBytes = 12, kSiteAlign = 13; // fields of bsgp_check_site

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
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  function->addFnAttr(Attribute::WillReturn);
  return builder.CreateCall(callee, arguments);
}

void lowerValue(CallInst& check, const RankLoop& loop) {
  MDNode* unlikely = MDBuilder(check.getContext()).createBranchWeights(1, 1 << 20);
  Instruction* told = SplitBlockAndInsertIfThen(check.getArgOperand(0), &check, false, unlikely);
  IRBuilder<> builder(told);
  callRuntime(builder, ir::Op::CheckValue, {check.getArgOperand(1), check.getArgOperand(2), check.getArgOperand(4)},
              loop);
}

// What the module was made to look for: src/check notes it for the runtime.
uint64_t checksOf(const Module& module) {
  const GlobalVariable* mark = module.getGlobalVariable("bsgp_program_checks", true);
  return mark ? cast<ConstantInt>(mark->getInitializer())->getZExtValue() : 0;
}

// Of the site's constant: bytes and alignment of the access. False: it is not of device memory.
bool describe(const Value& site, uint64_t& bytes, uint64_t& align) {
  const DataLayout* layout = nullptr;
  auto* array = dyn_cast<GlobalVariable>(getUnderlyingObject(&site));
  if (!array || !array->hasInitializer())
    return false;
  layout = &array->getParent()->getDataLayout();
  APInt offset(64, 0);
  site.stripAndAccumulateConstantOffsets(*layout, offset, true);
  auto* sites = cast<ConstantArray>(array->getInitializer());
  auto* fields = cast<ConstantStruct>(sites->getOperand(
      unsigned(offset.getZExtValue() / layout->getTypeAllocSize(sites->getType()->getElementType()))));
  auto number = [&](unsigned field) { return cast<ConstantInt>(fields->getOperand(field))->getZExtValue(); };
  bytes = number(kSiteBytes), align = number(kSiteAlign);
  return number(kSiteSpace) == BSGP_MEMORY_DEVICE;
}

struct Memory {
  Value *begin, *end;
};

// Before the loop, once for each base.
Memory memoryOf(Argument& base, const RankLoop& loop) {
  constexpr char kFunction[] = "bsgp_rt_check_memory";
  for (Instruction& instruction : *loop.entry)
    if (auto* call = dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() && call->getCalledFunction()->getName() == kFunction &&
          call->getArgOperand(1)->stripPointerCasts() == &base) {
        auto* begin = cast<Instruction>(call->getNextNode());
        return {begin, begin->getNextNode()};
      }
  IRBuilder<> builder(loop.entry->getTerminator());
  Value* pointer = builder.CreateAddrSpaceCast(&base, builder.getPtrTy());
  auto* pair = StructType::get(builder.getInt64Ty(), builder.getInt64Ty());
  FunctionCallee callee = loop.function->getParent()->getOrInsertFunction(
      kFunction, FunctionType::get(pair, {builder.getPtrTy(), builder.getPtrTy()}, false));
  Value* both = builder.CreateCall(callee, {loop.launch(), pointer});
  Value* begin = builder.CreateExtractValue(both, 0, "memory.begin");
  return {begin, builder.CreateExtractValue(both, 1, "memory.end")};
}

// The access is good, or the runtime is asked.
Value* lowerBounds(CallInst& check, Argument& base, uint64_t bytes, uint64_t align, const RankLoop& loop) {
  Memory memory = memoryOf(base, loop);
  IRBuilder<> builder(&check);
  Value* address = check.getArgOperand(0);
  Value* at = builder.CreatePtrToInt(address, builder.getInt64Ty());
  Value* room = builder.CreateSub(builder.CreateAdd(memory.end, builder.getInt64(1)), memory.begin);
  Value* places = builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, room, builder.getInt64(bytes));
  Value* bad = builder.CreateICmpUGE(builder.CreateSub(at, memory.begin), places);
  if (align > 1)
    bad = builder.CreateOr(bad, builder.CreateIsNotNull(builder.CreateAnd(at, builder.getInt64(align - 1))));
  MDNode* unlikely = MDBuilder(check.getContext()).createBranchWeights(1, 1 << 20);
  BasicBlock* before = check.getParent();
  Instruction* told = SplitBlockAndInsertIfThen(bad, &check, false, unlikely);
  builder.SetInsertPoint(told);
  SmallVector<Value*, 4> given(check.args());
  Value* other = builder.CreateAddrSpaceCast(callRuntime(builder, ir::Op::CheckAccess, given, loop), check.getType());
  builder.SetInsertPoint(&check);
  PHINode* chosen = builder.CreatePHI(check.getType(), 2);
  chosen->addIncoming(address, before);
  chosen->addIncoming(other, told->getParent());
  return chosen;
}

// Null: the runtime has to look at every access.
Value* lowerBounds(CallInst& check, const RankLoop& loop) {
  uint64_t bytes = 0, align = 0;
  auto* base = dyn_cast<Argument>(check.getArgOperand(1));
  if (!base || checksOf(*loop.function->getParent()) & (BSGP_CHECK_RACE | BSGP_CHECK_INIT) ||
      !describe(*check.getArgOperand(2), bytes, align))
    return nullptr;
  return lowerBounds(check, *base, bytes, align, loop);
}

} // namespace

void lowerCheck(CallInst& check, const RankLoop& loop) {
  ir::Op op = ir::opOf(check);
  if (op == ir::Op::CheckValue) {
    lowerValue(check, loop);
    check.eraseFromParent();
    return;
  }
  if (Value* address = op == ir::Op::CheckAccess ? lowerBounds(check, loop) : nullptr) {
    check.replaceAllUsesWith(address);
    check.eraseFromParent();
    return;
  }
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
