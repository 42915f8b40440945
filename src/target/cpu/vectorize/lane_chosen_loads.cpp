// Loads through the address choices of lane_choices.cpp, each for the lanes that take it:
//
//   u[max(x - 1, 0)]   mask = x - 1 > 0;  mask ? load from u + x - 1 under mask : u[0], if a lane is there, else anything
#include <llvm/IR/IntrinsicInst.h>

#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

bool LaneBody::loadChosen(LoadInst& load, int64_t size, Value* mask) {
  Value* pointer = load.getPointerOperand();
  if (uint64_t(size) > kReadableBytes)
    return false;
  bool asks = shapes_.isInLoopOfThread(*load.getParent());
  LaneShapes::Ways ways = shapes_.waysTo(*pointer, size, asks);
  if (ways.empty())
    return false;
  llvm::stable_sort(ways,
                    [](const LaneWay& a, const LaneWay& b) { return a.stride < b.stride; }); // whole vectors go last
  if (asks) {
    define(load, loadTogether(load, ways.back(), mask));
    return true;
  }
  bool apart = any_of(ways, [&](const LaneWay& way) { return way.base != ways.front().base; });
  Value* all = nullptr;
  for (const LaneWay& way : ways) {
    Value *taking = takingWay(way, mask), *place = placeOn(way, taking);
    if (apart || !way.stride)
      place = readableIfAny(place, taking);
    Value* found = way.stride ? read(load, place, taking) : readOne(load, place);
    all = all ? builder_.CreateSelect(taking, found, all) : found;
  }
  define(load, all);
  return true;
}

// In a loop of a thread, all lanes of most vectors make the same choice, unlike in the first and the last few: that
// is tested each time.
Value* LaneBody::loadTogether(LoadInst& load, const LaneWay& way, Value* mask) {
  auto* together = BasicBlock::Create(context_, "together", &function_);
  auto* parted = BasicBlock::Create(context_, "parted", &function_);
  auto* done = BasicBlock::Create(context_, "loaded", &function_);
  Value* others = builder_.CreateLogicalAnd(orAll(mask), builder_.CreateNot(takingWay(way, mask)));
  builder_.CreateCondBr(builder_.CreateOr(anyOf(others), mayWrap(way)), parted, together);
  builder_.SetInsertPoint(together);
  Value* side_by_side = read(load, placeOn(way, mask), mask);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(parted);
  Value* each = gather(load, pointersOf(load.getPointerOperand()), mask);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  PHINode* either = builder_.CreatePHI(each->getType(), 2);
  either->addIncoming(side_by_side, together);
  either->addIncoming(each, parted);
  return either;
}

// True (i1) if a number of the choice goes past the ends of its type within the vector.
Value* LaneBody::mayWrap(const LaneWay& way) {
  Value* any = builder_.getFalse();
  for (auto [value, factor] : way.terms) {
    LaneShape shape = shapes_.of(value);
    unsigned bits = value->getType()->getIntegerBitWidth();
    if (shape.kind != LaneShape::Linear || shape.no_wrap || bits == 64)
      continue;
    APInt least = APInt::getSignedMinValue(bits), most = APInt::getSignedMaxValue(bits);
    APInt reach(bits, uint64_t(shape.stride) * (width_ - 1), true);
    Value* first = scalar(value);
    Value* wraps = shape.stride > 0 ? builder_.CreateICmpSGT(first, ConstantInt::get(value->getType(), most - reach))
                                    : builder_.CreateICmpSLT(first, ConstantInt::get(value->getType(), least - reach));
    any = builder_.CreateOr(any, wraps);
  }
  return any;
}

// Returns the mask of the lanes that make this choice.
Value* LaneBody::takingWay(const LaneWay& way, Value* mask) {
  for (auto [choice, first] : way.taken) {
    Value* chooses_first;
    if (auto* bound = dyn_cast<MinMaxIntrinsic>(choice))
      chooses_first = builder_.CreateICmp(bound->getPredicate(), vector(bound->getLHS()), vector(bound->getRHS()));
    else
      chooses_first = vector(choice->getOperand(0));
    mask = both(mask, first ? chooses_first : builder_.CreateNot(chooses_first));
  }
  return mask;
}

// Computes the address at which the first lane would load if it made this choice.
Value* LaneBody::placeOn(const LaneWay& way, Value* taking) {
  Type *byte = builder_.getInt8Ty(), *i64 = builder_.getInt64Ty();
  Value* place = scalar(way.base);
  for (auto [value, factor] : way.terms) {
    Value* wide = value->getType() == i64 ? scalar(value) : widened(value, i64, taking);
    place = builder_.CreateGEP(byte, place, builder_.CreateMul(wide, builder_.getInt64(factor)));
  }
  return builder_.CreateConstGEP1_64(byte, place, way.constant);
}

// Returns the address if a lane makes this choice. If none does, it may be anything, usually the start of an array
// that others read: a load of no lanes from unmapped memory takes a machine hundreds of cycles. In one array it leads
// beside the border.
Value* LaneBody::readableIfAny(Value* place, Value* taking) {
  return builder_.CreateSelect(anyOf(taking), place, readablePlace(place->getType()));
}

// Loads one element for all lanes.
Value* LaneBody::readOne(LoadInst& load, Value* place) {
  LoadInst* made = builder_.CreateAlignedLoad(load.getType(), place, load.getAlign());
  copyMetadata(*made, load);
  return builder_.CreateVectorSplat(width_, made);
}

} // namespace bsgp::target
