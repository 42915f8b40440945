// The control flow of one iteration as all lanes of a vector go through it.
//
// Branches that all lanes take alike stay branches. If lanes diverge, the blocks of both sides are run one after the
// other, each for its lanes ("Partial Control-Flow Linearization", Moll and Hack, PLDI 2018). A loop that lanes leave
// at different times runs until the last one has left; all of them reconverge at its end.
//
// Each loop is a level with an order of its own, in which a loop inside is a single node: nodes stand behind their
// predecessors, and nodes that a node dominates stand right behind it. An edge to a node means: go there, and
// afterwards to those that wait (`pending`).
#pragma once

#include <set>

#include "target/cpu/vectorize/lane_shapes.h"

namespace bsgp::target {

struct FlowLevel;

// A place to go on from: a node of a level, its end, or the code behind the loop.
struct FlowTarget {
  static constexpr unsigned kAfter = ~0u;
  FlowLevel* level = nullptr;
  unsigned node = 0; // number of nodes: the end of the level
  explicit operator bool() const { return level; }
};

struct FlowNode {
  llvm::BasicBlock* block = nullptr; // of a loop: its header
  FlowLevel* inner = nullptr;        // a loop
  llvm::SmallVector<unsigned, 4> next, before;
  unsigned dominator = 0; // number of the immediate one; its own for the first
  unsigned end = 0;       // behind the last node it dominates
  bool partial = false;   // some lanes may be elsewhere
  bool own_mask = false;  // its lanes are not those of its dominator (if it is partial)
  bool risky = false;     // must not run for no lane
  unsigned cost = 0;
  std::set<unsigned> pending;
  FlowTarget skip;                       // where to go when no lane comes; none: not asked
  llvm::SmallVector<FlowTarget, 2> ways; // of a branch, by successor; one where lanes part
  FlowTarget leave;                      // of a divergent loop
};

struct FlowLevel {
  llvm::Loop* loop = nullptr;
  FlowLevel* parent = nullptr;
  unsigned in_parent = 0; // number of its node there
  bool divergent = false;
  bool meets = false; // at its end: the outermost level, and divergent loops
  std::vector<FlowNode> nodes;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> number; // of the blocks, those of inner loops too

  unsigned end() const { return nodes.size(); }
};

class LaneFlow {
public:
  LaneFlow(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays);

  FlowLevel& outermost() { return *levels_.front(); }
  bool isPossible() const { return possible_; }
  // The level that a block belongs to.
  FlowLevel& levelOf(const llvm::BasicBlock* block) {
    return *level_of_.lookup(shapes_.flow().loops().getLoopFor(block));
  }

private:
  FlowLevel& createLevel(llvm::Loop& loop, FlowLevel* parent, unsigned depth);
  void orderNodes(FlowLevel& level);
  void findEdges(FlowLevel& level);
  std::optional<unsigned> destination(const FlowLevel& level, const llvm::BasicBlock* to) const;
  void findPartial(FlowLevel& level);
  void weigh(FlowLevel& level);
  void route(FlowLevel& level);
  void routeBranch(FlowLevel& level, unsigned number);
  FlowTarget go(FlowLevel& level, std::set<unsigned> to);
  FlowTarget goOut(FlowLevel& level, unsigned from, const llvm::BasicBlock* to);
  void findSkip(FlowLevel& level, unsigned number);
  llvm::SmallVector<const llvm::BasicBlock*, 4> exitsOf(const FlowLevel& level) const;

  const LaneLoop& lanes_;
  const LaneShapes& shapes_;
  const PrivateArrays& arrays_;
  std::vector<std::unique_ptr<FlowLevel>> levels_;
  llvm::DenseMap<const llvm::Loop*, FlowLevel*> level_of_;
  bool possible_ = true;
};

} // namespace bsgp::target
