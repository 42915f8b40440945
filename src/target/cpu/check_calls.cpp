// Requires: a rank loop with the thread's body in it. Ensures: the operation is gone.
//
//   %q = check.access(p, base, s)   %q = bsgp_rt_check_access(launch, rank, p, base, s)
//   check.value(bad, k, v, _, s)    br bad, told, rest;  told: bsgp_rt_check_value(launch, rank, k, v, s); br rest
#include "target/cpu/check_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

namespace {

const char* functionOf(ir::Op op) {
  switch (op) {
  case ir::Op::CheckAccess:
    return "bsgp_rt_check_access";
  case ir::Op::CheckValue:
    return "bsgp_rt_check_value";
  case ir::Op::CheckIsWritten:
    return "bsgp_rt_check_is_written";
  case ir::Op::CheckSetWritten:
    return "bsgp_rt_check_set_written";
  case ir::Op::CheckPut:
    return "bsgp_rt_check_put";
  case ir::Op::CheckBlockSync:
    return "bsgp_rt_check_block_sync";
  case ir::Op::CheckWarpSync:
    return "bsgp_rt_check_warp_sync";
  default:
    BSGP_CHECK(op == ir::Op::CheckFence, "operation %d is no check", int(op));
    return "bsgp_rt_check_fence";
  }
}

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
  FunctionCallee callee = loop.function->getParent()->getOrInsertFunction(functionOf(op), type);
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

} // namespace

void lowerCheck(CallInst& check, const RankLoop& loop) {
  ir::Op op = ir::opOf(check);
  if (op == ir::Op::CheckValue) {
    lowerValue(check, loop);
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
