// Tiles: several blocks of the program, run by one thread block of the GPU.
//
//   thread: A                     way:    br (tile < whole), tile.0, thread   ; ranks there are the first block's
//           block.sync()          tile.0: A of block 0, ... A of block T-1
//           B              =>             block.sync()
//           br exit                       B of block 0, ... B of block T-1
//                                         br exit
//                                 thread: as it was                           ; blocks that make no whole tile
//
// 256 threads that load four bytes each and then wait for each other leave the memory idle most of the time. Here the
// loads of all blocks of a tile are under way before the first wait, there is one wait for all of them, and code of
// the library that works between blocks works between tiles (stdlib/gpu/tiles.bsgp).
//
// Whole blocks alone make tiles, so their function is simplified before it is looked at: code for blocks that are not
// whole goes.
//
// Requires: threads of different blocks depend on each other through nothing but variables of the tile; between two
// barriers that would be a race.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "ir/operations.h"
#include "target/common/function_passes.h"
#include "target/ptx/gpu_kernel.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr uint32_t kMostBlocks = 8;
constexpr unsigned kRegisters = 48;         // of 32 bits, for the values that cross a sync
constexpr uint64_t kSharedBytes = 24 << 10; // of a tile: then eight of them fit into a multiprocessor
constexpr unsigned kInstructions = 4000;

// ---- whether it pays

bool speaksOfTiles(const Function& function) {
  return any_of(instructions(function), [](const Instruction& i) { return ir::isOfTile(ir::opOf(i)); });
}

// No tiles if a thread has private arrays (each block's copy would need its own), asserts or printf (messages keep
// their order).
bool isFit(const Function& function) {
  for (const Instruction& instruction : instructions(function)) {
    ir::Op op = ir::opOf(instruction);
    if (isa<AllocaInst>(instruction) || op == ir::Op::Assert || op == ir::Op::Print)
      return false;
  }
  return true;
}

// A thread that loops has enough under way without tiles. (Code of the library that speaks of tiles knows better.)
bool mayLoop(const Function& function) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> back_edges;
  FindFunctionBackedges(function, back_edges);
  return !back_edges.empty() && !speaksOfTiles(function);
}

// Finds the values that are the same for all blocks of a tile, or one apart: those computed of constants, arguments
// and the thread's place in its block.
DenseSet<const Value*> sharedByBlocks(Function& function, const BlockTerms& terms) {
  DenseSet<const Value*> same;
  auto isSame = [&](const Value* value) { return isa<Constant, Argument>(value) || same.contains(value); };
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function))
    for (Instruction& value : *block) {
      bool pure = isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst>(value);
      if (&value == terms.lane || &value == terms.size || ir::isOfTile(ir::opOf(value)) ||
          (pure && all_of(value.operands(), isSame)))
        same.insert(&value);
    }
  return same;
}

// Counts the registers of 32 bits that the values of one block take that cross a sync.
unsigned registersAcross(Function& function, ArrayRef<Region> regions, const BlockTerms& terms) {
  DenseSet<const Value*> same = sharedByBlocks(function, terms);
  DenseMap<const BasicBlock*, size_t> number_of;
  for (auto [number, region] : enumerate(regions))
    for (const BasicBlock* block : region.blocks)
      number_of[block] = number;
  unsigned count = 0;
  for (auto [block, number] : number_of)
    for (const Instruction& value : *block) {
      auto is_later = [&, here = number](const User* user) {
        return number_of.lookup(cast<Instruction>(user)->getParent()) > here;
      };
      if (!terms.is(value) && !same.contains(&value) && any_of(value.users(), is_later))
        count += std::max(1u, unsigned(value.getType()->getPrimitiveSizeInBits()) / 32);
    }
  return count;
}

bool belongsToTile(const GlobalVariable& global) {
  return global.hasAttribute(ir::kOfTile);
}

// Sets the number of blocks of a tile, and the registers that their values take across syncs.
void fit(GpuTile& tile, Function& whole) {
  const DataLayout& layout = whole.getParent()->getDataLayout();
  uint64_t bytes = 0;
  for (GlobalVariable* global : sharedVariables(whole))
    if (!belongsToTile(*global))
      bytes += alignTo(layout.getTypeAllocSize(global->getValueType()), Align(16));
  unsigned registers = registersAcross(whole, tile.regions, tile.terms), count = whole.getInstructionCount();
  tile.blocks = kMostBlocks;
  while (tile.blocks > 1 && (tile.blocks * registers > kRegisters || tile.blocks * bytes > kSharedBytes ||
                             tile.blocks * count > kInstructions))
    tile.blocks /= 2;
  tile.registers = tile.blocks * registers;
}

// ---- whole blocks

FunctionPassManager simplification() {
  FunctionPassManager passes;
  passes.addPass(SCCPPass());
  passes.addPass(SimplifyCFGPass());
  addFullUnroll(passes);
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

Function* wholeBlocksOf(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel) {
  ValueToValueMapTy copies;
  Function* whole = CloneFunction(&thread, copies);
  if (Instruction* size = findBlockTerms(*whole, kernel, plan.block).size)
    size->replaceAllUsesWith(ConstantInt::get(size->getType(), plan.block));
  FunctionPassManager passes = simplification();
  FunctionPasses(Triple(thread.getParent()->getTargetTriple()), nullptr, nullptr).run(*whole, passes);
  return whole;
}

BasicBlock* returnInOnePlace(Function& function) {
  auto* exit = BasicBlock::Create(function.getContext(), "exit", &function);
  for (BasicBlock& block : function)
    if (auto* end = dyn_cast_or_null<ReturnInst>(block.getTerminator()))
      ReplaceInstWithInst(end, BranchInst::Create(exit));
  ReturnInst::Create(function.getContext(), exit);
  return exit;
}

// Returns the regions from the entry to `exit`, in order, if all threads come by every sync exactly once; else none.
std::vector<Region> regionsInOrder(Function& whole, BasicBlock* exit) {
  Regions regions(whole);
  regions.cutAt(exit);
  std::vector<Region> in_order;
  for (BasicBlock* at = &whole.getEntryBlock(); at != exit; at = in_order.back().next.front()) {
    ArrayRef<unsigned> number = regions.of(at);
    const Region& region = regions.all()[number.front()];
    bool once = in_order.size() < regions.all().size() && !region.decision && region.next.size() == 1 &&
                all_of(region.blocks, [&](BasicBlock* block) { return regions.of(block).size() == 1; });
    if (!once)
      return {};
    in_order.push_back(region);
  }
  return in_order;
}

// ---- building

class TilePath {
public:
  TilePath(GpuKernel& kernel, const GpuTile& tile, const GpuPlace& place)
      : kernel_(kernel), tile_(tile), place_(place), copies_(tile.blocks), known_(tile.blocks) {}

  void build() {
    BasicBlock* entry = &kernel_.function->getEntryBlock();
    auto* way = BasicBlock::Create(entry->getContext(), "way", kernel_.function, kernel_.body);
    kernel_.body->replaceUsesWithIf(way, [](Use& use) { return isa<BranchInst>(use.getUser()); });
    IRBuilder<> builder(way);
    setTerms(builder);
    for (const Region& region : tile_.regions)
      for (uint32_t block = 0; block != tile_.blocks; ++block)
        add(region, block);
    leaveTo(kernel_.exit);
    builder.CreateCondBr(place_.in_tile, first_, kernel_.body);
  }

private:
  void setTerms(IRBuilder<>& builder) {
    auto* type = cast<IntegerType>(kernel_.rank->getType());
    auto number = [&](uint64_t value) { return ConstantInt::get(type, value); };
    const BlockTerms& terms = tile_.terms;
    for (uint32_t block = 0; block != tile_.blocks; ++block) {
      auto& known = known_[block];
      if (terms.rank)
        known[terms.rank] =
            builder.CreateAdd(kernel_.rank, number(uint64_t(block) * place_.block_size), "rank", true, true);
      if (terms.id)
        known[terms.id] = builder.CreateAdd(place_.block, number(block), "block", true, true);
      if (terms.lane)
        known[terms.lane] = place_.lane;
      for (Instruction& instruction : instructions(*tile_.function))
        if (ir::Op op = ir::opOf(instruction); ir::isOfTile(op))
          known[&instruction] = tileTerm(builder, op, block);
    }
    for (GlobalVariable* global : sharedVariables(*tile_.function))
      for (uint32_t block = 1; block != tile_.blocks && !belongsToTile(*global); ++block)
        copies_[block][global] = copyOf(*global, block);
  }

  Value* tileTerm(IRBuilder<>& builder, ir::Op op, uint32_t block) const {
    if (op == ir::Op::TileId)
      return place_.tile;
    return builder.getInt32(op == ir::Op::TileRank ? block : tile_.blocks);
  }

  static GlobalVariable* copyOf(GlobalVariable& global, uint32_t block) {
    auto* copy = new GlobalVariable(*global.getParent(), global.getValueType(), /*isConstant=*/false,
                                    global.getLinkage(), global.getInitializer(), global.getName() + "." + Twine(block),
                                    nullptr, GlobalValue::NotThreadLocal, global.getAddressSpace());
    copy->copyAttributesFrom(&global);
    return copy;
  }

  // Appends the code that the threads of one block run in a region.
  void add(const Region& region, uint32_t block) {
    ValueToValueMapTy& copies = copies_[block];
    SmallVector<BasicBlock*, 8> made;
    for (BasicBlock* original : region.blocks) {
      made.push_back(CloneBasicBlock(original, copies, "", kernel_.function));
      made.back()->moveBefore(kernel_.body);
      copies[original] = made.back();
    }
    for (auto [original, value] : known_[block])
      if (is_contained(region.blocks, original->getParent())) {
        cast<Instruction>(copies[original])->eraseFromParent();
        copies[original] = value;
      }
    remapInstructionsInBlocks(made, copies);
    leaveTo(made.front());
    BasicBlock* next = region.next.front();
    for (BasicBlock* copy : made)
      for (unsigned i = 0; i != copy->getTerminator()->getNumSuccessors(); ++i)
        if (copy->getTerminator()->getSuccessor(i) == next)
          ends_.push_back({copy->getTerminator(), i});
    if (next != tile_.exit && block + 1 == tile_.blocks) // one block ends it, with a sync
      IRBuilder<>(ends_.front().first).CreateCall(ir::declare(*kernel_.function->getParent(), ir::Op::BlockSync));
  }

  // Continues the last added block at `next`.
  void leaveTo(BasicBlock* next) {
    for (auto [end, way] : ends_)
      end->setSuccessor(way, next);
    ends_.clear();
    first_ = first_ ? first_ : next;
  }

  GpuKernel& kernel_;
  const GpuTile& tile_;
  const GpuPlace& place_;
  std::vector<ValueToValueMapTy> copies_;                  // of each block's values and shared variables
  std::vector<DenseMap<Instruction*, Value*>> known_;      // of each block: values that need no copy
  SmallVector<std::pair<Instruction*, unsigned>, 8> ends_; // branches that leave the region that was added last
  BasicBlock* first_ = nullptr;
};

} // namespace

bool waits(const Function& thread) {
  return any_of(instructions(thread), [](const Instruction& i) { return ir::opOf(i) == ir::Op::BlockSync; });
}

GpuTile makeTile(Function& thread, const plan::Plan& plan, const plan::Kernel& kernel) {
  GpuTile tile;
  if (!waits(thread) || !isFit(thread))
    return tile;
  Function* whole = wholeBlocksOf(thread, plan, kernel);
  tile.exit = returnInOnePlace(*whole);
  tile.terms = findBlockTerms(*whole, kernel, plan.block);
  tile.regions = regionsInOrder(*whole, tile.exit);
  if (tile.regions.size() > 1 && !mayLoop(*whole))
    fit(tile, *whole);
  if (tile.blocks > 1)
    tile.function = whole;
  else
    whole->eraseFromParent();
  return tile;
}

void addTiles(GpuKernel& kernel, GpuTile& tile, const GpuPlace& place) {
  TilePath(kernel, tile, place).build();
  tile.function->eraseFromParent();
  tile.function = nullptr;
}

} // namespace bsgp::target
