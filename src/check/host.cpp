// Host code is no kernel, so the checks that kernels lower with the loop over ranks are lowered here.
//
//   check.value(bad, k, v, _, s)    =>    br bad, report, rest;  report: bsgp_rt_check_host_value(call, k, v, s); br rest
//   %q = check.access(p, base, s)   =>    br inside, rest, ask
//                                         ask: %a = bsgp_rt_check_host_access(call, p, base, s, known); br rest
//                                         rest: %q = phi [p, ..], [%a, ask]
//
// `known` is a variable of the function, one for each base: the place of its memory, and the bits of its written
// bytes. The runtime sets it. An array whose extent the program shows needs none.
#include "check/host.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/check_code.h"
#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::check {

using namespace llvm;
using ir::Op;

namespace {

constexpr unsigned kMostKnown = 32, kDeep = 4; // bases of a function; loops in each other that make a difference

enum Field : unsigned { Base, Begin, Bytes, FollowedBytes, Written, Counter, Generation }; // bsgp_check_known

class HostChecks {
public:
  HostChecks(Function& function, Sites& sites)
      : function_(function), sites_(sites), builder_(function.getContext()), word_(builder_.getInt64Ty()) {
    Type* pointer = builder_.getPtrTy();
    known_type_ = StructType::get(function.getContext(), {word_, word_, word_, word_, pointer, pointer, word_});
  }

  // Chooses the bases that get a `known`: those of several accesses, above all in loops.
  void chooseBases(ArrayRef<CallInst*> checks) {
    DominatorTree dominators(function_);
    LoopInfo loops(dominators);
    MapVector<Value*, uint64_t> uses;
    for (CallInst* check : checks)
      if (ir::opOf(*check) == Op::CheckAccess &&
          sites_.at(cast<Constant>(check->getArgOperand(2))).space == BSGP_MEMORY_HOST)
        uses[check->getArgOperand(1)] += uint64_t(1) << 8 * std::min(loops.getLoopDepth(check->getParent()), kDeep);
    SmallVector<std::pair<uint64_t, Value*>, 32> all;
    for (auto [base, weight] : uses)
      if (weight > 1)
        all.emplace_back(weight, base);
    llvm::stable_sort(all, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto [weight, base] : ArrayRef(all).take_front(kMostKnown))
      known_[base] = makeKnown();
  }

  void lower(CallInst& check) {
    builder_.SetInsertPoint(&check);
    switch (Op op = ir::opOf(check)) {
    case Op::CheckValue:
      lowerValue(check);
      break;
    case Op::CheckAccess:
      lowerAccess(check);
      break;
    case Op::CheckIsWritten:
      lowerIsWritten(check);
      break;
    default:
      BSGP_CHECK(op == Op::CheckSetWritten, "an operation that host code has not");
      lowerSetWritten(check);
    }
    check.eraseFromParent();
  }

private:
  CallInst* callRuntime(Op op, Type* result, ArrayRef<Value*> given) {
    SmallVector<Value*, 6> arguments{function_.getArg(0)};
    for (Value* value : given)
      arguments.push_back(value->getType()->isIntegerTy(1) ? builder_.CreateZExt(value, builder_.getInt32Ty()) : value);
    SmallVector<Type*, 6> types;
    for (Value* argument : arguments)
      types.push_back(argument->getType());
    FunctionCallee callee = function_.getParent()->getOrInsertFunction(ir::runtimeFunctionOf(op, true),
                                                                       FunctionType::get(result, types, false));
    CallInst* made = builder_.CreateCall(callee, arguments);
    made->setDoesNotThrow();
    return made;
  }

  // Branches to a block of its own if `hardly` holds: the builder stands there.
  void branchOff(Value* hardly, Instruction& before) {
    builder_.SetInsertPoint(SplitBlockAndInsertIfThen(hardly, &before, false, ir::unlikely(function_.getContext())));
  }

  // Behind that block: chooses `there` on the edge from it, else `usual`.
  Value* join(Value* usual, Value* there, Instruction& before) {
    BasicBlock* asked = builder_.GetInsertBlock();
    builder_.SetInsertPoint(&before);
    PHINode* chosen = builder_.CreatePHI(usual->getType(), 2);
    for (BasicBlock* from : predecessors(before.getParent()))
      chosen->addIncoming(from == asked ? there : usual, from);
    return chosen;
  }

  void lowerValue(CallInst& test) {
    branchOff(test.getArgOperand(0), test);
    callRuntime(Op::CheckValue, builder_.getVoidTy(),
                {test.getArgOperand(1), test.getArgOperand(2), test.getArgOperand(4)});
  }

  void lowerAccess(CallInst& check) {
    Value *address = check.getArgOperand(0), *base = check.getArgOperand(1);
    const Watched& watched = sites_.at(cast<Constant>(check.getArgOperand(2)));
    AllocaInst* known = watched.space == BSGP_MEMORY_HOST ? knownOf(base) : nullptr;
    if (Value* inside = isInside(address, base, watched, known))
      branchOff(builder_.CreateNot(inside), check);
    Value* none = ConstantPointerNull::get(builder_.getPtrTy());
    Value* asked =
        callRuntime(Op::CheckAccess, check.getType(), {address, base, check.getArgOperand(2), known ? known : none});
    check.replaceAllUsesWith(builder_.GetInsertBlock() == check.getParent() ? asked : join(address, asked, check));
  }

  // Null if neither the extent nor a `known` is there to compare with.
  Value* isInside(Value* address, Value* base, const Watched& watched, AllocaInst* known) {
    if (watched.align > 1 || (!known && !watched.extent))
      return nullptr;
    if (known)
      return isKnown(address, base, watched.bytes, known, Bytes);
    Value* offset = builder_.CreateSub(intOf(address), intOf(base));
    uint64_t places = watched.extent + 1 > watched.bytes ? watched.extent + 1 - watched.bytes : 0;
    return builder_.CreateICmpULT(offset, builder_.getInt64(places));
  }

  void lowerIsWritten(CallInst& check) {
    Value* is_set = isSet(check, check.getArgOperand(1));
    if (is_set)
      branchOff(builder_.CreateNot(is_set), check);
    SmallVector<Value*, 4> given(check.args());
    Value* asked = builder_.CreateIsNotNull(callRuntime(Op::CheckIsWritten, builder_.getInt32Ty(), given));
    check.replaceAllUsesWith(is_set ? join(builder_.getTrue(), asked, check) : asked);
  }

  void lowerSetWritten(CallInst& check) {
    if (Value* is_set = isSet(check, check.getArgOperand(2)))
      branchOff(builder_.CreateNot(builder_.CreateAnd(is_set, check.getArgOperand(1))), check);
    SmallVector<Value*, 4> given(check.args());
    callRuntime(Op::CheckSetWritten, builder_.getVoidTy(), given);
  }

  // True (i1) if all bytes of an access are known to be written; null if there is no `known` to look at.
  Value* isSet(CallInst& check, Value* site) {
    Value* address = check.getArgOperand(0);
    const Watched& watched = sites_.at(cast<Constant>(site));
    auto* access = dyn_cast<CallInst>(address);
    bool is_one = access && ir::opOf(*access) == Op::CheckAccess && watched.bytes <= ir::kMostBytes;
    AllocaInst* known = is_one && watched.space == BSGP_MEMORY_HOST ? knownOf(access->getArgOperand(1)) : nullptr;
    if (!known)
      return nullptr;
    Value* inside = isKnown(address, access->getArgOperand(1), watched.bytes, known, FollowedBytes);
    Value *bits = load(known, Written), *is_all = builder_.CreateIsNull(bits);
    Value* offset = builder_.CreateSub(intOf(address), load(known, Begin));
    Value* looks = builder_.CreateAnd(inside, builder_.CreateNot(is_all));
    Value* place = builder_.CreateGEP(builder_.getInt8Ty(), bits, builder_.CreateLShr(offset, 3));
    place = builder_.CreateSelect(looks, place, known);
    Value* are_set = ir::areSet(builder_, place, offset, watched.bytes);
    return builder_.CreateAnd(inside, builder_.CreateOr(is_all, are_set));
  }

  // ---- the cached knowledge of memory

  Value* intOf(Value* pointer) { return builder_.CreatePtrToInt(pointer, word_); }

  Value* load(AllocaInst* known, Field field) {
    Type* type = known_type_->getElementType(field);
    return builder_.CreateLoad(type, builder_.CreateStructGEP(known_type_, known, field));
  }

  // `bytes` at the address are among the first `room` of the memory of the base.
  Value* isKnown(Value* address, Value* base, uint64_t bytes, AllocaInst* known, Field room) {
    Value* is_base = builder_.CreateICmpEQ(load(known, Base), intOf(base));
    LoadInst* counter = builder_.CreateLoad(word_, load(known, Counter)); // other threads change it
    counter->setAtomic(AtomicOrdering::Monotonic);
    counter->setAlignment(Align(8));
    Value* current = builder_.CreateICmpEQ(counter, load(known, Generation));
    Value* offset = builder_.CreateSub(intOf(address), load(known, Begin));
    Value* places = builder_.CreateAdd(load(known, room), builder_.getInt64(1));
    places = builder_.CreateBinaryIntrinsic(Intrinsic::usub_sat, places, builder_.getInt64(bytes));
    return builder_.CreateAnd(builder_.CreateAnd(is_base, current), builder_.CreateICmpULT(offset, places));
  }

  // Null if the base has none.
  AllocaInst* knownOf(Value* base) const { return known_.lookup(base); }

  // Makes a `known` that begins empty.
  AllocaInst* makeKnown() {
    BasicBlock& entry = function_.getEntryBlock();
    IRBuilder<> begin(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    AllocaInst* made = IRBuilder<>(&entry, entry.begin()).CreateAlloca(known_type_, nullptr, "known");
    begin.CreateStore(Constant::getNullValue(known_type_), made);
    begin.CreateStore(begin.CreateStructGEP(known_type_, made, Generation),
                      begin.CreateStructGEP(known_type_, made, Counter));
    return made;
  }

  Function& function_;
  Sites& sites_;
  IRBuilder<> builder_;
  Type* const word_;
  StructType* known_type_;
  DenseMap<Value*, AllocaInst*> known_;
};

} // namespace

void finishHostCode(Function& function, Sites& sites) {
  SmallVector<CallInst*, 32> checks;
  for (Instruction& instruction : instructions(function)) {
    if (ir::isCheck(ir::opOf(instruction)))
      checks.push_back(cast<CallInst>(&instruction));
    if (!function.getSubprogram())
      instruction.setDebugLoc(DebugLoc());
  }
  HostChecks lowered(function, sites);
  lowered.chooseBases(checks);
  for (CallInst* check : reverse(checks)) // a block is cut from its end, so that its rest moves once
    lowered.lower(*check);
}

} // namespace bsgp::check
