// Host code is no kernel: what would be lowered with the loop over ranks is lowered here.
//
//   check.value(bad, k, v, _, s)    =>    br bad, told, rest;  told: bsgp_rt_check_host_value(call, k, v, s); br rest
//   %q = check.access(p, base, s)   =>    %q = bsgp_rt_check_host_access(call, p, base, s)
#include "check/host.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

namespace {

CallInst* callRuntime(IRBuilder<>& builder, ir::Op op, Type* result, ArrayRef<Value*> given) {
  Function& function = *builder.GetInsertBlock()->getParent();
  SmallVector<Value*, 4> arguments{function.getArg(0)};
  for (Value* value : given)
    arguments.push_back(value->getType()->isIntegerTy(1) ? builder.CreateZExt(value, builder.getInt32Ty()) : value);
  SmallVector<Type*, 4> types;
  for (Value* argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = function.getParent()->getOrInsertFunction(ir::runtimeFunctionOf(op, true),
                                                                    FunctionType::get(result, types, false));
  CallInst* made = builder.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  return made;
}

void lowerValue(CallInst& test) {
  MDNode* unlikely = MDBuilder(test.getContext()).createBranchWeights(1, 1 << 20);
  IRBuilder<> builder(SplitBlockAndInsertIfThen(test.getArgOperand(0), &test, false, unlikely));
  callRuntime(builder, ir::Op::CheckValue, builder.getVoidTy(),
              {test.getArgOperand(1), test.getArgOperand(2), test.getArgOperand(4)});
}

void lower(CallInst& check) {
  IRBuilder<> builder(&check);
  SmallVector<Value*, 4> given(check.args());
  switch (ir::Op op = ir::opOf(check)) {
  case ir::Op::CheckValue:
    lowerValue(check);
    break;
  case ir::Op::CheckAccess:
    check.replaceAllUsesWith(callRuntime(builder, op, check.getType(), given));
    break;
  case ir::Op::CheckIsWritten:
    check.replaceAllUsesWith(builder.CreateIsNotNull(callRuntime(builder, op, builder.getInt32Ty(), given)));
    break;
  default:
    callRuntime(builder, op, builder.getVoidTy(), given); // CheckSetWritten
  }
  check.eraseFromParent();
}

} // namespace

void finishHostCode(Function& function) {
  SmallVector<CallInst*, 32> checks;
  for (Instruction& instruction : instructions(function)) {
    if (ir::isCheck(ir::opOf(instruction)))
      checks.push_back(cast<CallInst>(&instruction));
    instruction.setDebugLoc(DebugLoc());
  }
  for (CallInst* check : reverse(checks)) // a block is cut from its end: what follows moves once
    lower(*check);
}

} // namespace bsgp::check
