#include "target/cpu/vectorize/lane_flow.h"

#include <llvm/IR/CFG.h>

#include "target/cpu/vectorize/lane_costs.h"

namespace bsgp::target {

using namespace llvm;

namespace {

// Immediate dominators of a graph whose nodes are numbered in topological order. "A Simple, Fast Dominance Algorithm"
// (Cooper, Harvey, Kennedy, 2001), which needs one iteration here.
template <typename Edges> std::vector<unsigned> dominators(unsigned count, Edges before) {
  std::vector<unsigned> found(count, 0);
  for (unsigned node = 1; node < count; ++node) {
    std::optional<unsigned> common;
    for (unsigned other : before(node)) {
      if (!common) {
        common = other;
        continue;
      }
      unsigned a = *common, b = other;
      while (a != b)
        (a > b ? a : b) = found[std::max(a, b)];
      common = a;
    }
    found[node] = common.value_or(0);
  }
  return found;
}

// Sorts the nodes topologically by edges of this level: in the reverse post order of blocks, the code behind an inner
// loop may stand anywhere behind its header. Nodes of a cycle, and those behind it, are left out.
std::vector<unsigned> sortedNodes(FlowLevel& level) {
  unsigned count = level.nodes.size();
  std::vector<unsigned> degree(count), sorted;
  for (FlowNode& node : level.nodes)
    for (unsigned next : node.next)
      if (next != count)
        ++degree[next];
  std::set<unsigned> ready{0};
  while (!ready.empty()) {
    unsigned number = *ready.begin();
    ready.erase(ready.begin());
    sorted.push_back(number);
    for (unsigned next : level.nodes[number].next)
      if (next != count && --degree[next] == 0)
        ready.insert(next);
  }
  return sorted;
}

// Computes the dominator of each node; nodes are named by their place in the order.
std::vector<unsigned> dominatorsOf(FlowLevel& level, const std::vector<unsigned>& sorted) {
  unsigned count = level.nodes.size();
  std::vector<unsigned> place(count);
  for (unsigned i = 0; i != count; ++i)
    place[sorted[i]] = i;
  std::vector<SmallVector<unsigned, 4>> before(count);
  for (unsigned number = 0; number != count; ++number)
    for (unsigned next : level.nodes[number].next)
      if (next != count)
        before[place[next]].push_back(place[number]);
  return dominators(count, [&](unsigned node) { return ArrayRef<unsigned>(before[node]); });
}

} // namespace

LaneFlow::LaneFlow(const LaneLoop& lanes, const LaneShapes& shapes, const PrivateArrays& arrays)
    : lanes_(lanes), shapes_(shapes), arrays_(arrays) {
  createLevel(*lanes.loop, nullptr, 0);
  for (auto& level : levels_) {
    findEdges(*level);
    orderNodes(*level);
    findPartial(*level);
  }
  for (auto& level : reverse(levels_)) // inner loops first
    weigh(*level);
  route(outermost());
}

// ---- nodes

// Creates nodes in reverse post order; levels of inner loops come behind their parents.
FlowLevel& LaneFlow::createLevel(Loop& loop, FlowLevel* parent, unsigned in_parent) {
  FlowLevel& level = *levels_.emplace_back(std::make_unique<FlowLevel>());
  level.loop = &loop;
  level.parent = parent;
  level.in_parent = in_parent;
  level.divergent = shapes_.flow().isDivergent(&loop);
  level.meets = level.divergent || !parent;
  level_of_[&loop] = &level;
  for (BasicBlock* block : shapes_.flow().order()) {
    if (!loop.contains(block))
      continue;
    Loop* innermost = shapes_.flow().loops().getLoopFor(block);
    Loop* child = nullptr;
    for (Loop* at = innermost; at != &loop; at = at->getParentLoop())
      child = at;
    if (!child || child->getHeader() == block) {
      level.number[block] = level.nodes.size();
      level.nodes.emplace_back().block = block;
    }
  }
  for (unsigned number = 0; number != level.nodes.size(); ++number) {
    BasicBlock* block = level.nodes[number].block;
    Loop* child = shapes_.flow().loops().getLoopFor(block);
    if (child == &loop)
      continue;
    while (child->getParentLoop() != &loop)
      child = child->getParentLoop();
    level.nodes[number].inner = &createLevel(*child, &level, number);
    for (BasicBlock* inside : child->blocks())
      level.number[inside] = number;
  }
  return level;
}

// Returns the node of the level, or its end, to which an edge from inside leads; nullopt if it leads out of the
// level, or back to the header.
std::optional<unsigned> LaneFlow::destination(const FlowLevel& level, const BasicBlock* to) const {
  if (level.loop->contains(to) && to != level.loop->getHeader())
    return level.number.lookup(to);
  return level.meets ? std::optional(level.end()) : std::nullopt;
}

SmallVector<const BasicBlock*, 4> LaneFlow::exitsOf(const FlowLevel& level) const {
  SmallVector<BasicBlock*, 4> exits;
  level.loop->getUniqueExitBlocks(exits);
  return SmallVector<const BasicBlock*, 4>(exits.begin(), exits.end());
}

void LaneFlow::findEdges(FlowLevel& level) {
  for (FlowNode& node : level.nodes) {
    SmallVector<const BasicBlock*, 4> to;
    if (node.inner)
      to = exitsOf(*node.inner);
    else
      to.append(succ_begin(node.block), succ_end(node.block));
    for (const BasicBlock* block : to)
      if (auto number = destination(level, block); number && !is_contained(node.next, *number))
        node.next.push_back(*number);
  }
}

// Orders the nodes so that those that a node dominates stand right behind it. Siblings keep the order they have,
// which is topological.
void LaneFlow::orderNodes(FlowLevel& level) {
  unsigned count = level.nodes.size();
  std::vector<unsigned> sorted = sortedNodes(level);
  possible_ &= sorted.size() == count;
  if (!possible_)
    return;
  std::vector<unsigned> dominator = dominatorsOf(level, sorted);
  std::vector<SmallVector<unsigned, 4>> children(count);
  for (unsigned node = 1; node < count; ++node)
    children[dominator[node]].push_back(node);

  std::vector<FlowNode> nodes;
  std::vector<unsigned> final_place(count + 1);
  final_place[count] = count;
  auto visit = [&](auto& self, unsigned node) -> void {
    unsigned at = nodes.size();
    final_place[sorted[node]] = at;
    nodes.push_back(level.nodes[sorted[node]]);
    for (unsigned child : children[node])
      self(self, child);
    nodes[at].end = nodes.size();
  };
  visit(visit, 0);
  for (unsigned node = 1; node < count; ++node)
    nodes[final_place[sorted[node]]].dominator = final_place[sorted[dominator[node]]];
  level.nodes = std::move(nodes);
  for (auto& [block, number] : level.number)
    number = final_place[number];
  for (unsigned number = 0; number != count; ++number) {
    FlowNode& node = level.nodes[number];
    for (unsigned& next : node.next)
      next = final_place[next];
    for (unsigned next : node.next)
      if (next != count)
        level.nodes[next].before.push_back(number);
    if (node.inner)
      node.inner->in_parent = number;
  }
}

// ---- which lanes

void LaneFlow::findPartial(FlowLevel& level) {
  if (!possible_)
    return;
  unsigned count = level.nodes.size(), sink = count + 1; // the end, then all edges out
  // Post-dominators: in the reversed graph the sink is 0, the end 1, the last node 2, ...
  auto turned = [&](unsigned node) { return sink - node; };
  std::vector<unsigned> post = dominators(count + 2, [&](unsigned node) {
    SmallVector<unsigned, 4> before;
    if (unsigned original = turned(node); original < count) {
      FlowNode& from = level.nodes[original];
      for (unsigned next : from.next)
        before.push_back(turned(next));
      unsigned ways = from.inner ? exitsOf(*from.inner).size() : succ_size(from.block);
      if (from.next.empty() || (ways > 1 && !level.meets && from.next.size() < ways))
        before.push_back(0);
    } else {
      before.push_back(0);
    }
    return before;
  });
  auto parts = [&](const FlowNode& node) {
    return node.next.size() > 1 && (node.inner ? node.inner->divergent : shapes_.flow().parts(node.block));
  };
  // Starts with the last node: all nodes between a node at which lanes diverge and the one at which they reconverge
  // are marked already when they are reached, and the walk goes on there.
  for (unsigned number = count; number-- != 0;) {
    if (!parts(level.nodes[number]))
      continue;
    unsigned meeting = turned(post[turned(number)]);
    SmallVector<unsigned, 4> reached = level.nodes[number].next;
    DenseSet<unsigned> seen;
    while (!reached.empty()) {
      unsigned at = reached.pop_back_val();
      if (at == meeting || at >= count || !seen.insert(at).second)
        continue;
      level.nodes[at].partial = true;
      if (at > number && parts(level.nodes[at]))
        reached.push_back(turned(post[turned(at)]));
      else
        append_range(reached, level.nodes[at].next);
    }
  }
  for (unsigned number = 1; number < count; ++number) {
    FlowNode& node = level.nodes[number];
    bool same = turned(post[turned(node.dominator)]) == number;
    unsigned up = turned(node.dominator);
    while (!same && up) { // is it among the post-dominators of its dominator?
      up = post[up];
      same = up == turned(number);
    }
    node.own_mask = node.partial && !same;
  }
}

void LaneFlow::weigh(FlowLevel& level) {
  for (FlowNode& node : level.nodes) {
    if (node.inner) {
      node.risky = true;
      for (const FlowNode& inside : node.inner->nodes)
        node.cost += 8 * inside.cost;
      continue;
    }
    for (Instruction& instruction : *node.block) {
      node.cost += costOfLanes(instruction, shapes_);
      node.risky |= isRiskyForNone(instruction, shapes_, arrays_);
    }
    auto* branch = cast<BranchInst>(node.block->getTerminator());
    node.risky |= branch->isConditional() && node.block != lanes_.latch && !shapes_.flow().parts(node.block);
  }
}

} // namespace bsgp::target
