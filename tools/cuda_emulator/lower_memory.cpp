// Lowering: loads, stores and atomic operations.
#include <algorithm>
#include <initializer_list>

#include "access.h"
#include "lower.h"
#include "ops_control.h"
#include "order.h"

namespace bsgp::emulator {

namespace {

// The modifiers of an instruction, each of which may be taken once.
class Modifiers {
public:
  explicit Modifiers(std::string_view opcode) {
    for (size_t begin = opcode.find('.'); begin < opcode.size();) {
      size_t end = std::min(opcode.find('.', begin + 1), opcode.size());
      words_.push_back(opcode.substr(begin + 1, end - begin - 1));
      begin = end;
    }
  }

  // One of these, empty if none of them is there.
  std::string_view take(std::initializer_list<std::string_view> choices) {
    for (std::string_view choice : choices)
      if (auto found = std::find(words_.begin(), words_.end(), choice); found != words_.end()) {
        words_.erase(found);
        return choice;
      }
    return {};
  }
  std::string_view takePrefixed(std::string_view prefix) {
    for (auto word = words_.begin(); word != words_.end(); ++word)
      if (word->starts_with(prefix)) {
        std::string_view taken = *word;
        words_.erase(word);
        return taken;
      }
    return {};
  }
  void takeScope() { take({"cta", "cluster", "gpu", "sys"}); }
  Type takeType() { // stands last
    Type type = words_.empty() ? Type::none : typeOf(words_.back());
    if (type != Type::none)
      words_.pop_back();
    return type;
  }
  Space takeSpace() {
    std::string_view name =
        take({"global", "shared", "shared::cta", "local", "const", "param", "param::entry", "param::func"});
    return name.empty()                 ? Space::generic
           : name == "global"           ? Space::global
           : name.starts_with("shared") ? Space::shared
           : name == "local"            ? Space::local
           : name == "const"            ? Space::constant
                                        : Space::param;
  }
  bool empty() const { return words_.empty(); }
  std::string rest() const { return words_.empty() ? "" : std::string(words_.front()); }

private:
  std::vector<std::string_view> words_;
};

uint32_t semanticsOf(std::string_view order) {
  bool both = order == "acq_rel";
  return (order.empty() ? 0 : Semantics::kOrdered) | (both || order == "acquire" ? Semantics::kAcquire : 0) |
         (both || order == "release" ? Semantics::kRelease : 0);
}

// Order and caching say nothing here: the host's memory is more orderly than a GPU's, and has one cache.
// Returns how the access is ordered with those of other threads: Semantics, 0 if it is not.
uint32_t takeHints(Modifiers& modifiers, bool is_load) {
  std::string_view order = is_load ? modifiers.take({"relaxed", "acquire"}) : modifiers.take({"relaxed", "release"});
  if (!order.empty())
    modifiers.takeScope();
  uint32_t how = semanticsOf(order);
  if (!modifiers.take({"volatile", "mmio"}).empty())
    how |= Semantics::kOrdered;
  if (!how)
    modifiers.take({"weak"});
  if (is_load)
    modifiers.take({"nc"});
  if (is_load)
    modifiers.take({"ca", "cg", "cs", "lu", "cv"});
  else
    modifiers.take({"wb", "cg", "cs", "wt"});
  modifiers.take({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  modifiers.take({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  if (is_load)
    modifiers.take({"L2::64B", "L2::128B", "L2::256B"});
  return how;
}

} // namespace

// A register of 32 bits may hold an offset in shared or local memory.
void Lowering::setAddress(const Instruction& instruction, const Operand& operand, Space space, uint32_t& offset,
                          uint64_t& imm) {
  if (operand.kind != Operand::Address)
    fail(instruction, "this needs an address");
  imm = operand.value;
  if (operand.name.empty()) {
    offset = constant(8, 0);
    return;
  }
  if (const Slot* slot = findRegister(instruction.scope, operand.name)) {
    offset = slot->offset;
    if (slot->bytes == 8)
      return;
    if (slot->bytes != 4)
      fail(instruction, "an address has 64 bits");
    Operand base;
    base.name = operand.name;
    uint32_t wide = allocate(8);
    Op& op = emit(Table::get().find("mul.wide.u32")->run, instruction);
    op.o[0] = wide;
    op.o[1] = offset;
    op.o[2] = constant(4, 1);
    offset = wide;
    return;
  }
  uint64_t address = 0;
  Space of = Space::generic;
  if (!findSymbol(instruction, operand.name, address, &of))
    fail(instruction, "unknown name " + std::string(operand.name));
  bool fits = space == of || (space == Space::generic && of != Space::shared && of != Space::local);
  if (!fits)
    fail(instruction, "the variable is in another space");
  offset = constant(8, address);
}

void Lowering::emitAccess(const Instruction& instruction, bool is_load) {
  Modifiers modifiers(instruction.opcode);
  Type type = modifiers.takeType();
  Space space = modifiers.takeSpace();
  std::string_view vector = modifiers.take({"v2", "v4"});
  uint32_t how = takeHints(modifiers, is_load);
  if (!modifiers.empty() || type == Type::none || type == Type::pred)
    fail(instruction, "unknown modifier " + modifiers.rest());
  expectCount(instruction, 2);
  const Operand& value = instruction.operands[is_load ? 0 : 1];
  uint32_t base = 0;
  uint64_t imm = 0;
  setAddress(instruction, instruction.operands[is_load ? 1 : 0], space, base, imm);
  std::vector<Operand> parts = vector.empty() ? std::vector<Operand>{value} : partsOf(instruction, value);
  size_t count = vector.empty() ? 1 : vector == "v2" ? 2 : 4;
  if (parts.size() != count)
    fail(instruction, "this needs " + std::to_string(count) + " registers");
  unsigned bytes = 0; // of the registers; a constant takes the type's
  for (const Operand& part : parts)
    bytes = std::max(bytes, registerBytes(instruction, part));
  if (bytes == 0)
    bytes = std::max(2u, bytesOf(type));
  Handler run = is_load ? loadHandler(space, type, bytes, count > 1) : storeHandler(space, type, bytes);
  if (!run || (bytesOf(type) < bytes && (type == Type::f16 || type == Type::f32)))
    fail(instruction, "the type does not fit the registers");
  char letter = type == Type::f32 ? 'f' : type == Type::f64 ? 'd' : bytes == 2 ? '2' : bytes == 4 ? '4' : '8';
  uint32_t registers[4] = {};
  for (size_t i = 0; i < count; ++i)
    registers[i] = is_load ? destination(instruction, parts[i], letter) : source(instruction, parts[i], letter);
  Op& op = emit(run, instruction);
  op.o[0] = base;
  std::copy(registers, registers + count, op.o + 1);
  op.o[5] = how;
  op.imm = imm;
  op.aux = static_cast<uint32_t>(count);
}

void Lowering::emitAtomic(const Instruction& instruction, bool returns) {
  Modifiers modifiers(instruction.opcode);
  Type type = modifiers.takeType();
  Space space = modifiers.takeSpace();
  uint32_t how = Semantics::kOrdered | semanticsOf(modifiers.take({"relaxed", "acquire", "release", "acq_rel"}));
  modifiers.takeScope();
  std::string_view operation = modifiers.take({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  bool small = type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
  if (small != (modifiers.take({"noftz"}) == "noftz"))
    fail(instruction, "sums of 16 bits are .noftz, others are not");
  Handler run = modifiers.empty() ? atomicHandler(space, operation, type) : nullptr;
  bool swaps = operation == "cas" || operation == "exch";
  if (!run || (!returns && swaps))
    fail(instruction, "unknown instruction " + std::string(instruction.opcode));
  expectCount(instruction, (returns ? 3u : 2u) + (operation == "cas"));
  unsigned first = returns ? 1 : 0, bytes = bytesOf(type);
  char letter = type == Type::f32 ? 'f' : type == Type::f64 ? 'd' : bytes == 2 ? '2' : bytes == 4 ? '4' : '8';
  uint32_t base = 0;
  uint64_t imm = 0;
  setAddress(instruction, instruction.operands[first], space, base, imm);
  uint32_t result = returns ? destination(instruction, instruction.operands[0], letter) : sink_;
  uint32_t b = source(instruction, instruction.operands[first + 1], letter);
  uint32_t c = operation == "cas" ? source(instruction, instruction.operands[first + 2], letter) : sink_;
  Op& op = emit(run, instruction);
  op.o[0] = result;
  op.o[1] = base;
  op.o[2] = b;
  op.o[3] = c;
  op.o[5] = how;
  op.imm = imm;
}

void Lowering::emitPrefetch(const Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.takeSpace();
  modifiers.take({"L1", "L2", "L2::evict_last", "L2::evict_normal", "L2::128"});
  modifiers.takePrefixed("L2::evict");
  if (!modifiers.empty() || instruction.operands.empty())
    fail(instruction, "unknown modifier " + modifiers.rest());
  emit(nopHandler(), instruction);
}

} // namespace bsgp::emulator
