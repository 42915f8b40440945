// Finds the targets to which lanes go from each node (lane_flow.h). Nodes that are still to be visited wait
// (`pending`); an edge leads to the first of them in the level's order.
#include "target/cpu/vectorize/lane_flow.h"

#include <llvm/IR/CFG.h>

namespace bsgp::target {

using namespace llvm;

namespace {

constexpr unsigned kWorthAsking = 32; // pays to test whether any lane needs code that costs as much

} // namespace

FlowTarget LaneFlow::go(FlowLevel& level, std::set<unsigned> to) {
  if (to.empty()) {
    possible_ = false;
    return {};
  }
  unsigned next = *to.begin();
  to.erase(to.begin());
  if (next == level.end()) {
    possible_ &= to.empty();
    return {&level, next};
  }
  level.nodes[next].pending.insert(to.begin(), to.end());
  return {&level, next};
}

// All lanes leave node `from` for block `to`, outside of the node.
FlowTarget LaneFlow::goOut(FlowLevel& level, unsigned from, const BasicBlock* to) {
  std::set<unsigned> targets = level.nodes[from].pending;
  if (auto inside = destination(level, to)) {
    targets.insert(*inside);
    bool all_leave = level.divergent && *inside == level.end() && to != level.loop->getHeader() && targets.size() == 1;
    if (all_leave)
      return {&level, FlowTarget::kAfter};
    return go(level, std::move(targets));
  }
  possible_ &= targets.empty();
  if (to == level.loop->getHeader())
    return {&level, 0};
  if (!level.parent) {
    possible_ = false;
    return {};
  }
  return goOut(*level.parent, level.in_parent, to);
}

void LaneFlow::routeBranch(FlowLevel& level, unsigned number) {
  FlowNode& node = level.nodes[number];
  if (node.block == lanes_.latch) {
    std::set<unsigned> targets = node.pending;
    targets.insert(level.end());
    node.ways.push_back(go(level, targets));
    return;
  }
  if (!shapes_.flow().parts(node.block)) {
    for (const BasicBlock* to : successors(node.block))
      node.ways.push_back(goOut(level, number, to));
    return;
  }
  std::set<unsigned> targets = node.pending;
  for (const BasicBlock* to : successors(node.block)) {
    auto inside = destination(level, to);
    possible_ &= inside.has_value();
    targets.insert(inside.value_or(level.end()));
  }
  node.ways.push_back(go(level, std::move(targets)));
}

void LaneFlow::findSkip(FlowLevel& level, unsigned number) {
  FlowNode& node = level.nodes[number];
  if (!node.own_mask || node.pending.empty())
    return;
  unsigned cost = 0;
  bool risky = false;
  for (unsigned inside = number; inside != node.end; ++inside) {
    cost += level.nodes[inside].cost;
    risky |= level.nodes[inside].risky;
  }
  if (risky || cost >= kWorthAsking)
    node.skip = go(level, node.pending);
}

void LaneFlow::route(FlowLevel& level) {
  for (unsigned number = 0; number != level.nodes.size() && possible_; ++number) {
    FlowNode& node = level.nodes[number];
    findSkip(level, number);
    if (!node.inner) {
      routeBranch(level, number);
      continue;
    }
    route(*node.inner);
    if (!node.inner->divergent)
      continue;
    std::set<unsigned> targets = node.pending;
    const BasicBlock* out = nullptr;
    for (const BasicBlock* exit : exitsOf(*node.inner)) {
      if (auto inside = destination(level, exit))
        targets.insert(*inside);
      else
        out = exit;
    }
    possible_ &= !out || targets.empty();
    node.leave = out ? goOut(level, number, out) : go(level, std::move(targets));
  }
}

} // namespace bsgp::target
