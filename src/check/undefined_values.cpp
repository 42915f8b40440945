#include "check/undefined_values.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include "ir/operations.h"
#include "ir/supersteps.h"
#include "ir/unset.h"

namespace bsgp::check {

using namespace llvm;
using ir::Op;

bool isUnset(const Value* value) {
  return isa<UndefValue>(value) && !isa<PoisonValue>(value);
}

bool isWatched(const Value* address) {
  auto* call = dyn_cast<CallInst>(address);
  if (!call || ir::opOf(*call) != Op::CheckAccess)
    return false;
  auto* of_program = dyn_cast<GlobalVariable>(call->getArgOperand(1));
  return !of_program || !of_program->isConstant();
}

bool moves(const Use& use) {
  auto* user = cast<Instruction>(use.getUser());
  unsigned operand = use.getOperandNo();
  if (isa<PHINode, FreezeInst, CastInst>(user))
    return true;
  if (isa<SelectInst>(user))
    return operand != 0;
  if (isa<StoreInst>(user))
    return operand == 0;
  if (isa<InsertElementInst>(user))
    return operand < 2;
  if (auto* update = dyn_cast<AtomicRMWInst>(user))
    return operand == 1 && update->getOperation() == AtomicRMWInst::Xchg;
  switch (ir::opOf(*user)) {
  case Op::Snapshot:
  case Op::WarpShuffle:
    return operand == 0;
  case Op::Put:
    return operand == 2;
  case Op::CheckAccess:
    return operand == 1; // the address was computed from it
  default:
    return false;
  }
}

UndefinedValues::UndefinedValues(Function& function, ShadowArrays& arrays) : arrays_(arrays) {
  for (Instruction& instruction : instructions(function))
    note(instruction);
  for (unsigned group : arrays.unsetGroups())
    fill(group);
  while (!open_.empty()) {
    Instruction* value = open_.back();
    open_.pop_back();
    for (Use& use : value->uses())
      if (moves(use))
        follow(use);
  }
}

// Adds an instruction that may give an undefined value.
void UndefinedValues::note(Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction); load && isWatched(load->getPointerOperand()))
    return add(instruction);
  if (auto* update = dyn_cast<AtomicRMWInst>(&instruction);
      update && update->getOperation() == AtomicRMWInst::Xchg && isWatched(update->getPointerOperand()))
    return add(instruction);
  switch (ir::opOf(instruction)) {
  case Op::CheckUndefined:
  case Op::Get:
    return add(instruction);
  case Op::Param:
    return instruction.hasMetadata(ir::kMayBeUnset) ? add(instruction) : void();
  case Op::PutValue: {
    unsigned part = ir::constantArgument(cast<CallInst>(instruction), 1);
    receivers_[part].push_back(&instruction);
    return isPutPart(part) ? add(instruction) : void();
  }
  default:
    for (Use& use : instruction.operands())
      if (isUnset(use) && moves(use))
        follow(use);
  }
}

void UndefinedValues::add(Instruction& value) {
  if (values_.insert(&value).second)
    open_.push_back(&value);
}

void UndefinedValues::fill(unsigned group) {
  if (group == ShadowArrays::kNone || arrays_.isMade(group))
    return;
  arrays_.make(group);
  for (LoadInst* load : arrays_.loads(group))
    add(*load);
}

void UndefinedValues::follow(Use& use) {
  auto* user = cast<Instruction>(use.getUser());
  if (auto* store = dyn_cast<StoreInst>(user))
    return fill(arrays_.groupOf(store->getPointerOperand()));
  if (isa<PHINode, FreezeInst, CastInst, SelectInst>(user))
    return add(*user);
  switch (ir::opOf(*user)) {
  case Op::WarpShuffle:
    return add(*user);
  case Op::Put: {
    unsigned part = ir::constantArgument(cast<CallInst>(*user), 1);
    parts_.insert(part);
    if (auto known = receivers_.find(part); known != receivers_.end())
      for (Instruction* receiver : known->second)
        add(*receiver);
    return;
  }
  default:
    return;
  }
}

} // namespace bsgp::check
