#include "bsp/partition/graph/bipartition.h"

#include "bsp/partition/graph/cut.h"

namespace bsgp::bsp {

Bipartition makeBipartite(const BlockGraph& next) {
  std::vector<CutEdge> edges;
  for (unsigned from = 0; from < next.size(); ++from)
    for (unsigned to : next[from])
      edges.push_back({from, to});
  Bipartition made{next, largeCut(unsigned(next.size()), edges), {}};
  for (unsigned from = 0; from < next.size(); ++from)
    for (size_t i = 0; i < next[from].size(); ++i) {
      unsigned to = next[from][i];
      if (made.colour[from] != made.colour[to])
        continue;
      made.next[from][i] = unsigned(made.next.size());
      made.next.push_back({to});
      made.colour.push_back(!made.colour[from]);
      made.copied.push_back({from, to});
    }
  return made;
}

} // namespace bsgp::bsp
