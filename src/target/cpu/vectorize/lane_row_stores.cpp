// If each lane stores all fields of a structure, the fields are transposed into the lanes' rows. Rows that follow
// each other without gaps are a few whole vectors in memory; else each lane stores its own.
#include <llvm/Analysis/VectorUtils.h>

#include "target/cpu/ranks/parallel_accesses.h"
#include "target/cpu/vectorize/gather_rows.h"
#include "target/cpu/vectorize/lane_body.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kMostRowCode = 512; // elements stored, in one body

} // namespace

void LaneBody::findStoredRows(BasicBlock& block) {
  stored_rows_.clear();
  if (program_.brief)
    return;
  for (GatherRow& row : findScatterRows(block, shapes_, program_.arrays)) {
    stored_row_code_ += row.length * width_;
    if (stored_row_code_ <= kMostRowCode)
      stored_rows_.push_back({row, row.length});
  }
}

// Writes a row at its last store in the block.
bool LaneBody::storeRow(StoreInst& store, Value* mask) {
  for (StoredRow& stored : stored_rows_) {
    bool field = any_of(stored.row.fields, [&](const GatherRow::Field& field) { return field.access == &store; });
    if (!field)
      continue;
    if (--stored.missing == 0)
      writeStoredRow(stored.row, mask);
    return true;
  }
  return false;
}

void LaneBody::writeStoredRow(const GatherRow& row, Value* mask) {
  Type* element = builder_.getIntNTy(8 * row.size);
  SmallVector<Value*, 8> columns;
  for (const GatherRow::Field& field : row.fields)
    columns.push_back(builder_.CreateBitCast(vector(field.access->getOperand(0)), widen(element)));
  auto& first = cast<StoreInst>(*row.fields.front().access); // in memory
  LaneShape shape = shapes_.of(first.getPointerOperand());
  if (shape.kind == LaneShape::Linear && !mask) {
    Value* base = scalar(first.getPointerOperand());
    if (shape.stride == int64_t(row.length) * row.size)
      return storeSideBySide(columns, base, row.size);
    auto place = [&](unsigned lane) {
      return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, shape.stride * lane);
    };
    return storeEachRow(columns, place, row.size);
  }
  if (shape.kind == LaneShape::Varying)
    program_.remark(first, "one store for each lane");
  Value* pointers = writable(pointersOf(first.getPointerOperand()), mask);
  storeEachRow(columns, [&](unsigned lane) { return builder_.CreateExtractElement(pointers, lane); }, row.size);
}

void LaneBody::storeSideBySide(ArrayRef<Value*> columns, Value* place, unsigned size) {
  unsigned length = columns.size();
  SmallVector<int, 64> order;
  for (unsigned lane = 0; lane != width_; ++lane)
    for (unsigned column = 0; column != length; ++column)
      order.push_back(int(column * width_ + lane));
  Value* all = concatenateVectors(builder_, SmallVector<Value*, 8>(columns));
  builder_.CreateAlignedStore(builder_.CreateShuffleVector(all, order), place, Align(size));
}

void LaneBody::storeEachRow(ArrayRef<Value*> columns, function_ref<Value*(unsigned)> place, unsigned size) {
  unsigned side = PowerOf2Ceil(columns.size()); // as many lanes are transposed at a time
  for (unsigned first = 0; first < width_; first += side) {
    SmallVector<int, 8> lanes;
    for (unsigned lane = first; lane != first + side; ++lane)
      lanes.push_back(lane < width_ ? int(lane) : -1);
    SmallVector<Value*, 8> rows;
    for (Value* column : columns)
      rows.push_back(builder_.CreateShuffleVector(column, lanes));
    rows.resize(side, PoisonValue::get(rows.front()->getType()));
    transposeRows(builder_, rows);
    for (unsigned i = 0; i != side && first + i < width_; ++i)
      storePieces(rows[i], columns.size(), place(first + i), size);
  }
}

// Stores vectors of powers of two: 3 elements are 2 and 1.
void LaneBody::storePieces(Value* row, unsigned length, Value* place, unsigned size) {
  for (unsigned at = 0; at != length;) {
    unsigned count = bit_floor(length - at);
    SmallVector<int, 8> taken;
    for (unsigned i = at; i != at + count; ++i)
      taken.push_back(int(i));
    Value* piece = count == 1 ? builder_.CreateExtractElement(row, at) : builder_.CreateShuffleVector(row, taken);
    builder_.CreateAlignedStore(piece, builder_.CreateConstGEP1_64(builder_.getInt8Ty(), place, at * size),
                                Align(size));
    at += count;
  }
}

// Replaces the pointers of lanes that do not run by a place that is never read.
Value* LaneBody::writable(Value* pointers, Value* mask) {
  if (!mask)
    return pointers;
  if (!sink_) {
    BasicBlock& entry = function_.getEntryBlock();
    sink_ = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(builder_.getInt8Ty(), 64), nullptr, "sink");
    sink_->setAlignment(Align(64)); // atomic operations need the alignment that they would have elsewhere
    sink_->setMetadata(kLanes, MDNode::get(context_, {}));
  }
  Value* place = builder_.CreateAddrSpaceCast(sink_, pointers->getType()->getScalarType());
  return builder_.CreateSelect(mask, pointers, builder_.CreateVectorSplat(width_, place));
}

} // namespace bsgp::target
