#include "target/cpu/vectorize/gather_rows.h"
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostRowCode = 2048; // elements loaded, in one body

} // namespace

// Finds the rows that are worth loading together in this block. None where code is to be little, or there is much
// already: single gathers take less code.
void LaneBody::findRows(BasicBlock& block) {
  written_rows_.clear();
  if (program_.brief)
    rows_.clear();
  else
    rows_ = findGatherRows(block, shapes_, program_.arrays);
  for (const GatherRow& row : rows_) // each is some 90 instructions
    row_code_ += row.length * width_;
  if (row_code_ > kMostRowCode)
    rows_.clear();
  findStoredRows(block);
}

// The row that the load belongs to, if any, is written where its first load in the block stands.
bool LaneBody::loadRow(LoadInst& load, Value* mask) {
  for (auto [number, row] : enumerate(rows_)) {
    auto field = find_if(row.fields, [&](const GatherRow::Field& field) { return field.access == &load; });
    if (field == row.fields.end())
      continue;
    if (written_rows_.insert(number).second)
      writeRow(row, *field, mask);
    return true;
  }
  return false;
}

// Loads a row for all lanes and defines the values of all its fields. `first`: the field that is met first; its address
// is known already.
void LaneBody::writeRow(const GatherRow& row, const GatherRow::Field& first, Value* mask) {
  Value* pointers = pointersOf(getLoadStorePointerOperand(first.access), -first.offset);
  bool pair = row.length == 2 && row.size == 4;
  Type* element = builder_.getIntNTy(8 * row.size);
  bool strided = !shapes_.isVarying(getLoadStorePointerOperand(first.access));
  program_.remark(*first.access, pair ? "a gather" : "one load for each lane");
  SmallVector<Value*, 8> columns = pair      ? loadPairs(pointers, mask, row)
                                   : strided ? loadAndTranspose(readable(pointers, mask), row)
                                             : loadRows(pointers, mask, row);
  for (const GatherRow::Field& field : row.fields) {
    Value* column = columns[field.offset / row.size];
    Type* type = widen(field.access->getType());
    define(*field.access, type == widen(element) ? column : builder_.CreateBitCast(column, type));
  }
}

// Some place that can be read.
Value* LaneBody::readablePlace(Type* pointer) {
  Module& module = *function_.getParent();
  auto* type = ArrayType::get(builder_.getInt8Ty(), kReadableBytes);
  auto* zeros = module.getGlobalVariable("bsgp.zeros", true);
  if (!zeros) {
    zeros =
        new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, Constant::getNullValue(type), "bsgp.zeros");
    zeros->setAlignment(Align(kReadableBytes));
  }
  return builder_.CreateAddrSpaceCast(zeros, pointer);
}

// The pointers with those of lanes that do not run replaced by that.
Value* LaneBody::readable(Value* pointers, Value* mask) {
  if (!mask)
    return pointers;
  Value* place = readablePlace(pointers->getType()->getScalarType());
  return builder_.CreateSelect(mask, pointers, builder_.CreateVectorSplat(width_, place));
}

SmallVector<Value*, 8> LaneBody::loadPairs(Value* pointers, Value* mask, const GatherRow& row) {
  Type *wide = widen(builder_.getInt64Ty()), *narrow = widen(builder_.getInt32Ty());
  Value* pairs = builder_.CreateMaskedGather(wide, pointers, Align(4), orAll(mask));
  Value* second = builder_.CreateLShr(pairs, ConstantInt::get(wide, 32));
  return {builder_.CreateTrunc(pairs, narrow), builder_.CreateTrunc(second, narrow)};
}

// All lanes may be at one place, like rays with the same direction: then one load is enough for each field.
//
//   columns = (the lanes that run are where the first of them is) ? loads from there : load and transpose
SmallVector<Value*, 8> LaneBody::loadRows(Value* pointers, Value* mask, const GatherRow& row) {
  auto block = [&](const char* name) { return BasicBlock::Create(context_, name, &function_); };
  BasicBlock *together = block("together"), *apart = block("apart"), *done = block("rows.done");
  pointers = builder_.CreateFreeze(pointers); // lanes that do not run may hold poison
  Value* first = builder_.CreateExtractElement(pointers, firstOf(mask));
  Value* there = builder_.CreateICmpEQ(pointers, builder_.CreateVectorSplat(width_, first));
  Value *running = bitsOf(orAll(mask)), *same = builder_.CreateAnd(bitsOf(there), running);
  Value* all = builder_.CreateICmpEQ(same, running);
  if (mask) // there may be none, and no place to load from
    all = builder_.CreateAnd(all, builder_.CreateIsNotNull(running));
  builder_.CreateCondBr(all, together, apart);

  builder_.SetInsertPoint(together);
  SmallVector<Value*, 8> one = loadOnce(first, row);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(apart);
  SmallVector<Value*, 8> each = loadAndTranspose(readable(pointers, mask), row);
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  for (auto [column, alone] : zip_equal(each, one)) {
    if (!alone)
      continue;
    PHINode* either = builder_.CreatePHI(column->getType(), 2);
    either->addIncoming(alone, together);
    either->addIncoming(column, apart);
    column = either;
  }
  return each;
}

// One row for all lanes: a vector of equal elements for each column that is a field; null: the others.
SmallVector<Value*, 8> LaneBody::loadOnce(Value* pointer, const GatherRow& row) {
  SmallVector<Value*, 8> columns(row.length);
  for (const GatherRow::Field& field : row.fields) {
    Value*& column = columns[field.offset / row.size];
    if (column)
      continue;
    Value* place = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), pointer, field.offset);
    Value* loaded = builder_.CreateAlignedLoad(builder_.getIntNTy(8 * row.size), place, Align(row.size));
    column = builder_.CreateVectorSplat(width_, loaded);
  }
  return columns;
}

SmallVector<Value*, 8> LaneBody::loadAndTranspose(Value* pointers, const GatherRow& row) {
  unsigned side = PowerOf2Ceil(row.length); // as many lanes are transposed at a time
  Type* type = FixedVectorType::get(builder_.getIntNTy(8 * row.size), side);
  SmallVector<Constant*, 8> there;
  for (unsigned i = 0; i != side; ++i)
    there.push_back(builder_.getInt1(i < row.length));
  auto load = [&](unsigned lane) -> Value* {
    if (lane >= width_)
      return PoisonValue::get(type);
    Value* pointer = builder_.CreateExtractElement(pointers, lane);
    if (side == row.length)
      return builder_.CreateAlignedLoad(type, pointer, Align(row.size));
    return builder_.CreateMaskedLoad(type, pointer, Align(row.size), ConstantVector::get(there));
  };
  SmallVector<SmallVector<Value*, 8>, 4> parts; // of `side` lanes each: column by column
  for (unsigned first = 0; first < width_; first += side) {
    SmallVector<Value*, 8>& lanes = parts.emplace_back();
    for (unsigned lane = first; lane != first + side; ++lane)
      lanes.push_back(load(lane));
    transposeRows(builder_, lanes);
  }
  SmallVector<Value*, 8> columns;
  for (unsigned column = 0; column != row.length; ++column) {
    SmallVector<Value*, 4> pieces;
    for (auto& part : parts)
      pieces.push_back(part[column]);
    while (pieces.size() > 1) {
      SmallVector<Value*, 4> joined;
      for (unsigned i = 0; i != pieces.size(); i += 2)
        joined.push_back(concatenate(pieces[i], pieces[i + 1]));
      pieces = joined;
    }
    columns.push_back(side > width_ ? firstLanes(pieces[0]) : pieces[0]);
  }
  return columns;
}

Value* LaneBody::concatenate(Value* a, Value* b) {
  unsigned size = cast<FixedVectorType>(a->getType())->getNumElements();
  SmallVector<int, 16> all;
  for (unsigned i = 0; i != 2 * size; ++i)
    all.push_back(i);
  return builder_.CreateShuffleVector(a, b, all);
}

Value* LaneBody::firstLanes(Value* vector) {
  SmallVector<int, 16> first;
  for (unsigned i = 0; i != width_; ++i)
    first.push_back(i);
  return builder_.CreateShuffleVector(vector, first);
}

} // namespace bsgp::target
