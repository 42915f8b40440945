// Values that are the same for all threads of a block and can be computed once for it, outside of the loops over its
// threads.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "target/cpu/block_regions.h"
#include "target/cpu/block_terms.h"

namespace bsgp::target {

class UniformValues {
public:
  UniformValues(llvm::Function& thread, const Regions& regions, const BlockTerms& terms);

  // Constants, arguments, and instructions made of these, of the block's id and size, and of phis that choose among
  // such values where regions meet.
  bool has(const llvm::Value& value) const;
  llvm::ArrayRef<llvm::PHINode*> phis() const { return phis_; }

private:
  bool mayBe(llvm::Instruction& instruction) const;
  bool holds(const llvm::Instruction& instruction) const;
  bool agrees(const llvm::PHINode& phi) const;

  const Regions& regions_;
  const BlockTerms& terms_;
  llvm::DenseSet<const llvm::Instruction*> values_;
  std::vector<llvm::PHINode*> phis_;
};

// A function of its operands alone that may be computed anywhere.
bool isFreeExpression(const llvm::Instruction& instruction);

} // namespace bsgp::target
