#include "arrays/row_steps.h"

#include <algorithm>

#include "arrays/block.h"

namespace bsgp::arrays {

namespace {

// Loads that are read in place, conditions of borders and numbers, in front of one segment that writes outputs alone.
bool isDirectByRows(const Prepared& prepared, int64_t width) {
  const Shape& shape = prepared.layout.shape;
  if (prepared.order.empty() || !prepared.order.back().segment)
    return false;
  for (size_t i = 0; i + 1 < prepared.order.size(); ++i) {
    if (prepared.order[i].segment)
      return false;
    const Instruction& made = prepared.kernel->code[prepared.order[i].instruction];
    const Slot& slot = prepared.slots[prepared.order[i].instruction];
    if (slot.number >= 0)
      return false;
    bool is_short = (slot.is_filled || made.kind == Instruction::Inside) && width <= kBlock;
    if (made.kind == Instruction::Constant || is_short)
      continue;
    if (made.kind != Instruction::Load ||
        strideAlong(prepared.layout.addresses[made.index], shape.rank - 1) != int64_t(1) << slot.log2)
      return false;
  }
  const std::vector<int32_t>& writes = prepared.order.back().segment->writes;
  return std::all_of(writes.begin(), writes.end(), [&](int32_t value) { return prepared.slots[value].number >= 0; });
}

} // namespace

RowSteps rowStepsOf(const Prepared& prepared) {
  RowSteps steps;
  const Shape& shape = prepared.layout.shape;
  int64_t width = prepared.middle.end - prepared.middle.first;
  Middle linear = middleOf(prepared.layout); // the kernel's middle is the whole row where edges are not made
  if (shape.rank < 2 || prepared.middle.first < linear.first || prepared.middle.end > linear.end ||
      width > kDirectBlock || !isDirectByRows(prepared, width) || width < prepared.order.back().code->width)
    return steps;
  int outer = shape.rank - 2;
  steps.exist = true;
  steps.rows = {0, shape[outer]};
  const Segment& segment = *prepared.order.back().segment;
  for (int32_t value : segment.reads) {
    const Instruction& made = prepared.kernel->code[value];
    bool moves = made.kind == Instruction::Load && !prepared.slots[value].is_filled;
    const Address* address = moves ? &prepared.layout.addresses[made.index] : nullptr;
    steps.deltas.push_back(address ? strideAlong(*address, outer) : 0);
    if (Middle here = address ? linearAlong(*address, shape, outer) : steps.rows; address)
      steps.rows.narrow(here.first, here.end);
  }
  for (const auto& conditions : prepared.layout.insides) // in the middle of rows, those on the last axis hold
    narrowInside(steps.rows, conditions, outer);
  for (int32_t value : segment.writes)
    steps.deltas.push_back(shape[shape.rank - 1] << prepared.slots[value].log2);
  return steps;
}

} // namespace bsgp::arrays
