#include "arrays/compiled/segment.h"

#include <algorithm>

namespace bsgp::arrays {

namespace {

// Halves and complex numbers stay with the loops.
// Math functions consist of fused multiplications and additions, which other machines call one by one.
bool hasFma() {
#ifdef __x86_64__
  return __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

bool isCompiled(const Instruction& made) {
  if (isComplex(made.from) || isComplex(made.type))
    return false;
  if (made.kind == Instruction::Cast)
    return made.from != BSGP_FLOAT16 && made.type != BSGP_FLOAT16;
  if (made.kind != Instruction::Apply || made.from == BSGP_FLOAT16 || made.type == BSGP_FLOAT16)
    return false;
  bool is_float = info(made.from).kind == TypeKind::Float;
  switch (made.operation) {
  case BSGP_OP_FLOOR_DIVIDE:
  case BSGP_OP_REMAINDER:
  case BSGP_OP_RANDOM_BITS:
  case BSGP_OP_SIN: // these have branches
  case BSGP_OP_COS:
  case BSGP_OP_TAN:
    return false;
  case BSGP_OP_POW:
    return is_float && hasFma();
  case BSGP_OP_ISNAN:
  case BSGP_OP_ISINF:
  case BSGP_OP_ISFINITE:
  case BSGP_OP_SIGNBIT:
    return is_float;
  default:
    return hasFma() || !isMathFunction(made.operation, made.from);
  }
}

// How many loops of their own stand between an instruction and the arrays: those of one level can be done together.
std::vector<int32_t> levelsOf(const Kernel& kernel) {
  std::vector<int32_t> levels(kernel.code.size());
  for (size_t i = 0; i < kernel.code.size(); ++i)
    for (int32_t operand : kernel.code[i].operands)
      if (operand >= 0)
        levels[i] =
            std::max(levels[i], levels[operand] + (isCompiled(kernel.code[operand]) && !isCompiled(kernel.code[i])));
  return levels;
}

class StepMaker {
public:
  explicit StepMaker(const Kernel& kernel) : kernel_(kernel), levels_(levelsOf(kernel)), is_read_(kernel.code.size()) {}

  Steps make() {
    for (size_t i = 0; i < kernel_.code.size(); ++i)
      for (int32_t operand : kernel_.code[i].operands)
        if (operand >= 0 && (!isCompiled(kernel_.code[i]) || levels_[i] != levels_[operand]))
          is_read_[operand] = true;
    for (const Output& output : kernel_.outputs)
      is_read_[output.value] = true;
    int32_t most = levels_.empty() ? 0 : *std::max_element(levels_.begin(), levels_.end());
    for (int32_t level = 0; level <= most; ++level) {
      for (size_t i = 0; i < kernel_.code.size(); ++i)
        if (levels_[i] == level && !isCompiled(kernel_.code[i]))
          made_.steps.push_back({int32_t(i), -1});
      addSegment(level);
    }
    return std::move(made_);
  }

private:
  void addSegment(int32_t level) {
    Segment segment;
    std::vector<int32_t> members;
    for (size_t i = 0; i < kernel_.code.size(); ++i)
      if (levels_[i] == level && isCompiled(kernel_.code[i]))
        members.push_back(int32_t(i));
    if (members.empty())
      return;
    std::vector<int32_t> numbers(kernel_.code.size(), -1);
    for (int32_t member : members)
      for (int32_t operand : kernel_.code[member].operands)
        if (operand >= 0 && numbers[operand] < 0 && !(isCompiled(kernel_.code[operand]) && levels_[operand] == level))
          numbers[operand] = addInput(segment, operand);
    for (int32_t member : members)
      numbers[member] = addOperation(segment, member, numbers);
    segment.members = std::move(members);
    made_.steps.push_back({-1, int32_t(made_.segments.size())});
    made_.segments.push_back(std::move(segment));
  }

  int32_t addInput(Segment& segment, int32_t instruction) {
    segment.inputs.push_back(kernel_.code[instruction].type);
    segment.is_number.push_back(kernel_.code[instruction].kind == Instruction::Constant);
    segment.reads.push_back(instruction);
    return int32_t(segment.inputs.size()) - 1;
  }

  int32_t addOperation(Segment& segment, int32_t instruction, const std::vector<int32_t>& numbers) {
    const Instruction& made = kernel_.code[instruction];
    Segment::Operation operation{made.kind, made.operation, made.from, made.type, {-1, -1, -1}};
    for (int i = 0; i < 3 && made.operands[i] >= 0; ++i)
      operation.operands[i] = numbers[made.operands[i]];
    segment.operations.push_back(operation);
    auto number = int32_t(segment.inputs.size() + segment.operations.size()) - 1;
    if (is_read_[instruction])
      segment.outputs.push_back(number), segment.writes.push_back(instruction);
    return number;
  }

  const Kernel& kernel_;
  std::vector<int32_t> levels_;
  std::vector<bool> is_read_; // by another segment, a loop or as an output
  Steps made_;
};

} // namespace

bool isMathFunction(bsgp_operation operation, bsgp_dtype type) {
  bool is_float = info(type).kind == TypeKind::Float, of_one = operation >= BSGP_OP_EXP && operation <= BSGP_OP_ERFC;
  return is_float && (of_one || operation == BSGP_OP_POW || operation == BSGP_OP_ATAN2 || operation == BSGP_OP_HYPOT);
}

int Segment::cost() const {
  int cost = 0;
  for (const Operation& operation : operations)
    cost += operation.kind == Instruction::Apply ? info(operation.operation).cost : 1;
  return cost;
}

std::string Segment::text() const {
  std::string text;
  auto put = [&](auto value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(int32_t(inputs.size())), put(int32_t(operations.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    put(uint8_t(inputs[i])), put(uint8_t(is_number[i]));
  for (const Operation& operation : operations) {
    put(uint8_t(operation.kind)), put(uint8_t(operation.operation)), put(uint8_t(operation.from)),
        put(uint8_t(operation.type));
    for (int32_t operand : operation.operands)
      put(operand);
  }
  for (int32_t output : outputs)
    put(output);
  return text;
}

Steps stepsOf(const Kernel& kernel) {
  return StepMaker(kernel).make();
}

} // namespace bsgp::arrays
