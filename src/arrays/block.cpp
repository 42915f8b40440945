#include "arrays/block.h"

#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "arrays/loops/loops.h"

namespace bsgp::arrays {

namespace {

constexpr size_t kMostVector = 256; // bytes that compiled code takes of an array at once, at most

bool isFilled(const Prepared& prepared, const Instruction& made) {
  return made.kind == Instruction::Constant ||
         (made.kind == Instruction::Load && prepared.layout.addresses[made.index].is_uniform);
}

// Without compiled code, the instructions in their order.
std::vector<BlockStep> orderOf(const Prepared& prepared) {
  std::vector<BlockStep> order;
  for (size_t i = 0; prepared.plan.code.empty() && i < prepared.kernel->code.size(); ++i)
    order.push_back({.instruction = int32_t(i), .segment = nullptr});
  for (const Steps::Step& step : prepared.plan.steps.steps) {
    if (step.segment < 0) {
      order.push_back({.instruction = step.instruction, .segment = nullptr});
      continue;
    }
    const Segment& segment = prepared.plan.steps.segments[step.segment];
    if (const CompiledSegment& code = prepared.plan.code[step.segment]; code.run)
      order.push_back({.segment = &segment, .code = &code});
    else
      for (int32_t member : segment.members)
        order.push_back({.instruction = member, .segment = nullptr});
  }
  return order;
}

// The values that a step makes, and those that it reads.
std::span<const int32_t> madeBy(const BlockStep& step) {
  return step.segment ? std::span<const int32_t>(step.segment->writes) : std::span(&step.instruction, 1);
}
std::span<const int32_t> readBy(const Kernel& kernel, const BlockStep& step) {
  return step.segment ? std::span<const int32_t>(step.segment->reads)
                      : std::span<const int32_t>(kernel.code[step.instruction].operands);
}

// For each step, the values that no later one reads. Outputs are read when all is done.
std::vector<std::vector<int32_t>> endsOf(const Prepared& prepared) {
  constexpr int32_t kNever = -1;
  const Kernel& kernel = *prepared.kernel;
  std::vector<int32_t> last(kernel.code.size(), kNever);
  for (size_t step = 0; step < prepared.order.size(); ++step) {
    for (int32_t value : madeBy(prepared.order[step]))
      last[value] = int32_t(step);
    for (int32_t value : readBy(kernel, prepared.order[step]))
      if (value >= 0)
        last[value] = int32_t(step);
  }
  for (const Output& output : kernel.outputs)
    last[output.value] = kNever;
  std::vector<std::vector<int32_t>> ends(prepared.order.size());
  for (size_t i = 0; i < last.size(); ++i)
    if (last[i] != kNever && !prepared.slots[i].is_filled)
      ends[last[i]].push_back(int32_t(i));
  return ends;
}

// Slots of elements of one size that are free again.
struct FreeSlots {
  std::vector<int64_t> offsets[kElementSizes];
  int64_t bytes = 0;

  int64_t take(uint8_t log2) {
    if (offsets[log2].empty()) {
      int64_t offset = bytes;
      bytes += int64_t(kBlock) << log2;
      return offset;
    }
    int64_t offset = offsets[log2].back();
    offsets[log2].pop_back();
    return offset;
  }
};

// Compiled code reads arrays and writes outputs in place, and no value is in a worker's memory.
bool isDirect(const Prepared& prepared) {
  bool is_whole = prepared.order.back().segment != nullptr;
  for (size_t i = 0; i + 1 < prepared.order.size(); ++i) {
    const BlockStep& step = prepared.order[i];
    const Instruction* made = step.segment ? nullptr : &prepared.kernel->code[step.instruction];
    is_whole &= made && (made->kind == Instruction::Constant ||
                         (made->kind == Instruction::Load && prepared.layout.addresses[made->index].is_contiguous));
  }
  for (int32_t written : is_whole ? prepared.order.back().segment->writes : std::vector<int32_t>())
    is_whole &= prepared.slots[written].number >= 0;
  return is_whole;
}

} // namespace

void setMemory(Prepared& prepared, const std::vector<char*>& outputs) {
  setBases(prepared.layout, *prepared.kernel);
  for (auto& edge : prepared.edges) {
    setMemory(*edge, outputs);
    edge->outputs = outputs;
  }
  for (Slot& slot : prepared.slots)
    if (slot.number >= 0)
      slot.output = outputs[slot.number];
  prepared.failed = -1, prepared.lacks_memory = false;
}

namespace {

constexpr int64_t kLeastRows = 4; // of which edges are set out by themselves

// Reductions take whole rows.
void makeEdges(Prepared& prepared) {
  const Shape& shape = prepared.layout.shape;
  bool has_folds = prepared.layout.outer < shape.rank;
  int64_t row = shape.rank ? shape[shape.rank - 1] : 0;
  prepared.edges.clear();
  prepared.middle = {0, row};
  Middle middle = middleOf(prepared.layout);
  if (has_folds || shape.rank < 2 || row < kLeastRow || shape.elements() / row < kLeastRows ||
      middle.end - middle.first < row / 2)
    return;
  auto add = [&](int64_t first, int64_t end) {
    if (first == end)
      return;
    auto edge = std::make_unique<Prepared>();
    edge->kernel = prepared.kernel, edge->plan = prepared.plan;
    edge->layout = columnsOf(prepared.layout, first, end - first);
    edge->first_column = first;
    edge->is_edge = true;
    prepare(*edge);
    prepared.edges.push_back(std::move(edge));
  };
  prepared.middle = middle;
  add(0, middle.first), add(middle.end, row);
}

} // namespace

void prepare(Prepared& prepared) {
  const Kernel& kernel = *prepared.kernel;
  prepared.slots.assign(kernel.code.size(), {});
  prepared.order = orderOf(prepared);
  for (size_t i = kernel.outputs.size(); i-- > 0;) // of equal ones the first
    if (!kernel.outputs[i].is_fold && !prepared.is_edge)
      prepared.slots[kernel.outputs[i].value].number = int32_t(i);
  FreeSlots free;
  for (size_t i = 0; i < kernel.code.size(); ++i) { // filled ones first: they share their memory with none
    Slot& slot = prepared.slots[i];
    slot.log2 = uint8_t(std::countr_zero(unsigned(info(kernel.code[i].type).bytes)));
    slot.is_filled = isFilled(prepared, kernel.code[i]);
    slot.is_one = kernel.code[i].kind == Instruction::Constant;
    if (slot.is_filled)
      slot.offset = free.take(slot.log2);
  }
  for (const BlockStep& step : prepared.order)
    for (int32_t value : step.segment ? std::span<const int32_t>() : readBy(kernel, step))
      if (value >= 0)
        prepared.slots[value].is_one = false;
  for (const Output& output : kernel.outputs)
    prepared.slots[output.value].is_one = false;
  std::vector<std::vector<int32_t>> ends = endsOf(prepared);
  for (size_t step = 0; step < prepared.order.size(); ++step) {
    for (int32_t made : madeBy(prepared.order[step]))
      if (Slot& slot = prepared.slots[made]; !slot.is_filled)
        slot.offset = free.take(slot.log2);
    for (int32_t dead : ends[step])
      free.offsets[prepared.slots[dead].log2].push_back(prepared.slots[dead].offset);
  }
  prepared.bytes = free.bytes;
  prepared.block = int32_t(isDirect(prepared) ? kDirectBlock : kBlock);
  if (prepared.is_edge)
    return;
  makeEdges(prepared);
  prepared.row_steps = rowStepsOf(prepared);
}

Block::Block(const Prepared& prepared)
    : prepared_(prepared), memory_(new char[size_t(prepared.bytes) + 64]), values_(prepared.slots.size()) {
  fill();
}

void* Block::slot(int32_t instruction) const {
  const Slot& slot = prepared_.slots[instruction];
  if (slot.output)
    return slot.output + (first_ << slot.log2);
  auto begin = reinterpret_cast<uintptr_t>(memory_.get());
  return reinterpret_cast<char*>((begin + 63) / 64 * 64) + slot.offset;
}

// Numbers, and arrays with one element for all places.
void Block::fill() {
  const Kernel& kernel = *prepared_.kernel;
  int64_t count = std::min<int64_t>(kBlock, prepared_.layout.shape.elements());
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    const Slot& filled = prepared_.slots[i];
    if (!filled.is_filled || filled.number >= 0)
      continue;
    const Instruction& made = kernel.code[i];
    const void* value = made.kind == Instruction::Constant ? static_cast<const void*>(&made.constant)
                                                           : prepared_.layout.addresses[made.index].base;
    values_[i] = slot(int32_t(i));
    loops().fill[filled.log2](slot(int32_t(i)), value, filled.is_one ? 1 : count);
  }
}

void Block::compute(int64_t first, int32_t count) {
  first_ = first;
  Range range = rangeAt(prepared_.layout.shape, first, count);
  for (const BlockStep& step : prepared_.order)
    if (step.segment)
      runSegment(step, count);
    else if (const Slot& slot = prepared_.slots[step.instruction]; !slot.is_filled || slot.number >= 0)
      execute(step.instruction, range);
}

void Block::computeRows(int64_t first, int64_t end) {
  const RowSteps& steps = prepared_.row_steps;
  const Shape& shape = prepared_.layout.shape;
  int64_t extent = shape[shape.rank - 2], row = shape[shape.rank - 1];
  auto width = int32_t(prepared_.middle.end - prepared_.middle.first);
  while (first < end) {
    int64_t at = first % extent, rows = 1;
    compute(first * row + prepared_.middle.first, width); // sets the addresses
    if (at >= steps.rows.first && at < steps.rows.end)
      rows = std::min(end - first, steps.rows.end - at);
    for (int64_t next = 1; next < rows; ++next) {
      for (size_t i = 0; i < addresses_.size(); ++i)
        addresses_[i] = static_cast<const char*>(addresses_[i]) + steps.deltas[i];
      prepared_.order.back().code->run(addresses_.data(), width);
    }
    first += rows;
  }
}

void Block::computeEdge(int64_t first, int32_t count, int64_t columns) {
  compute(first, count);
  int64_t width = prepared_.layout.shape[prepared_.layout.shape.rank - 1];
  for (size_t i = 0; i < prepared_.outputs.size(); ++i) {
    int32_t value = prepared_.kernel->outputs[i].value;
    uint8_t log2 = prepared_.slots[value].log2;
    const auto* from = static_cast<const char*>(values_[value]);
    for (int64_t done = 0; done < count;) {
      int64_t place = first + done, column = place % width, here = std::min(width - column, count - done);
      int64_t to = place / width * columns + prepared_.first_column + column;
      std::memcpy(prepared_.outputs[i] + (to << log2), from + (done << log2), size_t(here) << log2);
      done += here;
    }
  }
}

void Block::runSegment(const BlockStep& step, int32_t count) {
  addresses_.clear();
  for (int32_t input : step.segment->reads)
    addresses_.push_back(values_[input]);
  for (int32_t output : step.segment->writes)
    addresses_.push_back(values_[output] = slot(output));
  if (count < step.code->width)
    runShort(step, count);
  else
    step.code->run(addresses_.data(), count);
}

// Copies the values to where there is memory for a whole vector, and back.
void Block::runShort(const BlockStep& step, int32_t count) {
  const Segment& segment = *step.segment;
  std::vector<std::array<char, kMostVector>> padded(addresses_.size());
  for (size_t i = 0; i < addresses_.size(); ++i) {
    bool is_input = i < segment.inputs.size();
    if (is_input && segment.is_number[i])
      continue;
    if (is_input)
      std::memcpy(padded[i].data(), addresses_[i], size_t(count) * info(segment.inputs[i]).bytes);
    addresses_[i] = padded[i].data();
  }
  step.code->run(addresses_.data(), step.code->width);
  for (size_t i = 0; i < segment.writes.size(); ++i) {
    const Slot& to = prepared_.slots[segment.writes[i]];
    std::memcpy(slot(segment.writes[i]), padded[segment.inputs.size() + i].data(), size_t(count) << to.log2);
  }
}

void Block::execute(int32_t number, const Range& range) {
  const Instruction& made = prepared_.kernel->code[number];
  void* to = slot(number);
  values_[number] = to;
  auto operand = [&](int i) { return made.operands[i] < 0 ? nullptr : values_[made.operands[i]]; };
  switch (made.kind) {
  case Instruction::Load:
    return load(number, range);
  case Instruction::Constant:
    return loops().fill[prepared_.slots[number].log2](to, &made.constant, range.count);
  case Instruction::Coordinate:
    return coordinates(prepared_.layout.maps[made.index], prepared_.layout.shape, range, static_cast<int64_t*>(to));
  case Instruction::Inside:
    return conditions(prepared_.layout.insides[made.index], prepared_.layout.shape, range, static_cast<uint8_t*>(to));
  case Instruction::Apply:
    return loops().apply[made.operation][made.from](to, operand(0), operand(1), operand(2), range.count);
  case Instruction::Cast:
    return loops().cast[made.from][made.type](to, operand(0), range.count);
  case Instruction::Gather:
    return gatherAt(number, range);
  }
}

void Block::load(int32_t number, const Range& range) {
  const Address& address = prepared_.layout.addresses[prepared_.kernel->code[number].index];
  if (prepared_.slots[number].output)
    readTo(address, prepared_.layout.shape, range, slot(number));
  else if (const void* there = read(address, prepared_.layout.shape, range, slot(number)))
    values_[number] = there;
}

void Block::gatherAt(int32_t number, const Range& range) {
  const Instruction& made = prepared_.kernel->code[number];
  int64_t wrong = 0;
  const auto* at = static_cast<const int64_t*>(values_[made.operands[0]]);
  if (gather(prepared_.layout.addresses[made.index], prepared_.layout.shape, range, at, slot(number), &wrong))
    return;
  int32_t none = -1;
  if (prepared_.failed.compare_exchange_strong(none, number))
    prepared_.wrong_index = wrong;
}

} // namespace bsgp::arrays
