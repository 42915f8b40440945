// What the host code between the supersteps of a spawn does to device memory.
#pragma once

#include <map>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringMap.h>

#include "irgen/contract.h"

namespace bsgp::bsp {

// Memory is fresh in a spawn if a require of that spawn has allocated it: no pointer from before the spawn leads there
// as long as what it leads to is allocated.
class HostEffects {
public:
  // Looks at the spawns' functions as they are when it is asked, before they are split.
  explicit HostEffects(const ir::Compiled& compiled);

  // Does the pointer in this slot of the frame lead to fresh memory?
  bool isFresh(const ir::Spawn& spawn, uint32_t slot) const;
  // Was the slot set before the spawn began, and does no require change it?
  bool isFromBefore(const ir::Spawn& spawn, uint32_t slot) const;
  // Does the require leave all device memory as it is that is not fresh?
  bool leavesAlone(const ir::Spawn& spawn, uint32_t require) const;

private:
  struct Place;
  using Offset = std::pair<const ir::Spawn*, uint64_t>; // in the spawn's frame

  const llvm::Function* requireFunction(const ir::Spawn& spawn, uint32_t require) const;
  std::vector<const llvm::StoreInst*> storesByRequires(const Offset& offset) const;
  bool isSetOutside(const Offset& offset) const;
  bool isFreshOffset(const Offset& offset) const;
  bool isFreshValue(const llvm::Value& value, const Place& place) const;
  bool isFreshVariable(const llvm::AllocaInst& variable, const Place& place) const;
  bool functionLeavesAlone(const Place& place) const;
  bool callLeavesAlone(const llvm::CallInst& call, const Place& place) const;
  bool runLeavesAlone(const llvm::CallInst& call, const Place& place) const;

  const ir::Compiled& compiled_;
  llvm::StringMap<const ir::Spawn*> by_plan_;
  mutable std::map<Offset, bool> fresh_; // true, too, for those that are being looked at
};

} // namespace bsgp::bsp
