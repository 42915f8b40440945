// Finds for a report where an undefined value comes from: which variable, which thread.get.
#pragma once

#include <vector>

#include "check/shadow_values.h"
#include "check/sites.h"

namespace bsgp::check {

// Walks from a value back along all instructions that moved it, also across barriers and from thread to thread. Runs
// behind the walk that made the shadows, once they are folded.
class Causes {
public:
  Causes(const llvm::Function& function, const ShadowValues& shadows, const Sites& sites);

  // Returns the causes of an undefined value; empty if they are too many, or if not all are known.
  std::vector<Cause> of(llvm::Value& value) const;
  // Returns the thread.get that has brought the value, if it names threads of this superstep; else null.
  llvm::CallInst* getOf(llvm::Value& value, const llvm::Instruction& user) const;
  // Returns the causes for a get: its rank does not exist, and those of the value that it brought.
  std::vector<Cause> ofGet(const llvm::CallInst& get) const;

private:
  class Search;
  const ShadowValues& shadows_;
  const Sites& sites_;
  // The declarations without a value, by group of arrays; in host code, by the memory that their address is computed
  // from.
  llvm::DenseMap<unsigned, llvm::SmallVector<const llvm::CallInst*, 1>> arrays_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<const llvm::CallInst*, 1>> others_;
};

} // namespace bsgp::check
