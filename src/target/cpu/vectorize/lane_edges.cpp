#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

AllocaInst* LaneBody::createVariable(FlowLevel& level, Type* type, Constant* reset, const Twine& name) {
  BasicBlock& entry = function_.getEntryBlock();
  AllocaInst* variable = IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, name);
  variables_.push_back(variable);
  code(level).resets.push_back({variable, reset});
  return variable;
}

AllocaInst* LaneBody::maskVariable(FlowLevel& level, unsigned number) {
  AllocaInst*& variable = code(level).own_masks[number];
  if (!variable)
    variable = createVariable(level, storedMaskType(), Constant::getNullValue(storedMaskType()), "lanes");
  return variable;
}

AllocaInst* LaneBody::variableOf(PHINode& phi) {
  if (AllocaInst* known = phis_.lookup(&phi))
    return known;
  Type* type = shapes_.isVarying(&phi) ? widen(phi.getType()) : phi.getType();
  FlowLevel& level = program_.flow.levelOf(phi.getParent());
  return phis_[&phi] = createVariable(level, type, PoisonValue::get(type), phi.getName() + ".of");
}

// True if only one edge leads to the phi, and from the same loop: it is the value of that edge, and needs no
// variable.
bool LaneBody::isCopied(const PHINode& phi) const {
  if (phi.getNumIncomingValues() != 1)
    return false;
  const LoopInfo& loops = shapes_.flow().loops();
  return loops.getLoopFor(phi.getIncomingBlock(0)) == loops.getLoopFor(phi.getParent());
}

void LaneBody::readPhis(BasicBlock& block) {
  for (PHINode& phi : block.phis()) {
    if (lanes_.counter(&phi))
      continue;
    bool varying = shapes_.isVarying(&phi);
    Value* value;
    if (isCopied(phi)) {
      value = varying ? vector(phi.getIncomingValue(0)) : scalar(phi.getIncomingValue(0));
    } else {
      AllocaInst* variable = variableOf(phi);
      value = builder_.CreateLoad(variable->getAllocatedType(), variable, phi.getName());
    }
    (varying ? vectors_ : scalars_)[&phi] = value;
  }
}

// Finds phis to which several edges bring one value: that is set where lanes part, and only other edges choose.
void LaneBody::findUsualValues(FlowLevel& level) {
  for (unsigned number = 1; number < level.nodes.size(); ++number) {
    FlowNode& node = level.nodes[number];
    if (node.inner || level.nodes[node.dominator].inner || !shapes_.flow().meet(node.block))
      continue;
    for (PHINode& phi : node.block->phis())
      if (Value* usual = usualValueAt(level, node.dominator, phi)) {
        usual_[&phi] = usual;
        code(level).usual[node.dominator].push_back(&phi);
      }
  }
}

// Null if there is none that is known at the node.
Value* LaneBody::usualValueAt(FlowLevel& level, unsigned node, const PHINode& phi) const {
  if (isCopied(phi) || !shapes_.isVarying(&phi))
    return nullptr;
  SmallMapVector<Value*, unsigned, 4> edges;
  for (Value* value : phi.incoming_values())
    ++edges[value];
  auto rank = [&](Value* value) { return std::pair(edges[value], !isa<Constant>(value)); }; // constants blend for less
  Value* usual = nullptr;
  for (auto [value, count] : edges)
    if (count > 1 && !isa<UndefValue>(value) && isKnownAt(level, node, *value) && (!usual || rank(value) > rank(usual)))
      usual = value;
  return usual;
}

bool LaneBody::isKnownAt(FlowLevel& level, unsigned node, const Value& value) const {
  if (!lanes_.contains(&value))
    return true;
  const BasicBlock* block = cast<Instruction>(value).getParent();
  if (!level.loop->contains(block))
    return true; // it dominates the loop
  unsigned made = level.number.lookup(block);
  return !level.nodes[made].inner && made <= node && node < level.nodes[made].end;
}

void LaneBody::arriveWithUsual(FlowLevel& level, unsigned node) {
  if (auto found = code(level).usual.find(node); found != code(level).usual.end())
    for (PHINode* phi : found->second)
      builder_.CreateStore(vector(usual_[phi]), variableOf(*phi));
}

void LaneBody::arriveWith(PHINode& phi, Value* value, Value* mask) {
  if (isCopied(phi))
    return;
  bool chooses = shapes_.isVarying(&phi) && mask && shapes_.flow().meet(phi.getParent());
  if (chooses && (isa<PoisonValue>(value) || usual_.lookup(&phi) == value))
    return;
  AllocaInst* variable = variableOf(phi);
  if (!shapes_.isVarying(&phi)) {
    builder_.CreateStore(scalar(value), variable);
    return;
  }
  Value* taken = vector(value);
  if (chooses)
    taken = choose(mask, taken, builder_.CreateLoad(taken->getType(), variable));
  builder_.CreateStore(taken, variable);
}

// `mask`: the lanes that take it; null: all.
void LaneBody::takeEdge(FlowLevel& level, BasicBlock& from, BasicBlock& to, Value* mask) {
  if (&to == level.loop->getHeader())
    return takeBackEdge(level, from, mask);
  FlowLevel& there = program_.flow.levelOf(&to);
  if (&to != there.loop->getHeader()) // of a loop: its phis are set by openHeaderPhis
    for (PHINode& phi : to.phis())
      arriveWith(phi, phi.getIncomingValueForBlock(&from), mask);
  FlowLevel& around = &to == there.loop->getHeader() ? *there.parent : there;
  unsigned number = around.number.lookup(&to);
  if (!around.nodes[number].own_mask)
    return;
  AllocaInst* variable = maskVariable(around, number);
  Value* stored = toStored(orAll(mask));
  if (around.nodes[number].before.size() > 1 || &around != &level)
    stored = builder_.CreateOr(builder_.CreateLoad(storedMaskType(), variable), stored);
  builder_.CreateStore(stored, variable);
}

void LaneBody::takeBackEdge(FlowLevel& level, BasicBlock& from, Value* mask) {
  LevelCode& code = this->code(level);
  if (level.divergent)
    builder_.CreateStore(toStored(orAll(mask)), code.live_next);
  unsigned number = 0;
  for (PHINode& phi : level.loop->getHeader()->phis()) {
    bool varying = shapes_.isVarying(&phi);
    Value* value = phi.getIncomingValueForBlock(&from);
    Value* next = varying ? vector(value) : scalar(value);
    if (level.divergent)
      builder_.CreateStore(next, code.next_values[number++].second);
    else
      cast<PHINode>((varying ? vectors_ : scalars_)[&phi])->addIncoming(next, builder_.GetInsertBlock());
  }
}

} // namespace bsgp::target
