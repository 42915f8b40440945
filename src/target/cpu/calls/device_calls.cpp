// Requires: a rank loop with the thread's body in it. Ensures: no function of the contract is left in it.
//
//   rank(0)        the loop's rank
//   print(f, ...)  stores to an array on the stack, bsgp_rt_print(f, count, array)
//   assert(c, s)   br c, rest, failed
//                  failed: bsgp_rt_device_fail(launch, ASSERT, rank, s), the thread ends
//
// If other threads of the block use, after a block.sync, what the failed thread should have written, the whole block
// ends there: they might use an unwritten value as an index.
//
// A call keeps LLVM from vectorizing the loop. So a kernel without inner loops and with few asserts only notes, per
// assert, the lowest rank that failed, a minimum that vectorizes, and reports after the loop.
#include "target/cpu/calls/device_calls.h"

#include <llvm/ADT/MapVector.h>

#include "ir/check_code.h"
#include "ir/operations.h"
#include "plan/plan_abi.h"
#include "support/check.h"
#include "target/cpu/calls/check_calls.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostDeferredAsserts = 8; // each takes a vector register

struct DeviceCalls {
  SmallVector<CallInst*, 8> ranks, asserts, prints, checks;
};

void find(DeviceCalls& calls, BasicBlock& block) {
  for (Instruction& instruction : block) {
    switch (ir::opOf(instruction)) {
    case ir::Op::None:
    case ir::Op::Append: // behind the vectorizers: pack_values.h
    case ir::Op::AppendTake:
      break;
    case ir::Op::Rank:
      calls.ranks.push_back(cast<CallInst>(&instruction));
      break;
    case ir::Op::Assert:
      calls.asserts.push_back(cast<CallInst>(&instruction));
      break;
    case ir::Op::Print:
      calls.prints.push_back(cast<CallInst>(&instruction));
      break;
    default:
      if (ir::isCheck(ir::opOf(instruction))) {
        calls.checks.push_back(cast<CallInst>(&instruction));
        break;
      }
      BSGP_CHECK(false, "%s: %s is left after bsp", block.getParent()->getName().str().c_str(),
                 cast<CallInst>(instruction).getCalledFunction()->getName().str().c_str());
    }
  }
}

void reportAssert(IRBuilder<>& builder, const RankLoop& loop, Value* rank, Value* site) {
  reportFailure(builder, loop.launch(), BSGP_FAIL_ASSERT, builder.CreateSExt(rank, builder.getInt64Ty()), site);
}

// Cuts the thread at the assert: the block returned runs when the condition is false and then ends the thread.
BasicBlock* branchOnFailure(CallInst& assertion, const RankLoop& loop) {
  LLVMContext& context = assertion.getContext();
  BasicBlock* checked = assertion.getParent();
  BasicBlock* rest = checked->splitBasicBlock(std::next(assertion.getIterator()), "holds");
  auto* failed = BasicBlock::Create(context, "failed", loop.function, loop.latch);
  BranchInst::Create(loop.latch, failed);
  checked->getTerminator()->eraseFromParent();
  IRBuilder<> builder(checked);
  BranchInst* branch = builder.CreateCondBr(assertion.getArgOperand(0), rest, failed);
  branch->setMetadata(LLVMContext::MD_prof, ir::likely(context));
  return failed;
}

// A variable that is `initial` whenever the loop begins.
AllocaInst* createVariable(const RankLoop& loop, Constant* initial, const char* name) {
  IRBuilder<> builder(loop.entry, loop.entry->begin());
  AllocaInst* variable = builder.CreateAlloca(initial->getType(), nullptr, name);
  builder.SetInsertPoint(loop.before->getTerminator());
  builder.CreateStore(initial, variable);
  return variable;
}

// After the loop: if the variable is no longer `initial`, runs the block returned, then gives up or goes on.
BasicBlock* runAfterLoop(RankLoop& loop, AllocaInst* variable, Constant* initial) {
  LLVMContext& context = loop.function->getContext();
  BasicBlock* after = loop.exit->splitBasicBlock(loop.exit->begin(), "reported");
  auto* report = BasicBlock::Create(context, "report", loop.function, after);
  BranchInst::Create(loop.give_up ? loop.give_up : after, report);
  loop.exit->getTerminator()->eraseFromParent();
  IRBuilder<> builder(loop.exit);
  Value* value = builder.CreateLoad(variable->getAllocatedType(), variable);
  builder.CreateCondBr(builder.CreateICmpNE(value, initial), report, after, ir::unlikely(context));
  loop.exit = after;
  return report;
}

// `rank`: of the thread, for messages.
void lowerToCalls(ArrayRef<CallInst*> asserts, RankLoop& loop, Value* rank) {
  Constant* none = ConstantInt::getFalse(loop.function->getContext());
  AllocaInst* any = loop.give_up ? createVariable(loop, none, "any.failed") : nullptr;
  for (CallInst* assertion : asserts) {
    BasicBlock* failed = branchOnFailure(*assertion, loop);
    IRBuilder<> builder(failed->getTerminator());
    reportAssert(builder, loop, rank, assertion->getArgOperand(1));
    if (any)
      builder.CreateStore(builder.getTrue(), any);
    assertion->eraseFromParent();
  }
  if (any)
    runAfterLoop(loop, any, none);
}

void lowerToMinimum(ArrayRef<CallInst*> asserts, RankLoop& loop, Value* rank) {
  Type* rank_type = loop.rank->getType();
  Constant* none = Constant::getAllOnesValue(rank_type);
  MapVector<Value*, AllocaInst*> lowest; // by site
  for (CallInst* assertion : asserts) {
    AllocaInst*& slot = lowest[assertion->getArgOperand(1)];
    if (!slot)
      slot = createVariable(loop, none, "lowest.failed");
    BasicBlock* failed = branchOnFailure(*assertion, loop);
    IRBuilder<> builder(failed->getTerminator());
    Value* known = builder.CreateLoad(rank_type, slot);
    builder.CreateStore(builder.CreateBinaryIntrinsic(Intrinsic::umin, known, rank), slot);
    assertion->eraseFromParent();
  }
  for (auto& [site, slot] : lowest) {
    IRBuilder<> builder(runAfterLoop(loop, slot, none)->getTerminator());
    reportAssert(builder, loop, builder.CreateLoad(rank_type, slot), site);
  }
}

void lowerPrint(CallInst& print, RankLoop& loop) {
  IRBuilder<> entry(loop.entry, loop.entry->begin());
  unsigned count = print.arg_size() - 1;
  auto* array = ArrayType::get(entry.getInt64Ty(), count);
  Value* slots = entry.CreateAlloca(array, nullptr, "print.slots");
  IRBuilder<> builder(&print);
  for (unsigned i = 0; i != count; ++i)
    builder.CreateStore(print.getArgOperand(i + 1), builder.CreateConstInBoundsGEP2_64(array, slots, 0, i));
  auto* type =
      FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getInt32Ty(), builder.getPtrTy()}, false);
  FunctionCallee callee = loop.function->getParent()->getOrInsertFunction(kPrintFunction, type);
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  builder.CreateCall(callee, {print.getArgOperand(0), builder.getInt32(count), slots});
  print.eraseFromParent();
}

} // namespace

void reportFailure(IRBuilder<>& builder, Value* launch, uint32_t kind, Value* rank, Value* site) {
  auto* pointer = builder.getPtrTy();
  auto* type =
      FunctionType::get(builder.getVoidTy(), {pointer, builder.getInt32Ty(), builder.getInt64Ty(), pointer}, false);
  Module& module = *builder.GetInsertBlock()->getModule();
  FunctionCallee fail = module.getOrInsertFunction(kFailFunction, type);
  auto* callee = cast<Function>(fail.getCallee());
  callee->setDoesNotThrow();
  callee->addFnAttr(Attribute::Cold);
  builder.CreateCall(fail, {launch, builder.getInt32(kind), rank, site});
}

void lowerDeviceCalls(RankLoop& loop, ArrayRef<BasicBlock*> blocks, AssertMode mode) {
  DeviceCalls calls;
  for (BasicBlock* block : blocks)
    find(calls, *block);
  for (CallInst* rank : calls.ranks) {
    rank->replaceAllUsesWith(loop.rank);
    rank->eraseFromParent();
  }
  for (CallInst* print : calls.prints)
    lowerPrint(*print, loop);
  // from the end: a split moves the code behind it, and that is little then
  for (CallInst* check : reverse(calls.checks))
    lowerCheck(*check, loop);
  if (calls.asserts.empty())
    return;
  bool defer = mode == AssertMode::Defer && calls.prints.empty() && calls.asserts.size() <= kMostDeferredAsserts;
  Instruction* listed = ir::listedRankIn(blocks);
  Value* rank = listed ? listed : loop.rank;
  if (defer)
    lowerToMinimum(calls.asserts, loop, rank);
  else
    lowerToCalls(calls.asserts, loop, rank);
}

} // namespace bsgp::target
