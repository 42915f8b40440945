// Values that were loaded from device memory and can be loaded again in a later superstep, instead of being stored.
#pragma once

#include <optional>

#include "bsp/host_effects.h"
#include "bsp/supersteps.h"

namespace bsgp::bsp {

// Memory that threads write between the two loads, from `base` on: of n threads (n-1)/divisor + 1 elements.
struct Written {
  llvm::CallInst* base = nullptr; // a param
  uint64_t divisor = 1;
  uint64_t bytes = 0;     // of an element
  bool may_equal = false; // each thread writes its own element behind the second load: the same array will do
};

// The value is element thread.rank of the array at `base`. What is written may be somewhere else in every run but the
// strangest; whether it is must be asked when the spawn runs, in each superstep alike.
struct Reload {
  llvm::CallInst* base = nullptr; // a param
  uint64_t bytes = 0;
  llvm::SmallVector<Written, 4> written; // none: the stored copy is never needed
};

class Reloads {
public:
  Reloads(const ir::Spawn& spawn, const Supersteps& steps, const HostEffects& host);

  // For a value whose last use is in `step`. A load of other elements than the thread's own is not worth it.
  std::optional<Reload> of(const llvm::Instruction& value, unsigned step) const;

private:
  struct Write {
    unsigned step = 0;
    std::optional<Written> where; // null: anywhere
    bool own = false;             // each thread its own element
  };
  struct Element {
    llvm::CallInst* base = nullptr;
    uint64_t divisor = 1; // of the rank
    uint64_t bytes = 0;
  };

  void findWrites();
  void addWrite(const llvm::Instruction& instruction, unsigned step);
  std::optional<Element> elementAt(const llvm::Value& pointer, const llvm::Type& type) const;
  bool hostLeavesAlone(unsigned first, unsigned last) const;

  const ir::Spawn& spawn_;
  const Supersteps& steps_;
  const HostEffects& host_;
  std::vector<Write> writes_;
};

} // namespace bsgp::bsp
