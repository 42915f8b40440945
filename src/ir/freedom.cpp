#include "ir/freedom.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Operator.h>

namespace bsgp::ir {

using namespace llvm;

namespace {

// Constant data never changes, so a load of it is an expression of its address. (GVN merges such loads across
// barriers.)
bool loadsConstantData(const Instruction& instruction) {
  auto* load = dyn_cast<LoadInst>(&instruction);
  if (!load || !load->isSimple())
    return false;
  auto* global = dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand()));
  return global && global->isConstant();
}

} // namespace

bool asksOfHost(const Instruction& instruction) {
  return opOf(instruction) == Op::CheckIsWritten && isa<Constant>(instruction.getOperand(0));
}

bool isExpression(const Instruction& instruction) {
  if (asksOfHost(instruction))
    return true;
  if (auto* call = dyn_cast<CallInst>(&instruction))
    return opOf(*call) == Op::None && call->doesNotAccessMemory() && call->doesNotThrow() && call->willReturn() &&
           !call->isConvergent() && !call->getType()->isVoidTy();
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, ExtractValueInst,
             InsertValueInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(instruction) ||
         loadsConstantData(instruction);
}

bool comesFromOutside(const Instruction& instruction) {
  Op op = opOf(instruction);
  return op == Op::Rank || op == Op::Size || op == Op::Param;
}

Freedom::Freedom(const Supersteps& steps) : steps_(steps) {
  of_.reserve(steps.inOrder().size());
  for (Instruction* instruction : steps.inOrder())
    of_.push_back(judge(*instruction));
}

int Freedom::judge(const Instruction& instruction) const {
  switch (opOf(instruction)) {
  case Op::Param:
    return kAlways;
  case Op::Rank:
  case Op::Size: {
    unsigned step = stepOfEpoch(*cast<CallInst>(instruction).getArgOperand(0));
    return step ? int(steps_.generation(step)) : kNever; // the verifier will have something to say of the latter
  }
  default:
    break;
  }
  if (isa<AllocaInst>(instruction)) // the address; each kernel has an alloca of its own
    return kAlways;
  if (!isExpression(instruction))
    return kNever;
  int of = kAlways;
  for (const Value* operand : instruction.operands())
    if (int made_of = this->of(*operand); made_of != kAlways)
      of = of == kAlways || of == made_of ? made_of : kNever;
  return of;
}

int Freedom::of(const Value& value) const {
  auto* instruction = dyn_cast<Instruction>(&value);
  return instruction ? of_[steps_.order(*instruction)] : kAlways;
}

bool Freedom::freeAtBeginning(const Value& value, unsigned step) const {
  int of = this->of(value);
  return of == kAlways || of == int(steps_.generation(step));
}

bool Freedom::freeIn(const Value& value, unsigned step) const {
  return freeAtBeginning(value, step) || (steps_.step(step).reassigned && of(value) == int(steps_.step(step).before));
}

} // namespace bsgp::ir
