// Which superstep each instruction of a spawn belongs to, and which supersteps follow which: the paper's superstep graph.
#pragma once

#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "ir/operations.h"

namespace bsgp::ir {

struct Superstep {
  unsigned number = 1;
  unsigned generation = 0;           // its numbering of the threads: ranks of one generation mean one thread
  unsigned before = 0;               // reassigned: the generation whose threads oldrank names
  bool reassigned = false;           // begins after a barrier that reassigns ranks: the first of its generation
  bool renumbered = false;           // threads of different generations meet here: the first of its generation
  llvm::CallInst* begin = nullptr;   // enter, or the barrier before it; null: nothing leads to it
  llvm::Instruction* end = nullptr;  // the barrier behind it, or else what branches to others; null: nothing follows
  llvm::CallInst* decide = nullptr;  // the host decides by it which superstep follows; null: there is one only
  llvm::CallInst* oldrank = nullptr; // where values of before the reassignment may be read
  llvm::BasicBlock* meet = nullptr;  // several edges lead here: the block with the values that join
  llvm::SmallVector<unsigned, 2> from, next; // supersteps, ascending
  std::vector<llvm::BasicBlock*> blocks;     // [0] is where it begins; a definition stands before its uses
  unsigned chain = 0; // the first of the supersteps up to this one that always follow each other, and nothing else
};

class Supersteps {
public:
  // Walks the function. Where barriers do not stand in order, or control flow joins supersteps elsewhere, violation()
  // says so and nothing else may be asked. Supersteps that nothing leads to have no blocks; of a tail of them there is
  // nothing.
  explicit Supersteps(llvm::Function& function);

  const std::string& violation() const { return violation_; }
  llvm::ArrayRef<Superstep> all() const { return steps_; }
  unsigned count() const { return unsigned(steps_.size()); }
  const Superstep& step(unsigned number) const { return steps_[number - 1]; }
  unsigned generation(unsigned number) const { return step(number).generation; }
  unsigned firstOfGeneration(unsigned generation) const { return first_of_generation_[generation]; }
  bool inOneChain(unsigned a, unsigned b) const { return step(a).chain == step(b).chain; }
  bool isLine() const { return steps_.back().chain == 1; } // no control flow around supersteps

  bool reached(const llvm::Instruction& instruction) const { return places_.count(&instruction); }
  unsigned stepOf(const llvm::Instruction& instruction) const { return places_.lookup(&instruction).step; }
  // A value that meets others at the beginning of its superstep: no code of the superstep makes it.
  bool meets(const llvm::Instruction& value) const {
    return llvm::isa<llvm::PHINode>(value) && step(stepOf(value)).meet == value.getParent();
  }
  // Position in an order in which operands (except a phi's) come before their users.
  unsigned order(const llvm::Instruction& instruction) const { return places_.lookup(&instruction).order; }
  llvm::ArrayRef<llvm::Instruction*> inOrder() const { return order_; }

private:
  struct Place {
    unsigned step = 0, order = 0;
  };
  void walkBlock(llvm::BasicBlock& block);
  unsigned stepBefore(llvm::BasicBlock& block, bool begins);
  Superstep* beginNext(llvm::CallInst& barrier);
  void addWay(unsigned from, unsigned to, llvm::Instruction& leaves);
  void number();
  void checkWaysBack(llvm::BasicBlock& block);
  void fail(std::string violation);
  void failJoining(unsigned a, unsigned b);

  std::vector<Superstep> steps_;
  std::vector<unsigned> first_of_generation_;
  llvm::DenseMap<const llvm::Instruction*, Place> places_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> at_end_; // of blocks that have been walked: their superstep there
  std::vector<llvm::Instruction*> order_;
  std::string violation_;
};

// The superstep that an epoch (the value of enter or of a barrier) stands for; 0: not an epoch.
unsigned stepOfEpoch(const llvm::Value& epoch);
// Epochs, versions, snapshots and decisions stand for something; they are no values of a thread.
bool isHandle(const llvm::Instruction& value);

// An id, slot or number in a call of the contract.
unsigned constantArgument(const llvm::CallInst& call, unsigned index);

// Makes every barrier the first instruction of its block, and every edge from a superstep to a join the end of one
// block, so that each block belongs to one superstep or to a join.
void cutAtBarriers(llvm::Function& function);

} // namespace bsgp::ir
