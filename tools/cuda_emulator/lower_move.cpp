// Lowering: mov and cvt.
#include <algorithm>

#include "convert.h"
#include "lower.h"
#include "ops_move.h"

namespace bsgp::emulator {

void Lowering::emitMove(const Instruction& instruction) {
  std::string_view opcode = instruction.opcode;
  expectCount(instruction, 2);
  const auto& operands = instruction.operands;
  if (opcode.starts_with("mov.v2.") || opcode.starts_with("mov.v4.")) {
    std::vector<Operand> to = partsOf(instruction, operands[0]), from = partsOf(instruction, operands[1]);
    if (to.size() != (opcode[5] == '2' ? 2u : 4u) || from.size() != to.size())
      fail(instruction, "the vectors have other lengths");
    for (size_t i = 0; i < to.size(); ++i) {
      Instruction one = instruction;
      one.operands = {to[i], from[i]};
      emitByTable(one, "mov." + std::string(opcode.substr(7)));
    }
  } else if (operands[0].kind == Operand::Vector || operands[1].kind == Operand::Vector) {
    emitPack(instruction, operands[0].kind == Operand::Vector);
  } else if (!emitClock(instruction)) {
    emitByTable(instruction, opcode);
  }
}

bool Lowering::emitClock(const Instruction& instruction) {
  const Operand& from = instruction.operands[1];
  Type type = typeOf(instruction.opcode.substr(4));
  if (from.kind != Operand::Name || type == Type::none)
    return false;
  Handler run = clockHandler(from.name, bytesOf(type));
  if (run) {
    uint32_t to = destination(instruction, instruction.operands[0], bytesOf(type) == 8 ? '8' : '4');
    emit(run, instruction).o[0] = to;
  }
  return run != nullptr;
}

void Lowering::emitPack(const Instruction& instruction, bool unpacks) {
  unsigned whole = bytesOf(typeOf(instruction.opcode.substr(4)));
  const Operand &vector = instruction.operands[unpacks ? 0 : 1], &value = instruction.operands[unpacks ? 1 : 0];
  auto count = static_cast<uint32_t>(vector.parts.size());
  unsigned part = count ? whole / count : 0;
  Handler run = count <= 4 && part * count == whole ? packHandler(unpacks, whole, part) : nullptr;
  if (!run)
    fail(instruction, "unknown form of mov");
  char letter = whole == 8 ? '8' : '4', part_letter = part == 4 ? '4' : '2';
  uint32_t parts[4] = {};
  for (uint32_t i = 0; i < count; ++i)
    parts[i] = unpacks ? destination(instruction, vector.parts[i], part_letter)
                       : source(instruction, vector.parts[i], part_letter);
  uint32_t at = unpacks ? source(instruction, value, letter) : destination(instruction, value, letter);
  Op& op = emit(run, instruction);
  std::copy(parts, parts + count, op.o);
  op.o[4] = at;
  op.aux = count;
}

void Lowering::emitConvert(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.size() < 2)
    fail(instruction, "this needs operands");
  auto letterOf = [](unsigned bytes) { return bytes == 2 ? '2' : bytes == 4 ? '4' : '8'; };
  unsigned to_bytes = registerBytes(instruction, operands[0]), from_bytes = registerBytes(instruction, operands[1]);
  std::string_view modifiers = instruction.opcode.substr(4);
  Type from = typeOf(modifiers.substr(modifiers.rfind('.') + 1));
  if (from_bytes == 0)
    from_bytes = std::max(2u, bytesOf(from));
  Conversion conversion = conversionOf(modifiers, to_bytes, from_bytes);
  if (!conversion.run)
    fail(instruction, "unknown conversion, or registers of another size");
  expectCount(instruction, conversion.pair ? 3 : 2);
  char from_letter = from == Type::f32 ? 'f' : from == Type::f64 ? 'd' : letterOf(from_bytes);
  uint32_t d = destination(instruction, operands[0], letterOf(to_bytes));
  uint32_t a = source(instruction, operands[1], from_letter);
  uint32_t b = conversion.pair ? source(instruction, operands[2], 'f') : sink_;
  Op& op = emit(conversion.run, instruction);
  op.o[0] = d;
  op.o[1] = a;
  op.o[2] = b;
  op.o[4] = to_bytes;
  op.o[5] = from_bytes;
  op.aux = conversion.aux;
}

} // namespace bsgp::emulator
