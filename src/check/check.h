// Makes a program watch itself (--check): before each access to memory that others can see, a call that finds races and
// accesses outside of what was allocated; where arithmetic may overflow, a test.
//
// The folder `check` takes ir::Spawns as irgen leaves them, with positions (ir/position.h), before any pass has
// removed an access; gives ir::Spawns with the operations `bsgp.check.*` (ir/operations.h) beside what they watch. It
// decides what is watched and for which errors; the runtime does the work of a call. Without checks nothing is
// changed.
#pragma once

#include "ir/spawns.h"

namespace bsgp::check {

struct Options {
  uint32_t checks = 0; // bits of bsgp_check_kind (plan/check_abi.h)
};

// Requires: the contract; every access has its position. Ensures: the contract; scalar variables are SSA values;
// CheckUndefined is gone; no instruction promises what is checked (inbounds, nsw, nuw).
void addChecks(ir::Spawns& spawns, const SourceManager& sources, const Options& options);

} // namespace bsgp::check
