#include "target/cpu/wavefront/thread_values.h"

#include <llvm/IR/IRBuilder.h>

#include "target/common/attributes.h"
#include "target/cpu/blocks/block_crossing.h"

namespace bsgp::target {

using namespace llvm;

namespace {

const Align kVectorAlign(64);

} // namespace

unsigned ThreadValues::sideOf(const BasicBlock* block) const {
  if (auto found = region_.segment_of.find(block); found != region_.segment_of.end())
    return found->second;
  return before_.contains(block) ? kBefore : kBehind;
}

Value* ThreadValues::at(Value* value, unsigned side) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return value;
  if (AllocaInst* array = spread_.lookup(instruction)) {
    Value*& element = known_[{value, side}];
    return element ? element : element = elementAt(*array, side);
  }
  if (!lanes_.contains(value) || (sideOf(instruction->getParent()) == side && !lanes_.counter(value)))
    return value;
  if (Value* known = known_.lookup({value, side}))
    return known;
  Value* found = find(*instruction, side);
  return known_[{value, side}] = found;
}

Value* ThreadValues::find(Instruction& value, unsigned side) {
  if (side == kBefore)
    return &value;
  if (const LaneCounter* counter = lanes_.counter(&value); counter && !isStation(side))
    return counterAt(*counter, side);
  if (isMadeAgain(value, side))
    return again(value, side);
  bool in_place = side != kBehind && side != 0; // behind the entry of the thread
  return in_place ? load(value, side) : loadElement(value, side);
}

bool ThreadValues::isStation(unsigned side) const {
  return side < region_.segments.size() && region_.segments[side].station;
}

// A station repeats what it computes.
bool ThreadValues::isMadeAgain(Instruction& value, unsigned side) {
  return !isStation(side) && !lanes_.counter(&value) && costOf(value) <= kCheapAgain;
}

unsigned ThreadValues::costOf(const Value& value) {
  auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !lanes_.contains(&value) || lanes_.counter(&value))
    return 0;
  if (auto known = costs_.find(instruction); known != costs_.end())
    return known->second;
  unsigned sum = costOfOneAgain(*instruction);
  if (sum == kNeverAgain) // a phi may be among its own operands
    return sum;
  for (const Use& use : instruction->operands())
    sum = std::min(kNeverAgain, sum + costOf(*use));
  return costs_[instruction] = sum;
}

IRBuilder<> ThreadValues::builderAt(unsigned side) {
  if (side == kBefore)
    return IRBuilder<>(&*lanes_.header->getFirstInsertionPt());
  return IRBuilder<>((side == kBehind ? frame_.top_behind : frame_.tops[side])->getTerminator());
}

// It is made of counters and values of all threads alone, so that a copy of all of it can stand where the side begins:
// a part that the side makes itself comes later.
Value* ThreadValues::again(Instruction& value, unsigned side) {
  if (Value* known = made_again_.lookup({&value, side}))
    return known;
  Instruction* copy = value.clone();
  for (Use& use : copy->operands()) {
    auto* part = dyn_cast<Instruction>(use);
    if (part && lanes_.contains(part) && !spread_.contains(part))
      use.set(lanes_.counter(part) ? at(part, side) : again(*part, side));
    else
      use.set(at(use, side));
  }
  builderAt(side).Insert(copy, value.getName());
  return made_again_[{&value, side}] = copy;
}

Value* ThreadValues::indexAt(unsigned side) {
  if (side == kBefore)
    return frame_.index_before;
  if (side == kBehind)
    return frame_.index_behind;
  Value*& index = indices_[side];
  if (!index) {
    IRBuilder<> builder = builderAt(side);
    index = builder.CreateLoad(builder.getInt32Ty(), frame_.index, "place.index");
  }
  return index;
}

Value* ThreadValues::counterAt(const LaneCounter& counter, unsigned side) {
  Value* index = indexAt(side);
  IRBuilder<> builder = builderAt(side);
  Value* turns = builder.CreateAdd(frame_.first, builder.CreateZExt(index, builder.getInt64Ty()), "", true, true);
  return counterAfter(builder, counter, turns);
}

// ---- variables of a place

AllocaInst* ThreadValues::variableOf(Instruction& value) {
  AllocaInst*& variable = variable_of_[&value];
  if (variable)
    return variable;
  IRBuilder<> entry(frame_.entry, frame_.entry->begin());
  AllocaInst* made = variable = entry.CreateAlloca(value.getType(), nullptr, value.getName() + ".of");
  variables_.push_back(made);
  unsigned side = sideOf(value.getParent());
  bool at_point = isa<PHINode>(value) && side != kBefore && region_.segments[side].point == value.getParent();
  if (at_point)
    return made; // set on the edges
  if (side == kBefore || lanes_.counter(&value)) {
    Value* entering = at(&value, 0);
    builderAt(0).CreateStore(entering, made);
  } else {
    BasicBlock::iterator behind = *value.getInsertionPointAfterDef();
    IRBuilder<>(behind->getParent(), behind).CreateStore(&value, made);
  }
  return made;
}

Value* ThreadValues::load(Instruction& value, unsigned side) {
  AllocaInst* variable = variableOf(value);
  return builderAt(side).CreateLoad(value.getType(), variable, value.getName());
}

// ---- arrays of a run

AllocaInst* ThreadValues::arrayOfRun(Type* type, const Twine& name, Align align) {
  IRBuilder<> entry(frame_.entry, frame_.entry->begin());
  AllocaInst* array = entry.CreateAlloca(ArrayType::get(type, frame_.run), nullptr, name);
  array->setAlignment(std::max(kVectorAlign, align));
  array->setMetadata(kLanes, MDNode::get(entry.getContext(), {}));
  arrays_.push_back(array);
  return array;
}

Value* ThreadValues::elementAt(AllocaInst& array, unsigned side) {
  Value* index = indexAt(side);
  IRBuilder<> builder = builderAt(side);
  Value* wide = builder.CreateZExt(index, builder.getInt64Ty(), "", /*IsNonNeg=*/true);
  return builder.CreateInBoundsGEP(array.getAllocatedType()->getArrayElementType(), &array, wide);
}

void ThreadValues::spread(AllocaInst& array) {
  spread_[&array] = arrayOfRun(array.getAllocatedType(), array.getName() + ".of.run", array.getAlign());
}

AllocaInst* ThreadValues::arrayOf(Instruction& value) {
  AllocaInst*& array = array_of_[&value];
  if (array)
    return array;
  Type* type = value.getType()->isIntegerTy(1) ? Type::getInt8Ty(value.getContext()) : value.getType();
  AllocaInst* made = array = arrayOfRun(type, value.getName() + ".of.run", Align(1));
  unsigned side = sideOf(value.getParent());
  unsigned stored = side == kBefore ? kBefore : region_.segment_of.lookup(region_.end);
  Value* place = elementAt(*made, stored);
  Value* kept = at(&value, stored);
  IRBuilder<> builder = builderAt(stored);
  if (side == kBefore)
    builder.SetInsertPoint(*value.getInsertionPointAfterDef());
  builder.CreateStore(kept->getType() == type ? kept : builder.CreateZExt(kept, type), place);
  return made;
}

Value* ThreadValues::loadElement(Instruction& value, unsigned side) {
  AllocaInst* array = arrayOf(value);
  Value* place = elementAt(*array, side);
  IRBuilder<> builder = builderAt(side);
  Value* loaded = builder.CreateLoad(array->getAllocatedType()->getArrayElementType(), place, value.getName());
  return loaded->getType() == value.getType() ? loaded : builder.CreateTrunc(loaded, value.getType());
}

} // namespace bsgp::target
