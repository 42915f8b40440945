#include "bsp/partition/block_kernels.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include "bsp/kernel_params.h"
#include "bsp/param_access.h"
#include "bsp/partition/list_kernels.h"
#include "bsp/region.h"
#include "bsp/stream_access.h"
#include "ir/operations.h"
#include "support/check.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

class BlockKernel {
public:
  BlockKernel(Function& whole, const plan::Kernel& of, const Regions& regions, const KeptValues& kept,
              const PartitionStreams& streams, unsigned number, plan::Plan& plan)
      : whole_(whole), of_(of), regions_(regions), kept_(kept), streams_(streams), number_(number), plan_(plan),
        body_(createBody()), prologue_(BasicBlock::Create(body_->getContext(), "begin", body_)),
        region_(regions.all[number].blocks, nullptr, *body_, [this](const Instruction& i) { return isDropped(i); }) {}

  void run() {
    Builder builder(prologue_);
    createRank(builder);
    builder.CreateBr(region_.entry());
    builder.SetInsertPoint(prologue_->getTerminator());
    createArrays(builder);
    load(builder);
    region_.connect([](Instruction&) { return nullptr; });
    storeAtExits();
    storeAtReturns();
    takeParams();
    finish();
  }

private:
  Function* createBody() {
    Module& module = *whole_.getParent();
    auto* type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
    std::string name = of_.symbol + (number_ ? ".block" + std::to_string(number_) : "");
    auto* body = Function::Create(type, GlobalValue::InternalLinkage, name, module);
    body->addFnAttrs(AttrBuilder(module.getContext(), whole_.getAttributes().getFnAttrs()));
    return body;
  }

  // Left out: what comes from elsewhere, and the jumps that leave the block.
  bool isDropped(const Instruction& instruction) const {
    const BasicBlock* block = instruction.getParent();
    bool leaves = instruction.isTerminator() && regions_.exit_of.contains(block);
    bool from_before = number_ && isa<PHINode>(instruction) && block == regions_.entry(number_);
    return leaves || from_before || isa<AllocaInst>(instruction) || opOf(instruction) == Op::Rank;
  }

  // ---- the beginning

  void createRank(Builder& builder) {
    Type* type = builder.getIntNTy(plan_.rank_bits);
    FunctionCallee rank = ir::declare(*body_->getParent(), Op::Rank, type);
    rank_ = builder.CreateCall(rank, builder.getInt32(0), number_ ? "slot" : "rank");
    if (number_) {
      rank_ = loadElement(builder, stream(streams_.ranks), rank_, type, "rank");
      ir::markListedRank(*cast<Instruction>(rank_));
    }
    for (Instruction* place : kept_.regions[number_].places)
      if (opOf(*place) == Op::Rank)
        region_.set(place, rank_);
  }

  Value* stream(uint32_t number) {
    return params_.get(plan::Param::Stream, number, PointerType::get(body_->getContext(), ir::kDeviceSpace),
                       "t" + std::to_string(number));
  }

  Value* streamOf(Instruction& kept) { return stream(streams_.first_kept + kept_.streams.lookup(&kept)); }

  void createArrays(Builder& builder) {
    for (Instruction* place : kept_.regions[number_].places)
      if (auto* array = dyn_cast<AllocaInst>(place)) {
        region_.set(array, kept_.streams.contains(array) ? keptArray(builder, *array) : ownArray(*array));
      }
  }

  Value* ownArray(const AllocaInst& array) {
    Instruction* copy = array.clone();
    copy->insertInto(prologue_, prologue_->begin());
    copy->setName(array.getName());
    return copy;
  }

  // Returns its place in its stream; pointers to it stay valid from block to block.
  Value* keptArray(Builder& builder, AllocaInst& array) {
    Value* begin = builder.CreateMul(builder.CreateSExt(rank_, builder.getInt64Ty()), builder.getInt64(bytesOf(array)),
                                     "", true, true);
    Value* place = builder.CreateInBoundsGEP(builder.getInt8Ty(), streamOf(array), begin);
    return builder.CreateAddrSpaceCast(place, array.getType(), array.getName());
  }

  void load(Builder& builder) {
    const KeptValues::OfRegion& values = kept_.regions[number_];
    for (Instruction* value : values.loaded) {
      region_.set(value, loadElement(builder, streamOf(*value), rank_, value->getType(), value->getName()));
      loaded_ += bytesOf(*value);
    }
    for (Instruction* value : values.recomputed)
      region_.recompute(*value, *prologue_->getTerminator());
  }

  uint32_t bytesOf(const Instruction& kept) const { return streams_.bytesOf(kept); }

  // ---- the ends

  void storeAtExits() {
    for (unsigned exit : regions_.all[number_].exits)
      storeAt(regions_.exits[exit], kept_.exits[exit]);
  }

  void storeAt(const RegionExit& exit, ArrayRef<StoredAtExit> values) {
    auto* block = cast<BasicBlock>(region_.lookup(exit.block));
    Builder builder(block);
    for (const StoredAtExit& stored : values) {
      storeElement(builder, streamOf(*stored.kept), rank_, region_.lookup(stored.value));
      stored_ += bytesOf(*stored.kept);
    }
    goOnAt(builder, exit.to);
    builder.CreateRetVoid();
  }

  void storeAtReturns() {
    SmallVector<ReturnInst*, 4> ends;
    for (auto [original, copy] : region_.instructions())
      if (auto* end = dyn_cast<ReturnInst>(copy))
        ends.push_back(end);
    for (ReturnInst* end : ends) {
      Builder builder(end);
      goOnAt(builder, unsigned(regions_.all.size()));
    }
  }

  void goOnAt(Builder& builder, unsigned block) {
    Type* type = builder.getIntNTy(plan_.streams[streams_.counters].bytes * 8);
    storeElement(builder, stream(streams_.counters), rank_, ConstantInt::get(type, block));
  }

  // ---- parameters

  // The copied code still names those of the whole kernel.
  void takeParams() {
    for (Instruction& instruction : instructions(*body_))
      for (Use& operand : instruction.operands())
        if (auto* argument = dyn_cast<Argument>(operand.get()); argument && argument->getParent() == &whole_) {
          const plan::Param& param = of_.params[argument->getArgNo()];
          operand.set(params_.get(param.kind, param.index, argument->getType(), argument->getName().str()));
        }
  }

  void dropUnused() {
    for (Instruction& instruction : make_early_inc_range(reverse(*prologue_)))
      if (isInstructionTriviallyDead(&instruction))
        instruction.eraseFromParent();
  }

  void finish() {
    dropUnused();
    plan::Kernel kernel;
    kernel.superstep = of_.superstep;
    kernel.loaded = loaded_ + (number_ ? plan_.rank_bits / 8 : of_.loaded);
    kernel.stored = stored_ + plan_.streams[streams_.counters].bytes;
    Function* made = params_.addTo(body_, kernel.params);
    findAccesses(*made, kernel.params);
    kernel.symbol = made->getName().str();
    plan_.kernels.push_back(std::move(kernel));
  }

  Function& whole_;
  const plan::Kernel& of_;
  const Regions& regions_;
  const KeptValues& kept_;
  const PartitionStreams& streams_;
  const unsigned number_;
  plan::Plan& plan_;
  KernelParams params_;
  Function* body_;
  BasicBlock* prologue_;
  RegionCopy region_;
  Value* rank_ = nullptr;
  uint32_t loaded_ = 0, stored_ = 0;
};

PartitionStreams addStreams(const KeptValues& kept, size_t blocks, const DataLayout& layout, plan::Plan& plan) {
  auto add = [&](uint64_t bytes) {
    plan.streams.push_back({uint32_t(bytes)});
    return uint32_t(plan.streams.size() - 1);
  };
  PartitionStreams streams;
  streams.counters = add(blocks < 256 ? 1 : 4);
  streams.counts = add(plan.rank_bits / 8);
  streams.ranks = add(plan.rank_bits / 8);
  streams.first_kept = uint32_t(plan.streams.size());
  for (auto [value, number] : kept.streams) {
    auto* array = dyn_cast<AllocaInst>(value);
    uint64_t bytes = array ? alignTo(array->getAllocationSize(layout)->getFixedValue(), array->getAlign())
                           : layout.getTypeAllocSize(value->getType()).getFixedValue();
    add(bytes);
    streams.bytes[value] = uint32_t(bytes);
  }
  return streams;
}

} // namespace

void makeBlockKernels(Function& whole, const plan::Kernel& kernel, const Regions& regions, const KeptValues& kept,
                      plan::Plan& plan) {
  whole.setName(kernel.symbol + ".whole"); // its name is that of block 0
  PartitionStreams streams = addStreams(kept, regions.all.size(), whole.getParent()->getDataLayout(), plan);
  plan::Partition partition;
  partition.basic_blocks = regions.basic_blocks;
  partition.counters = streams.counters, partition.counts = streams.counts, partition.ranks = streams.ranks;
  for (unsigned number = 0; number < regions.all.size(); ++number) {
    partition.blocks.push_back({uint32_t(plan.kernels.size()), regions.all[number].next});
    BlockKernel(whole, kernel, regions, kept, streams, number, plan).run();
  }
  partition.count = uint32_t(plan.kernels.size());
  makeListKernel(ListKernel::Count, whole, kernel, streams, plan);
  partition.list = uint32_t(plan.kernels.size());
  makeListKernel(ListKernel::List, whole, kernel, streams, plan);
  plan.partitions.push_back(std::move(partition));
}

} // namespace bsgp::bsp
