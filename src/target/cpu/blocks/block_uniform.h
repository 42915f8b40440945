// Values that are the same for all threads of a block and can be computed once for it, outside of the loops over its
// threads.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "target/common/block_regions.h"
#include "target/common/block_terms.h"

namespace bsgp::target {

class UniformValues {
public:
  // With `loads` false no load is taken for uniform: who races shall see it.
  UniformValues(llvm::Function& thread, const Regions& regions, const BlockTerms& terms, bool loads);

  // Constants, arguments, and instructions made of these, of the block's id and size, of phis that choose among such
  // values where regions meet, and of what all threads load from one place when a region begins.
  bool has(const llvm::Value& value) const;
  // Phis and loads among them: cannot be computed anywhere.
  llvm::ArrayRef<llvm::Instruction*> placed() const { return placed_; }

private:
  bool mayBe(const llvm::Instruction& instruction) const;
  void addLoads(llvm::BasicBlock& leader, llvm::SmallVectorImpl<llvm::Instruction*>& candidates);
  bool holds(const llvm::Instruction& instruction) const;
  bool agrees(const llvm::PHINode& phi) const;

  const Regions& regions_;
  const BlockTerms& terms_;
  llvm::DenseSet<const llvm::Instruction*> values_;
  std::vector<llvm::Instruction*> placed_;
};

// A function of its operands alone that may be computed anywhere.
bool isFreeExpression(const llvm::Instruction& instruction);

} // namespace bsgp::target
