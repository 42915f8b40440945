// Splits a spawn into kernels (paper, 4.2 steps 3, 4 and 6).
//
// Requires: blocks that belong to one superstep each; the crossing values, with their streams.
// Ensures: for each superstep a function of one thread, with an argument for each plan::Param.
//
//   superstep 2 of the spawn:          define internal void @spawn.2(i32 %n, ptr noalias %t1, ptr noalias %t2) {
//     %e2 = barrier.reassign(1)          %rank = rank(0)
//     %r = rank(e2)                =>    %old = ... %rank ...
//     %old = ...                         %v = load t1[%old]      ; loads stand at oldrank, or at the beginning
//     oldrank(%old)                      use(%v)
//     use(%v)                            store %v, t2[%rank]     ; stores stand at the end
//     barrier(2)                         ret void }
#include "bsp/kernels.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "bsp/kernel_params.h"
#include "bsp/param_access.h"
#include "bsp/region.h"
#include "bsp/stream_access.h"
#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::bsp {

using namespace llvm;
using namespace llvm::PatternMatch;
using ir::Op;
using ir::opOf;

namespace {

// True for operations that a kernel has no more, or gets at its beginning.
bool isDropped(const Instruction& instruction) {
  switch (opOf(instruction)) {
  case Op::Enter:
  case Op::Barrier:
  case Op::Reassign:
  case Op::Meet:
  case Op::Decide:
  case Op::Require:
  case Op::Snapshot:
  case Op::Rank:
  case Op::Size:
  case Op::Param:
    return true;
  default:
    return isa<AllocaInst>(instruction) || instruction.isLifetimeStartOrEnd();
  }
}

using Params = SmallPtrSet<const Value*, 4>;

// The parameters that instructions of the spawn append to.
Params appendedTo(const Function& spawn) {
  Params params;
  for (const Instruction& instruction : instructions(spawn))
    if (ir::appends(opOf(instruction)))
      params.insert(cast<CallInst>(instruction).getArgOperand(0));
  return params;
}

bool writesPrivateMemory(const Instruction& instruction) {
  auto* store = dyn_cast<StoreInst>(&instruction);
  return store && !store->isVolatile() && isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0));
}

class KernelBuilder {
public:
  KernelBuilder(Function& spawn, const ir::Freedom& freedom, const Crossing& crossing, const ir::Superstep& step,
                const Params& appended_to, plan::Plan& plan)
      : spawn_(spawn), plan_(plan), appended_to_(appended_to), freedom_(freedom), crossing_(crossing), step_(step),
        transfers_(crossing.step(step.number)), body_(createBody()), prologue_(createPrologue()),
        region_(step.blocks, exitOf(step), *body_, isDropped) {}

  // Adds the kernel to the plan, unless it does nothing that can be seen.
  void run() {
    if (step_.end)
      end_ = ReturnInst::Create(body_->getContext(), region_.exit());
    prologue_->getTerminator()->setSuccessor(0, region_.entry());
    createArrays();
    recompute(true, *prologue_->getTerminator());
    Instruction* loading = loadingPoint();
    loadValues(*loading);
    recompute(false, *loading);
    region_.connect([this](Instruction& value) { return outside(value); });
    copyArrays(transfers_.array_loads, Direction::FromStream, index(), *loading);
    for (auto [original, copy] : region_.instructions())
      lower(*original, *copy);
    if (end_)
      save();
    if (step_.oldrank)
      loading->eraseFromParent();
    return finish();
  }

private:
  // ---- frame

  Function* createBody() {
    Module& module = *spawn_.getParent();
    auto* type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
    std::string name = spawn_.getName().str() + "." + std::to_string(step_.number);
    auto* body = Function::Create(type, GlobalValue::InternalLinkage, name, module);
    body->addFnAttrs(AttrBuilder(module.getContext(), spawn_.getAttributes().getFnAttrs()));
    body->setDoesNotThrow();
    return body;
  }

  // It jumps to itself until the entry of the region is known.
  BasicBlock* createPrologue() {
    auto* block = BasicBlock::Create(body_->getContext(), "begin", body_);
    Builder builder(block);
    rank_type_ = builder.getIntNTy(plan_.rank_bits);
    FunctionCallee rank = ir::declare(*body_->getParent(), Op::Rank, rank_type_);
    rank_ = builder.CreateCall(rank, builder.getInt32(0), "rank");
    builder.CreateBr(block);
    return block;
  }

  static const BasicBlock* exitOf(const ir::Superstep& step) { return step.end ? step.end->getParent() : nullptr; }

  // ---- parameters

  Value* stream(const StoredCopy& saved) {
    return params_.get(plan::Param::Stream, saved.stream, PointerType::get(body_->getContext(), ir::kDeviceSpace),
                       "t" + std::to_string(saved.stream));
  }

  Value* size() { return params_.get(plan::Param::Size, 0, rank_type_, "size"); }
  Value* oldSize() { return params_.get(plan::Param::OldSize, 0, rank_type_, "oldsize"); }

  Value* frameSlot(const CallInst& param) {
    unsigned slot = ir::constantArgument(param, 0);
    BSGP_CHECK(slot < plan_.slots.size(), "%s reads slot %u of %zu", body_->getName().str().c_str(), slot,
               plan_.slots.size());
    auto kind = appended_to_.contains(&param) ? plan::Param::Append : plan::Param::Frame;
    return params_.get(kind, slot, param.getType(), plan_.slots[slot].name);
  }

  // ---- values from before

  // Returns rank, size and parameters, of this superstep or, after a reassignment, of the one before.
  Value* outside(Instruction& value) {
    if (ir::isHandle(value)) // an operand of a call that is lowered next
      return PoisonValue::get(value.getType());
    if (!ir::comesFromOutside(value) || !freedom_.freeIn(value, step_.number))
      return nullptr;
    if (opOf(value) == Op::Param)
      return frameSlot(cast<CallInst>(value));
    bool old = !freedom_.freeAtBeginning(value, step_.number);
    if (opOf(value) == Op::Rank)
      return old ? index() : rank_;
    return old ? oldSize() : size();
  }

  Value* valueOf(Value* original) {
    Value* known = region_.lookup(original);
    if (!known)
      known = outside(*cast<Instruction>(original));
    BSGP_CHECK(known, "%s has no copy in %s", displayName(*cast<Instruction>(original)).c_str(),
               body_->getName().str().c_str());
    return known;
  }

  // The number under which the thread finds its saved values.
  Value* index() { return step_.reassigned ? valueOf(step_.oldrank->getArgOperand(0)) : rank_; }

  Instruction* loadingPoint() {
    return step_.reassigned ? cast<Instruction>(region_.lookup(step_.oldrank)) : prologue_->getTerminator();
  }

  void createArrays() {
    Builder builder(prologue_, prologue_->begin());
    for (AllocaInst* array : arraysNamed()) {
      auto* copy = cast<AllocaInst>(array->clone());
      builder.Insert(copy, array->getName());
      region_.set(array, copy);
    }
  }

  // Returns the arrays that the superstep's code, its recomputed values or its transfers use.
  SmallSetVector<AllocaInst*, 8> arraysNamed() {
    SmallSetVector<AllocaInst*, 8> arrays;
    auto add = [&](const Instruction& instruction) {
      for (Value* operand : instruction.operands())
        if (auto* array = dyn_cast<AllocaInst>(operand))
          arrays.insert(array);
    };
    for (auto [original, copy] : region_.instructions())
      add(*original);
    for (Instruction* original : transfers_.recomputed)
      add(*original);
    for (const Transfer& transfer : transfers_.array_loads)
      arrays.insert(cast<AllocaInst>(transfer.value));
    return arrays;
  }

  // Recomputes the values that need no loads, at the beginning, or those that do.
  void recompute(bool at_beginning, Instruction& before) {
    for (Instruction* original : transfers_.recomputed)
      if (freedom_.freeAtBeginning(*original, step_.number) == at_beginning) {
        for (Value* operand : original->operands())
          if (auto* value = dyn_cast<Instruction>(operand);
              value && !region_.lookup(value) && ir::comesFromOutside(*value))
            region_.set(value, outside(*value));
        region_.recompute(*original, before);
      }
  }

  void loadValues(Instruction& before) {
    Builder builder(&before);
    for (const Transfer& transfer : transfers_.loads)
      region_.set(transfer.value,
                  transfer.reload ? reload(builder, transfer) : load(builder, *transfer.saved, index()));
  }

  Value* reload(Builder& builder, const Transfer& transfer) {
    Value* place = frameSlot(*transfer.reload->base);
    if (transfer.saved) {
      place = builder.CreateSelect(mayReload(*transfer.reload), place, stream(*transfer.saved));
      loaded_ += transfer.saved->bytes;
    }
    return loadElement(builder, place, rank_, transfer.value->getType(), transfer.value->getName());
  }

  // True (i1) if all writes between the two loads go somewhere else. It is the same in all supersteps.
  Value* mayReload(const Reload& reload) {
    Value*& known = may_reload_[&reload];
    if (known)
      return known;
    Builder builder(prologue_->getTerminator());
    Value* threads = builder.CreateZExt(size(), builder.getInt64Ty());
    auto address = [&](const CallInst& base) { return builder.CreatePtrToInt(frameSlot(base), builder.getInt64Ty()); };
    Value *begin = address(*reload.base), *length = builder.CreateMul(threads, builder.getInt64(reload.bytes));
    known = builder.getTrue();
    for (const WrittenRange& written : reload.written) {
      Value* elements = threads;
      if (written.divisor != 1)
        elements =
            builder.CreateAdd(builder.CreateUDiv(threads, builder.getInt64(written.divisor)), builder.getInt64(1));
      Value* at = address(*written.base);
      Value* before = builder.CreateICmpUGE(
          begin, builder.CreateAdd(at, builder.CreateMul(elements, builder.getInt64(written.bytes))));
      Value* fine = builder.CreateOr(before, builder.CreateICmpUGE(at, builder.CreateAdd(begin, length)));
      if (written.may_equal)
        fine = builder.CreateOr(fine, builder.CreateICmpEQ(at, begin));
      known = builder.CreateAnd(known, fine);
    }
    return known;
  }

  Value* load(Builder& builder, const StoredCopy& saved, Value* index) {
    loaded_ += saved.bytes;
    return loadElement(builder, stream(saved), index, saved.type, saved.what->getName());
  }

  // ---- communication

  void lower(Instruction& original, Instruction& copy) {
    auto* call = dyn_cast<CallInst>(&original);
    switch (opOf(original)) {
    case Op::Get:
      return replace(original, copy, get(*call, copy));
    case Op::PutLanded:
      return replace(original, copy, landed(*call, copy));
    case Op::PutValue: {
      Builder builder(&copy);
      return replace(original, copy,
                     load(builder, *crossing_.of_put_part.lookup(ir::constantArgument(*call, 1)), index()));
    }
    case Op::PutMark:
      return put(copy, *crossing_.of_put.lookup(ir::constantArgument(*call, 1)), ConstantInt::get(int8(), 1));
    case Op::Put:
      return put(copy, *crossing_.of_put_part.lookup(ir::constantArgument(*call, 1)), copy.getOperand(2));
    case Op::TileRank:
    case Op::TileSize:
    case Op::TileId: // no barrier is left that it must not pass
      return cast<CallInst>(copy).setMemoryEffects(MemoryEffects::none());
    default:
      return;
    }
  }

  Type* int8() { return Type::getInt8Ty(body_->getContext()); }

  void replace(Instruction& original, Instruction& copy, Value* value) {
    region_.set(&original, value);
    copy.replaceAllUsesWith(value);
    copy.eraseFromParent();
  }

  // A thread mostly asks for one that exists.
  MDNode* likely() { return MDBuilder(body_->getContext()).createLikelyBranchWeights(); }

  // A get from a thread that does not exist is zero, and reads nothing. The test stands around the load, not in its
  // index, so the index of neighbours grows linearly from thread to thread.
  Value* get(CallInst& original, Instruction& copy) {
    const StoredCopy* saved = crossing_.of_get.lookup(&original);
    const Reload* reload = crossing_.reload_of_get.lookup(&original);
    if (!saved && !reload)
      return valueOf(cast<CallInst>(original.getArgOperand(1))->getArgOperand(0));
    Builder builder(&copy);
    Value* rank = copy.getOperand(0);
    Value* there = isThere(builder, *rank);
    BasicBlock* before = copy.getParent();
    Instruction* reached = SplitBlockAndInsertIfThen(there, &copy, false, likely());
    builder.SetInsertPoint(reached);
    Value* loaded = saved ? load(builder, *saved, rank)
                          : loadElement(builder, frameSlot(*reload->base), rank, copy.getType(), original.getName());
    builder.SetInsertPoint(&copy);
    PHINode* value = builder.CreatePHI(loaded->getType(), 2);
    value->addIncoming(loaded, reached->getParent());
    value->addIncoming(Constant::getNullValue(loaded->getType()), before);
    return value;
  }

  // A thread whose rank is lower by a constant exists if that rank is not negative: the size is not compared.
  Value* isThere(Builder& builder, Value& rank) {
    const APInt* distance;
    if (!step_.reassigned && match(&rank, m_Sub(m_Specific(rank_), m_APInt(distance))) &&
        distance->isStrictlyPositive())
      return builder.CreateICmpUGE(rank_, ConstantInt::get(rank.getType(), *distance));
    return builder.CreateICmpULT(&rank, step_.reassigned ? oldSize() : size());
  }

  Value* landed(CallInst& original, Instruction& copy) {
    Builder builder(&copy);
    Value* flag = load(builder, *crossing_.of_put.lookup(ir::constantArgument(original, 1)), index());
    return builder.CreateICmpNE(flag, ConstantInt::get(int8(), 0));
  }

  // A put to a thread that does not exist does nothing.
  void put(Instruction& copy, const StoredCopy& saved, Value* value) {
    Value* rank = copy.getOperand(0);
    Builder builder(&copy);
    Value* there = builder.CreateICmpULT(rank, size());
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(there, &copy, false, likely()));
    storeElement(builder, stream(saved), rank, value);
    stored_ += saved.bytes;
    copy.eraseFromParent();
  }

  // ---- end

  void copyArrays(ArrayRef<Transfer> transfers, Direction direction, Value* index, Instruction& before) {
    for (const Transfer& transfer : transfers) {
      bool in = direction == Direction::FromStream;
      Value* threads = in && step_.reassigned ? oldSize() : size();
      Value* array = region_.lookup(transfer.value);
      if (!array && !in) // all of it is undefined
        continue;
      copyArray(direction, *cast<AllocaInst>(array), stream(*transfer.saved), index, threads, before);
      (in ? loaded_ : stored_) += transfer.saved->bytes;
    }
  }

  void save() {
    for (const Transfer& transfer : transfers_.stores) {
      const StoredCopy& saved = *transfer.saved;
      Builder builder(end_);
      if (saved.reload)
        builder.SetInsertPoint(SplitBlockAndInsertIfThen(builder.CreateNot(mayReload(*saved.reload)), end_, false));
      storeElement(builder, stream(saved), rank_, valueOf(transfer.value));
      stored_ += saved.bytes;
    }
    copyArrays(transfers_.array_stores, Direction::ToStream, rank_, *end_);
  }

  bool doesSomething() const {
    for (BasicBlock& block : *body_)
      for (Instruction& instruction : block)
        if (instruction.mayHaveSideEffects() && !writesPrivateMemory(instruction))
          return true;
    return false;
  }

  void finish() {
    if (rank_->use_empty())
      rank_->eraseFromParent();
    if (!doesSomething())
      return body_->eraseFromParent();
    plan::Kernel kernel;
    kernel.superstep = step_.number;
    kernel.loaded = loaded_;
    kernel.stored = stored_;
    Function* made = params_.addTo(body_, kernel.params);
    findAccesses(*made, kernel.params);
    kernel.symbol = made->getName().str();
    plan_.kernels.push_back(std::move(kernel));
  }

  Function& spawn_;
  plan::Plan& plan_;
  const Params& appended_to_;
  const ir::Freedom& freedom_;
  const Crossing& crossing_;
  const ir::Superstep& step_;
  const StepTransfers& transfers_;
  CallInst* rank_ = nullptr; // the two are set while the prologue is made
  IntegerType* rank_type_ = nullptr;
  KernelParams params_;
  Function* body_;
  BasicBlock* prologue_;
  RegionCopy region_;
  DenseMap<const Reload*, Value*> may_reload_;
  ReturnInst* end_ = nullptr; // at the barrier; null in the last superstep
  uint32_t loaded_ = 0, stored_ = 0;
};

} // namespace

void makeKernels(Function& spawn, const ir::Supersteps& steps, const ir::Freedom& freedom, const Crossing& crossing,
                 plan::Plan& plan) {
  Params appended_to = appendedTo(spawn);
  for (const ir::Superstep& step : steps.all())
    if (!step.blocks.empty())
      KernelBuilder(spawn, freedom, crossing, step, appended_to, plan).run();
}

} // namespace bsgp::bsp
