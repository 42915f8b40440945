// The thread function is cut into regions, at block.sync and where control flow around syncs reconverges. For each
// block the regions run one after the other, each as a loop over the block's lanes; flow between regions is the same
// for all threads of a block and becomes control flow of this function.
//
//   define void @k(args) {            define void @k.ranks(launch, begin, end, args) {
//     a                               entry:  shared memory, [B x T] for each value that crosses a sync
//     block.sync()                    next:   count = min(B, end - at), id = at / B
//     b                          =>           for lane < count: a
//     ret void                                for lane < count: b
//   }                                         at += B; br (at < end), next, exit
//                                     exit:   ret void }
//
// Lanes of one region do not depend on each other: between two syncs that would be a race.
#include "target/cpu/blocks/block_kernel.h"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "ir/operations.h"
#include "ir/waiting_loops.h"
#include "target/cpu/blocks/block_frame.h"
#include "target/cpu/blocks/check_lanes.h"
#include "target/cpu/blocks/lane_range.h"
#include "target/cpu/blocks/shared_memory.h"
#include "target/cpu/ranks/parallel_accesses.h"

namespace bsgp::target {

using namespace llvm;

namespace {

const Align kLineAlign(64); // of vectors, too
constexpr unsigned kMostAcrossGuard = 2;

// ---- analysis

bool leadsTo(BasicBlock* from, const BasicBlock* to) {
  return from == to || (from->sizeWithoutDebug() == 1 && from->getSingleSuccessor() == to);
}

// True if a thread waits for another one. Around a cut, all threads of a block run what stands before it, also the
// one that waits, and then what stands behind it, which a wait may be for.
bool hasWait(Function& thread) {
  DominatorTree dominators(thread);
  LoopInfo loops(dominators);
  std::optional<PostDominatorTree> later;
  auto before = [&]() -> DominatorTree& { return dominators; };
  auto behind = [&]() -> PostDominatorTree& { return later ? *later : later.emplace(thread); };
  return !ir::findWaitingLoops(loops.getLoopsInPreorder(), loops, {before, behind}).empty();
}

// Finds the cuts that make `if (lane < n) ...` a region of its own, which runs for the lanes below n only. A cut
// costs an array of the block for each value that crosses it, so it pays only if those are few.
SmallVector<BasicBlock*, 8> cutsAroundGuards(ArrayRef<BranchInst*> branches, Regions& regions,
                                             const UniformValues& uniform, const BlockTerms& terms) {
  SmallVector<BasicBlock*, 8> cuts;
  for (BranchInst* branch : branches) {
    BasicBlock *guard = branch->getParent(), *join = regions.joinOf(guard);
    bool one_sided = join && join->phis().empty() &&
                     (leadsTo(branch->getSuccessor(0), join) || leadsTo(branch->getSuccessor(1), join));
    if (!one_sided || regions.of(guard).size() != 1 || !regions.isReachedByAllOrNone(guard) ||
        valuesAcross(*guard, regions, uniform, terms) > kMostAcrossGuard)
      continue;
    cuts.push_back(guard);
    cuts.push_back(join);
  }
  return cuts;
}

// ---- building

class Builder {
public:
  Builder(BlockKernel kernel, const RankLoop& loop, DenseSet<const AllocaInst*> per_lane)
      : kernel_(kernel), loop_(loop) {
    frame_.function = loop.function;
    frame_.entry = loop.entry;
    frame_.block_end = loop.latch;
    frame_.per_lane = std::move(per_lane);
  }

  void run() {
    createBlockLoop();
    createStorage();
    for (const Region& region : kernel_.regions->all())
      frame_.starts[region.leader()] = BasicBlock::Create(context(), "region", frame_.function, frame_.block_end);
    BranchInst::Create(frame_.starts.lookup(kernel_.regions->all()[0].leader()), next_);
    for (unsigned number = 0; number != kernel_.regions->all().size(); ++number)
      emitRegion(kernel_, frame_, number);
    placeSharedMemory(*frame_.function, kernel_.reference ? next_ : nullptr);
    moveLargeArraysToHeap(*frame_.function, *loop_.exit);
  }

  Value* count() const { return frame_.count; }

private:
  LLVMContext& context() { return frame_.function->getContext(); }

  void createBlockLoop() {
    Type* type = loop_.begin()->getType();
    Value* block = ConstantInt::get(type, kernel_.block);
    next_ = BasicBlock::Create(context(), "next", frame_.function, frame_.block_end);
    IRBuilder<> builder(loop_.entry);
    builder.CreateCondBr(builder.CreateICmpSLT(loop_.begin(), loop_.end()), next_, loop_.exit);
    builder.SetInsertPoint(next_);
    PHINode* at = builder.CreatePHI(type, 2, "block.begin");
    Value* left = builder.CreateSub(loop_.end(), at, "left", true, true);
    frame_.begin = at;
    frame_.id = builder.CreateExactUDiv(at, block, "block.id");
    frame_.count = builder.CreateBinaryIntrinsic(Intrinsic::umin, left, block, nullptr, "block.size");
    builder.SetInsertPoint(frame_.block_end);
    at->addIncoming(loop_.begin(), loop_.entry);
    Value* next = builder.CreateAdd(at, block, "", true, true); // may wrap behind the last block: it is not used then
    at->addIncoming(next, frame_.block_end);
    builder.CreateCondBr(builder.CreateICmpUGT(left, block), next_, loop_.exit);
  }

  void createStorage() {
    IRBuilder<> builder(loop_.entry, loop_.entry->begin());
    for (Instruction* value : kernel_.uniform->placed())
      frame_.uniforms[value] = builder.CreateAlloca(value->getType(), nullptr, value->getName());
    for (Instruction& instruction : instructions(*kernel_.thread))
      if (auto* alloca = dyn_cast<AllocaInst>(&instruction))
        frame_.storage[alloca] = frame_.per_lane.contains(alloca) ? arrayOfLanes(builder, *alloca)
                                                                  : cast<AllocaInst>(builder.Insert(alloca->clone()));
  }

  AllocaInst* arrayOfLanes(IRBuilder<>& builder, const AllocaInst& alloca) {
    auto* array =
        builder.CreateAlloca(ArrayType::get(alloca.getAllocatedType(), kernel_.block), nullptr, alloca.getName());
    array->setAlignment(std::max(kLineAlign, alloca.getAlign()));
    array->setMetadata(kLanes, MDNode::get(context(), {}));
    return array;
  }

  const BlockKernel kernel_;
  const RankLoop& loop_;
  BlockFrame frame_;
  BasicBlock* next_ = nullptr; // runs once for each block
};

void useArguments(Function& thread, const RankLoop& loop) {
  for (auto [index, argument] : enumerate(thread.args()))
    argument.replaceAllUsesWith(loop.function->getArg(RankLoop::kFirstArgument + index));
}

// Folds a comparison of a block's number of threads with the full size, in a block that is not whole. Null if the
// result depends on the number.
Constant* inPartOfBlock(const ICmpInst& comparison, uint32_t block) {
  auto* bound = dyn_cast<ConstantInt>(comparison.getOperand(1));
  if (!bound || bound->getValue() != block)
    return nullptr;
  switch (comparison.getPredicate()) {
  case CmpInst::ICMP_EQ:
  case CmpInst::ICMP_UGE:
  case CmpInst::ICMP_SGE:
    return ConstantInt::getFalse(comparison.getContext());
  case CmpInst::ICMP_NE:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
    return ConstantInt::getTrue(comparison.getContext());
  default:
    return nullptr;
  }
}

// In code for a last block that is not whole, drops the code of `if (block.size == block.limit)`.
void assumePart(Value* count, uint32_t block) {
  for (User* user : count->users())
    if (auto* comparison = dyn_cast<ICmpInst>(user))
      if (Constant* result = inPartOfBlock(*comparison, block))
        comparison->replaceAllUsesWith(result);
}

// In whole blocks every trip count is a constant; for the rest it is known when they run.
BlockFunctions splitWhole(Function& any, Value* count, uint32_t block) {
  ValueToValueMapTy copies;
  BlockFunctions functions;
  if (block > 1) {
    functions.any = CloneFunction(&any, copies);
    functions.any->setName(any.getName() + ".rest");
    functions.any->addFnAttr(kPartBlockAttribute);
    assumePart(copies[count], block);
  }
  functions.whole = &any;
  count->replaceAllUsesWith(ConstantInt::get(count->getType(), block));
  return functions;
}

} // namespace

bool isBlockKernel(const Function& thread, const BlockTerms& terms) {
  if (terms.asked())
    return true;
  for (const Instruction& instruction : instructions(thread))
    if (ir::opOf(instruction) == ir::Op::BlockSync || usesSharedMemory(instruction))
      return true;
  return false;
}

BlockFunctions buildBlockKernel(Function& thread, const plan::Kernel& kernel, IntegerType* rank_type,
                                const BlockTerms& terms, const BlockKernelOptions& options) {
  bool optimize = !options.reference; // the oracle runs the program as written
  for (BasicBlock& block : make_early_inc_range(drop_begin(thread)))
    MergeBlockIntoPredecessor(&block); // so that a region's first block is all that its threads run for sure
  noteSyncsBehind(thread);
  SmallVector<BranchInst*, 4> branches;
  if (optimize)
    branches = isolateLaneBranches(thread, terms);
  Regions regions(thread);
  if (optimize && !branches.empty() && !hasWait(thread))
    regions.cutAt(cutsAroundGuards(branches, regions, UniformValues(thread, regions, terms, optimize), terms));
  UniformValues uniform(thread, regions, terms, optimize);
  auto per_lane = storeWhatCrosses(thread, regions, uniform, terms);

  RankLoop loop = startLoop(thread, kernel, rank_type);
  loop.function->addFnAttr(kKernelAttribute);
  loop.function->addFnAttr(kBlockByBlockAttribute);
  loop.function->addFnAttr(kBlockSizeAttribute, std::to_string(options.block));
  useArguments(thread, loop);
  Builder builder({&thread, options.block, options.reference, &terms, &regions, &uniform}, loop, std::move(per_lane));
  builder.run();
  if (options.reference || options.one_form)
    return {nullptr, loop.function};
  return splitWhole(*loop.function, builder.count(), options.block);
}

} // namespace bsgp::target
