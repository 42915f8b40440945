// links: bsp
// The graphs of partitions: their order, bipartization and bypass. The last two are compared with the best there is.
#include "bsp/partition/graph/bipartition.h"
#include "bsp/partition/graph/bypass.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>

using namespace bsgp::bsp;

namespace {

constexpr unsigned kGraphs = 10000, kMostNodes = 10;

unsigned below(std::mt19937& random, unsigned end) {
  return unsigned(random() % end);
}

// As control flow has it: each node is reached from node 0, and has two successors at most; node n-1 ends.
BlockGraph flow(std::mt19937& random) {
  unsigned nodes = 1 + below(random, kMostNodes);
  BlockGraph next(nodes);
  for (unsigned node = 1; node < nodes; ++node)
    next[below(random, node)].push_back(node);
  for (unsigned node = 0; node + 1 < nodes; ++node)
    for (unsigned more = below(random, 3); more > 0; --more)
      next[node].push_back(below(random, nodes));
  for (std::vector<unsigned>& behind : next) {
    std::sort(behind.begin(), behind.end());
    behind.erase(std::unique(behind.begin(), behind.end()), behind.end());
  }
  return next;
}

size_t edgesOfOneColour(const BlockGraph& next, unsigned colours) {
  size_t count = 0;
  for (unsigned node = 0; node < next.size(); ++node)
    for (unsigned to : next[node])
      count += (colours >> node & 1) == (colours >> to & 1);
  return count;
}

size_t fewestCopies(const BlockGraph& next) {
  size_t best = SIZE_MAX;
  for (unsigned colours = 0; colours < 1u << next.size(); ++colours)
    best = std::min(best, edgesOfOneColour(next, colours));
  return best;
}

size_t edgeCount(const BlockGraph& next) {
  size_t count = 0;
  for (const std::vector<unsigned>& behind : next)
    count += behind.size();
  return count;
}

// Tries all arrays at the beginnings of nodes that no edge contradicts, node by node.
class MostBypassed {
public:
  MostBypassed(const BlockGraph& next, const std::vector<bool>& writes) : next_(next), writes_(writes) {}

  size_t run() {
    for (unsigned free = 0; free < 1u << next_.size(); ++free)
      if (isPossible(free))
        best_ = std::max(best_, size_t(std::popcount(free)));
    return best_;
  }

private:
  // Is there an array for each node if exactly these are bypassed?
  bool isPossible(unsigned bypassed) const {
    for (unsigned node = 0; node < next_.size(); ++node)
      if (writes_[node] && (bypassed >> node & 1))
        return false;
    std::vector<int> array(next_.size(), -1);
    for (unsigned root = 0; root < next_.size(); ++root)
      if (array[root] < 0) {
        array[root] = 0;
        if (!spread(array, bypassed))
          return false;
      }
    return true;
  }

  bool spread(std::vector<int>& array, unsigned bypassed) const {
    for (bool changes = true; changes;) {
      changes = false;
      for (unsigned node = 0; node < next_.size(); ++node)
        for (unsigned to : next_[node]) {
          int flip = bypassed >> node & 1 ? 0 : 1;
          if (array[node] >= 0 && array[to] >= 0 && (array[node] ^ flip) != array[to])
            return false;
          if ((array[node] >= 0) == (array[to] >= 0))
            continue;
          (array[to] < 0 ? array[to] : array[node]) = (array[to] < 0 ? array[node] : array[to]) ^ flip;
          changes = true;
        }
    }
    return true;
  }

  const BlockGraph& next_;
  const std::vector<bool>& writes_;
  size_t best_ = 0;
};

} // namespace

TEST(PartitionGraph, LoopsStandTogetherInTheOrder) {
  // 0 -> 1 -> 2 -> 1; the exit 3 of the loop comes behind it whichever edge is first.
  EXPECT_EQ(loopOrder({{1}, {3, 2}, {1}, {}}), (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(loopOrder({{1}, {2, 3}, {1}, {}}), (std::vector<unsigned>{0, 1, 2, 3}));
  // a loop that is left in its middle
  EXPECT_EQ(loopOrder({{1}, {2, 3}, {4}, {5, 4}, {1}, {}}).back(), 5u);
}

TEST(PartitionGraph, WhatLeadsToABlockAndNotBackComesBeforeIt) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < kGraphs; ++i) {
    BlockGraph next = flow(random);
    std::vector<unsigned> order = loopOrder(next), place(next.size());
    ASSERT_EQ(order.size(), next.size());
    for (unsigned k = 0; k < order.size(); ++k)
      place[order[k]] = k;
    std::vector<std::vector<bool>> reaches(next.size(), std::vector<bool>(next.size()));
    for (size_t round = 0; round < next.size(); ++round)
      for (unsigned from = 0; from < next.size(); ++from)
        for (unsigned to : next[from]) {
          reaches[from][to] = true;
          for (unsigned k = 0; k < next.size(); ++k)
            reaches[from][k] = reaches[from][k] || reaches[to][k];
        }
    EXPECT_EQ(order.front(), 0u);
    for (unsigned a = 0; a < next.size(); ++a)
      for (unsigned b = 0; b < next.size(); ++b)
        if (reaches[a][b] && !reaches[b][a]) {
          EXPECT_LT(place[a], place[b]);
        }
  }
}

TEST(PartitionGraph, BipartizationLeavesNoOddCycle) {
  std::mt19937 random(2);
  size_t copies = 0, best = 0, cut = 0, best_cut = 0;
  for (unsigned i = 0; i < kGraphs; ++i) {
    BlockGraph next = flow(random);
    Bipartition made = makeBipartite(next);
    for (unsigned node = 0; node < made.next.size(); ++node)
      for (unsigned to : made.next[node])
        ASSERT_NE(made.colour[node], made.colour[to]);
    ASSERT_EQ(made.next.size(), next.size() + made.copied.size());
    size_t loops = 0;
    for (unsigned node = 0; node < next.size(); ++node)
      loops += size_t(std::count(next[node].begin(), next[node].end(), node));
    size_t fewest = fewestCopies(next), edges = edgeCount(next) - loops;
    EXPECT_GE(2 * (edges - (made.copied.size() - loops)), edges - (fewest - loops)); // half-approximate
    copies += made.copied.size(), best += fewest;
    cut += edges - (made.copied.size() - loops), best_cut += edges - (fewest - loops);
  }
  std::printf("bipartization: %zu copying nodes, the best is %zu (%.3f); %zu edges cut, the best is %zu (%.3f)\n",
              copies, best, double(copies) / double(best), cut, best_cut, double(cut) / double(best_cut));
}

TEST(PartitionGraph, ValuesHaveOneArrayAtEachNode) {
  std::mt19937 random(3);
  size_t bypassed = 0, best = 0, graphs = 0;
  while (graphs < kGraphs) {
    Bipartition graph = makeBipartite(flow(random));
    if (graph.next.size() > kMostNodes)
      continue;
    ++graphs;
    std::vector<bool> writes(graph.next.size());
    for (unsigned node = 0; node < graph.next.size() - graph.copied.size(); ++node)
      writes[node] = below(random, 3) == 0;
    Bypass made = bypassNodes(graph.next, graph.colour, writes);
    EXPECT_TRUE(isOneArrayAtEachNode(graph.next, made));
    for (unsigned node = 0; node < writes.size(); ++node)
      EXPECT_FALSE(writes[node] && made.bypassed[node]);
    bypassed += size_t(std::count(made.bypassed.begin(), made.bypassed.end(), true));
    best += MostBypassed(graph.next, writes).run();
  }
  std::printf("bypass: %zu nodes, the best is %zu (%.3f)\n", bypassed, best, double(bypassed) / double(best));
}
