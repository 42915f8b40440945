// Where what nobody has set comes from, for reports: which variable, which thread.get.
#pragma once

#include <vector>

#include "check/shadow_values.h"
#include "check/sites.h"

namespace bsgp::check {

// Goes from a value back along all that moved it, also across barriers and from thread to thread. Behind the walk that
// made the shadows, once they are folded.
class Causes {
public:
  Causes(const llvm::Function& function, const ShadowValues& shadows, const Sites& sites);

  // Of an undefined value; empty: they are too many, or not all are known.
  std::vector<Cause> of(llvm::Value& value) const;
  // The thread.get that has brought the value, if what it names are threads of this superstep; else null.
  llvm::CallInst* getOf(llvm::Value& value, const llvm::Instruction& user) const;
  // That it names no rank; then where what it brought may come from.
  std::vector<Cause> ofGet(const llvm::CallInst& get) const;

private:
  class Search;
  const ShadowValues& shadows_;
  const Sites& sites_;
  // What is declared without a value, by group of arrays; of host code, by the memory that its address is computed from.
  llvm::DenseMap<unsigned, llvm::SmallVector<const llvm::CallInst*, 1>> arrays_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<const llvm::CallInst*, 1>> others_;
};

} // namespace bsgp::check
