// Stands right before the loop vectorizer, when private arrays are in registers where they can be.
//
// If two threads touch one location in one superstep, and one of them writes, they race, and a race is undefined: so
// no access of one iteration of the rank loop depends on another iteration's, whatever the pointers are.
// `llvm.loop.parallel_accesses` says that, and scatters, gathers and in-place updates vectorize without checks of
// pointers at run time.
//
// Not marked: atomic and volatile accesses, and private memory (every iteration of the loop uses the same).
//
// LLVM takes as many lanes as a register holds of the widest element. Accesses that the machine has no instruction
// for are taken apart into one for each lane, and their scheduling takes time that grows with the square of their
// number. A loop with too many of them is left to the vectorizer of whole functions, which has fewer lanes, or stays
// scalar. So is a loop that does little more than fill records of more narrow fields than a vector with gaps may
// have, or has so many accesses that pairs of them are not compared.
//
// Within one iteration order still counts, and LLVM 19 forgets that in a loop so marked: it joins strided accesses to
// wide ones and moves them over accesses in between that may be to the same place (`x[2*i+1] = y[2*i] + 1; z =
// y[2*i+1]` with x == y). A loop in which that can happen is left unmarked.
#include "target/cpu/ranks/parallel_accesses.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "ir/operations.h"
#include "target/cpu/ranks/rank_loop.h"
#include "target/cpu/ranks/single_lanes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Accesses of a loop: pairs of them are compared, by the search for hazards here and for dependences in LLVM.
constexpr unsigned kMostAccesses = 200;
constexpr unsigned kMostQuestions = 20000; // to LLVM's alias analysis

struct Access {
  Instruction* instruction;
  const SCEV* start = nullptr; // of a strided access: the address in the first iteration, and the bytes per iteration
  int64_t stride = 0;
  bool writes() const { return isa<StoreInst>(instruction); }
};

bool isPrivate(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, 0);
  if (isa<Argument>(object) || isa<GlobalVariable>(object))
    return false;
  if (auto* array = dyn_cast<Instruction>(object); array && array->hasMetadata(kLanes))
    return false;
  if (isa<AllocaInst>(object))
    return true;
  return pointer->getType()->getPointerAddressSpace() != ir::kDeviceSpace;
}

bool mayTouchMemory(const Instruction& instruction) {
  return instruction.mayReadOrWriteMemory() && !instruction.isLifetimeStartOrEnd();
}

bool isIndependent(const Instruction& instruction) {
  const Value* pointer = getLoadStorePointerOperand(&instruction);
  if (!pointer)
    return false;
  auto* load = dyn_cast<LoadInst>(&instruction);
  bool simple = load ? load->isSimple() : cast<StoreInst>(instruction).isSimple();
  return simple && !isPrivate(pointer);
}

// Fills in stride and start if the address is an affine function of the iteration that moves by more than the
// access's size.
void findStride(Access& access, Loop& loop, ScalarEvolution& evolution) {
  Value* pointer = getLoadStorePointerOperand(access.instruction);
  auto* address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(pointer));
  if (!address || address->getLoop() != &loop || !address->isAffine())
    return;
  auto* step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution));
  if (!step || step->getAPInt().getSignificantBits() > 32)
    return;
  access.stride = step->getAPInt().getSExtValue();
  if (std::abs(access.stride) > sizeOfAccess(*access.instruction))
    access.start = address->getStart();
}

// All accesses of the loop, in the order in which the vectorizer sees them; nullopt if one of them is none that threads
// make independently (private memory, atomics). Those behind the first kMostAccesses + 1 are left out.
std::optional<SmallVector<Access, 16>> independentAccesses(Loop& loop, LoopInfo& loops, ScalarEvolution& evolution) {
  SmallVector<Access, 16> accesses;
  LoopBlocksRPO order(&loop);
  order.perform(&loops);
  for (BasicBlock* block : order)
    for (Instruction& instruction : *block) {
      if (!mayTouchMemory(instruction))
        continue;
      if (!isIndependent(instruction))
        return std::nullopt;
      accesses.push_back({&instruction});
      if (accesses.size() > kMostAccesses)
        return accesses;
      findStride(accesses.back(), loop, evolution);
    }
  return accesses;
}

// Could the vectorizer join these two to one wide access?
bool mayJoin(const Access& first, const Access& second, ScalarEvolution& evolution) {
  if (!first.start || !second.start || first.writes() != second.writes() || first.stride != second.stride)
    return false;
  auto* distance = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(second.start, first.start));
  return distance && distance->getAPInt().abs().ult(std::abs(first.stride));
}

// Looks for pairs that LLVM would join although an access stands between them that must keep its place (see the top).
class Hazards {
public:
  Hazards(ArrayRef<Access> accesses, ScalarEvolution& evolution, AAResults& aliases)
      : accesses_(accesses), evolution_(evolution), aliases_(aliases) {}

  // True if there is one, and also if it would take too long to tell.
  bool any() {
    for (unsigned last = 0; last < accesses_.size(); ++last)
      for (unsigned first = 0; first < last; ++first)
        if (mayJoin(accesses_[first], accesses_[last], evolution_) && joiningCrosses(first, last))
          return true;
    return false;
  }

private:
  // Joined stores stand where the last one was, joined loads where the first one was: does anything between conflict
  // with the one that moves?
  bool joiningCrosses(unsigned first, unsigned last) {
    const Access& moved = accesses_[accesses_[first].writes() ? first : last];
    for (unsigned i = first + 1; i < last; ++i)
      if (conflicts(moved, accesses_[i]))
        return true;
    return false;
  }

  bool conflicts(const Access& moved, const Access& crossed) {
    if (!moved.writes() && !crossed.writes())
      return false;
    return ++questions_ > kMostQuestions ||
           !aliases_.isNoAlias(MemoryLocation::get(moved.instruction), MemoryLocation::get(crossed.instruction));
  }

  ArrayRef<Access> accesses_;
  ScalarEvolution& evolution_;
  AAResults& aliases_;
  unsigned questions_ = 0;
};

bool hasTooManyPieces(ArrayRef<Access> accesses, const TargetTransformInfo& machine) {
  uint64_t apart = 0, widest = 1;
  for (const Access& access : accesses) {
    apart += access.start && isTakenApart(*access.instruction, access.stride);
    widest = std::max<uint64_t>(widest, getLoadStoreType(access.instruction)->getScalarSizeInBits() / 8);
  }
  uint64_t bits = machine.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return apart * (bits / 8 / widest) > kMostPieces;
}

// By LLVM's costs, without loads, stores and their addresses.
InstructionCost costOfArithmetic(const Loop& loop, const TargetTransformInfo& machine) {
  InstructionCost cost = 0;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block)
      if (!isa<LoadInst, StoreInst, GetElementPtrInst, PHINode>(instruction) && !instruction.isTerminator())
        cost += machine.getInstructionCost(&instruction, TargetTransformInfo::TCK_RecipThroughput);
  return cost;
}

// Lanes save arithmetic, and pay two instructions for each field of each thread.
bool fillsLongRecords(const Loop& loop, ArrayRef<Access> accesses, const TargetTransformInfo& machine) {
  constexpr unsigned kArithmeticOfField = 3;
  DenseMap<const Instruction*, int64_t> strides;
  for (const Access& access : accesses)
    strides[access.instruction] = access.start ? access.stride : 0;
  unsigned fields = 0;
  for (BasicBlock* block : loop.blocks())
    fields += fieldsInARow(*block, [&](const StoreInst& store) { return strides.lookup(&store); });
  return fields >= kMostJoined && costOfArithmetic(loop, machine) <= kArithmeticOfField * fields;
}

bool isLeftAlone(const Loop& loop, ArrayRef<Access> accesses, const TargetTransformInfo& machine) {
  return accesses.size() > kMostAccesses || hasTooManyPieces(accesses, machine) ||
         fillsLongRecords(loop, accesses, machine);
}

void mark(Loop& loop, ArrayRef<Access> accesses) {
  LLVMContext& context = loop.getHeader()->getContext();
  MDNode* group = MDNode::getDistinct(context, {});
  for (const Access& access : accesses)
    access.instruction->setMetadata(LLVMContext::MD_access_group, group);
  SmallVector<Metadata*, 4> properties{nullptr};
  if (MDNode* known = loop.getLoopID())
    append_range(properties, drop_begin(known->operands()));
  properties.push_back(MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), group}));
  MDNode* id = MDNode::getDistinct(context, properties);
  id->replaceOperandWith(0, id);
  loop.setLoopID(id);
}

} // namespace

SmallVector<Loop*, 8> loopsOverThreads(const Function& function, LoopInfo& loops) {
  if (function.hasFnAttribute(kVectorizedAttribute))
    return {};
  if (!function.hasFnAttribute(kBlockByBlockAttribute))
    return SmallVector<Loop*, 8>(loops.begin(), loops.end());
  SmallVector<Loop*, 8> found;
  auto is_over_lanes = [](Loop* loop) { return findOptionMDForLoop(loop, kLanes) != nullptr; };
  for (Loop* loop : loops.getLoopsInPreorder()) // LLVM may copy the property to a loop around
    if (is_over_lanes(loop) && none_of(drop_begin(loop->getLoopsInPreorder()), is_over_lanes))
      found.push_back(loop);
  return found;
}

MDNode* loopOverThreads(LLVMContext& context, const char* property) {
  SmallVector<Metadata*, 4> properties{nullptr};
  for (const char* name : {kLanes, "llvm.loop.unroll.disable", property})
    if (name)
      properties.push_back(MDNode::get(context, MDString::get(context, name)));
  MDNode* id = MDNode::getDistinct(context, properties);
  id->replaceOperandWith(0, id);
  return id;
}

PreservedAnalyses ParallelAccessesPass::run(Function& function, FunctionAnalysisManager& analyses) {
  LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  ScalarEvolution& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  AAResults& aliases = analyses.getResult<AAManager>(function);
  const TargetTransformInfo& machine = analyses.getResult<TargetIRAnalysis>(function);
  for (Loop* loop : loopsOverThreads(function, loops)) {
    if (!loop->isInnermost())
      continue;
    auto accesses = independentAccesses(*loop, loops, evolution);
    if (accesses && isLeftAlone(*loop, *accesses, machine))
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    else if (accesses && !accesses->empty() && !Hazards(*accesses, evolution, aliases).any())
      mark(*loop, *accesses);
  }
  return PreservedAnalyses::all();
}

} // namespace bsgp::target
