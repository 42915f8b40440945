// Requires: a module as bsp hands it on. Ensures: each kernel is a function `@k.blocks` of type bsgp_kernel_fn (and
// `@k.ranks`, which it calls); plans are constants; no function of the contract is left; the module has the machine's
// layout.
//
//   define internal void @k.blocks(ptr launch, i64 first_block, i64 end_block) {
//     a, b, ... = load from launch->params, 8 bytes each
//     call @k.ranks(launch, first_block*block, min(end_block*block, launch->size), a, b, ...)
//   }
//
// A kernel whose threads work together in blocks (block_kernel.h) has a @k.ranks for whole blocks and a @k.ranks.rest
// for the last one, if that has fewer threads. For other kernels the reference target calls @k.ranks once for each
// block.
#include <cstddef>

#include "ir/kernels.h"
#include "ir/operations.h"
#include "plan/plan_abi.h"
#include "support/check.h"
#include "target/common/array_registers.h"
#include "target/common/function_passes.h"
#include "target/common/leftovers.h"
#include "target/common/plan_constants.h"
#include "target/common/verifier.h"
#include "target/cpu/blocks/block_kernel.h"
#include "target/cpu/blocks/check_lanes.h"
#include "target/cpu/blocks/shared_memory.h"
#include "target/cpu/calls/check_calls.h"
#include "target/cpu/calls/check_rows.h"
#include "target/cpu/calls/device_calls.h"
#include "target/cpu/cpu_target.h"
#include "target/cpu/machine/machine.h"
#include "target/cpu/ranks/blocks_entry.h"
#include "target/cpu/ranks/rank_loop.h"
#include "target/cpu/ranks/two_forms.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr char kProvenSuffix[] = ".proven";

BlocksEntry startRanks(IRBuilder<>& builder, Function& ranks, const std::string& name) {
  SmallVector<Type*, 16> types(ranks.getFunctionType()->params());
  return startBlocks(builder, *ranks.getParent(), ArrayRef(types).drop_front(RankLoop::kFirstArgument), name);
}

// `begin` and `end` are i64.
void callRanks(IRBuilder<>& builder, Function& ranks, const BlocksEntry& entry, Value* begin, Value* end) {
  Type* rank_type = ranks.getArg(1)->getType();
  SmallVector<Value*, 16> arguments{entry.function->getArg(0), builder.CreateTrunc(begin, rank_type),
                                    builder.CreateTrunc(end, rank_type)};
  append_range(arguments, entry.parameters);
  builder.CreateCall(&ranks, arguments);
}

// The ranks of [first_block, end_block).
struct Ranks {
  Value *begin, *end;
};

Ranks ranksOf(IRBuilder<>& builder, const BlocksEntry& entry, uint32_t block, Value* first_block, Value* end_block) {
  Value* begin = builder.CreateMul(first_block, builder.getInt64(block), "begin", true, true);
  Value* end = builder.CreateMul(end_block, builder.getInt64(block), "", true, true);
  return {begin, builder.CreateBinaryIntrinsic(Intrinsic::smin, end, entry.size, nullptr, "end")};
}

void emitBlocks(Function& ranks, const std::string& name, uint32_t block) {
  IRBuilder<> builder(ranks.getContext());
  BlocksEntry entry = startRanks(builder, ranks, name);
  Ranks range = ranksOf(builder, entry, block, entry.function->getArg(1), entry.function->getArg(2));
  callRanks(builder, ranks, entry, range.begin, range.end);
  builder.CreateRetVoid();
}

void emitBlockByBlock(Function& ranks, const std::string& name, uint32_t block) {
  LLVMContext& context = ranks.getContext();
  IRBuilder<> builder(context);
  BlocksEntry entry = startRanks(builder, ranks, name);
  BasicBlock* before = builder.GetInsertBlock();
  auto* header = BasicBlock::Create(context, "next", entry.function);
  auto* body = BasicBlock::Create(context, "block", entry.function);
  auto* exit = BasicBlock::Create(context, "exit", entry.function);
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  PHINode* id = builder.CreatePHI(builder.getInt64Ty(), 2, "block.id");
  builder.CreateCondBr(builder.CreateICmpSLT(id, entry.function->getArg(2)), body, exit);
  builder.SetInsertPoint(body);
  Value* next = builder.CreateAdd(id, builder.getInt64(1), "", true, true);
  Ranks range = ranksOf(builder, entry, block, id, next);
  callRanks(builder, ranks, entry, range.begin, range.end);
  builder.CreateBr(header);
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
  id->addIncoming(entry.function->getArg(1), before);
  id->addIncoming(next, body);
}

// Runs the whole blocks, then the last one that is not whole.
void emitWholeAndRest(const BlockFunctions& functions, const std::string& name, uint32_t block) {
  LLVMContext& context = functions.whole->getContext();
  IRBuilder<> builder(context);
  BlocksEntry entry = startRanks(builder, *functions.whole, name);
  Ranks range = ranksOf(builder, entry, block, entry.function->getArg(1), entry.function->getArg(2));
  Value* part = builder.CreateSRem(range.end, builder.getInt64(block));
  Value* whole_end = builder.CreateSub(range.end, part, "whole.end", true, true);
  callRanks(builder, *functions.whole, entry, range.begin, whole_end);
  auto* rest = BasicBlock::Create(context, "rest", entry.function);
  auto* exit = BasicBlock::Create(context, "exit", entry.function);
  builder.CreateCondBr(builder.CreateIsNotNull(part), rest, exit);
  builder.SetInsertPoint(rest);
  callRanks(builder, *functions.any, entry, whole_end, range.end);
  builder.CreateBr(exit);
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
}

// `width`: of the plan, or an override; 0: none is asked for.
void setWidth(Function& ranks, unsigned width) {
  if (width)
    ranks.addFnAttr(kWidthAttribute, std::to_string(width));
}

// A thread goes through counters that lie side by side: LLVM makes vectors of that.
bool listsThreads(const plan::Kernel& kernel) {
  return any_of(kernel.params, [](const plan::Param& param) { return param.kind == plan::Param::Block; });
}

// Kernels may have two forms if the compiler chooses which loops become vectors: from -O2 on, and if no width was
// asked for.
void addFormsTo(Function& ranks, unsigned width, const plan::Kernel& kernel, const CpuOptions& options) {
  bool vectors = options.opt_level >= 2 && !options.reference && options.vector_width == 0 && width == 0 &&
                 !StringRef(kernel.symbol).ends_with(kProvenSuffix);
  if (vectors)
    ranks.addFnAttr(kFormsAttribute, addForms(*ranks.getParent(), kernel.symbol)->getName());
}

void lowerBlockKernel(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, const BlockTerms& terms,
                      const CpuOptions& options, unsigned width) {
  auto* rank_type = IntegerType::get(thread.getContext(), plan.rank_bits);
  bool one_by_one = width == 1 || options.vector_width == 1; // a loop over lanes needs no whole number of vectors
  BlockFunctions functions =
      buildBlockKernel(thread, kernel, rank_type, terms, {plan.block, options.reference, one_by_one});
  for (Function* ranks : {functions.whole, functions.any})
    if (ranks)
      setWidth(*ranks, width);
  if (functions.whole)
    addFormsTo(*functions.whole, width, kernel, options);
  if (functions.whole && functions.any)
    emitWholeAndRest(functions, kernel.symbol, plan.block);
  else
    emitBlocks(functions.whole ? *functions.whole : *functions.any, kernel.symbol, plan.block);
}

Function& buildRanks(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, const CpuOptions& options,
                     unsigned width) {
  bool reference = options.reference;
  auto* rank_type = IntegerType::get(thread.getContext(), plan.rank_bits);
  RankLoop loop = reference ? buildShuffledLoop(thread, kernel, rank_type) : buildRankLoop(thread, kernel, rank_type);
  Function& ranks = *loop.function;
  ranks.addFnAttr(kKernelAttribute);
  ranks.addFnAttr(kBlockSizeAttribute, std::to_string(plan.block));
  setWidth(ranks, width);
  addFormsTo(ranks, width, kernel, options);
  SmallVector<BasicBlock*, 16> blocks(make_pointer_range(ranks));
  bool in_place = reference || loopsIn(ranks) > 1;
  lowerDeviceCalls(loop, blocks, in_place ? AssertMode::Call : AssertMode::Defer);
  return ranks;
}

// Makes @`kernel.symbol`.blocks.
void lowerThread(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, const CpuOptions& options,
                 unsigned width) {
  BlockTerms terms = findBlockTerms(thread, kernel, plan.block);
  if (isBlockKernel(thread, terms)) {
    lowerBlockKernel(thread, plan, kernel, terms, options, width);
  } else {
    Function& ranks = buildRanks(thread, plan, kernel, options, width);
    if (options.reference)
      emitBlockByBlock(ranks, kernel.symbol, plan.block);
    else
      emitBlocks(ranks, kernel.symbol, plan.block);
  }
  thread.eraseFromParent();
}

// Lowers `thread` under the kernel's symbol with another name, and puts the entry in the place of `use`.
void lowerAs(Function& thread, const plan::Plan& plan, plan::Kernel kernel, const CpuOptions& options, unsigned width,
             Function& use) {
  Module& module = *thread.getParent();
  kernel.symbol = thread.getName().str();
  lowerThread(thread, plan, kernel, options, width);
  use.replaceAllUsesWith(module.getFunction(kernel.symbol + ".blocks"));
  use.eraseFromParent();
}

constexpr unsigned kOneByOne = 1;

// Lowers a kernel of a program that watches itself. The watched form calls the runtime for each access, and runs
// threads one by one.
void lowerWithProven(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, const CpuOptions& options) {
  ProvenCopy made = splitProven(thread, kernel.symbol, kernel.symbol + kProvenSuffix);
  thread.setName(kernel.symbol + ".watched");
  lowerAs(thread, plan, kernel, options, kOneByOne, *made.watched);
  writeOutLoops(*made.thread);
  unsigned width = mayTellOthers(*made.thread) ? kOneByOne : plan.width;
  lowerAs(*made.thread, plan, kernel, options, width, *made.proven);
}

void lowerChecked(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, const CpuOptions& options) {
  CheckedAccesses accesses = kindOfAccesses(thread);
  if (accesses == CheckedAccesses::Showable)
    return lowerWithProven(thread, plan, kernel, options);
  writeOutLoops(thread);
  bool may_be_vectors = accesses == CheckedAccesses::None && !mayTellOthers(thread);
  lowerThread(thread, plan, kernel, options, may_be_vectors ? plan.width : kOneByOne);
}

void lowerKernel(Module& module, const plan::Plan& plan, const plan::Kernel& kernel, const CpuOptions& options) {
  Function* thread = module.getFunction(kernel.symbol);
  BSGP_CHECK(thread && !thread->isDeclaration(), "%s has no kernel %s", plan.symbol.c_str(), kernel.symbol.c_str());
  bool optimize = options.opt_level >= 2 && !options.reference, checks = checksOf(module) != 0;
  if (optimize)
    makeArraysRegisters(*thread);
  if (optimize && checks)
    lowerChecked(*thread, plan, kernel, options);
  else
    lowerThread(*thread, plan, kernel, options, checks || listsThreads(kernel) ? kOneByOne : plan.width);
}

void defineWithBlocks(Module& module, const plan::Plan& plan, bsgp_code_kind code) {
  definePlan(module, plan, code, [&](const plan::Kernel& kernel) {
    Function* blocks = module.getFunction(kernel.symbol + ".blocks");
    BSGP_CHECK(blocks, "%s: %s has no block function", plan.symbol.c_str(), kernel.symbol.c_str());
    return KernelEntry{kernel.symbol, blocks, nullptr, formsOf(module, kernel.symbol)};
  });
}

} // namespace

void lowerKernels(ir::Kernels& program, const CpuOptions& options) {
  Module& module = *program.module;
  describeMachine(module, options);
  for (const plan::Plan& plan : program.plans)
    for (const plan::Kernel& kernel : plan.kernels)
      if (!module.getFunction(kernel.symbol + ".blocks")) // two supersteps may share a kernel
        lowerKernel(module, plan, kernel, options);
  for (const plan::Plan& plan : program.plans)
    defineWithBlocks(module, plan, options.reference ? BSGP_CODE_REFERENCE : BSGP_CODE_CPU);
  ir::dropUnusedDeclarations(module);
  dropSharedMemory(module);
  checkAfter("lower-kernels", module);
  if (options.after_pass)
    options.after_pass("lower-kernels", module);
}

} // namespace bsgp::target
