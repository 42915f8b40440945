// Facts that irgen knows of the host code of spawns beside the module. Only bsp uses them, to decide which values may
// be loaded again.
#pragma once

#include <cstdint>
#include <vector>

namespace bsgp::ir {

// The effects of host code on device memory that is not fresh in the spawn whose require runs it. Memory is fresh in
// a spawn if its requires have allocated it: no pointer from before the spawn leads there as long as it is allocated.
struct HostCode {
  bool anything = false; // it may write or free any
  struct Run {
    uint32_t spawn;          // index into Spawns::spawns; it has no requires
    std::vector<bool> fresh; // by slot of that spawn: leads, if anywhere, to fresh memory
  };
  std::vector<Run> runs;
  std::vector<uint32_t> calls; // other host code, of smaller indices
};

struct HostFacts {
  struct Spawn {
    std::vector<bool> fresh;         // by slot: leads, if anywhere, to fresh memory
    std::vector<uint32_t> requires_; // the host code of each: index into `code`
  };
  std::vector<Spawn> spawns; // as in Spawns::spawns
  std::vector<HostCode> code;
};

} // namespace bsgp::ir
