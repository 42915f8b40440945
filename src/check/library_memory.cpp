#include "check/library_memory.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "check/accesses.h"
#include "ir/operations.h"

namespace bsgp::check {

using namespace llvm;
using namespace llvm::PatternMatch;
using ir::Op;

namespace {

// The watched operations on one array.
struct Watches {
  SmallVector<CallInst*, 8> accesses, asks, sets;
  bool is_librarys = true; // all accesses stand in the library
};

// Returns the array whose access the address is, or is a part of; null for another address.
GlobalVariable* arrayOf(const Value* address) {
  while (auto* part = dyn_cast<GEPOperator>(address))
    address = part->getPointerOperand();
  auto* access = dyn_cast<CallInst>(address);
  bool is_access = access && ir::opOf(*access) == Op::CheckAccess;
  auto* array = is_access ? dyn_cast<GlobalVariable>(access->getArgOperand(1)) : nullptr;
  return array && array->getAddressSpace() == ir::kSharedSpace ? array : nullptr;
}

class Library {
public:
  Library(Function& function, const Sites& sites) : function_(function) {
    for (Instruction& instruction : instructions(function))
      note(instruction, sites);
    arrays_.remove_if([&](auto& array) { return !array.second.is_librarys || !isReachedHereAlone(*array.first); });
  }

  // Drops the checks of arrays that hold defined values alone. Whether an array does may depend on others, so it
  // starts with all of them.
  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      arrays_.remove_if([&](auto& array) {
        bool is_defined = all_of(array.second.sets, [&](CallInst* set) { return isTrue(set->getArgOperand(1)); });
        changed |= !is_defined;
        return !is_defined;
      });
    }
    for (auto& [array, watches] : arrays_)
      drop(watches);
  }

private:
  // Counts an operation for its array. An access in a function of the program that the library calls is the
  // program's.
  void note(Instruction& instruction, const Sites& sites) {
    Op op = ir::opOf(instruction);
    if (op != Op::CheckAccess && op != Op::CheckIsWritten && op != Op::CheckSetWritten)
      return;
    auto* call = cast<CallInst>(&instruction);
    GlobalVariable* array = arrayOf(op == Op::CheckAccess ? call : call->getArgOperand(0));
    if (!array || !sites.isTrusted(*array))
      return;
    Watches& watches = arrays_[array];
    (op == Op::CheckAccess ? watches.accesses : op == Op::CheckIsWritten ? watches.asks : watches.sets).push_back(call);
    watches.is_librarys &= op != Op::CheckAccess || sites.isOfLibrary(instruction);
  }

  // True if all uses of the array are by addresses that name it.
  bool isReachedHereAlone(GlobalVariable& array) const {
    SmallVector<const Value*, 16> open{&array};
    while (!open.empty())
      for (const User* user : open.pop_back_val()->users()) {
        auto* instruction = dyn_cast<Instruction>(user);
        if (instruction && instruction->getFunction() != &function_)
          continue;
        if (isa<GEPOperator, AddrSpaceCastOperator, ConstantExpr>(user))
          open.push_back(user);
        else if (auto* call = dyn_cast<CallInst>(user); !call || arrayOf(call) != &array)
          return false;
      }
    return true;
  }

  // True if the shadow is set as long as the arrays hold defined values.
  bool isTrue(Value* shadow) {
    SmallVector<Value*, 8> open{shadow};
    SmallPtrSet<Value*, 8> seen;
    while (!open.empty()) {
      Value* value = open.pop_back_val();
      if (match(value, m_One()) || !seen.insert(value).second)
        continue;
      auto* call = dyn_cast<CallInst>(value);
      if (call && ir::opOf(*call) == Op::CheckIsWritten) {
        GlobalVariable* array = arrayOf(call->getArgOperand(0));
        if (!array || !arrays_.contains(array))
          return false;
      } else if (auto* phi = dyn_cast<PHINode>(value)) {
        append_range(open, phi->incoming_values());
      } else if (auto* choice = dyn_cast<SelectInst>(value)) {
        open.push_back(choice->getTrueValue());
        open.push_back(choice->getFalseValue());
      } else {
        return false;
      }
    }
    return true;
  }

  static void drop(Watches& watches) {
    for (CallInst* ask : watches.asks) {
      ask->replaceAllUsesWith(ConstantInt::getTrue(ask->getType()));
      ask->eraseFromParent();
    }
    for (CallInst* set : watches.sets)
      set->eraseFromParent();
    for (CallInst* access : watches.accesses) {
      access->replaceAllUsesWith(access->getArgOperand(0));
      access->eraseFromParent();
    }
  }

  Function& function_;
  MapVector<GlobalVariable*, Watches> arrays_;
};

// Drops the tests that are known to hold.
void dropTests(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    if (ir::opOf(instruction) != Op::CheckValue)
      continue;
    Value *bad = instruction.getOperand(0), *shadow = nullptr;
    if (match(bad, m_Zero()) || (match(bad, m_Not(m_Value(shadow))) && match(shadow, m_One())))
      instruction.eraseFromParent();
  }
}

} // namespace

void trustLibrary(Function& function, const Sites& sites) {
  Library(function, sites).run();
  dropTests(function);
}

} // namespace bsgp::check
