#include "lower.h"

#include <algorithm>
#include <unordered_set>

#include "memory.h"
#include "ops_control.h"
#include "trace.h"

namespace bsgp::emulator {

namespace {

constexpr size_t kMostOps = 4u << 20; // what calls may make of one kernel

uint64_t alignUp(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

} // namespace

void Lowering::fail(const Instruction& instruction, const std::string& what) const {
  throw PtxError{instruction.line, what + ": " + std::string(instruction.text)};
}

void Lowering::expectCount(const Instruction& instruction, size_t count) const {
  if (instruction.operands.size() != count)
    fail(instruction, "this needs " + std::to_string(count) + " operands");
}

const Function* Lowering::findFunction(std::string_view name) const {
  auto found = std::find_if(module_.functions.begin(), module_.functions.end(),
                            [&](const Function& function) { return function.name == name; });
  return found == module_.functions.end() ? nullptr : &*found;
}

const Variable* Lowering::findModuleVariable(std::string_view name) const {
  auto found = std::find_if(module_.variables.begin(), module_.variables.end(),
                            [&](const Variable& variable) { return variable.name == name; });
  return found == module_.variables.end() ? nullptr : &*found;
}

Kernel Lowering::lower(const Function& entry) {
  kernel_.name = entry.name;
  kernel_.max_threads = entry.max_threads ? std::min(entry.max_threads, 1024u) : 1024;
  std::copy(entry.required, entry.required + 3, kernel_.required);
  constant(0, ~0u); // at 0: the guard of what has none
  predicate_sink_ = allocate(0);
  sink_ = allocate(8);
  std::vector<const Function*> chain;
  collect(entry, chain);
  layOutShared();
  Instance instance{entry, {}, {}, {}, {}};
  instance_ = &instance;
  layOutParameters(entry);
  emitFunction(instance, true);
  kernel_.frame_bytes = static_cast<uint32_t>(alignUp(kernel_.frame_bytes, 64));
  kernel_.local_bytes = static_cast<uint32_t>(alignUp(kernel_.local_bytes, 16));
  kernel_.slot_bytes = static_cast<uint32_t>(alignUp(kernel_.slot_bytes, 16));
  kernel_.register_count = std::min<uint32_t>(255, static_cast<uint32_t>(registers_.size()));
  return std::move(kernel_);
}

void Lowering::layOutParameters(const Function& entry) {
  for (const Variable& parameter : entry.parameters) {
    auto offset = static_cast<uint32_t>(alignUp(kernel_.parameter_bytes, parameter.align));
    kernel_.parameters.push_back({offset, static_cast<uint32_t>(parameter.bytes())});
    kernel_.parameter_bytes = offset + static_cast<uint32_t>(parameter.bytes());
    instance_->parameters[parameter.name] = kParamBase + offset;
  }
}

// Finds out which variables in shared memory the kernel and what it calls use.
void Lowering::collect(const Function& function, std::vector<const Function*>& chain) {
  if (!function.defined)
    throw PtxError{function.line, "there is no body of the function " + std::string(function.name)};
  if (std::find(chain.begin(), chain.end(), &function) != chain.end())
    throw PtxError{function.line, "recursive functions are not supported: " + std::string(function.name)};
  chain.push_back(&function);
  auto note = [&](std::string_view name) {
    const Variable* variable = findModuleVariable(name);
    if (variable && variable->space == Space::shared &&
        std::find(shared_used_.begin(), shared_used_.end(), name) == shared_used_.end())
      shared_used_.push_back(name);
  };
  for (const Instruction& instruction : function.code) {
    bool is_call = instruction.opcode == "call" || instruction.opcode == "call.uni";
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Name && operand.kind != Operand::Address)
        continue;
      note(operand.name);
      if (const Function* callee = is_call ? findFunction(operand.name) : nullptr)
        collect(*callee, chain);
    }
  }
  chain.pop_back();
}

uint32_t Lowering::placeShared(const Variable& variable) {
  uint32_t gap = Trace::get() ? Trace::kGap : 0; // so that what misses a variable is seen to
  auto offset = static_cast<uint32_t>(alignUp(kernel_.shared_bytes + gap, variable.align));
  auto bytes = static_cast<uint32_t>(variable.bytes());
  kernel_.shared_bytes = offset + bytes;
  kernel_.shared.push_back({std::string(variable.name), offset, bytes});
  return offset;
}

void Lowering::layOutShared() {
  std::vector<std::string_view> dynamic;
  for (std::string_view name : shared_used_) {
    const Variable& variable = *findModuleVariable(name);
    if (variable.is_extern || variable.count == 0) {
      dynamic.push_back(name);
      dynamic_align_ = std::max(dynamic_align_, variable.align);
      continue;
    }
    shared_[name] = placeShared(variable);
  }
  // Those of functions come with their functions; dynamic memory must lie behind them all.
  std::unordered_set<const Function*> seen;
  for (const Function& function : module_.functions)
    for (unsigned scope = 0; scope < function.scopes.size(); ++scope)
      for (const auto& [name, variable] : function.scopes[scope].variables) {
        if (variable.space != Space::shared || (function.is_entry && function.name != kernel_.name))
          continue;
        variables_[{&function, scope, name}] = placeShared(variable);
      }
  if (!dynamic.empty())
    kernel_.shared_bytes = static_cast<uint32_t>(alignUp(kernel_.shared_bytes, std::max(dynamic_align_, 16u)));
  for (std::string_view name : dynamic)
    shared_[name] = kernel_.shared_bytes;
}

Op& Lowering::emit(Handler run, const Instruction& instruction) {
  if (kernel_.code.size() >= kMostOps)
    fail(instruction, "the kernel is too big with all that it calls");
  Op op;
  op.run = run;
  op.guard = guard_;
  op.guard_flip = guard_flip_;
  op.number = static_cast<uint32_t>(kernel_.lines.size()) - 1;
  for (uint32_t& operand : op.o)
    operand = sink_;
  return kernel_.code.emplace_back(op);
}

void Lowering::emitFunction(Instance& instance, bool is_entry) {
  const Function& function = instance.function;
  calls_.push_back(&function);
  instance.starts.reserve(function.code.size() + 1);
  for (const Instruction& instruction : function.code) {
    instance.starts.push_back(static_cast<uint32_t>(kernel_.code.size()));
    instance_ = &instance;
    kernel_.lines.push_back(instruction.line);
    kernel_.texts.push_back(instruction.text);
    guard_ = guard_flip_ = 0;
    if (!instruction.guard.empty()) {
      Operand guard;
      guard.name = instruction.guard;
      guard_ = source(instruction, guard, 'p');
      guard_flip_ = instruction.guard_negated ? ~0u : 0;
    }
    emitInstruction(instruction);
  }
  instance.starts.push_back(static_cast<uint32_t>(kernel_.code.size()));
  guard_ = guard_flip_ = 0;
  Instruction end;
  end.text = "the end of the function";
  kernel_.lines.push_back(function.line);
  kernel_.texts.push_back(end.text);
  emit(is_entry ? exitHandler() : nopHandler(), end);
  patch(instance);
  calls_.pop_back();
}

void Lowering::patch(Instance& instance) {
  for (auto [op, instruction] : instance.patches)
    kernel_.code[op].aux = instance.starts[instruction];
  for (auto& [op, targets] : instance.tables) {
    for (uint32_t& target : targets)
      target = instance.starts[target];
    kernel_.code[op].aux = static_cast<uint32_t>(kernel_.tables.size());
    kernel_.tables.push_back(std::move(targets));
  }
}

void Lowering::emitInstruction(const Instruction& instruction) {
  std::string_view opcode = instruction.opcode, base = opcode.substr(0, opcode.find('.'));
  if (emitControl(instruction, base))
    return;
  if (base == "ld" || base == "ldu" || base == "st")
    emitAccess(instruction, base != "st");
  else if (base == "atom" || base == "red")
    emitAtomic(instruction, base == "atom");
  else if (base == "prefetch" || base == "prefetchu" || base == "applypriority" || base == "discard")
    emitPrefetch(instruction);
  else if (base == "mov")
    emitMove(instruction);
  else if (base == "cvt")
    emitConvert(instruction);
  else
    emitByTable(instruction, opcode);
}

void Lowering::emitByTable(const Instruction& instruction, std::string_view opcode) {
  const Entry* entry = Table::get().find(opcode);
  if (!entry)
    fail(instruction, "unknown instruction " + std::string(opcode));
  const auto& operands = instruction.operands;
  expectCount(instruction, std::char_traits<char>::length(entry->operands));
  uint32_t out[8], count = 0, aux = entry->aux;
  bool has_result = *entry->operands && !opcode.starts_with("bar") && opcode != "nanosleep.u32";
  has_result |= opcode.find(".red.") != std::string_view::npos;
  for (size_t i = 0; i < operands.size(); ++i) {
    char letter = entry->operands[i];
    bool negated = false;
    if (i > 0 || !has_result) {
      out[count++] = source(instruction, operands[i], letter == 'n' ? 'p' : letter, letter == 'n' ? &negated : nullptr);
    } else if (letter == 'P' || letter == 'F') {
      out[count++] = destination(instruction, operands[i], letter == 'P' ? 'p' : '4');
      Operand second;
      second.name = operands[i].second;
      out[count++] =
          second.name.empty() || second.name == "_" ? predicate_sink_ : destination(instruction, second, 'p');
    } else {
      if (!operands[i].second.empty())
        fail(instruction, "this has one result only");
      out[count++] = destination(instruction, operands[i], letter);
    }
    aux |= negated ? kNegated : 0;
  }
  Op& op = emit(entry->run, instruction);
  std::copy(out, out + count, op.o);
  op.aux = aux;
}

} // namespace bsgp::emulator
