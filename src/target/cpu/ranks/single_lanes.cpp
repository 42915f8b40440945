#include "target/cpu/ranks/single_lanes.h"

namespace bsgp::target {

using namespace llvm;

namespace {

struct Field {
  const Value* record = nullptr;
  int64_t offset = 0;
};

Field fieldOf(const StoreInst& store) {
  const DataLayout& layout = store.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(store.getPointerOperandType()), 0);
  const Value* record =
      store.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {record, offset.getSExtValue()};
}

} // namespace

unsigned fieldsInARow(const BasicBlock& block, function_ref<int64_t(const StoreInst&)> stride) {
  unsigned found = 0;
  Field before;
  for (const Instruction& instruction : block) {
    auto* store = dyn_cast<StoreInst>(&instruction);
    if (!store || !isTakenApart(*store, stride(*store)))
      continue;
    Field field = fieldOf(*store);
    found += field.record == before.record && std::abs(field.offset - before.offset) == sizeOfAccess(*store);
    before = field;
  }
  return found;
}

} // namespace bsgp::target
