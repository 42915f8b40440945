// An ordinary store reads the line it writes, and pushes another out of the cache. Where a launch writes more than the
// caches hold, that is for nothing: a copy takes 1.2 to 1.3 times as long.
//
//   call @k.ranks(launch, ...)   =>   br (launch->size * bytes >= kPastCaches && pointers are aligned), stream, plain
//                                     stream: call @k.ranks.stream(launch, ...); sfence
//                                     plain:  call @k.ranks(launch, ...)
//
// Such stores are whole vectors, one behind the other, from a pointer that the kernel is given and does not load
// from. Memory that is updated in place was read anyway, and runs no faster past the caches. Two sorts of kernels are
// left alone: those with much code, which wait for arithmetic and whose second copy would cost compile time, and
// those with atomics: an ordinary store that says "done" to others would overtake the data.
//
// Requires: runs when the vectorizers are done.
#include "target/cpu/passes/streaming_stores.h"

#include <cstddef>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "plan/plan_abi.h"
#include "target/cpu/ranks/rank_loop.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr int64_t kPastCaches = int64_t(64) << 20; // bytes that a launch writes; the runtime's copies do the same
constexpr unsigned kMostInstructions = 400;
constexpr uint64_t kLine = 64; // bytes

// ---- finding

struct Candidate {
  StoreInst* store;
  const SCEVAddRecExpr* address;
  Argument* base;
  uint64_t bytes;
};

class StreamingStoreFinder {
public:
  StreamingStoreFinder(Function& function, LoopInfo& loops, ScalarEvolution& evolution, DominatorTree& dominators)
      : function_(function), loops_(loops), evolution_(evolution), dominators_(dominators) {}

  void run() {
    collectLoads();
    for (Instruction& instruction : instructions(function_))
      if (auto* store = dyn_cast<StoreInst>(&instruction))
        consider(*store);
    for (const Candidate& candidate : candidates_)
      if (fillsLines(candidate))
        mark(candidate);
  }

private:
  void collectLoads() {
    for (Instruction& instruction : instructions(function_))
      if (isa<LoadInst, CallInst>(instruction) && instruction.mayReadFromMemory())
        for (Value* operand : instruction.operands())
          if (operand->getType()->isPtrOrPtrVectorTy())
            loaded_.insert(getUnderlyingObject(baseOf(operand), 0));
  }

  // Returns the scalar pointer that a gather's vector of addresses is computed from.
  static const Value* baseOf(const Value* pointer) {
    auto* gep = dyn_cast<GetElementPtrInst>(pointer);
    return gep && gep->getType()->isVectorTy() ? gep->getPointerOperand() : pointer;
  }

  void consider(StoreInst& store) {
    auto* vector = dyn_cast<FixedVectorType>(store.getValueOperand()->getType());
    Loop* loop = loops_.getLoopFor(store.getParent());
    if (!vector || !loop || !store.isSimple() || store.hasMetadata(LLVMContext::MD_nontemporal) ||
        !runsInEachTurn(store, *loop))
      return;
    auto* address = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(store.getPointerOperand()));
    if (!address || address->getLoop() != loop || !address->isAffine())
      return;
    auto* base = dyn_cast<SCEVUnknown>(evolution_.getPointerBase(address));
    auto* argument = base ? dyn_cast<Argument>(base->getValue()) : nullptr;
    uint64_t bytes = function_.getDataLayout().getTypeStoreSize(vector).getFixedValue();
    if (argument && bytes >= 16 && isPowerOf2_64(bytes) && !loaded_.contains(argument) && isAligned(*address, bytes))
      candidates_.push_back({&store, address, argument, bytes});
  }

  bool runsInEachTurn(const StoreInst& store, const Loop& loop) const {
    return loop.getLoopLatch() && dominators_.dominates(store.getParent(), loop.getLoopLatch());
  }

  // Is the store as aligned as it is large, if the argument is aligned? Ranges of ranks begin with a whole block.
  bool isAligned(const SCEVAddRecExpr& address, uint64_t bytes) {
    const SCEV* distance = evolution_.removePointerBase(&address);
    Value* begin = function_.getArg(RankLoop::kBegin);
    ValueToSCEVMapTy known;
    known[begin] = evolution_.getMulExpr(evolution_.getConstant(begin->getType(), blockSizeOf(function_)),
                                         evolution_.getSCEV(begin));
    const SCEV* of_block = SCEVParameterRewriter::rewrite(distance, evolution_, known);
    return evolution_.getMinTrailingZeros(of_block) >= Log2_64(bytes);
  }

  // Do the stores together write all bytes that the loop passes over? Else lines would go to memory in part.
  bool fillsLines(const Candidate& candidate) {
    auto* step = dyn_cast<SCEVConstant>(candidate.address->getStepRecurrence(evolution_));
    if (!step || step->getAPInt().getSignificantBits() > 32 || !step->getAPInt().isStrictlyPositive())
      return false;
    uint64_t length = step->getAPInt().getZExtValue(), written = 0;
    for (const Candidate& other : candidates_)
      if (other.store->getParent() == candidate.store->getParent())
        if (auto* distance = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(other.address, candidate.address));
            distance && distance->getAPInt().abs().ult(length))
          written += other.bytes;
    return written >= length;
  }

  void mark(const Candidate& candidate) {
    LLVMContext& context = function_.getContext();
    auto* number = ConstantInt::get(Type::getInt32Ty(context), candidate.base->getArgNo());
    candidate.store->setMetadata(kStreams, MDNode::get(context, ConstantAsMetadata::get(number)));
  }

  Function& function_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  DominatorTree& dominators_;
  SmallPtrSet<const Value*, 16> loaded_;
  SmallVector<Candidate, 8> candidates_;
};

// ---- variants

// The arguments (by number) that marked stores write through, each with the fewest bytes that a thread writes there.
std::map<unsigned, uint64_t> streamsOf(Function& function) {
  std::map<unsigned, uint64_t> streams;
  for (Instruction& instruction : instructions(function))
    if (MDNode* mark = instruction.getMetadata(kStreams)) {
      auto* type = cast<StoreInst>(instruction).getValueOperand()->getType()->getScalarType();
      uint64_t& bytes = streams[mdconst::extract<ConstantInt>(mark->getOperand(0))->getZExtValue()];
      bytes = std::max(bytes, function.getDataLayout().getTypeStoreSize(type).getFixedValue());
    }
  return streams;
}

Function* makeVariant(Function& function) {
  ValueToValueMapTy copies;
  Function* variant = CloneFunction(&function, copies);
  variant->setName(function.getName() + ".stream");
  LLVMContext& context = function.getContext();
  MDNode* one = MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1)));
  for (Instruction& instruction : instructions(*variant))
    if (instruction.hasMetadata(kStreams)) {
      auto& store = cast<StoreInst>(instruction);
      store.setMetadata(LLVMContext::MD_nontemporal, one);
      store.setAlignment(Align(variant->getDataLayout().getTypeStoreSize(store.getValueOperand()->getType())));
    }
  return variant;
}

Value* shallStream(IRBuilder<>& builder, CallInst& call, const std::map<unsigned, uint64_t>& streams) {
  Type* i64 = builder.getInt64Ty();
  uint64_t bytes = 0;
  Value* bits = builder.getInt64(0);
  for (auto [number, of_thread] : streams) {
    bytes += of_thread;
    bits = builder.CreateOr(bits, builder.CreatePtrToInt(call.getArgOperand(number), i64));
  }
  Value* place =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), call.getArgOperand(0), offsetof(bsgp_launch, size));
  Value* size = builder.CreateLoad(i64, place, "size");
  Value* large = builder.CreateICmpSGE(size, builder.getInt64(kPastCaches / int64_t(bytes)));
  Value* aligned = builder.CreateIsNull(builder.CreateAnd(bits, builder.getInt64(kLine - 1)));
  return builder.CreateAnd(large, aligned);
}

void chooseAt(CallInst& call, Function& variant, const std::map<unsigned, uint64_t>& streams) {
  IRBuilder<> builder(&call);
  Instruction *stream, *plain;
  SplitBlockAndInsertIfThenElse(shallStream(builder, call, streams), &call, &stream, &plain);
  auto* other = cast<CallInst>(call.clone());
  other->setCalledFunction(&variant);
  other->insertBefore(stream);
  builder.SetInsertPoint(stream);
  builder.CreateIntrinsic(Intrinsic::x86_sse_sfence, {}, {}); // before the blocks are reported as done
  call.moveBefore(plain);
}

} // namespace

PreservedAnalyses StreamingStoresPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool speaks_to_others = any_of(instructions(function), [](const Instruction& i) { return i.isAtomic(); });
  if (!speaks_to_others && function.getInstructionCount() <= kMostInstructions)
    StreamingStoreFinder(function, analyses.getResult<LoopAnalysis>(function),
                         analyses.getResult<ScalarEvolutionAnalysis>(function),
                         analyses.getResult<DominatorTreeAnalysis>(function))
        .run();
  return PreservedAnalyses::all();
}

void addStreamingVariants(Module& module) {
  if (!Triple(module.getTargetTriple()).isX86())
    return;
  SmallVector<Function*, 16> kernels;
  for (Function& function : module)
    if (function.hasFnAttribute(kBlockSizeAttribute))
      kernels.push_back(&function);
  for (Function* kernel : kernels) {
    auto streams = streamsOf(*kernel);
    if (streams.empty())
      continue;
    SmallVector<CallInst*, 2> calls;
    for (User* user : kernel->users())
      calls.push_back(cast<CallInst>(user));
    Function* variant = makeVariant(*kernel);
    for (CallInst* call : calls)
      chooseAt(*call, *variant, streams);
  }
}

} // namespace bsgp::target
