// Finds the values that may be undefined, as far as the function shows: loaded values, values of other threads, and
// moves of these. All others are defined, once their operands are.
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>

#include "check/shadow_arrays.h"

namespace bsgp::check {

class UndefinedValues {
public:
  // Makes the shadows of the arrays that may hold such values.
  UndefinedValues(llvm::Function& function, ShadowArrays& arrays);

  bool contains(const llvm::Value* value) const { return values_.contains(value); }
  // Parts of puts that may carry one, by id.
  bool isPutPart(unsigned id) const { return parts_.contains(id); }

private:
  void note(llvm::Instruction& instruction);
  void add(llvm::Instruction& value);
  void fill(unsigned group);
  void follow(llvm::Use& use);

  ShadowArrays& arrays_;
  llvm::DenseSet<const llvm::Value*> values_;
  llvm::DenseSet<unsigned> parts_;
  llvm::DenseMap<unsigned, llvm::SmallVector<llvm::Instruction*, 1>> receivers_; // PutValue, by part
  std::vector<llvm::Instruction*> open_;
};

// Does the instruction only move this operand: is it no use of it?
bool moves(const llvm::Use& use);
// True for an undefined operand, but not for a vector that is about to be filled.
bool isUnset(const llvm::Value* value);
// Memory that others can see, where the runtime knows what was written.
bool isWatched(const llvm::Value* address);

} // namespace bsgp::check
