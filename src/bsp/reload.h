// Values that were loaded from device memory and can be loaded again in a later superstep, instead of being stored.
#pragma once

#include <optional>

#include "ir/host_facts.h"
#include "ir/spawns.h"
#include "ir/supersteps.h"

namespace bsgp::bsp {

// Memory that threads write between the two loads, from `base` on: of n threads (n-1)/divisor + 1 elements.
struct WrittenRange {
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
  llvm::SmallVector<WrittenRange, 4> written; // none: the stored copy is never needed
};

class Reloads {
public:
  // `leaves_alone`: of host code, by its index (require_writes.h).
  Reloads(const ir::Spawn& spawn, ir::HostFacts::Spawn host, const ir::Supersteps& steps,
          const std::vector<bool>& leaves_alone);

  // For a value whose last use is in `step`. A load of other elements than the thread's own is not worth it.
  std::optional<Reload> of(const llvm::Instruction& value, unsigned step) const;

private:
  struct Write {
    unsigned step = 0;
    std::optional<WrittenRange> where; // null: anywhere
    bool own = false;                  // each thread its own element
  };
  struct Element {
    llvm::CallInst* base = nullptr;
    uint64_t divisor = 1; // of the rank
    uint64_t bytes = 0;
  };

  void addWrite(const llvm::Instruction& instruction, unsigned step);
  bool isFresh(unsigned slot) const;
  std::optional<Element> elementAt(const llvm::Value& pointer, const llvm::Type& type) const;

  const ir::HostFacts::Spawn host_; // empty: nothing is known
  const ir::Supersteps& steps_;
  std::vector<Write> writes_; // in the order of the supersteps
  // By superstep: the last one up to it before which a require may write; 0: none.
  std::vector<unsigned> last_disturbed_;
};

} // namespace bsgp::bsp
