// Atomic accesses of lanes to places of their own: one after the other, but not one waiting for the other.
//
// A locked operation waits for all stores before it, and the code behind it waits for the operation. So no lane's
// result is stored between two of them, and places are prefetched before the first, so that they come from memory
// side by side:
//
//   for (lanes that run) prefetch p[lane];  for (lanes that run) old[lane] = atomic add p[lane], v[lane]
//
// If all lanes run, that is straight code; else it is a loop over the bits of the mask, which finds the elements of a
// lane on the stack.
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

// ---- loads and stores: instructions that may also run for lanes that are off, at another place

void LaneBody::loadAtomic(LoadInst& load, Value* mask) {
  Value* pointer = load.getPointerOperand();
  if (shapes_.isUniform(pointer)) { // all at the same time
    Value* place = builder_.CreateExtractElement(readable(vector(pointer), mask), firstOf(mask));
    Value* found = loadFrom(load.getType(), place, load.getAlign(), load.getOrdering());
    return define(load, builder_.CreateVectorSplat(width_, found));
  }
  program_.remark(load, "one load for each lane");
  Value *places = readable(vector(pointer), mask), *all = PoisonValue::get(widen(load.getType()));
  for (unsigned lane = 0; lane != width_; ++lane) {
    Value* place = builder_.CreateExtractElement(places, lane);
    all = builder_.CreateInsertElement(all, loadFrom(load.getType(), place, load.getAlign(), load.getOrdering()), lane);
  }
  define(load, all);
}

Value* LaneBody::loadFrom(Type* type, Value* place, Align align, AtomicOrdering ordering) {
  LoadInst* load = builder_.CreateAlignedLoad(type, place, align);
  load->setAtomic(ordering);
  return load;
}

void LaneBody::storeAtomic(StoreInst& store, Value* mask) {
  program_.remark(store, "one store for each lane");
  Value *places = writable(vector(store.getPointerOperand()), mask), *values = vector(store.getValueOperand());
  for (unsigned lane = 0; lane != width_; ++lane) {
    Value *place = builder_.CreateExtractElement(places, lane), *value = builder_.CreateExtractElement(values, lane);
    builder_.CreateAlignedStore(value, place, store.getAlign())->setAtomic(store.getOrdering());
  }
}

// ---- operations

// A compare-and-exchange gives a structure: the old value, and whether it was as expected.
void LaneBody::operateOnEach(Instruction& atomic, Value* mask) {
  program_.remark(atomic, "one lane after the other");
  SmallVector<Value*, 3> operands; // the first: places
  for (Value* operand : atomic.operands())
    operands.push_back(vector(operand));
  if (!shapes_.isUniform(atomic.getOperand(0)) && !program_.brief)
    prefetchEach(writable(operands[0], mask));
  Value* found = mask ? operateInTurns(atomic, operands, mask) : operateOnAll(atomic, operands);
  if (isa<AtomicCmpXchgInst>(atomic)) {
    Value* done = builder_.CreateICmpEQ(found, vector(atomic.getOperand(1)));
    found = builder_.CreateInsertValue(PoisonValue::get(widen(atomic.getType())), found, 0);
    found = builder_.CreateInsertValue(found, done, 1);
  }
  define(atomic, found);
}

void LaneBody::prefetchEach(Value* places) {
  for (unsigned lane = 0; lane != width_; ++lane) {
    Value* place = builder_.CreateExtractElement(places, lane);
    builder_.CreateIntrinsic(Intrinsic::prefetch, {place->getType()},
                             {place, builder_.getInt32(1), builder_.getInt32(3), builder_.getInt32(1)});
  }
}

// Runs the operation for one lane, whose `operands` these are, and returns the old value.
Value* LaneBody::operateOn(Instruction& atomic, ArrayRef<Value*> operands) {
  Instruction* made = atomic.clone();
  for (auto [number, operand] : enumerate(operands))
    made->setOperand(number, operand);
  builder_.Insert(made);
  return isa<AtomicCmpXchgInst>(made) ? builder_.CreateExtractValue(made, 0) : made;
}

Value* LaneBody::operateOnAll(Instruction& atomic, ArrayRef<Value*> operands) {
  Value* all = PoisonValue::get(operands[1]->getType());
  for (unsigned lane = 0; lane != width_; ++lane) {
    SmallVector<Value*, 3> own;
    for (Value* operand : operands)
      own.push_back(builder_.CreateExtractElement(operand, lane));
    all = builder_.CreateInsertElement(all, operateOn(atomic, own), lane);
  }
  return all;
}

Value* LaneBody::operateInTurns(Instruction& atomic, ArrayRef<Value*> operands, Value* mask) {
  SmallVector<AllocaInst*, 3> spilled;
  for (Value* operand : operands)
    spilled.push_back(spill(operand, spilled.size()));
  Type* wide = operands[1]->getType();
  AllocaInst* results = atomic.use_empty() ? nullptr : spill(PoisonValue::get(wide), spilled.size());
  writeTurns(bitsOf(mask), [&](Value* lane) {
    auto place = [&](AllocaInst* array) {
      return builder_.CreateGEP(array->getAllocatedType()->getScalarType(), array, lane);
    };
    SmallVector<Value*, 3> own;
    for (AllocaInst* array : spilled)
      own.push_back(builder_.CreateLoad(array->getAllocatedType()->getScalarType(), place(array)));
    Value* found = operateOn(atomic, own);
    if (results)
      builder_.CreateStore(found, place(results));
  });
  if (!results)
    return PoisonValue::get(wide);
  return builder_.CreateLoad(wide, results);
}

// Stores a vector on the stack, where a lane's element is found by its number. `use`: the array is reused by the next
// vector of the same use.
AllocaInst* LaneBody::spill(Value* vector, unsigned use) {
  AllocaInst*& array = spills_[{vector->getType(), use}];
  if (!array) {
    BasicBlock& entry = function_.getEntryBlock();
    array = IRBuilder<>(&entry, entry.begin()).CreateAlloca(vector->getType(), nullptr, "of.lanes");
  }
  if (!isa<PoisonValue>(vector))
    builder_.CreateStore(vector, array);
  return array;
}

} // namespace bsgp::target
