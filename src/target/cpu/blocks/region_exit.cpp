// Emits the code that a region runs once for the block: uniform values in its start, and the branch to the next
// region.
#include "support/check.h"
#include "target/cpu/blocks/block_frame.h"

namespace bsgp::target {

using namespace llvm;

Value* RegionValues::uniform(Value* value) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return value;
  if (Value* known = known_.lookup(instruction))
    return known;
  return known_[instruction] = make(*instruction);
}

Value* RegionValues::make(Instruction& instruction) {
  if (&instruction == kernel_.terms->id)
    return frame_.id;
  if (&instruction == kernel_.terms->size)
    return frame_.count;
  BSGP_CHECK(kernel_.uniform->has(instruction), "%s differs between the threads of a block in %s",
             instruction.getOpcodeName(), frame_.function->getName().str().c_str());
  IRBuilder<> builder(start_);
  if (AllocaInst* place = frame_.uniforms.lookup(&instruction))
    return builder.CreateLoad(instruction.getType(), place, instruction.getName());
  return copy(instruction);
}

Value* RegionValues::copy(Instruction& instruction) {
  Instruction* made = instruction.clone();
  made->setDebugLoc(DebugLoc());
  for (Use& use : made->operands())
    use.set(uniform(use));
  return IRBuilder<>(start_).Insert(made, instruction.getName());
}

void RegionValues::load() {
  for (Instruction& instruction : *region_.leader())
    if (AllocaInst* place = frame_.uniforms.lookup(&instruction); place && isa<LoadInst>(instruction)) {
      Value* loaded = known_[&instruction] = copy(instruction);
      IRBuilder<>(start_).CreateStore(loaded, place);
    }
}

RegionExit::RegionExit(const BlockKernel& kernel, const BlockFrame& frame, const Region& region, RegionValues& values)
    : kernel_(kernel), frame_(frame), region_(region), values_(values) {
  bool decided = region.decision && kernel.uniform->has(*region.decision->getOperand(0));
  lanes_choose_ = region.next.size() > 1 && !decided;
  for (const BasicBlock* block : region.blocks) {
    const Instruction* end = block->getTerminator();
    if (end->getNumSuccessors() == 1 && kernel.regions->isLeader(end->getSuccessor(0)))
      if (MDNode* properties = end->getMetadata(LLVMContext::MD_loop))
        loop_properties_ = properties;
  }
  if (lanes_choose_)
    createWay();
}

void RegionExit::createWay() {
  IRBuilder<> builder(frame_.entry, frame_.entry->begin());
  way_ = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "way");
  builder.SetInsertPoint(values_.start());
  builder.CreateStore(builder.getInt32(0), way_);
}

bool RegionExit::place(const Instruction& original, Instruction& copy, BasicBlock& lane_end) {
  if (isa<ReturnInst>(original) || (&original == region_.decision && !lanes_choose_)) {
    BranchInst::Create(&lane_end, copy.getIterator());
    copy.eraseFromParent();
    return false;
  }
  for (unsigned i = 0; i != original.getNumSuccessors(); ++i)
    if (const BasicBlock* to = original.getSuccessor(i); kernel_.regions->isLeader(to)) {
      copy.setSuccessor(i, wayTo(to, lane_end));
      copy.setMetadata(LLVMContext::MD_loop, nullptr);
    }
  return true;
}

BasicBlock* RegionExit::wayTo(const BasicBlock* leader, BasicBlock& lane_end) {
  if (!lanes_choose_)
    return &lane_end;
  auto* block = BasicBlock::Create(lane_end.getContext(), "way.out", frame_.function, &lane_end);
  IRBuilder<> builder(block);
  builder.CreateStore(builder.getInt32(numberOf(leader)), way_);
  builder.CreateBr(&lane_end);
  return block;
}

unsigned RegionExit::numberOf(const BasicBlock* leader) const {
  return unsigned(find(region_.next, leader) - region_.next.begin()) + 1;
}

void RegionExit::branchToNext(BasicBlock& block) {
  IRBuilder<> builder(&block);
  setPhis(builder);
  branch(builder);
}

// Reads all values before it sets one.
void RegionExit::setPhis(IRBuilder<>& builder) {
  SmallVector<std::pair<Value*, AllocaInst*>, 8> values;
  SmallPtrSet<const BasicBlock*, 16> inside(region_.blocks.begin(), region_.blocks.end());
  for (BasicBlock* leader : region_.next)
    for (PHINode& phi : leader->phis()) {
      AllocaInst* place = frame_.uniforms.lookup(&phi);
      auto from = find_if(phi.blocks(), [&](BasicBlock* before) { return inside.contains(before); });
      if (place && from != phi.block_end())
        values.push_back({values_.uniform(phi.getIncomingValueForBlock(*from)), place});
    }
  for (auto [value, place] : values)
    builder.CreateStore(value, place);
}

void RegionExit::branch(IRBuilder<>& builder) {
  if (region_.next.size() > 1)
    return lanes_choose_ ? branchAsLanesChose(builder) : branchAsUniformValueSays(builder);
  BasicBlock* to = region_.next.empty() ? frame_.block_end : frame_.starts.lookup(region_.next.front());
  BranchInst* branch = builder.CreateBr(to);
  if (loop_properties_)
    branch->setMetadata(LLVMContext::MD_loop, loop_properties_);
}

void RegionExit::branchAsUniformValueSays(IRBuilder<>& builder) {
  Value* condition = values_.uniform(region_.decision->getOperand(0));
  Instruction* branch = region_.decision->clone();
  branch->setDebugLoc(DebugLoc());
  branch->setOperand(0, condition);
  for (unsigned i = 0; i != branch->getNumSuccessors(); ++i)
    branch->setSuccessor(i, frame_.starts.lookup(branch->getSuccessor(i)));
  branch->insertInto(builder.GetInsertBlock(), builder.GetInsertBlock()->end());
}

void RegionExit::branchAsLanesChose(IRBuilder<>& builder) {
  Value* way = builder.CreateLoad(builder.getInt32Ty(), way_);
  SwitchInst* branch = builder.CreateSwitch(way, frame_.block_end, region_.next.size());
  for (BasicBlock* leader : region_.next)
    branch->addCase(builder.getInt32(numberOf(leader)), frame_.starts.lookup(leader));
}

} // namespace bsgp::target
