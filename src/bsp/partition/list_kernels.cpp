#include "bsp/partition/list_kernels.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "bsp/kernel_params.h"
#include "bsp/param_access.h"
#include "bsp/stream_access.h"
#include "ir/operations.h"
#include "plan/plan_abi.h"

namespace bsgp::bsp {

using namespace llvm;

namespace {

//   end = min(first + CHUNK, size);  at = list ? counts[thread] : 0
//   for (r = first; r < end; r++) if (counters[r] == block) { list: ranks[at] = r;  at++ }
//   count: counts[thread] = at
class ListBuilder {
public:
  ListBuilder(ListKernel kind, Function& whole, const plan::Kernel& of, const PartitionStreams& streams,
              plan::Plan& plan)
      : kind_(kind), of_(of), streams_(streams), plan_(plan), body_(createBody(whole)), builder_(newBlock("begin")),
        rank_type_(builder_.getIntNTy(plan.rank_bits)) {}

  void run() {
    FunctionCallee rank = ir::declare(*body_->getParent(), ir::Op::Rank, rank_type_);
    thread_ = builder_.CreateCall(rank, builder_.getInt32(0), "thread");
    Value* size = wide(params_.get(plan::Param::Size, 0, rank_type_, "size"));
    first_ = builder_.CreateMul(wide(thread_), builder_.getInt64(BSGP_PARTITION_CHUNK), "first", true, true);
    Value* end = builder_.CreateAdd(first_, builder_.getInt64(BSGP_PARTITION_CHUNK), "end", true, true);
    end_ = builder_.CreateSelect(builder_.CreateICmpSLT(end, size), end, size);
    begin_ = kind_ == ListKernel::List ? loadElement(builder_, stream(streams_.counts), thread_, rank_type_, "begin")
                                       : ConstantInt::get(rank_type_, 0);
    Value* at = loop();
    if (kind_ == ListKernel::Count)
      storeElement(builder_, stream(streams_.counts), thread_, at);
    builder_.CreateRetVoid();
    finish();
  }

private:
  Function* createBody(Function& whole) const {
    auto* type = FunctionType::get(Type::getVoidTy(whole.getContext()), false);
    const char* suffix = kind_ == ListKernel::Count ? ".count" : ".list";
    auto* body = Function::Create(type, GlobalValue::InternalLinkage, of_.symbol + suffix, whole.getParent());
    body->addFnAttrs(AttrBuilder(whole.getContext(), whole.getAttributes().getFnAttrs()));
    return body;
  }

  BasicBlock* newBlock(const char* name) { return BasicBlock::Create(body_->getContext(), name, body_); }
  Value* wide(Value* rank) { return builder_.CreateSExt(rank, builder_.getInt64Ty()); }
  Value* stream(uint32_t number) {
    return params_.get(plan::Param::Stream, number, PointerType::get(body_->getContext(), ir::kDeviceSpace),
                       "t" + std::to_string(number));
  }

  // Each chunk has a rank. Returns the place behind the last one that was found.
  Value* loop() {
    BasicBlock *before = builder_.GetInsertBlock(), *body = newBlock("look"), *done = newBlock("done");
    builder_.CreateBr(body);
    builder_.SetInsertPoint(body);
    PHINode *rank = builder_.CreatePHI(builder_.getInt64Ty(), 2, "rank"), *at = builder_.CreatePHI(rank_type_, 2, "at");
    Value* is_here = isHere(rank);
    if (kind_ == ListKernel::List)
      storeIf(is_here, rank, at);
    Value* behind = builder_.CreateAdd(at, builder_.CreateZExt(is_here, rank_type_), "behind", true, true);
    Value* step = builder_.CreateAdd(rank, builder_.getInt64(1), "", true, true);
    BasicBlock* last = builder_.GetInsertBlock();
    builder_.CreateCondBr(builder_.CreateICmpSLT(step, end_), body, done);
    rank->addIncoming(first_, before), rank->addIncoming(step, last);
    at->addIncoming(begin_, before), at->addIncoming(behind, last);
    builder_.SetInsertPoint(done);
    return behind;
  }

  // The place may be another chunk's otherwise.
  void storeIf(Value* is_here, Value* rank, Value* at) {
    BasicBlock *found = newBlock("found"), *next = newBlock("next");
    builder_.CreateCondBr(is_here, found, next);
    builder_.SetInsertPoint(found);
    storeElement(builder_, stream(streams_.ranks), at, builder_.CreateTrunc(rank, rank_type_));
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  }

  Value* isHere(Value* rank) {
    Type* type = builder_.getIntNTy(plan_.streams[streams_.counters].bytes * 8);
    Value* counter = loadElement(builder_, stream(streams_.counters), rank, type, "counter");
    Value* block = params_.get(plan::Param::Block, 0, builder_.getInt32Ty(), "block");
    return builder_.CreateICmpEQ(builder_.CreateZExtOrTrunc(counter, builder_.getInt32Ty()), block);
  }

  void finish() {
    plan::Kernel kernel;
    kernel.superstep = of_.superstep;
    Function* made = params_.addTo(body_, kernel.params);
    findAccesses(*made, kernel.params);
    kernel.symbol = made->getName().str();
    plan_.kernels.push_back(std::move(kernel));
  }

  const ListKernel kind_;
  const plan::Kernel& of_;
  const PartitionStreams& streams_;
  plan::Plan& plan_;
  KernelParams params_;
  Function* body_;
  Builder builder_;
  IntegerType* rank_type_;
  Value *thread_ = nullptr, *first_ = nullptr, *end_ = nullptr, *begin_ = nullptr;
};

} // namespace

void makeListKernel(ListKernel kind, Function& whole, const plan::Kernel& of, const PartitionStreams& streams,
                    plan::Plan& plan) {
  ListBuilder(kind, whole, of, streams, plan).run();
}

} // namespace bsgp::bsp
