// Copies the blocks between two cuts into a function of their own. The client replaces values from outside of the
// region: by loads from streams for supersteps, from arrays of the block if block.sync cuts a kernel.
#pragma once

#include <functional>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace bsgp::bsp {

class RegionCopy {
public:
  // Copies the blocks behind the last of `target`, in time proportional to them. Instructions that `dropped` picks are
  // left out; whoever drops one gives its uses a value. The terminator of `exit`, which leaves the region, is left out
  // too.
  RegionCopy(llvm::ArrayRef<llvm::BasicBlock*> blocks, const llvm::BasicBlock* exit, llvm::Function& target,
             llvm::function_ref<bool(const llvm::Instruction&)> dropped);

  // Returns the copy of a value of the original; null if there is none. Constants are their own copies.
  llvm::Value* lookup(llvm::Value* original) const;
  void set(const llvm::Value* original, llvm::Value* copy) { copies_[original] = copy; }

  // Makes the copied instructions refer to copies; asks `outside` for the values that have none.
  void connect(llvm::function_ref<llvm::Value*(llvm::Instruction&)> outside);

  // Copies one more instruction, whose operands have copies, in front of another.
  llvm::Instruction* recompute(llvm::Instruction& original, llvm::Instruction& before);

  llvm::BasicBlock* entry() const { return entry_; }
  llvm::BasicBlock* exit() const { return exit_; } // without terminator; null: the region only returns
  // Original and copy of each copied instruction.
  llvm::ArrayRef<std::pair<llvm::Instruction*, llvm::Instruction*>> instructions() const { return instructions_; }

private:
  llvm::DenseMap<const llvm::Value*, llvm::Value*> copies_;
  std::vector<std::pair<llvm::Instruction*, llvm::Instruction*>> instructions_;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::BasicBlock* exit_ = nullptr;
};

} // namespace bsgp::bsp
