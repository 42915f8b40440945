// A fixed point from below: values begin as unknown and only ever become less regular.
//
// No_wrap matters where an index is made wider. It says nothing of lanes that do not run, and of the scalar, which is
// the first lane's, only that running lanes' values are it and multiples of the stride, modulo the type's size: what is
// made wider is not just that scalar (LaneBody::widened).
#include "target/cpu/vectorize/lane_shapes.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Operator.h>

#include "target/cpu/vectorize/lane_votes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

uint64_t multipleOf(const Value* value) {
  auto* constant = dyn_cast<ConstantInt>(value);
  return constant ? largestPowerIn(constant->getLimitedValue()) : 1;
}

// The shape of a phi of two values, where all lanes take the same one.
LaneShape join(LaneShape a, LaneShape b) {
  if (a.kind == LaneShape::Unknown)
    return b;
  if (b.kind == LaneShape::Unknown)
    return a;
  if (a.kind != b.kind || a.stride != b.stride)
    return LaneShape::varying();
  return {a.kind, a.no_wrap && b.no_wrap, a.stride, std::min(a.multiple, b.multiple)};
}

} // namespace

LaneShapes::LaneShapes(const LaneLoop& lanes, Divergence& flow, const PrivateArrays& arrays, unsigned width,
                       Assume assume)
    : lanes_(lanes), flow_(flow), arrays_(arrays), width_(width), layout_(lanes.header->getDataLayout()) {
  for (const LaneCounter& counter : lanes.counters)
    shapes_[counter.phi] = LaneShape::linear(
        counter.step, std::min(counter.multiple, largestPowerIn(counter.step * width)), counter.no_wrap);
  if (assume != Assume::Nothing)
    this->assume(assume);
  solve();
}

LaneShape LaneShapes::of(const Value* value) const {
  if (const PrivateArray* array = arrays_.sideBySide(value))
    return LaneShape::linear(alignTo(array->bytes, 8), 1, true);
  if (!lanes_.contains(value)) {
    LaneShape shape = LaneShape::uniform();
    shape.multiple = multipleOf(value);
    return shape;
  }
  return shapes_.lookup(value);
}

void LaneShapes::solve() {
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : flow_.order()) {
      for (Instruction& instruction : *block)
        if (!lanes_.counter(&instruction) && !assumed_.contains(&instruction))
          changed |= update(instruction);
      auto* branch = llvm::cast<BranchInst>(block->getTerminator());
      bool parts = block != lanes_.latch && branch->isConditional() &&
                   branch->getSuccessor(0) != branch->getSuccessor(1) &&
                   of(branch->getCondition()).kind > LaneShape::Uniform;
      if (parts)
        changed |= flow_.part(block);
    }
  }
}

bool LaneShapes::update(Instruction& instruction) {
  if (instruction.getType()->isVoidTy())
    return false;
  LaneShape before = shapes_.lookup(&instruction);
  if (before.kind == LaneShape::Varying)
    return false;
  LaneShape after = compute(instruction);
  if (after.kind < before.kind ||
      (before.kind == LaneShape::Linear && after.kind == before.kind && after.stride != before.stride))
    after = before.kind == LaneShape::Unknown ? after : LaneShape::varying(); // never more regular: so the search ends
  if (after == before)
    return false;
  if (before.kind != LaneShape::Unknown) { // nor with more of what is known beside the kind
    after.no_wrap &= before.no_wrap;
    after.multiple = std::min(after.multiple, before.multiple);
    if (after == before)
      return false;
  }
  shapes_[&instruction] = after;
  return true;
}

bool LaneShapes::areUniform(const User& user) const {
  return all_of(user.operands(), [this](const Use& use) { return isa<BasicBlock>(use) || isUniform(use); });
}

bool LaneShapes::anyUnknown(const User& user) const {
  return any_of(user.operands(), [this](const Use& use) { return of(use).kind == LaneShape::Unknown; });
}

LaneShape LaneShapes::compute(const Instruction& instruction) const {
  if (auto* phi = dyn_cast<PHINode>(&instruction))
    return this->phi(*phi);
  if (voteOf(instruction) == LaneVote::Count)
    return LaneShape::uniform();
  if (anyUnknown(instruction))
    return {};
  if (auto* operation = dyn_cast<BinaryOperator>(&instruction))
    return binary(*operation);
  if (auto* conversion = dyn_cast<CastInst>(&instruction))
    return cast(*conversion);
  if (auto* gep = dyn_cast<GetElementPtrInst>(&instruction))
    return address(*gep);
  if (auto* call = dyn_cast<CallInst>(&instruction))
    return this->call(*call);
  if (auto* choice = dyn_cast<SelectInst>(&instruction); choice && isUniform(choice->getCondition()))
    return join(of(choice->getTrueValue()), of(choice->getFalseValue()));
  if (isa<FreezeInst>(instruction))
    return of(instruction.getOperand(0));
  if (auto* compare = dyn_cast<ICmpInst>(&instruction); compare && isSameSide(*compare))
    return LaneShape::uniform();
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && isUniform(load->getPointerOperand()) && !arrays_.interleaved(load->getPointerOperand())
               ? LaneShape::uniform()
               : LaneShape::varying();
  bool pure = !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects();
  return pure && areUniform(instruction) ? LaneShape::uniform() : LaneShape::varying();
}

LaneShape LaneShapes::phi(const PHINode& phi) const {
  const BasicBlock* block = phi.getParent();
  LaneShape shape;
  for (const Use& use : phi.incoming_values())
    shape = join(shape, of(use));
  if (shape.kind == LaneShape::Unknown || !flow_.meet(block))
    return shape;
  bool same = all_of(phi.incoming_values(), [&](const Use& use) { return use == phi.getIncomingValue(0); });
  bool in_time = false;
  for (const Loop* left = flow_.loops().getLoopFor(phi.getIncomingBlock(0)); !left->contains(block);
       left = left->getParentLoop())
    in_time |= flow_.isDivergent(left) && !left->isLoopInvariant(phi.getIncomingValue(0));
  return same && !in_time ? shape : LaneShape::varying();
}

LaneShape LaneShapes::call(const CallInst& call) const {
  bool pure = call.doesNotAccessMemory() && !call.mayHaveSideEffects() && !call.isConvergent();
  return pure && areUniform(call) ? LaneShape::uniform() : LaneShape::varying();
}

} // namespace bsgp::target
