#include "arrays/block.h"

#include <bit>

#include "arrays/loops/loops.h"
#include "arrays/run.h"

namespace bsgp::arrays {

namespace {

// The instruction that last reads each value; outputs are read when all is done.
std::vector<int32_t> lastUses(const Kernel& kernel) {
  std::vector<int32_t> last(kernel.code.size());
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    last[i] = int32_t(i);
    for (int32_t operand : kernel.code[i].operands)
      if (operand >= 0)
        last[operand] = int32_t(i);
  }
  for (const Output& output : kernel.outputs)
    last[output.value] = int32_t(kernel.code.size());
  return last;
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

} // namespace

void prepare(Prepared& prepared, const std::vector<char*>& outputs) {
  const Kernel& kernel = *prepared.kernel;
  std::vector<int32_t> last = lastUses(kernel);
  std::vector<std::vector<int32_t>> ends(kernel.code.size());
  prepared.slots.resize(kernel.code.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    if (char*& memory = prepared.slots[kernel.outputs[i].value].output; outputs[i] && !memory)
      memory = outputs[i];
  FreeSlots free;
  for (size_t i = 0; i < kernel.code.size(); ++i) { // filled ones first: they share their memory with none
    const Instruction& made = kernel.code[i];
    Slot& slot = prepared.slots[i];
    slot.log2 = uint8_t(std::countr_zero(unsigned(info(made.type).bytes)));
    slot.is_filled = made.kind == Instruction::Constant ||
                     (made.kind == Instruction::Load && prepared.layout.addresses[made.index].is_uniform);
    if (slot.is_filled)
      slot.offset = free.take(slot.log2);
  }
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    Slot& slot = prepared.slots[i];
    if (!slot.is_filled)
      slot.offset = free.take(slot.log2);
    if (!slot.is_filled && last[i] < int32_t(kernel.code.size()))
      ends[last[i]].push_back(int32_t(i));
    for (int32_t dead : ends[i])
      free.offsets[prepared.slots[dead].log2].push_back(prepared.slots[dead].offset);
  }
  prepared.bytes = free.bytes;
}

Block::Block(const Prepared& prepared)
    : prepared_(prepared), memory_(size_t(prepared.bytes) + 64), values_(prepared.slots.size()) {
  fill();
}

void* Block::slot(int32_t instruction) const {
  const Slot& slot = prepared_.slots[instruction];
  if (slot.output)
    return slot.output + (first_ << slot.log2);
  auto begin = reinterpret_cast<uintptr_t>(memory_.data());
  return reinterpret_cast<char*>((begin + 63) / 64 * 64) + slot.offset;
}

// Numbers, and arrays with one element for all places.
void Block::fill() {
  const Kernel& kernel = *prepared_.kernel;
  int64_t count = std::min<int64_t>(kBlock, prepared_.layout.shape.elements());
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    const Slot& filled = prepared_.slots[i];
    if (!filled.is_filled || filled.output)
      continue;
    const Instruction& made = kernel.code[i];
    const void* value = made.kind == Instruction::Constant ? static_cast<const void*>(&made.constant)
                                                           : prepared_.layout.addresses[made.index].base;
    loops().fill[filled.log2](slot(int32_t(i)), value, count);
    values_[i] = slot(int32_t(i));
  }
}

void Block::compute(int64_t first, int32_t count) {
  first_ = first;
  Range range = rangeAt(prepared_.layout.shape, first, count);
  for (size_t i = 0; i < values_.size(); ++i)
    if (!prepared_.slots[i].is_filled || prepared_.slots[i].output)
      execute(int32_t(i), range);
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
