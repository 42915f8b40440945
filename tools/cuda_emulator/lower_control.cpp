// Lowering: branches, calls, barriers.
#include <algorithm>

#include "lower.h"
#include "memory.h"
#include "ops_control.h"

namespace bsgp::emulator {

bool Lowering::emitControl(const Instruction& instruction, std::string_view base) {
  std::string_view opcode = instruction.opcode;
  if (opcode == "bra" || opcode == "bra.uni")
    emitBranch(instruction);
  else if (opcode == "brx.idx" || opcode == "brx.idx.uni")
    emitBranchTable(instruction);
  else if (opcode == "ret" || opcode == "ret.uni")
    emitReturn(instruction);
  else if (opcode == "exit")
    emit(exitHandler(), instruction);
  else if (opcode == "trap")
    emit(trapHandler(), instruction);
  else if (opcode == "call" || opcode == "call.uni")
    emitCall(instruction);
  else if ((base == "bar" || base == "barrier") && opcode != "bar.warp.sync")
    emitBarrier(instruction);
  else
    return false;
  return true;
}

uint32_t Lowering::labelOf(const Instruction& instruction, std::string_view name) const {
  const Function& function = instance_->function;
  for (int scope = static_cast<int>(instruction.scope); scope >= 0; scope = function.scopes[scope].parent) {
    const auto& labels = function.scopes[scope].labels;
    if (auto found = labels.find(name); found != labels.end())
      return found->second;
  }
  fail(instruction, "there is no label " + std::string(name));
}

void Lowering::emitBranch(const Instruction& instruction) {
  expectCount(instruction, 1);
  instance_->patches.push_back({kernel_.code.size(), labelOf(instruction, instruction.operands[0].name)});
  emit(branchHandler(), instruction);
}

void Lowering::emitBranchTable(const Instruction& instruction) {
  expectCount(instruction, 2);
  const Function& function = instance_->function;
  const std::vector<std::string_view>* names = nullptr;
  for (int scope = static_cast<int>(instruction.scope); scope >= 0 && !names; scope = function.scopes[scope].parent) {
    const auto& targets = function.scopes[scope].targets;
    if (auto found = targets.find(instruction.operands[1].name); found != targets.end())
      names = &found->second;
  }
  if (!names)
    fail(instruction, "there are no .branchtargets of that name");
  std::vector<uint32_t> targets;
  for (std::string_view name : *names)
    targets.push_back(labelOf(instruction, name));
  uint32_t index = source(instruction, instruction.operands[0], '4');
  instance_->tables.push_back({kernel_.code.size(), targets});
  emit(tableHandler(), instruction).o[0] = index;
}

// Where a function is part of its caller's code, it returns to its own end.
void Lowering::emitReturn(const Instruction& instruction) {
  if (calls_.size() == 1) {
    emit(exitHandler(), instruction);
    return;
  }
  instance_->patches.push_back({kernel_.code.size(), static_cast<uint32_t>(instance_->function.code.size())});
  emit(branchHandler(), instruction);
}

// Parameters are not copied: those of the function are the variables that it is called with.
void Lowering::bind(const Instruction& instruction, const std::vector<Variable>& formal, const Operand* actual,
                    Addresses& out) {
  size_t count = actual ? actual->parts.size() : 0;
  if (count != formal.size())
    fail(instruction, "the function has " + std::to_string(formal.size()) + " of these parameters");
  for (size_t i = 0; i < count; ++i) {
    Space space = Space::generic;
    uint64_t address = 0;
    if (actual->parts[i].kind != Operand::Name || !findSymbol(instruction, actual->parts[i].name, address, &space) ||
        space != Space::param)
      fail(instruction, "a function is called with .param variables only");
    out[formal[i].name] = address;
  }
}

void Lowering::emitCall(const Instruction& instruction) {
  const Operand *results = nullptr, *arguments = nullptr, *name = nullptr;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == Operand::List)
      (name ? arguments : results) = &operand;
    else if (operand.kind == Operand::Name && !name)
      name = &operand;
    else
      fail(instruction, "only functions that are named can be called");
  const Function* callee = name ? findFunction(name->name) : nullptr;
  if (!callee || callee->is_entry)
    fail(instruction, "there is no such function");
  Instance* caller = instance_;
  Instance instance{*callee, {}, {}, {}, {}};
  bind(instruction, callee->results, results, instance.parameters);
  bind(instruction, callee->parameters, arguments, instance.parameters);
  size_t skip = kernel_.code.size();
  bool guarded = guard_ != 0;
  if (guarded) {
    guard_flip_ = ~guard_flip_;
    emit(branchHandler(), instruction);
  }
  emitFunction(instance, false);
  if (guarded)
    kernel_.code[skip].aux = static_cast<uint32_t>(kernel_.code.size());
  instance_ = caller;
}

// bar.sync a; bar.sync a, threads; bar.red.popc.u32 d, a, [threads,] p
void Lowering::emitBarrier(const Instruction& instruction) {
  std::string_view opcode = instruction.opcode;
  bool votes = opcode.find(".red.") != std::string_view::npos;
  bool counted = instruction.operands.size() == (votes ? 4u : 2u);
  if (opcode == "barrier.sync" && instruction.operands.empty())
    fail(instruction, "this needs a barrier");
  emitByTable(instruction, counted ? std::string(opcode) + ":counted" : std::string(opcode));
}

} // namespace bsgp::emulator
