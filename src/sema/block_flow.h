// Finds control flow that is the same for all threads of a block: the places for block.sync.
//
// A value is block-uniform if it is made of constants, host values, block.id, block.size and memory at a uniform
// place (if threads of a block read there what another writes, without a sync in between, that is a race). A variable
// is if all values assigned to it are, in uniform flow. So the analysis starts with all variables uniform and removes
// those that are not, until nothing changes. A value that depends on a parameter of a function is decided at its
// calls.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostics.h"
#include "sema/difference.h"
#include "sema/program.h"

namespace bsgp::sema {

struct Uniformity {
  const Difference* difference = nullptr; // null: none,
  uint64_t params = 0;                    // provided that these parameters of the function have none
  bool of_block = false;                  // the same in a block, not in all of them
  bool operator==(const Uniformity&) const = default;
};

// The facts of a function that its calls need.
struct BlockSummary {
  uint64_t needs = 0; // parameters that conditions around block.sync depend on
  Uniformity result;
  std::vector<Uniformity> assigned; // to each parameter by reference
  bool renumbers = false;           // a collective with barrier(RANK_REASSIGNED)
  // Those that all threads enter and leave together, if they call the function together.
  std::vector<const Stmt*> uniform_wavefronts;
};

// Asks whether a condition is uniform, or whether threads leave a loop together.
struct FlowQuestion {
  const Stmt* loop; // or, null:
  const Expr* condition;
};

// Names a call of a function in which threads of a block or a warp come together.
std::string meetingIn(const Function& callee);

class BlockFlow {
public:
  explicit BlockFlow(Diagnostics& diagnostics) : diag_(diagnostics) {}

  // Reports each block.sync, and each call that leads to one, that some threads of a block may not reach.
  void check(const Function& function);
  void checkSpawn(const Stmt& body);
  void alreadyTold(SourceRange place) {
    reported_syncs_.insert(place.begin);
  } // of no sync there is anything to be said
  // The answers to questions about a function, or (null) a spawn. Reports nothing.
  std::vector<Uniformity> ask(const Function* function, const Stmt& body, const std::vector<FlowQuestion>& questions);

  // Warns of wavefronts of a spawn, and of the functions that it calls, that all threads enter and leave together.
  void sawWavefront() { has_wavefronts_ = true; }
  void warnOfUniformWavefronts(const Stmt& body, Diagnostics& warnings);

private:
  friend class BlockFlowWalk;
  const BlockSummary& summary(const Function& function);
  const Difference* keep(const Difference& difference); // until the end of this value's life

  Diagnostics& diag_;
  std::unordered_set<SourcePos> reported_syncs_, reported_wavefronts_;
  bool has_wavefronts_ = false; // some function or spawn has one
  std::unordered_map<const Function*, BlockSummary> summaries_;
  std::deque<Difference> differences_;
};

} // namespace bsgp::sema
