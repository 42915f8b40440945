#include "target/cpu/vectorize/lane_body.h"

#include "support/check.h"

namespace bsgp::target {

using namespace llvm;

LaneBody::LaneBody(LaneProgram& program)
    : program_(program), lanes_(program.lanes), shapes_(program.shapes), width_(program.width),
      function_(*program.lanes.header->getParent()), context_(function_.getContext()), builder_(context_) {}

BasicBlock* LaneBody::write(BasicBlock& begin, ArrayRef<Value*> counters, Value* mask) {
  for (auto [counter, value] : zip_equal(lanes_.counters, counters))
    scalars_[counter.phi] = value;
  FlowLevel& level = program_.flow.outermost();
  there_ = mask;
  builder_.SetInsertPoint(&begin);
  openLevel(level, mask);
  writeNodes(level);
  builder_.SetInsertPoint(code(level).end);
  return code(level).end;
}

// ---- levels

// Goes on from the builder's block to the header.
void LaneBody::openLevel(FlowLevel& level, Value* mask) {
  LevelCode& code = this->code(level);
  BasicBlock* before = builder_.GetInsertBlock();
  for (FlowNode& node : level.nodes)
    code.arrivals.push_back(BasicBlock::Create(context_, node.block->getName() + ".v", &function_));
  code.header = code.arrivals.front();
  if (level.meets)
    code.end = BasicBlock::Create(context_, "lanes.end", &function_);
  if (level.divergent)
    code.after = BasicBlock::Create(context_, "lanes.left", &function_);
  code.masks.resize(level.nodes.size());
  findUsualValues(level);
  Value* live = level.divergent ? toStored(orAll(mask)) : nullptr;
  if (level.parent)
    openHeaderPhis(level, *before);
  builder_.CreateBr(code.header);
  builder_.SetInsertPoint(code.header, code.header->getFirstInsertionPt());
  code.masks[0] = mask;
  if (!level.divergent)
    return;
  code.live = PHINode::Create(storedMaskType(), 2, "live", code.header->begin());
  code.live->addIncoming(live, before);
  code.masks[0] = fromStored(code.live);
  code.live_next = createVariable(level, storedMaskType(), Constant::getNullValue(storedMaskType()), "live.next");
}

void LaneBody::openHeaderPhis(FlowLevel& level, BasicBlock& before) {
  LevelCode& code = this->code(level);
  BasicBlock* preheader = level.loop->getLoopPreheader();
  for (PHINode& phi : level.loop->getHeader()->phis()) {
    bool varying = shapes_.isVarying(&phi);
    Type* type = varying ? widen(phi.getType()) : phi.getType();
    PHINode* made = PHINode::Create(type, 2, phi.getName(), code.header);
    Value* first = phi.getIncomingValueForBlock(preheader);
    made->addIncoming(varying ? vector(first) : scalar(first), &before);
    (varying ? vectors_ : scalars_)[&phi] = made;
    if (level.divergent)
      code.next_values.push_back({made, createVariable(level, type, PoisonValue::get(type), phi.getName() + ".next")});
  }
}

void LaneBody::writeNodes(FlowLevel& level) {
  for (unsigned number = 0; number != level.nodes.size(); ++number)
    writeNode(level, number);
  LevelCode& code = this->code(level);
  IRBuilder<> builder(code.header, code.header->getFirstInsertionPt());
  for (auto [variable, value] : code.resets)
    builder.CreateStore(value, variable);
}

// Once more for the lanes that are to stay.
void LaneBody::closeLevel(FlowLevel& level) {
  LevelCode& code = this->code(level);
  builder_.SetInsertPoint(code.end);
  Value* live = builder_.CreateLoad(storedMaskType(), code.live_next);
  code.live->addIncoming(live, code.end);
  for (auto [phi, variable] : code.next_values)
    phi->addIncoming(builder_.CreateLoad(phi->getType(), variable), code.end);
  builder_.CreateCondBr(anyOf(fromStored(live)), code.header, code.after);
}

// ---- nodes

Value* LaneBody::maskOf(FlowLevel& level, unsigned number) {
  LevelCode& code = this->code(level);
  FlowNode& node = level.nodes[number];
  if (!number || !node.partial)
    return code.masks[0];
  if (!node.own_mask)
    return code.masks[node.dominator];
  return fromStored(builder_.CreateLoad(storedMaskType(), maskVariable(level, number)));
}

void LaneBody::writeNode(FlowLevel& level, unsigned number) {
  LevelCode& code = this->code(level);
  FlowNode& node = level.nodes[number];
  BasicBlock* at = code.arrivals[number];
  builder_.SetInsertPoint(at); // of the header: behind what openLevel wrote
  if (number)
    code.masks[number] = maskOf(level, number);
  Value* mask = code.masks[number];
  if (node.skip) {
    auto* some = BasicBlock::Create(context_, at->getName() + ".some", &function_);
    builder_.CreateCondBr(anyOf(orAll(mask)), some, blockOf(node.skip));
    builder_.SetInsertPoint(some);
  }
  if (node.inner)
    return writeLoop(level, node);
  if (number || !level.parent)
    readPhis(*node.block);
  findRows(*node.block);
  for (Instruction& instruction : *node.block)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator())
      write(instruction, mask);
  arriveWithUsual(level, number);
  writeWays(level, number);
}

void LaneBody::writeLoop(FlowLevel& level, FlowNode& node) {
  openLevel(*node.inner, code(level).masks[&node - level.nodes.data()]);
  writeNodes(*node.inner);
  if (!node.inner->divergent)
    return;
  closeLevel(*node.inner);
  builder_.SetInsertPoint(code(*node.inner).after);
  builder_.CreateBr(blockOf(node.leave));
}

BasicBlock* LaneBody::blockOf(const FlowTarget& target) {
  LevelCode& code = this->code(*target.level);
  if (target.node == FlowTarget::kAfter)
    return code.after;
  return target.node == target.level->end() ? code.end : code.arrivals[target.node];
}

void LaneBody::writeWays(FlowLevel& level, unsigned number) {
  FlowNode& node = level.nodes[number];
  Value* mask = code(level).masks[number];
  auto* branch = cast<BranchInst>(node.block->getTerminator());
  bool one_way = branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1);
  if (node.block == lanes_.latch) {
    builder_.CreateBr(blockOf(node.ways[0]));
  } else if (one_way) {
    takeEdge(level, *node.block, *branch->getSuccessor(0), mask);
    builder_.CreateBr(blockOf(node.ways[0]));
  } else if (shapes_.flow().parts(node.block)) {
    Value* condition = vector(branch->getCondition());
    takeEdge(level, *node.block, *branch->getSuccessor(0), both(mask, condition));
    takeEdge(level, *node.block, *branch->getSuccessor(1), both(mask, builder_.CreateNot(condition)));
    builder_.CreateBr(blockOf(node.ways[0]));
  } else {
    BasicBlock* sides[2];
    for (BasicBlock*& side : sides)
      side = BasicBlock::Create(context_, node.block->getName() + ".way", &function_);
    builder_.CreateCondBr(scalar(branch->getCondition()), sides[0], sides[1]);
    for (unsigned i : {0u, 1u}) {
      builder_.SetInsertPoint(sides[i]);
      takeEdge(level, *node.block, *branch->getSuccessor(i), mask);
      builder_.CreateBr(blockOf(node.ways[i]));
    }
  }
}

} // namespace bsgp::target
