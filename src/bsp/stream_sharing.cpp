// Assigns values to the fewest streams (paper, 4.3 and figure 4).
//
//   time:        2 ──────── 3 ──────── 4 ──────── 5 ...      non-value edges: at least 0, no limit
//                           └─ v0 ─────┘                     value edges: exactly 1
//
// A stream is a path from the first time to the last; the values on it follow each other. Covering all value edges by
// the fewest paths is a minimum flow; on a line it is as large as the largest number of values that have a time in
// common (minimum_flow.h). Lifetimes are closed: two values with a common time cannot follow each other. So each time
// is two nodes: values begin at the first and end at the second.
#include "bsp/stream_sharing.h"

#include <algorithm>
#include <numeric>

#include "bsp/minimum_flow.h"

namespace bsgp::bsp {

namespace {

// Times that occur, in order: the graph need not have the others.
std::vector<uint32_t> timesOf(std::span<const Lifetime> values) {
  std::vector<uint32_t> times;
  for (const Lifetime& value : values) {
    times.push_back(value.start);
    times.push_back(value.end);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

uint32_t positionOf(const std::vector<uint32_t>& times, uint32_t time) {
  return uint32_t(std::lower_bound(times.begin(), times.end(), time) - times.begin());
}

uint32_t beginNode(uint32_t time) {
  return 2 * time;
}
uint32_t endNode(uint32_t time) {
  return 2 * time + 1;
}

// Values as edges between positions in the list of times.
std::vector<Lifetime> placed(std::span<const Lifetime> values, const std::vector<uint32_t>& times) {
  std::vector<Lifetime> result;
  for (const Lifetime& value : values)
    result.push_back({positionOf(times, value.start), positionOf(times, value.end)});
  return result;
}

// Begins with a path for each value, then takes away as much as it can. Returns what leaves the source.
uint32_t fewestPaths(const std::vector<Lifetime>& values, uint32_t times) {
  MinimumFlow graph(2 * times + 2);
  uint32_t source = 2 * times, sink = source + 1, all = uint32_t(values.size());
  std::vector<int64_t> beside(2 * times + 1, 0); // change of the flow beside the values, at each node
  for (const Lifetime& value : values) {
    graph.addEdge(beginNode(value.start), endNode(value.end), 1, 1, 1);
    --beside[beginNode(value.start)];
    ++beside[endNode(value.end)];
  }
  uint32_t out = graph.addEdge(source, 0, 0, MinimumFlow::kUnlimited, all);
  graph.addEdge(endNode(times - 1), sink, 0, MinimumFlow::kUnlimited, all);
  int64_t flow = all;
  for (uint32_t node = 0; node + 1 < 2 * times; ++node) {
    flow += beside[node];
    graph.addEdge(node, node + 1, 0, MinimumFlow::kUnlimited, uint32_t(flow));
  }
  graph.reduce(source, sink);
  return graph.flow(out);
}

// Follows the paths through time. A value takes the stream that was given back last: a stream not needed yet is not
// begun.
Sharing followPaths(const std::vector<Lifetime>& values, uint32_t times, uint32_t paths) {
  std::vector<std::vector<uint32_t>> begins(times), ends(times);
  for (uint32_t i = 0; i < values.size(); ++i) {
    begins[values[i].start].push_back(i);
    ends[values[i].end].push_back(i);
  }
  Sharing sharing{std::vector<uint32_t>(values.size()), paths};
  std::vector<uint32_t> waiting(paths);
  std::iota(waiting.rbegin(), waiting.rend(), 0); // 0 on top
  for (uint32_t time = 0; time < times; ++time) {
    for (uint32_t value : begins[time]) {
      sharing.stream[value] = waiting.back();
      waiting.pop_back();
    }
    for (auto value = ends[time].rbegin(); value != ends[time].rend(); ++value)
      waiting.push_back(sharing.stream[*value]);
  }
  return sharing;
}

} // namespace

Sharing shareStreams(std::span<const Lifetime> values) {
  if (values.empty())
    return {};
  std::vector<uint32_t> times = timesOf(values);
  std::vector<Lifetime> edges = placed(values, times);
  return followPaths(edges, uint32_t(times.size()), fewestPaths(edges, uint32_t(times.size())));
}

} // namespace bsgp::bsp
