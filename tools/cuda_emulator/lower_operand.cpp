// Lowering: operands. Every register, constant and special register has a place in the frame of its warp.
#include <algorithm>
#include <bit>

#include "lower.h"
#include "memory.h"

namespace bsgp::emulator {

namespace {

uint32_t bytesOfLetter(char letter) {
  return letter == 'p' ? 0 : letter == '2' ? 2 : letter == '8' || letter == 'd' ? 8 : 4;
}

uint64_t alignUp(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

struct SpecialName {
  std::string_view name;
  Special special;
  uint32_t bytes;
};
constexpr SpecialName kSpecials[] = {{"%tid.x", Special::tid_x, 4},
                                     {"%tid.y", Special::tid_y, 4},
                                     {"%tid.z", Special::tid_z, 4},
                                     {"%ntid.x", Special::ntid_x, 4},
                                     {"%ntid.y", Special::ntid_y, 4},
                                     {"%ntid.z", Special::ntid_z, 4},
                                     {"%ctaid.x", Special::ctaid_x, 4},
                                     {"%ctaid.y", Special::ctaid_y, 4},
                                     {"%ctaid.z", Special::ctaid_z, 4},
                                     {"%nctaid.x", Special::nctaid_x, 4},
                                     {"%nctaid.y", Special::nctaid_y, 4},
                                     {"%nctaid.z", Special::nctaid_z, 4},
                                     {"%laneid", Special::laneid, 4},
                                     {"%warpid", Special::warpid, 4},
                                     {"%nwarpid", Special::nwarpid, 4},
                                     {"%smid", Special::smid, 4},
                                     {"%nsmid", Special::nsmid, 4},
                                     {"%gridid", Special::gridid, 8},
                                     {"%lanemask_eq", Special::lanemask_eq, 4},
                                     {"%lanemask_le", Special::lanemask_le, 4},
                                     {"%lanemask_lt", Special::lanemask_lt, 4},
                                     {"%lanemask_ge", Special::lanemask_ge, 4},
                                     {"%lanemask_gt", Special::lanemask_gt, 4},
                                     {"%dynamic_smem_size", Special::dynamic_smem_size, 4},
                                     {"%total_smem_size", Special::total_smem_size, 4}};

} // namespace

// A place in the frame; 0 bytes for a predicate.
uint32_t Lowering::allocate(uint32_t bytes) {
  auto offset = static_cast<uint32_t>(alignUp(kernel_.frame_bytes, bytes ? 64 : 4));
  kernel_.frame_bytes = offset + (bytes ? 32 * bytes : 4);
  return offset;
}

uint32_t Lowering::constant(uint32_t bytes, uint64_t value) {
  if (bytes && bytes < 8)
    value &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [place, fresh] = constants_.try_emplace({bytes, value}, 0);
  if (fresh) {
    place->second = allocate(bytes);
    kernel_.constants.push_back({place->second, bytes, value});
  }
  return place->second;
}

const Lowering::Slot* Lowering::findInScope(unsigned number, std::string_view name) {
  const Scope& scope = instance_->function.scopes[number];
  Key key{&instance_->function, number, name};
  if (auto known = registers_.find(key); known != registers_.end())
    return &known->second;
  const Register* reg = nullptr;
  std::string_view base = name.substr(0, name.find('.'));
  if (auto found = scope.registers.find(base); found != scope.registers.end())
    reg = &found->second;
  for (const RegisterRange& range : scope.ranges) {
    std::string_view rest = base.starts_with(range.prefix) ? base.substr(range.prefix.size()) : std::string_view();
    bool digits = !rest.empty() && rest.size() < 9 && rest.find_first_not_of("0123456789") == std::string_view::npos &&
                  (rest.size() == 1 || rest[0] != '0');
    if (!reg && digits && std::stoul(std::string(rest)) < range.count)
      reg = &range.reg;
  }
  if (!reg)
    return nullptr;
  bool component = base.size() != name.size();
  if (component) {
    std::string_view letter = name.substr(base.size());
    size_t index = std::string_view(".x.y.z.w").find(letter);
    index = index == std::string_view::npos ? std::string_view(".r.g.b.a").find(letter) : index;
    if (letter.size() != 2 || index / 2 >= reg->vector)
      return nullptr;
  } else if (reg->vector > 1) {
    return nullptr;
  }
  uint32_t bytes = bytesOf(reg->type);
  return &registers_.emplace(key, Slot{allocate(bytes), bytes}).first->second;
}

const Lowering::Slot* Lowering::findRegister(unsigned scope, std::string_view name) {
  for (int number = static_cast<int>(scope); number >= 0; number = instance_->function.scopes[number].parent)
    if (const Slot* slot = findInScope(static_cast<unsigned>(number), name))
      return slot;
  return name.starts_with('%') ? findSpecial(name) : nullptr;
}

const Lowering::Slot* Lowering::findSpecial(std::string_view name) {
  if (auto known = specials_.find(name); known != specials_.end())
    return &known->second;
  auto add = [&](Special special, uint32_t bytes) {
    Slot slot{allocate(bytes), bytes};
    kernel_.specials.push_back({special, slot.offset, bytes});
    return &specials_.emplace(name, slot).first->second;
  };
  for (const SpecialName& entry : kSpecials)
    if (entry.name == name)
      return add(entry.special, entry.bytes);
  return name.starts_with("%envreg") ? add(Special::zero, 4) : nullptr;
}

// Variables that a function declares, and its parameters.
bool Lowering::findLocalVariable(const Instruction& instruction, std::string_view name, uint64_t& address,
                                 Space* space) {
  const Function& function = instance_->function;
  for (int number = static_cast<int>(instruction.scope); number >= 0; number = function.scopes[number].parent) {
    const auto& variables = function.scopes[number].variables;
    auto found = variables.find(name);
    if (found == variables.end())
      continue;
    const Variable& variable = found->second;
    *space = variable.space;
    auto [place, fresh] = variables_.try_emplace({&function, static_cast<unsigned>(number), name}, 0);
    if (fresh) {
      uint32_t& end = variable.space == Space::local ? kernel_.local_bytes : kernel_.slot_bytes;
      place->second = alignUp(end, variable.align) + (variable.space == Space::local ? 0 : kSlotBase);
      end = static_cast<uint32_t>(alignUp(end, variable.align) + variable.bytes());
    }
    address = place->second;
    return true;
  }
  auto parameter = instance_->parameters.find(name);
  if (parameter == instance_->parameters.end())
    return false;
  address = parameter->second;
  *space = Space::param;
  return true;
}

// The address of a variable in its own space.
bool Lowering::findSymbol(const Instruction& instruction, std::string_view name, uint64_t& address, Space* space) {
  Space unused;
  space = space ? space : &unused;
  if (findLocalVariable(instruction, name, address, space))
    return true;
  if (auto found = shared_.find(name); found != shared_.end()) {
    address = found->second;
    *space = Space::shared;
    return true;
  }
  auto found = addresses_.find(name);
  if (found == addresses_.end())
    return false;
  address = found->second;
  *space = findModuleVariable(name)->space;
  return true;
}

uint64_t Lowering::literal(const Instruction& instruction, const Operand& operand, char letter) const {
  bool to_single = letter == 'f', to_double = letter == 'd';
  switch (operand.kind) {
  case Operand::Integer:
    if (to_single || to_double)
      fail(instruction, "an integer where a floating-point number must be");
    return operand.value;
  case Operand::Single:
    if (to_single || letter == '4')
      return operand.value;
    break;
  case Operand::Double:
    if (to_single)
      return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value)));
    if (to_double || letter == '8')
      return operand.value;
    break;
  default:
    break;
  }
  fail(instruction, "this operand cannot be here");
}

uint32_t Lowering::source(const Instruction& instruction, const Operand& operand, char letter, bool* negated) {
  uint32_t bytes = bytesOfLetter(letter);
  if (operand.negated && !negated)
    fail(instruction, "no operand of this can be negated");
  if (negated)
    *negated = operand.negated;
  if (operand.kind != Operand::Name) {
    if (letter == 'p' && operand.kind == Operand::Integer)
      return constant(0, operand.value ? ~0u : 0);
    return constant(bytes, literal(instruction, operand, letter));
  }
  if (const Slot* slot = findRegister(instruction.scope, operand.name)) {
    if (slot->bytes != bytes || operand.value || !operand.second.empty())
      fail(instruction, "the register " + std::string(operand.name) + " has another size than the instruction");
    return slot->offset;
  }
  if (operand.name == "WARP_SZ")
    return constant(bytes, 32);
  uint64_t address = 0;
  Space space = Space::generic;
  bool found = findSymbol(instruction, operand.name, address, &space);
  bool short_address = letter == '4' && (space == Space::shared || space == Space::local);
  if (!found || (letter != '8' && !short_address))
    fail(instruction, "unknown operand " + std::string(operand.name));
  return constant(bytes, address + operand.value);
}

uint32_t Lowering::destination(const Instruction& instruction, const Operand& operand, char letter) {
  if (operand.kind == Operand::Sink)
    return letter == 'p' ? predicate_sink_ : sink_;
  if (operand.kind != Operand::Name || operand.negated || operand.value)
    fail(instruction, "the result needs a register");
  const Slot* slot = findRegister(instruction.scope, operand.name);
  if (!slot || specials_.contains(operand.name))
    fail(instruction, "unknown register " + std::string(operand.name));
  if (slot->bytes != bytesOfLetter(letter))
    fail(instruction, "the register " + std::string(operand.name) + " has another size than the instruction");
  return slot->offset;
}

// The registers of {a, b}, or of a register that is a vector.
std::vector<Operand> Lowering::partsOf(const Instruction& instruction, const Operand& operand) {
  if (operand.kind == Operand::Vector)
    return operand.parts;
  static constexpr std::string_view kLetters = "xyzw";
  std::vector<Operand> parts;
  const Function& function = instance_->function;
  for (int number = static_cast<int>(instruction.scope); number >= 0; number = function.scopes[number].parent) {
    for (auto& [name, reg] : function.scopes[number].registers) {
      if (name != operand.name)
        continue;
      for (unsigned i = 0; i < reg.vector; ++i) {
        vector_names_.push_back(std::string(name) + "." + kLetters[i]);
        parts.emplace_back().name = vector_names_.back();
      }
      return parts;
    }
  }
  fail(instruction, "this needs a vector of registers");
}

// 0 for what is no register.
unsigned Lowering::registerBytes(const Instruction& instruction, const Operand& operand) {
  if (operand.kind != Operand::Name)
    return 0;
  const Slot* slot = findRegister(instruction.scope, operand.name);
  if (slot && slot->bytes == 0)
    fail(instruction, "a predicate cannot be here");
  return slot ? slot->bytes : 0;
}

} // namespace bsgp::emulator
