// Requires: the entry of a kernel. Ensures: no function of the contract is left in it.
//
//   assert(c, s)   br c, rest, failed
//                  failed: first = cmpxchg record->failed, 0, 1;  the first one writes kind, site, rank
//                          the thread ends
//   print(f, ...)  at = record->printed += 1 + count;  stored there if it fits
//   block.sync()   barrier 0
//
// If other threads of the block use, after a sync, what the failed one should have written, the whole block ends at
// its next sync: they might use an unwritten value as an index. A shared flag tells them.
#include <cstddef>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/check_code.h"
#include "ir/operations.h"
#include "plan/plan_abi.h"
#include "support/check.h"
#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

namespace {

class Calls {
public:
  Calls(GpuKernel& kernel, GpuTables& tables)
      : kernel_(kernel), tables_(tables), context_(kernel.function->getContext()) {}

  void lower();

private:
  void find();
  void lower(CallInst& call, ir::Op op);
  void lowerAssert(CallInst& call);
  void lowerPrint(CallInst& call);
  void lowerSync(CallInst& call);
  void addFlag();
  void report(IRBuilder<>& builder, unsigned site);
  Value* field(IRBuilder<>& builder, size_t offset);
  void sync(IRBuilder<>& builder) { builder.CreateIntrinsic(Intrinsic::nvvm_barrier0, {}, {}); }

  GpuKernel& kernel_;
  GpuTables& tables_;
  LLVMContext& context_;
  SmallVector<std::pair<CallInst*, ir::Op>, 16> calls_;
  GlobalVariable* flag_ = nullptr; // a thread of the block has failed
  Value* listed_ = nullptr;        // the rank of a thread that a list names
};

void Calls::find() {
  for (Instruction& instruction : instructions(*kernel_.function))
    if (ir::Op op = ir::opOf(instruction); op != ir::Op::None)
      calls_.push_back({cast<CallInst>(&instruction), op});
  for (BasicBlock& block : *kernel_.function)
    if (!listed_)
      listed_ = ir::listedRankIn(&block);
}

Value* Calls::field(IRBuilder<>& builder, size_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), kernel_.record, offset);
}

// Clears the flag before the body: `entry: ...; flag = 0; sync; body`. Threads beyond the end have returned by then.
void Calls::addFlag() {
  Type* i32 = Type::getInt32Ty(context_);
  flag_ = new GlobalVariable(*kernel_.function->getParent(), i32, /*isConstant=*/false, GlobalValue::InternalLinkage,
                             UndefValue::get(i32), kernel_.name + ".failed", nullptr, GlobalValue::NotThreadLocal,
                             ir::kSharedSpace);
  flag_->setAlignment(Align(4));
  IRBuilder<> builder(kernel_.body, kernel_.body->getFirstInsertionPt());
  builder.CreateAlignedStore(builder.getInt32(0), flag_, Align(4), /*isVolatile=*/true);
  sync(builder);
}

void Calls::report(IRBuilder<>& builder, unsigned site) {
  Type* i32 = builder.getInt32Ty();
  if (flag_)
    builder.CreateAlignedStore(builder.getInt32(1), flag_, Align(4), /*isVolatile=*/true);
  Value* pair =
      builder.CreateAtomicCmpXchg(field(builder, offsetof(bsgp_gpu_record, failed)), builder.getInt32(0),
                                  builder.getInt32(1), Align(8), AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  auto* first = BasicBlock::Create(context_, "first", kernel_.function, kernel_.exit);
  builder.CreateCondBr(builder.CreateExtractValue(pair, 1), first, kernel_.exit);
  builder.SetInsertPoint(first);
  auto store = [&](Value* value, size_t offset) { builder.CreateStore(value, field(builder, offset)); };
  store(ConstantInt::get(i32, BSGP_FAIL_ASSERT), offsetof(bsgp_gpu_record, kind));
  store(ConstantInt::get(i32, site), offsetof(bsgp_gpu_record, site));
  store(builder.CreateSExt(listed_ ? listed_ : kernel_.rank, builder.getInt64Ty()), offsetof(bsgp_gpu_record, rank));
  builder.CreateBr(kernel_.exit);
}

void Calls::lowerAssert(CallInst& call) {
  unsigned site = GpuTables::numberOf(tables_.sites, call.getArgOperand(1));
  BasicBlock* checked = call.getParent();
  BasicBlock* rest = checked->splitBasicBlock(std::next(call.getIterator()), "holds");
  auto* failed = BasicBlock::Create(context_, "failed", kernel_.function, kernel_.exit);
  checked->getTerminator()->eraseFromParent();
  IRBuilder<> builder(checked);
  BranchInst* branch = builder.CreateCondBr(call.getArgOperand(0), rest, failed);
  branch->setMetadata(LLVMContext::MD_prof, ir::likely(context_));
  builder.SetInsertPoint(failed);
  report(builder, site);
}

void Calls::lowerPrint(CallInst& call) {
  kernel_.talks = true;
  unsigned count = call.arg_size() - 1, format = GpuTables::numberOf(tables_.formats, call.getArgOperand(0));
  IRBuilder<> builder(&call);
  Type* i64 = builder.getInt64Ty();
  Value* at = builder.CreateAtomicRMW(AtomicRMWInst::Add, field(builder, offsetof(bsgp_gpu_record, printed)),
                                      builder.getInt64(count + 1), Align(8), AtomicOrdering::Monotonic);
  Value* capacity = builder.CreateLoad(i64, field(builder, offsetof(bsgp_gpu_record, capacity)));
  Value* fits = builder.CreateICmpULE(builder.CreateAdd(at, builder.getInt64(count + 1)), capacity);
  Instruction* then = SplitBlockAndInsertIfThen(fits, &call, /*Unreachable=*/false);
  builder.SetInsertPoint(then);
  Value* address = builder.CreateLoad(i64, field(builder, offsetof(bsgp_gpu_record, slots)));
  Value* slots = builder.CreateIntToPtr(address, kernel_.record->getType());
  auto store = [&](Value* value, unsigned slot) {
    Value* place = builder.CreateGEP(i64, slots, builder.CreateAdd(at, builder.getInt64(slot)));
    builder.CreateAlignedStore(value, place, Align(8));
  };
  store(builder.getInt64(format | uint64_t(count) << 32), 0);
  for (unsigned i = 0; i != count; ++i)
    store(call.getArgOperand(i + 1), i + 1);
}

void Calls::lowerSync(CallInst& call) {
  IRBuilder<> builder(&call);
  sync(builder);
  if (!flag_)
    return;
  LoadInst* failed = builder.CreateAlignedLoad(builder.getInt32Ty(), flag_, Align(4), /*isVolatile=*/true);
  Value* stop = builder.CreateIsNotNull(failed);
  BasicBlock* synced = call.getParent();
  BasicBlock* rest = synced->splitBasicBlock(call.getIterator(), "synced");
  synced->getTerminator()->eraseFromParent();
  IRBuilder<>(synced).CreateCondBr(stop, kernel_.exit, rest, ir::unlikely(context_));
}

void Calls::lower(CallInst& call, ir::Op op) {
  IRBuilder<> builder(&call);
  switch (op) {
  case ir::Op::Rank:
    call.replaceAllUsesWith(kernel_.rank);
    break;
  case ir::Op::Assert:
    lowerAssert(call);
    break;
  case ir::Op::Print:
    lowerPrint(call);
    break;
  case ir::Op::BlockSync:
    lowerSync(call);
    break;
  case ir::Op::WarpShuffle:
    call.replaceAllUsesWith(shuffleInWarp(builder, call.getArgOperand(0), call.getArgOperand(1)));
    break;
  case ir::Op::WarpBallot:
    call.replaceAllUsesWith(ballotInWarp(builder, call.getArgOperand(0)));
    break;
  case ir::Op::WarpSync:
    syncWarp(builder);
    break;
  default:
    BSGP_CHECK(false, "%s: %s is left after bsp", kernel_.name.c_str(),
               call.getCalledFunction()->getName().str().c_str());
  }
  call.eraseFromParent();
}

void Calls::lower() {
  find();
  auto has = [&](ir::Op op) { return any_of(calls_, [&](auto& call) { return call.second == op; }); };
  if (has(ir::Op::Assert) && has(ir::Op::BlockSync))
    addFlag();
  for (auto& [call, op] : calls_)
    lower(*call, op);
}

} // namespace

void lowerGpuCalls(GpuKernel& kernel, GpuTables& tables) {
  Calls(kernel, tables).lower();
}

} // namespace bsgp::target
