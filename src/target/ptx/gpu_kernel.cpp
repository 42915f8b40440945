// The entry of a kernel.
//
// Requires: a thread function as bsgp leaves it. Ensures: a function of this form; ranks and places in the block are
// what the hardware says.
//
//   define ptx_kernel void @name(args, i64 size, ptr addrspace(1) record, i64 whole) {
//   entry: tid = sreg tid.x;  tile = sreg ctaid.x
//          block = tile, or where there are whole tiles of T blocks: tile < whole ? tile*T : tile + whole*(T-1)
//          rank = block*B + tid
//          br (rank < size), start, exit
//   start: br (record->failed == 0), body, exit                 ; where a launch before this may have failed
//   body:  ...                                                   ; ret -> br exit
//   exit:  ret void }
//
// A thread that returned takes no part in the syncs of its block: since compute capability 7.0 they wait for those that
// are left.
#include "target/ptx/gpu_kernel.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "ir/operations.h"
#include "plan/plan_abi.h"
#include "support/check.h"
#include "target/common/block_terms.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint64_t kStreamAlignment = 256; // of device memory

// A bool is passed as the byte that it is stored in.
Type* parameterType(Type* type) {
  return type->isIntegerTy(1) ? Type::getInt8Ty(type->getContext()) : type;
}

Function* createEntry(Function& thread, const std::string& name, bool is_watched) {
  LLVMContext& context = thread.getContext();
  SmallVector<Type*, 16> types;
  for (Type* type : thread.getFunctionType()->params())
    types.push_back(parameterType(type));
  types.push_back(Type::getInt64Ty(context));
  types.push_back(PointerType::get(context, ir::kDeviceSpace));
  types.push_back(Type::getInt64Ty(context));
  if (is_watched)
    types.push_back(PointerType::get(context, ir::kDeviceSpace));
  auto* function = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                                    GlobalValue::ExternalLinkage, name, *thread.getParent());
  function->setCallingConv(CallingConv::PTX_Kernel);
  function->setDoesNotThrow();
  return function;
}

void describeArguments(Function& function, Function& thread, const plan::Kernel& kernel) {
  for (auto [index, parameter] : enumerate(kernel.params)) {
    Argument* argument = function.getArg(index);
    argument->setName(thread.getArg(index)->getName());
    if (parameter.kind != plan::Param::Stream)
      continue;
    argument->addAttr(Attribute::NoAlias);
    argument->addAttr(Attribute::getWithAlignment(function.getContext(), Align(kStreamAlignment)));
  }
  function.getArg(kernel.params.size())->setName("size");
  function.getArg(kernel.params.size() + 1)->setName("record");
  function.getArg(kernel.params.size() + 2)->setName("whole");
  if (function.arg_size() > kernel.params.size() + 3)
    function.getArg(kernel.params.size() + 3)->setName("check");
}

// In [0, end).
Value* special(IRBuilder<>& builder, Intrinsic::ID id, uint32_t end, const char* name) {
  CallInst* read = builder.CreateIntrinsic(id, {}, {});
  read->setName(name);
  read->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, end)));
  return read;
}

void replaceArguments(IRBuilder<>& builder, Function& thread, Function& function) {
  for (auto [index, argument] : enumerate(thread.args())) {
    Value* given = function.getArg(index);
    argument.replaceAllUsesWith(given->getType() == argument.getType() ? given : builder.CreateIsNotNull(given));
  }
}

void moveBody(Function& thread, GpuKernel& made, BasicBlock* entry) {
  made.body = &thread.getEntryBlock();
  made.body->setName("thread");
  for (Instruction& instruction : make_early_inc_range(*made.body))
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction))
      alloca->moveBefore(*entry, entry->begin());
  for (BasicBlock& block : thread)
    if (auto* end = dyn_cast<ReturnInst>(block.getTerminator()))
      ReplaceInstWithInst(end, BranchInst::Create(made.exit));
  made.function->splice(made.exit->getIterator(), &thread);
}

void replaceTerm(Instruction* term, Value* by) {
  if (!term)
    return;
  term->replaceAllUsesWith(by);
  term->eraseFromParent();
}

constexpr uint32_t kRegistersThere = 1u << 16; // in a multiprocessor, of 32 bits each
constexpr uint32_t kScratch = 16;              // registers that a thread needs beside its values

// Threads that wait for each other have few accesses under way, so a multiprocessor needs many of them: as many as
// have registers for the values that a tile keeps across its syncs. 768 threads have 85 registers each; no GPU since
// compute capability 8.0 runs fewer than 1536.
uint32_t threadsBesideWaits(const GpuTile& tile) {
  return tile.blocks > 1 ? std::clamp(kRegistersThere / (tile.registers + kScratch), 768u, 1536u) : 768;
}

// Every block has the same number of threads: the compiler may plan with it, and a launch of another number fails.
void annotate(Function& function, uint32_t block, uint32_t threads_beside_waits) {
  LLVMContext& context = function.getContext();
  NamedMDNode* annotations = function.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  auto add = [&](const char* what, uint32_t value) {
    auto* number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value));
    annotations->addOperand(
        MDNode::get(context, {ValueAsMetadata::get(&function), MDString::get(context, what), number}));
  };
  add("kernel", 1);
  add("reqntidx", block);
  add("reqntidy", 1);
  add("reqntidz", 1);
  if (waits(function))
    add("minctasm", std::max(1u, threads_beside_waits / block));
}

Value* hasNotFailed(IRBuilder<>& builder, Value* record) {
  static_assert(offsetof(bsgp_gpu_record, failed) == 0);
  LoadInst* failed = builder.CreateAlignedLoad(builder.getInt32Ty(), record, Align(8), /*isVolatile=*/true, "failed");
  return builder.CreateIsNull(failed);
}

// Computes the place of the thread from the hardware's numbers.
GpuPlace placeOf(IRBuilder<>& builder, const GpuKernel& made, uint32_t block_size, IntegerType* type) {
  GpuPlace place;
  place.block_size = block_size;
  Value* lane = special(builder, Intrinsic::nvvm_read_ptx_sreg_tid_x, block_size, "lane");
  Value* tile = special(builder, Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0x7FFFFFFF, "tile");
  place.lane = builder.CreateZExt(lane, type);
  place.tile = builder.CreateZExt(tile, builder.getInt64Ty());
  place.block = builder.CreateZExt(tile, type);
  if (made.tile == 1)
    return place;
  // a kernel that is not watched
  Value* whole = builder.CreateTrunc(made.function->getArg(made.function->arg_size() - 1), type);
  place.in_tile = builder.CreateICmpULT(place.block, whole);
  Value* in = builder.CreateMul(place.block, ConstantInt::get(type, made.tile), "", true);
  Value* behind =
      builder.CreateAdd(place.block, builder.CreateMul(whole, ConstantInt::get(type, made.tile - 1), "", true));
  place.block = builder.CreateSelect(place.in_tile, in, behind, "block");
  return place;
}

// Replaces the contract's functions of tiles for a block that runs by itself: tile.rank is 0, tile.size 1.
void replaceTileTerms(IRBuilder<>& builder, const GpuKernel& made, const GpuPlace& place) {
  SmallVector<std::pair<Instruction*, ir::Op>, 4> found;
  for (Instruction& instruction : instructions(*made.function))
    if (ir::Op op = ir::opOf(instruction); ir::isOfTile(op))
      found.push_back({&instruction, op});
  for (auto [instruction, op] : found)
    replaceTerm(instruction, op == ir::Op::TileId ? place.tile : builder.getInt32(op == ir::Op::TileSize));
}

} // namespace

GpuKernel buildGpuKernel(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel, std::string name,
                         bool can_fail) {
  LLVMContext& context = thread.getContext();
  auto* rank_type = IntegerType::get(context, plan.rank_bits);
  BlockTerms terms = findBlockTerms(thread, kernel, plan.block);
  GpuKernel made;
  made.name = std::move(name);
  bool is_watched = isWatched(thread);
  made.function = createEntry(thread, made.name, is_watched);
  describeArguments(*made.function, thread, kernel);
  GpuTile tile = is_watched ? GpuTile() : makeTile(thread, plan, kernel);
  made.tile = tile.blocks;
  made.record = made.function->getArg(kernel.params.size() + 1);
  made.check = is_watched ? made.function->getArg(kernel.params.size() + 3) : nullptr;
  auto* entry = BasicBlock::Create(context, "entry", made.function);
  made.exit = BasicBlock::Create(context, "exit", made.function);
  ReturnInst::Create(context, made.exit);
  moveBody(thread, made, entry);

  IRBuilder<> builder(entry);
  replaceArguments(builder, thread, *made.function);
  if (tile.function)
    replaceArguments(builder, *tile.function, *made.function);
  GpuPlace place = placeOf(builder, made, plan.block, rank_type);
  Value* block_size = ConstantInt::get(rank_type, plan.block);
  Value* begin = builder.CreateMul(place.block, block_size, "", /*HasNUW=*/true);
  made.rank = builder.CreateAdd(begin, place.lane, "rank", true);
  Value* size = builder.CreateTrunc(made.function->getArg(kernel.params.size()), rank_type);
  Value* here = builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateSub(size, begin), block_size);
  BasicBlock* next = can_fail ? BasicBlock::Create(context, "start", made.function, made.body) : made.body;
  builder.CreateCondBr(builder.CreateICmpULT(made.rank, size), next, made.exit);
  if (can_fail) {
    builder.SetInsertPoint(next);
    builder.CreateCondBr(hasNotFailed(builder, made.record), made.body, made.exit);
  }
  if (tile.function)
    addTiles(made, tile, place);
  replaceTerm(terms.lane, place.lane);
  replaceTerm(terms.id, place.block);
  replaceTerm(terms.size, here);
  replaceTerm(terms.rank, made.rank);
  replaceTileTerms(builder, made, place);
  annotate(*made.function, plan.block, threadsBesideWaits(tile));
  return made;
}

bool hasAsserts(const Function& function) {
  return any_of(instructions(function),
                [](const Instruction& instruction) { return ir::opOf(instruction) == ir::Op::Assert; });
}

unsigned GpuTables::numberOf(MapVector<Constant*, unsigned>& table, Value* constant) {
  return table.try_emplace(cast<Constant>(constant), table.size()).first->second;
}

} // namespace bsgp::target
