#include "target/cpu/vectorize/lane_votes.h"

#include <llvm/IR/InstIterator.h>

#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr char kCount[] = "bsgp.lanes.count", kFeed[] = "bsgp.lanes.feed";

} // namespace

LaneVote voteOf(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee)
    return LaneVote::None;
  return callee->getName() == kCount ? LaneVote::Count : callee->getName() == kFeed ? LaneVote::Feed : LaneVote::None;
}

FunctionCallee declareVote(Module& module, LaneVote vote) {
  bool counts = vote == LaneVote::Count;
  LLVMContext& context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *argument = Type::getInt1Ty(context);
  if (!counts)
    argument = PointerType::get(context, 0);
  FunctionCallee made = module.getOrInsertFunction(counts ? kCount : kFeed, FunctionType::get(i32, {argument}, false));
  auto* function = cast<Function>(made.getCallee());
  function->setConvergent();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setMemoryEffects(counts ? MemoryEffects::none() : MemoryEffects::argMemOnly());
  return made;
}

void LaneBody::vote(CallInst& call, Value* mask) {
  Value* condition = call.getArgOperand(0);
  if (voteOf(call) == LaneVote::Count) {
    Value* bits = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bitsOf(both(mask, vector(condition))));
    scalars_[&call] = builder_.CreateZExtOrTrunc(bits, builder_.getInt32Ty());
    return;
  }
  // The number of a lane is how many lanes before it run.
  Value *place = scalar(condition), *bits = bitsOf(orAll(mask));
  Value* first = builder_.CreateLoad(builder_.getInt32Ty(), place, "next");
  Value* count =
      builder_.CreateZExtOrTrunc(builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), builder_.getInt32Ty());
  builder_.CreateStore(builder_.CreateAdd(first, count), place);
  scalars_[&call] = first;
  define(call, builder_.CreateAdd(builder_.CreateVectorSplat(width_, first), runningBefore(orAll(mask))));
}

// For each lane the number of lanes before it that run, i32.
Value* LaneBody::runningBefore(Value* mask) {
  auto* type = FixedVectorType::get(builder_.getInt32Ty(), width_);
  if (program_.mask_registers) { // the numbers 0, 1, 2, ... in the lanes that run
    auto* numbers = new GlobalVariable(*function_.getParent(), type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                       laneNumbers(builder_.getInt32Ty(), 1), "lane.numbers");
    return builder_.CreateIntrinsic(Intrinsic::masked_expandload, {type},
                                    {numbers, mask, Constant::getNullValue(type)});
  }
  // a sum over prefixes, by shifts of 1, 2, 4, ... lanes
  Value *ones = builder_.CreateZExt(mask, type), *zero = Constant::getNullValue(type), *sum = ones;
  for (unsigned by = 1; by < width_; by *= 2) {
    SmallVector<int, 64> from;
    for (unsigned lane = 0; lane != width_; ++lane)
      from.push_back(lane < by ? int(width_) : int(lane - by));
    sum = builder_.CreateAdd(sum, builder_.CreateShuffleVector(sum, zero, from));
  }
  return builder_.CreateSub(sum, ones);
}

// Loads elements whose numbers were fed to the lanes: they lie side by side. Null: the load is another, or the machine
// gathers them faster.
Value* LaneBody::fedElements(LoadInst& load, Value* mask) {
  auto* place = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
  if (!program_.mask_registers || !place || place->getNumIndices() != 1 ||
      !shapes_.isUniform(place->getPointerOperand()))
    return nullptr;
  Value* index = *place->idx_begin();
  if (auto* wide = dyn_cast<ZExtInst>(index))
    index = wide->getOperand(0);
  auto* feed = dyn_cast<CallInst>(index);
  TypeSize size = function_.getDataLayout().getTypeAllocSize(place->getSourceElementType());
  if (!feed || voteOf(*feed) != LaneVote::Feed || size != function_.getDataLayout().getTypeStoreSize(load.getType()))
    return nullptr;
  Value* first = builder_.CreateZExt(scalars_.lookup(feed), builder_.getInt64Ty());
  Value* from = builder_.CreateGEP(place->getSourceElementType(), scalar(place->getPointerOperand()), first);
  Type* type = widen(load.getType());
  return builder_.CreateIntrinsic(Intrinsic::masked_expandload, {type}, {from, orAll(mask), PoisonValue::get(type)});
}

PreservedAnalyses LowerVotesPass::run(Function& function, FunctionAnalysisManager&) {
  bool any = false;
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    LaneVote vote = voteOf(instruction);
    if (vote == LaneVote::None)
      continue;
    any = true;
    auto& call = cast<CallInst>(instruction);
    IRBuilder<> builder(&call);
    Value* operand = call.getArgOperand(0);
    Value* result;
    if (vote == LaneVote::Count) {
      result = builder.CreateZExt(operand, call.getType());
    } else {
      result = builder.CreateLoad(call.getType(), operand);
      builder.CreateStore(builder.CreateAdd(result, builder.getInt32(1)), operand);
    }
    call.replaceAllUsesWith(result);
    call.eraseFromParent();
  }
  return any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace bsgp::target
