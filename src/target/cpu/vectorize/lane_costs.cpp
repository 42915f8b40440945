#include "target/cpu/vectorize/lane_costs.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/ProfDataUtils.h>

#include <cmath>

#include "ir/operations.h"
#include "target/cpu/calls/device_calls.h"
#include "target/cpu/ranks/single_lanes.h"
#include "target/cpu/vectorize/lane_votes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kSerial = 40, kGather = 10, kWay = 2, kDivision = 8, kBranchAround = 4;
// a load where most vectors have one choice, which is tested each time (loadTogether)
constexpr unsigned kTogether = 4;
constexpr unsigned kParting = 2,
                   kMaskedStore = 4; // the store: 1 with masks of the machine, 10 and more on some without
// an atomic operation, of a lane as of a thread: the code around it makes no difference
constexpr unsigned kLocked = 20;
constexpr unsigned kPacked = 8;     // lanes that are packed, side by side to memory
constexpr unsigned kTakenApart = 6; // an atomic load or store of a lane: its place and its value move to and fro

constexpr unsigned kChains = 8;           // as many keep two units busy whose results take four cycles
constexpr unsigned kMostSideBySide = 40;  // instructions; more would need too many registers
constexpr unsigned kMostOfDivergent = 80; // of a loop that lanes leave: its masks wait for each other besides
constexpr unsigned kShared = 8, kMostKept = 4;
constexpr double kTurns = 8; // iterations of a loop in a thread

bool isLocked(const Instruction& instruction) {
  return isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction);
}

unsigned costOfOne(const Instruction& instruction) {
  if (isIgnored(instruction) || isa<PHINode, GetElementPtrInst, CastInst>(instruction))
    return 0;
  if (auto* operation = dyn_cast<BinaryOperator>(&instruction))
    return operation->isIntDivRem() ? kDivision : instruction.getOpcode() == Instruction::FDiv ? kDivision / 2 : 1;
  if (isLocked(instruction))
    return kLocked;
  return isOneByOne(instruction) && !instruction.isAtomic() ? 5 : 1;
}

// True if the block calls the runtime for a check that found an error, which hardly ever happens.
bool isSeldom(const BasicBlock& block) {
  constexpr uint32_t kSeldom = 1000;
  const BasicBlock* before = block.getSinglePredecessor();
  SmallVector<uint32_t, 2> weights;
  if (!before || !extractBranchWeights(*before->getTerminator(), weights) || weights.size() != 2 ||
      none_of(block, callsChecks))
    return false;
  unsigned side = before->getTerminator()->getSuccessor(1) == &block;
  return weights[1 - side] / kSeldom > weights[side];
}

double sum(const LaneLoop& lanes, const LaneShapes& shapes, function_ref<unsigned(const Instruction&)> cost) {
  double sum = 0;
  for (BasicBlock* block : lanes.loop->blocks()) {
    if (isSeldom(*block))
      continue;
    unsigned depth = shapes.flow().loops().getLoopDepth(block) - lanes.loop->getLoopDepth();
    double weight = std::pow(kTurns, std::min(depth, 4u));
    for (Instruction& instruction : *block)
      sum += weight * cost(instruction);
  }
  return sum;
}

// The loop in which a thread spends its time, for several vectors side by side.
struct Chains {
  unsigned carried = 0; // values that a thread carries from iteration to iteration; 0: the loop waits for memory
  bool divergent = false;
};

// Nullopt if several vectors side by side do not pay: lanes run one by one, there is too much to do for a few registers,
// or lanes diverge and would wait for more of others: in a loop inside a divergent one, and where each reads a place of
// its own.
std::optional<Chains> chainsOf(const Loop& loop, const LaneLoop& lanes, const LaneShapes& shapes) {
  Chains chains;
  unsigned work = 0;
  bool gathers = false;
  for (BasicBlock* block : loop.blocks()) {
    chains.divergent |= shapes.flow().parts(block);
    for (Instruction& instruction : *block) {
      if (isOneByOne(instruction))
        return std::nullopt;
      const Value* pointer = getLoadStorePointerOperand(&instruction);
      gathers |= pointer && shapes.isVarying(pointer);
      bool varying = !instruction.getType()->isVoidTy() && shapes.isVarying(&instruction);
      work += varying;
      chains.carried += varying && isa<PHINode>(instruction) && loop.getHeader() == block;
    }
  }
  if (chains.divergent && (gathers || loop.getParentLoop() != lanes.loop))
    return std::nullopt;
  if (gathers)
    return Chains{};
  return work > (chains.divergent ? kMostOfDivergent : kMostSideBySide) ? std::nullopt : std::optional(chains);
}

// True if code without loops loads much that is uniform, as weights are. Two vectors share those loads. No such value
// may live long, for registers' sake.
bool sharesLoads(const Loop& loop, const LaneShapes& shapes) {
  unsigned shared = 0, kept = 0;
  for (BasicBlock* block : loop.blocks()) {
    if (shapes.flow().parts(block))
      return false;
    for (Instruction& instruction : *block) {
      const Value* pointer = getLoadStorePointerOperand(&instruction);
      if (isOneByOne(instruction) || (pointer && shapes.isVarying(pointer)))
        return false;
      shared += isa<LoadInst>(instruction) && shapes.isUniform(pointer);
      kept += shapes.isVarying(&instruction) && !instruction.hasOneUse();
    }
  }
  return shared >= kShared && kept <= kMostKept;
}

// One operation does for all lanes at one place.
unsigned costOfAtomic(const Instruction& instruction, const LaneShapes& shapes) {
  unsigned cost = isLocked(instruction) ? kLocked : kTakenApart;
  if (isa<FenceInst>(instruction))
    return cost;
  const Value* place = instruction.getOperand(isa<StoreInst>(instruction) ? 1 : 0);
  return shapes.isUniform(place) && !isa<AtomicCmpXchgInst>(instruction) ? cost : cost * shapes.width();
}

unsigned costOfAccess(const Instruction& instruction, const LaneShapes& shapes) {
  auto* pointer = const_cast<Value*>(getLoadStorePointerOperand(&instruction));
  LaneShape shape = shapes.of(pointer);
  if (shape.kind == LaneShape::Linear && isTakenApart(instruction, shape.stride))
    return 2 * shapes.width(); // an access and a move for each lane
  if (shape.kind != LaneShape::Varying)
    return shape.kind == LaneShape::Uniform ? 1 : 2;
  bool asks = shapes.isInLoopOfThread(*instruction.getParent());
  size_t ways = isa<LoadInst>(instruction) ? shapes.waysTo(*pointer, sizeOfAccess(instruction), asks).size() : 0;
  if (ways && asks)
    return kTogether;
  return ways ? std::min<unsigned>(ways * kWay, kGather) : kGather;
}

// True if the machine has a single instruction for the access under a mask.
bool hasAccess(const Instruction& access, const LaneShapes& shapes, const PrivateArrays& arrays,
               const TargetTransformInfo& machine, unsigned width) {
  const Value* pointer = getLoadStorePointerOperand(&access);
  Type* type = getLoadStoreType(const_cast<Instruction*>(&access));
  LaneShape shape = shapes.of(pointer);
  bool load = isa<LoadInst>(access), interleaved = arrays.interleaved(pointer);
  if (access.isAtomic() || (shape.kind == LaneShape::Uniform && !interleaved))
    return true;
  if (!FixedVectorType::isValidElementType(type))
    return false;
  auto* vector = FixedVectorType::get(type, width);
  Align align = getLoadStoreAlignment(const_cast<Instruction*>(&access));
  if (interleaved || (shape.kind == LaneShape::Linear && std::abs(shape.stride) == sizeOfAccess(access)))
    return load ? machine.isLegalMaskedLoad(vector, align) : machine.isLegalMaskedStore(vector, align);
  return load ? machine.isLegalMaskedGather(vector, align) && !machine.forceScalarizeMaskedGather(vector, align)
              : machine.isLegalMaskedScatter(vector, align) && !machine.forceScalarizeMaskedScatter(vector, align);
}

} // namespace

double costOfMasks(const LaneLoop& lanes, const LaneShapes& shapes, function_ref<bool(const BasicBlock&)> is_partial) {
  return sum(lanes, shapes, [&](const Instruction& instruction) {
    const BasicBlock* block = instruction.getParent();
    if (instruction.isTerminator())
      return shapes.flow().parts(block) ? kParting : 0;
    if (isa<PHINode>(instruction))
      return shapes.flow().meet(block) && shapes.isVarying(&instruction) ? 1u : 0;
    if (!isa<LoadInst, StoreInst>(instruction) || !is_partial(*block))
      return 0u;
    bool side_by_side = shapes.of(getLoadStorePointerOperand(&instruction)).kind == LaneShape::Linear;
    return !side_by_side ? 0 : isa<StoreInst>(instruction) ? kMaskedStore : 1;
  });
}

double costOfMissing(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                     const TargetTransformInfo& machine, unsigned width) {
  return sum(lanes, shapes, [&](const Instruction& instruction) {
    bool access = isa<LoadInst, StoreInst>(instruction);
    return access && !hasAccess(instruction, shapes, arrays, machine, width) ? kBranchAround * width : 0;
  });
}

bool hasTooManyPieces(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays,
                      const TargetTransformInfo& machine, unsigned width) {
  unsigned pieces = 0;
  for (BasicBlock* block : lanes.loop->blocks())
    for (Instruction& instruction : *block)
      if (isa<LoadInst, StoreInst>(instruction) && !hasAccess(instruction, shapes, arrays, machine, width))
        pieces += width;
  return pieces > kMostPieces;
}

bool isIgnored(const Instruction& instruction) {
  auto* call = dyn_cast<IntrinsicInst>(&instruction);
  return call && (call->isLifetimeStartOrEnd() || call->isAssumeLikeIntrinsic());
}

bool isWidenedCall(const CallInst& call) {
  auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  return intrinsic && (isTriviallyVectorizable(intrinsic->getIntrinsicID()) || isa<WithOverflowInst>(intrinsic));
}

bool isOneByOne(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  return instruction.isAtomic() ||
         (call && !isWidenedCall(*call) && !isIgnored(*call) && voteOf(*call) == LaneVote::None);
}

unsigned costOfLanes(const Instruction& instruction, const LaneShapes& shapes) {
  if (isIgnored(instruction) || isa<PHINode, BranchInst>(instruction))
    return 0;
  if (instruction.isAtomic())
    return costOfAtomic(instruction, shapes);
  if (isa<LoadInst, StoreInst>(instruction))
    return costOfAccess(instruction, shapes);
  if (ir::opOf(instruction) == ir::Op::Append)
    return kPacked;
  if (instruction.getType()->isVoidTy())
    return kSerial;
  if (shapes.of(&instruction).kind < LaneShape::Varying)
    return isa<GetElementPtrInst>(instruction) ? 0 : 1;
  if (auto* call = dyn_cast<CallInst>(&instruction))
    return isWidenedCall(*call) ? 2 : kSerial;
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return 3 * kDivision;
  case Instruction::FDiv:
    return kDivision;
  case Instruction::GetElementPtr:
    return 0;
  case Instruction::ICmp:
  case Instruction::FCmp: // two vectors of 64 bits are compared, and the results joined
    return instruction.getOperand(0)->getType()->getScalarSizeInBits() > 32 ? 3 : 1;
  default:
    return instruction.getType()->getScalarSizeInBits() > 32 ? 2 : 1;
  }
}

double costOfTurn(const LaneLoop& lanes, const LaneShapes& shapes) {
  return sum(lanes, shapes, [&](const Instruction& instruction) { return costOfLanes(instruction, shapes); });
}

bool isMostlySerial(const LaneLoop& lanes, const LaneShapes& shapes) {
  double serial = sum(lanes, shapes, [&](const Instruction& instruction) {
    return isOneByOne(instruction) ? costOfLanes(instruction, shapes) : 0;
  });
  return 2 * serial > costOfTurn(lanes, shapes);
}

double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes) {
  constexpr double kSavedInARow = 0.75; // of a store: some of them become one instruction
  double in_a_row = 0;
  for (BasicBlock* block : lanes.loop->blocks())
    in_a_row += fieldsInARow(*block, [&](const StoreInst& store) {
      LaneShape shape = shapes.of(const_cast<Value*>(store.getPointerOperand()));
      return shape.kind == LaneShape::Linear ? shape.stride : 0;
    });
  return sum(lanes, shapes, costOfOne) - kSavedInARow * in_a_row;
}

double costOfThread(const LaneLoop& lanes, const LaneShapes& shapes, function_ref<bool(const Instruction&)> part) {
  return sum(lanes, shapes,
             [&](const Instruction& instruction) { return part(instruction) ? costOfOne(instruction) : 0; });
}

unsigned chainsAtOnce(const LaneLoop& lanes, const LaneShapes& shapes) {
  if (lanes.loop->isInnermost())
    return sharesLoads(*lanes.loop, shapes) ? 2 : 1;
  unsigned chains = 0;
  bool divergent = false;
  for (Loop* loop : lanes.loop->getLoopsInPreorder()) {
    if (loop == lanes.loop || !loop->isInnermost())
      continue;
    auto found = chainsOf(*loop, lanes, shapes);
    if (!found)
      return 1;
    chains = std::max(chains, found->carried);
    divergent |= found->divergent;
  }
  if (!chains || chains * 2 > kChains)
    return 1;
  return chains * 4 > kChains || divergent || !shapes.assumptions().empty() ? 2 : 4;
}

bool isRiskyForNone(const Instruction& instruction, const LaneShapes& shapes, const PrivateArrays& arrays) {
  if (isIgnored(instruction) || isa<PHINode, BranchInst>(instruction))
    return false;
  if (const Value* pointer = getLoadStorePointerOperand(&instruction))
    return shapes.isUniform(pointer) && !arrays.interleaved(pointer);
  bool scalar = !instruction.getType()->isVoidTy() && shapes.of(&instruction).kind < LaneShape::Varying;
  return scalar && !isSafeToSpeculativelyExecute(&instruction);
}

} // namespace bsgp::target
