// A report points at the undefined operand and names it. A variable that has become an SSA value has only its name
// left, so reads of it get a mark:
//
//   %v = load int, %x~, !dbg            =>       %v = load int, %x~
//                                                %r = freeze int %v, !dbg, !bsgp.read
//
// A freeze is moved unchanged: it is no use. Pointers have none, because the computation of an address has to be
// visible.
#include "check/reads.h"

#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "check/undefined_values.h"
#include "ir/operations.h"
#include "ir/unset.h"

namespace bsgp::check {

using namespace llvm;
using ir::Op;

namespace {

// The scalar variable that the address is; null: it is none.
AllocaInst* variableOf(Value* address) {
  auto* variable = dyn_cast<AllocaInst>(address);
  return variable && variable->getAllocatedType()->isSingleValueType() ? variable : nullptr;
}

class Reads {
public:
  explicit Reads(Function& function) {
    for (Instruction& instruction : instructions(function))
      if (isSource(instruction))
        add(instruction);
  }

  void mark() {
    while (!open_.empty()) {
      Instruction* value = open_.back();
      open_.pop_back();
      for (Use& use : value->uses())
        if (moves(use))
          follow(use);
    }
    for (LoadInst* read : reads_)
      if (read->getDebugLoc() && !read->getType()->isPtrOrPtrVectorTy())
        mark(*read);
  }

private:
  static bool isSource(Instruction& instruction) {
    if (auto* load = dyn_cast<LoadInst>(&instruction))
      return !variableOf(load->getPointerOperand());
    if (isa<AtomicRMWInst>(instruction))
      return true;
    switch (ir::opOf(instruction)) {
    case Op::CheckUndefined:
    case Op::Get:
    case Op::Param:
    case Op::PutValue:
    case Op::WarpShuffle:
      return true;
    default:
      return false;
    }
  }

  void add(Instruction& value) {
    if (seen_.insert(&value).second)
      open_.push_back(&value);
  }

  void follow(Use& use) {
    auto* user = cast<Instruction>(use.getUser());
    if (isa<PHINode, SelectInst, CastInst, FreezeInst>(user))
      return add(*user);
    auto* store = dyn_cast<StoreInst>(user);
    AllocaInst* variable = store ? variableOf(store->getPointerOperand()) : nullptr;
    if (!variable || !seen_.insert(variable).second)
      return;
    for (User* other : variable->users())
      if (auto* read = dyn_cast<LoadInst>(other)) {
        reads_.push_back(read);
        add(*read);
      }
  }

  static void mark(LoadInst& read) {
    auto* made = new FreezeInst(&read, "", std::next(read.getIterator()));
    made->setDebugLoc(read.getDebugLoc());
    made->setMetadata(ir::kRead, MDNode::get(read.getContext(), {}));
    read.replaceUsesWithIf(made, [&](const Use& use) { return use.getUser() != made; });
  }

  DenseSet<const Value*> seen_;
  std::vector<Instruction*> open_;
  std::vector<LoadInst*> reads_;
};

} // namespace

void markReads(Function& function) {
  Reads(function).mark();
}

void dropReads(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function)))
    if (isRead(&instruction)) {
      instruction.replaceAllUsesWith(instruction.getOperand(0));
      instruction.eraseFromParent();
    }
}

bool isRead(const Value* value) {
  auto* read = dyn_cast<FreezeInst>(value);
  return read && read->hasMetadata(ir::kRead);
}

Value* sourceOf(Value* value) {
  while (isa<CastInst>(value) || isRead(value))
    value = cast<Instruction>(value)->getOperand(0);
  return value;
}

} // namespace bsgp::check
