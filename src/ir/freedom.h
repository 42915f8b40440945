// Which values a superstep can have without loading them: constants, parameters, the rank, and expressions of these.
#pragma once

#include <climits>
#include <vector>

#include "ir/supersteps.h"

namespace bsgp::ir {

class Freedom {
public:
  static constexpr int kNever = -1;       // depends on memory, control flow or other threads
  static constexpr int kAlways = INT_MAX; // the same in every generation
  explicit Freedom(const Supersteps& steps);

  // The generation whose ranks or thread count the value is made of; kNever also where there are several.
  int of(const llvm::Value& value) const;
  // Known in the superstep without loading; after a reassignment the last numbering's rank is known too, as oldrank.
  bool freeIn(const llvm::Value& value, unsigned step) const;
  // Free even before oldrank is set.
  bool freeAtBeginning(const llvm::Value& value, unsigned step) const;

private:
  int judge(const llvm::Instruction& instruction) const;
  const Supersteps& steps_;
  std::vector<int> of_; // by order
};

// A bsgp.check.is_written of a value that the host gives all threads: it may be asked again anywhere.
bool asksOfHost(const llvm::Instruction& instruction);
// A function of its operands, without effects. Speculation is no concern: a definition that is used after a barrier
// dominates that barrier, so every thread has computed it.
bool isExpression(const llvm::Instruction& instruction);

// rank, size or param: the kernel gets it from outside, wherever the call stands.
bool comesFromOutside(const llvm::Instruction& instruction);

} // namespace bsgp::ir
