#include "target/cpu/vectorize/gather_rows.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kLongestRow = 8; // elements

// What addresses have in common: a pointer, or a base, an index and its scale.
struct Root {
  const Value *base = nullptr, *index = nullptr;
  int64_t scale = 0;
  unsigned size = 0;
  bool operator==(const Root&) const = default;
};

struct Place {
  LoadInst* load;
  Root root;
  int64_t offset;
};

Place placeOf(LoadInst& load) {
  const DataLayout& layout = load.getDataLayout();
  Place place{&load, {}, 0};
  place.root.size = layout.getTypeStoreSize(load.getType()).getFixedValue();
  const Value* pointer = load.getPointerOperand();
  while (auto* gep = dyn_cast<GEPOperator>(pointer)) {
    APInt constant(64, 0);
    MapVector<Value*, APInt> indices;
    if (!gep->collectOffset(layout, 64, indices, constant) || indices.size() > 1)
      break;
    place.offset += constant.getSExtValue();
    pointer = gep->getPointerOperand();
    if (indices.size() == 1) {
      place.root.index = indices.front().first;
      place.root.scale = indices.front().second.getSExtValue();
      break;
    }
  }
  place.root.base = pointer;
  return place;
}

bool isGathered(const LoadInst& load, const LaneShapes& shapes, const PrivateArrays& arrays) {
  unsigned bits = load.getType()->getScalarSizeInBits();
  LaneShape shape = shapes.of(load.getPointerOperand());
  bool strided = shape.kind == LaneShape::Linear && uint64_t(std::abs(shape.stride)) != bits / 8;
  return load.isSimple() && (bits == 32 || bits == 64) && !load.getType()->isPointerTy() &&
         !arrays.interleaved(load.getPointerOperand()) && (shape.kind == LaneShape::Varying || strided);
}

// Of those with one root, in the order of the block: runs that are near each other in memory.
void makeRows(ArrayRef<Place> places, SmallVectorImpl<GatherRow>& rows) {
  SmallVector<Place, 8> sorted(places);
  stable_sort(sorted, [](const Place& a, const Place& b) { return a.offset < b.offset; });
  for (unsigned i = 0; i < sorted.size();) {
    int64_t size = sorted[i].root.size, low = sorted[i].offset;
    GatherRow row;
    row.size = size;
    for (; i < sorted.size(); ++i) {
      int64_t distance = sorted[i].offset - low;
      if (distance % size || distance / size >= int64_t(kLongestRow * 4 / size))
        break;
      row.fields.push_back({sorted[i].load, distance});
      row.length = distance / size + 1;
    }
    if (row.fields.size() > 1 && row.length > 1 && row.length <= 3 * row.fields.size())
      rows.push_back(std::move(row));
  }
}

} // namespace

SmallVector<GatherRow, 4> findGatherRows(BasicBlock& block, const LaneShapes& shapes, const PrivateArrays& arrays) {
  SmallVector<GatherRow, 4> rows;
  SmallVector<std::pair<Root, SmallVector<Place, 8>>, 4> open;
  auto close = [&] {
    for (auto& [root, places] : open)
      makeRows(places, rows);
    open.clear();
  };
  for (Instruction& instruction : block) {
    if (instruction.mayWriteToMemory())
      close();
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || !isGathered(*load, shapes, arrays))
      continue;
    Place place = placeOf(*load);
    auto known = find_if(open, [&](const auto& entry) { return entry.first == place.root; });
    if (known == open.end()) {
      open.push_back({place.root, {}});
      known = std::prev(open.end());
    }
    known->second.push_back(place);
  }
  close();
  return rows;
}

} // namespace bsgp::target
