// Which superstep each instruction of a spawn belongs to: the paper's superstep graph, a path for now.
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include "ir/operations.h"

namespace bsgp::ir {

struct Superstep {
  unsigned number = 1;
  unsigned generation = 0;               // how many reassignments came before: ranks of one generation mean one thread
  bool reassigned = false;               // begins after a barrier that reassigns ranks: the first of its generation
  llvm::CallInst* begin = nullptr;       // enter, or the barrier before it
  llvm::CallInst* end = nullptr;         // the barrier that ends it; null: nothing follows
  llvm::CallInst* oldrank = nullptr;     // where values of before the reassignment may be read
  std::vector<llvm::BasicBlock*> blocks; // [0] is where it begins; a definition stands before its uses
};

class Supersteps {
public:
  // Walks the function. Where barriers do not stand in order and outside of control flow, violation() says so and
  // nothing else may be asked. A tail of the supersteps is missing where code that never gets there comes before it.
  explicit Supersteps(llvm::Function& function);

  const std::string& violation() const { return violation_; }
  llvm::ArrayRef<Superstep> all() const { return steps_; }
  unsigned count() const { return unsigned(steps_.size()); }
  const Superstep& step(unsigned number) const { return steps_[number - 1]; }
  unsigned generation(unsigned number) const { return step(number).generation; }
  unsigned firstOfGeneration(unsigned generation) const { return first_of_generation_[generation]; }

  bool reached(const llvm::Instruction& instruction) const { return places_.count(&instruction); }
  unsigned stepOf(const llvm::Instruction& instruction) const { return places_.lookup(&instruction).step; }
  // Position in an order in which operands (except a phi's) come before their users.
  unsigned order(const llvm::Instruction& instruction) const { return places_.lookup(&instruction).order; }
  llvm::ArrayRef<llvm::Instruction*> inOrder() const { return order_; }

private:
  struct Place {
    unsigned step = 0, order = 0;
  };
  unsigned walkBlock(llvm::BasicBlock& block, unsigned step);
  bool beginNext(llvm::CallInst& barrier, bool reassigned, unsigned step);

  std::vector<Superstep> steps_;
  std::vector<unsigned> first_of_generation_;
  llvm::DenseMap<const llvm::Instruction*, Place> places_;
  std::vector<llvm::Instruction*> order_;
  std::string violation_;
};

// The superstep that an epoch (the value of enter or of a barrier) stands for; 0: not an epoch.
unsigned stepOfEpoch(const llvm::Value& epoch);
// Epochs, versions and snapshots stand for something; they are no values of a thread.
bool isHandle(const llvm::Instruction& value);

// An id, slot or number in a call of the contract.
unsigned constantArgument(const llvm::CallInst& call, unsigned index);

// Makes every barrier the first instruction of its block, so that each block belongs to one superstep.
void cutAtBarriers(llvm::Function& function);

} // namespace bsgp::ir
