// Host code is no kernel: what would be lowered with the loop over ranks is lowered here.
//
//   check.value(bad, k, v, _, s)    =>    br bad, told, rest;  told: bsgp_rt_check_host_value(call, k, v, s); br rest
#include "check/host.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;

bool hasMarks(const Function& function) {
  return any_of(instructions(function),
                [](const Instruction& instruction) { return ir::isCheck(ir::opOf(instruction)); });
}

namespace {

void lower(CallInst& test) {
  MDNode* unlikely = MDBuilder(test.getContext()).createBranchWeights(1, 1 << 20);
  IRBuilder<> builder(SplitBlockAndInsertIfThen(test.getArgOperand(0), &test, false, unlikely));
  Value* call = test.getFunction()->getArg(0);
  Value* arguments[] = {call, test.getArgOperand(1), test.getArgOperand(2), test.getArgOperand(4)};
  Type* types[] = {call->getType(), builder.getInt32Ty(), builder.getInt64Ty(), builder.getPtrTy()};
  FunctionCallee told = test.getModule()->getOrInsertFunction("bsgp_rt_check_host_value",
                                                              FunctionType::get(builder.getVoidTy(), types, false));
  builder.CreateCall(told, arguments)->setDoesNotThrow();
  test.eraseFromParent();
}

} // namespace

void finishHostCode(Function& function) {
  SmallVector<CallInst*, 32> tests;
  for (Instruction& instruction : instructions(function)) {
    if (ir::opOf(instruction) == ir::Op::CheckValue)
      tests.push_back(cast<CallInst>(&instruction));
    instruction.setDebugLoc(DebugLoc());
  }
  for (CallInst* test : reverse(tests)) // a block is cut from its end: what follows moves once
    lower(*test);
}

} // namespace bsgp::check
