#include "arrays/device/parts.h"

#include <algorithm>

namespace bsgp::arrays {

namespace {

constexpr size_t kMostFolds = 8;

std::vector<bool> neededBy(const Kernel& kernel, const std::vector<Output>& outputs) {
  std::vector<bool> needed(kernel.code.size());
  for (const Output& output : outputs)
    needed[size_t(output.value)] = true;
  for (size_t i = needed.size(); i-- > 0;)
    for (int32_t operand : kernel.code[i].operands)
      if (needed[i] && operand >= 0)
        needed[size_t(operand)] = true;
  return needed;
}

// The new number of an element of `from`, which is copied once.
template <class T> class Kept {
public:
  Kept(const std::vector<T>& from, std::vector<T>& to) : from_(from), to_(to), numbers_(from.size(), -1) {}
  int32_t keep(int32_t number) {
    int32_t& known = numbers_[size_t(number)];
    if (known < 0)
      known = int32_t(to_.size()), to_.push_back(from_[size_t(number)]);
    return known;
  }

private:
  const std::vector<T>& from_;
  std::vector<T>& to_;
  std::vector<int32_t> numbers_;
};

Kernel partOf(const Kernel& kernel, std::vector<Output> outputs) {
  std::vector<bool> needed = neededBy(kernel, outputs);
  Kernel part;
  part.places = kernel.places;
  Kept loads(kernel.loads, part.loads);
  Kept maps(kernel.maps, part.maps);
  Kept insides(kernel.insides, part.insides);
  std::vector<int32_t> numbers(kernel.code.size(), -1);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i])
      continue;
    Instruction made = kernel.code[i];
    for (int32_t& operand : made.operands)
      operand = operand < 0 ? operand : numbers[size_t(operand)];
    if (made.kind == Instruction::Load || made.kind == Instruction::Gather)
      made.index = loads.keep(made.index);
    else if (made.kind == Instruction::Coordinate)
      made.index = maps.keep(made.index);
    else if (made.kind == Instruction::Inside)
      made.index = insides.keep(made.index);
    numbers[i] = int32_t(part.code.size());
    part.code.push_back(made);
  }
  for (Output& output : outputs)
    output.value = numbers[size_t(output.value)];
  part.outputs = std::move(outputs);
  return part;
}

} // namespace

std::vector<Kernel> partsOf(const Kernel& kernel) {
  std::vector<Kernel> parts;
  std::vector<Output> here;
  for (const Output& output : kernel.outputs)
    if (!output.is_fold)
      here.push_back(output);
  size_t folds = 0;
  for (const Output& output : kernel.outputs) {
    if (!output.is_fold)
      continue;
    if (folds == kMostFolds)
      parts.push_back(partOf(kernel, std::move(here))), here.clear(), folds = 0;
    here.push_back(output), ++folds;
  }
  parts.push_back(partOf(kernel, std::move(here)));
  return parts;
}

} // namespace bsgp::arrays
