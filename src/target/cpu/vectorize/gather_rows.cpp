#include "target/cpu/vectorize/gather_rows.h"

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kLongestRow = 8; // elements

// Addresses with the same root lie at known distances: a pointer, and indices with their scales.
struct Root {
  const Value* base = nullptr;
  SmallVector<std::pair<const Value*, int64_t>, 4> indices;
  unsigned size = 0;
  bool operator==(const Root&) const = default;
};

struct Place {
  Instruction* access;
  Root root;
  int64_t offset;
};

// Adds an index. A constant in it goes to the offset, so that a[i + 1] is known to lie one element behind a[i].
void addIndex(Place& place, const Value* index, int64_t scale) {
  if (auto* wide = dyn_cast<SExtInst>(index)) {
    index = wide->getOperand(0);
    auto* sum = dyn_cast<BinaryOperator>(index);
    auto* constant = sum ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
    if (constant && sum->getOpcode() == Instruction::Add && sum->hasNoSignedWrap()) {
      place.offset += constant->getSExtValue() * scale;
      index = sum->getOperand(0);
    }
  }
  place.root.indices.push_back({index, scale});
}

Place placeOf(Instruction& access) {
  const DataLayout& layout = access.getDataLayout();
  Place place{&access, {}, 0};
  place.root.size = layout.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
  const Value* pointer = getLoadStorePointerOperand(&access);
  while (auto* gep = dyn_cast<GEPOperator>(pointer)) {
    APInt constant(64, 0);
    MapVector<Value*, APInt> indices;
    if (!gep->collectOffset(layout, 64, indices, constant))
      break;
    place.offset += constant.getSExtValue();
    pointer = gep->getPointerOperand();
    for (const auto& [index, scale] : indices)
      addIndex(place, index, scale.getSExtValue());
  }
  place.root.base = pointer;
  return place;
}

// True for an access to elements of a size that a machine transposes, at places that are not side by side.
bool isApart(Instruction& access, const LaneShapes& shapes, const PrivateArrays& arrays) {
  Type* type = getLoadStoreType(&access);
  const Value* pointer = getLoadStorePointerOperand(&access);
  unsigned bits = type->getScalarSizeInBits();
  LaneShape shape = shapes.of(pointer);
  bool strided = shape.kind == LaneShape::Linear && uint64_t(std::abs(shape.stride)) != bits / 8;
  return (bits == 32 || bits == 64) && !type->isPointerTy() && !arrays.interleaved(pointer) &&
         (shape.kind == LaneShape::Varying || strided);
}

// Makes rows of places with one root, in the order of the block: runs that are near each other in memory.
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
      row.fields.push_back({sorted[i].access, distance});
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
    if (!load || !load->isSimple() || !isApart(*load, shapes, arrays))
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

SmallVector<GatherRow, 4> findScatterRows(BasicBlock& block, const LaneShapes& shapes, const PrivateArrays& arrays) {
  SmallVector<GatherRow, 4> rows;
  SmallVector<Place, 8> open; // of one root
  auto close = [&] {
    makeRows(open, rows);
    open.clear();
  };
  for (Instruction& instruction : block) {
    if (!instruction.mayReadOrWriteMemory())
      continue;
    auto* store = dyn_cast<StoreInst>(&instruction);
    bool simple = store && store->isSimple() && !store->hasMetadata(LLVMContext::MD_nontemporal) &&
                  isApart(*store, shapes, arrays);
    std::optional<Place> place = simple ? std::optional(placeOf(*store)) : std::nullopt;
    if (!open.empty() && (!place || !(open.front().root == place->root)))
      close();
    if (place)
      open.push_back(std::move(*place));
  }
  close();
  erase_if(rows, [](const GatherRow& row) {
    for (unsigned i = 0; i != row.length; ++i) // elements in order, none twice
      if (row.fields.size() != row.length || row.fields[i].offset != int64_t(i) * row.size)
        return true;
    return false;
  });
  return rows;
}

// Interleaves halves, log n times.
void transposeRows(IRBuilder<>& builder, MutableArrayRef<Value*> rows) {
  int n = rows.size();
  SmallVector<int, 16> low, high;
  for (int i = 0; i != n / 2; ++i) {
    low.append({i, n + i});
    high.append({n / 2 + i, n + n / 2 + i});
  }
  for (int turn = 1; turn < n; turn *= 2) {
    SmallVector<Value*, 16> next(n);
    for (int i = 0; i != n / 2; ++i) {
      next[2 * i] = builder.CreateShuffleVector(rows[i], rows[i + n / 2], low);
      next[2 * i + 1] = builder.CreateShuffleVector(rows[i], rows[i + n / 2], high);
    }
    copy(next, rows.begin());
  }
}

} // namespace bsgp::target
