// Requires: as SharedRegistersPass. Ensures: the accesses of the arrays it returns stand in one block each, unless a
// loop was not what it seemed; a caller that relies on it must check.
#include "target/cpu/passes/shared_unroll.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "target/cpu/ranks/parallel_accesses.h"

namespace bsgp::target {

using namespace llvm;

SmallVector<AllocaInst*, 8> sharedArrays(Function& function) {
  SmallVector<AllocaInst*, 8> arrays;
  for (Instruction& instruction : function.getEntryBlock())
    if (auto* array = dyn_cast<AllocaInst>(&instruction); array && array->hasMetadata(kLanes))
      arrays.push_back(array);
  return arrays;
}

std::optional<SmallVector<Instruction*, 32>> accessesOf(AllocaInst& array) {
  SmallVector<Instruction*, 32> accesses;
  SmallVector<Value*, 16> work{&array};
  while (!work.empty()) {
    Value* pointer = work.pop_back_val();
    for (User* user : pointer->users()) {
      auto* load = dyn_cast<LoadInst>(user);
      auto* store = dyn_cast<StoreInst>(user);
      if ((load && load->isSimple()) || (store && store->isSimple() && store->getValueOperand() != pointer))
        accesses.push_back(cast<Instruction>(user));
      else if (isa<GetElementPtrInst, AddrSpaceCastInst>(user) && user->getType()->isPointerTy())
        work.push_back(user);
      else
        return std::nullopt;
    }
  }
  return accesses;
}

namespace {

constexpr unsigned kMostTurns = 32;          // iterations of a loop: vectors of a block
constexpr unsigned kMostInstructions = 1500; // of all loops together, unrolled

class Unroller {
public:
  Unroller(Function& function, FunctionAnalysisManager& analyses)
      : function_(function), loops_(analyses.getResult<LoopAnalysis>(function)),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        assumptions_(analyses.getResult<AssumptionAnalysis>(function)),
        machine_(analyses.getResult<TargetIRAnalysis>(function)),
        remarks_(analyses.getResult<OptimizationRemarkEmitterAnalysis>(function)) {}

  // The arrays whose accesses now stand in one block each, if all went well.
  SmallVector<AllocaInst*, 8> run() {
    findChains();
    SmallVector<AllocaInst*, 8> arrays;
    for (AllocaInst* array : sharedArrays(function_))
      if (auto accesses = accessesOf(*array); accesses && !accesses->empty() && isInOneChain(*accesses)) {
        arrays.push_back(array);
        for (Instruction* access : *accesses)
          if (Loop* loop = turning_.lookup(access->getParent()))
            chosen_.insert(loop);
      }
    if (arrays.empty() || sizeUnrolled() > kMostInstructions)
      return {};
    for (Loop* loop : chosen_)
      unroll(*loop);
    for (BasicBlock& block : make_early_inc_range(function_))
      MergeBlockIntoPredecessor(&block);
    foldConstants();
    return arrays;
  }

private:
  // Blocks of one chain run one after the other, and will be one block when their loops are unrolled.
  void findChains() {
    for (Loop* loop : loops_.getLoopsInPreorder())
      if (unsigned turns = evolution_.getSmallConstantTripCount(loop);
          turns && turns <= kMostTurns && loop->getNumBlocks() == 1 && loop->getParentLoop())
        turning_[loop->getHeader()] = loop;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function_)) {
      BasicBlock* before = onlyWayTo(*block);
      auto known = before ? chains_.find(before) : chains_.end();
      chains_[block] = known == chains_.end() ? block : known->second;
    }
  }

  // Returns the only block that leads to this one and to no other; null if there is none. Back edges of loops that
  // will be unrolled do not count.
  BasicBlock* onlyWayTo(BasicBlock& block) const {
    BasicBlock* before = nullptr;
    for (BasicBlock* predecessor : predecessors(&block)) {
      if (predecessor == &block && turning_.count(&block))
        continue;
      if (before)
        return nullptr;
      before = predecessor;
    }
    if (!before)
      return nullptr;
    bool turns = turning_.count(before);
    bool straight = all_of(successors(before), [&](BasicBlock* to) { return to == &block || (turns && to == before); });
    return straight ? before : nullptr;
  }

  bool isInOneChain(ArrayRef<Instruction*> accesses) {
    BasicBlock* chain = chains_.lookup(accesses.front()->getParent());
    return all_of(accesses, [&](Instruction* access) {
      return chains_.lookup(access->getParent()) == chain && isAtKnownPlaces(*access);
    });
  }

  bool isAtKnownPlaces(Instruction& access) {
    const SCEV* offset = evolution_.removePointerBase(evolution_.getSCEV(getLoadStorePointerOperand(&access)));
    auto* moving = dyn_cast<SCEVAddRecExpr>(offset);
    if (!moving)
      return isa<SCEVConstant>(offset);
    return moving->getLoop() == turning_.lookup(access.getParent()) && moving->isAffine() &&
           isa<SCEVConstant>(moving->getStart()) && isa<SCEVConstant>(moving->getStepRecurrence(evolution_));
  }

  unsigned sizeUnrolled() {
    unsigned size = 0;
    for (Loop* loop : chosen_)
      size += evolution_.getSmallConstantTripCount(loop) * unsigned(count_if(*loop->getHeader(), remains));
    return size;
  }

  // True if the instruction is still there after unrolling. Counters and addresses become constants.
  static bool remains(const Instruction& instruction) {
    return !instruction.isTerminator() && !isa<PHINode, GetElementPtrInst, CmpInst>(instruction) &&
           (isa<StoreInst>(instruction) || !instruction.getType()->isIntegerTy(64));
  }

  void unroll(Loop& loop) {
    unsigned turns = evolution_.getSmallConstantTripCount(&loop);
    simplifyLoop(&loop, &dominators_, &loops_, &evolution_, &assumptions_, nullptr, /*PreserveLCSSA=*/false);
    formLCSSA(loop, dominators_, &loops_, &evolution_);
    UnrollLoopOptions options{};
    options.Count = turns;
    options.Force = true;
    UnrollLoop(&loop, options, &loops_, &evolution_, &dominators_, &assumptions_, &machine_, &remarks_,
               /*PreserveLCSSA=*/true);
  }

  // Folds the first iteration, whose counter is the constant that the loop began with.
  void foldConstants() {
    for (BasicBlock& block : function_)
      for (Instruction& instruction : make_early_inc_range(block))
        if (Value* simple = simplifyInstruction(&instruction, function_.getDataLayout())) {
          instruction.replaceAllUsesWith(simple);
          if (isInstructionTriviallyDead(&instruction))
            instruction.eraseFromParent();
        }
  }

  Function& function_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  DominatorTree& dominators_;
  AssumptionCache& assumptions_;
  TargetTransformInfo& machine_;
  OptimizationRemarkEmitter& remarks_;
  DenseMap<const BasicBlock*, Loop*> turning_;
  DenseMap<const BasicBlock*, BasicBlock*> chains_; // by the first of each
  SmallSetVector<Loop*, 16> chosen_;
};

} // namespace

SmallVector<AllocaInst*, 8> unrollAroundSharedArrays(Function& function, FunctionAnalysisManager& analyses) {
  return Unroller(function, analyses).run();
}

} // namespace bsgp::target
