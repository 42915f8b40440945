// The last changes to a spawn as a whole.
//
// Requires: the contract.
// Ensures: the contract; no unreachable blocks; no assumptions (they would make values cross); each put is received and
// each receiver has its put; a part of a struct value (what an arithmetic intrinsic with overflow returns) is taken
// where the value is made; each barrier begins its block.
//
//   put.mark(r, 0); put(r, 0, x)              barrier 1     <- begins a block
//   barrier 1                        =>       ...
//   ... nothing receives put 0
#include "bsp/prepare.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include "ir/operations.h"
#include "ir/supersteps.h"

namespace bsgp::bsp {

using namespace llvm;
using ir::Op;
using ir::opOf;

namespace {

DenseSet<unsigned> idsOf(Function& function, Op op) {
  DenseSet<unsigned> ids;
  for (Instruction& instruction : instructions(function))
    if (opOf(instruction) == op)
      ids.insert(ir::constantArgument(cast<CallInst>(instruction), 1));
  return ids;
}

// A receiver without a put: nothing ever lands.
Value* nothingLanded(Type* type) {
  return type->isIntegerTy(1) ? ConstantInt::getFalse(type) : PoisonValue::get(type);
}

// Removes puts of `sender` without a receiver, and those of `receiver` without a sender.
void matchPuts(Function& function, Op sender, Op receiver) {
  DenseSet<unsigned> sent = idsOf(function, sender), received = idsOf(function, receiver);
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    Op op = opOf(instruction);
    if (op != sender && op != receiver)
      continue;
    if ((op == sender ? received : sent).count(ir::constantArgument(cast<CallInst>(instruction), 1)))
      continue;
    if (op == receiver)
      instruction.replaceAllUsesWith(nothingLanded(instruction.getType()));
    instruction.eraseFromParent();
  }
}

void dropAssumptions(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    if (isa<AssumeInst>(instruction))
      instruction.eraseFromParent();
}

void takePartsWhereMade(Function& function) {
  SmallVector<ExtractValueInst*, 8> parts;
  for (Instruction& instruction : instructions(function))
    if (auto* part = dyn_cast<ExtractValueInst>(&instruction))
      parts.push_back(part);
  for (ExtractValueInst* part : parts) {
    auto* whole = dyn_cast<Instruction>(part->getAggregateOperand());
    if (whole && !isa<PHINode>(whole) && !whole->isTerminator())
      part->moveAfter(whole);
  }
}

} // namespace

void prepareSpawn(Function& function) {
  removeUnreachableBlocks(function);
  dropAssumptions(function);
  matchPuts(function, Op::PutMark, Op::PutLanded);
  matchPuts(function, Op::Put, Op::PutValue);
  takePartsWhereMade(function);
  ir::cutAtBarriers(function);
}

} // namespace bsgp::bsp
