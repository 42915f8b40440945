// Rounds over a part of a graph: breadth-first search, connected components.
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>

#include "problem.h"

namespace bench {
namespace {

using Atomic = std::atomic_ref<int>;
constexpr auto kRelaxed = std::memory_order_relaxed;

struct Graph {
  int n = 0;
  Array<int> offsets, edges;
};

using GraphPtr = std::shared_ptr<Graph>;

GraphPtr graphOf(bsgp_context* context, const std::vector<int>& offsets, const std::vector<int>& edges) {
  auto graph = std::make_shared<Graph>();
  *graph = {int(offsets.size()) - 1, Array<int>(context, offsets), Array<int>(context, edges)};
  return graph;
}

// Each vertex has `degree` edges, one way, to any vertices.
GraphPtr randomGraph(bsgp_context* context, int n, int degree) {
  std::vector<int> offsets(n + 1), edges(size_t(n) * degree);
  for (int v = 0; v <= n; ++v)
    offsets[v] = v * degree;
  for (size_t e = 0; e < edges.size(); ++e)
    edges[e] = below(n, uint32_t(e));
  return graphOf(context, offsets, edges);
}

// The places of a square, each with up to four neighbours.
GraphPtr squareGraph(bsgp_context* context, int side) {
  std::vector<int> offsets{0}, edges;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      for (auto [nx, ny] : {std::pair(x - 1, y), {x + 1, y}, {x, y - 1}, {x, y + 1}})
        if (nx >= 0 && nx < side && ny >= 0 && ny < side)
          edges.push_back(ny * side + nx);
      offsets.push_back(int(edges.size()));
    }
  return graphOf(context, offsets, edges);
}

// ---- breadth first, from vertex 0

int searchSerial(const Graph& graph, int* distances, int* front, int* next) {
  const int *offsets = graph.offsets.data(), *edges = graph.edges.data();
  std::fill_n(distances, graph.n, -1);
  distances[0] = 0;
  front[0] = 0;
  int rounds = 0;
  for (int size = 1, found = 0; size > 0; size = found, found = 0, std::swap(front, next)) {
    ++rounds;
    for (int i = 0; i < size; ++i)
      for (int v = front[i], e = offsets[v]; e < offsets[v + 1]; ++e)
        if (distances[edges[e]] == -1) {
          distances[edges[e]] = rounds;
          next[found++] = edges[e];
        }
  }
  return rounds;
}

bool reach(int& distance, int level) {
  int none = -1;
  return Atomic(distance).load(kRelaxed) == -1 &&
         Atomic(distance).compare_exchange_strong(none, level, kRelaxed, kRelaxed);
}

// What the members share in a round. Three sets take turns, so that one barrier a round is enough: one is in use, one
// was filled by the round before, one is emptied for the round after.
struct alignas(64) Level {
  alignas(64) std::atomic<int> size{0};    // of the front
  alignas(64) std::atomic<int> claimed{0}; // how much of it members have taken
};

void expand(const Graph& graph, int* distances, const int* front, int begin, int end, int level,
            std::vector<int>& found) {
  const int *offsets = graph.offsets.data(), *edges = graph.edges.data();
  for (int i = begin; i < end; ++i)
    for (int v = front[i], e = offsets[v]; e < offsets[v + 1]; ++e)
      if (reach(distances[edges[e]], level))
        found.push_back(edges[e]);
}

// Members claim pieces of the front, and put what they found with a piece into the next one.
int searchThreads(Team& team, const Graph& graph, int* distances, int* first_front, int* second_front) {
  Level levels[3];
  levels[1].size = 1;
  first_front[0] = 0;
  int rounds = 0;
  team.run([&](unsigned member) {
    Part part(graph.n, member, team.size());
    std::fill(distances + part.begin, distances + part.end, -1);
    team.sync();
    if (member == 0)
      distances[0] = 0;
    team.sync();
    std::vector<int> found;
    int level = 1, *front = first_front, *next = second_front;
    for (;; ++level, std::swap(front, next)) {
      Level &here = levels[level % 3], &then = levels[(level + 1) % 3], &later = levels[(level + 2) % 3];
      int size = here.size.load(kRelaxed), piece = std::clamp(size / int(4 * team.size()), 64, 1024);
      if (size == 0)
        break;
      if (member == 0)
        later.size.store(0, kRelaxed), later.claimed.store(0, kRelaxed);
      for (int begin; (begin = here.claimed.fetch_add(piece, kRelaxed)) < size;) {
        found.clear();
        expand(graph, distances, front, begin, std::min(begin + piece, size), level, found);
        std::copy(found.begin(), found.end(), next + then.size.fetch_add(int(found.size()), kRelaxed));
      }
      team.sync();
    }
    if (member == 0)
      rounds = level - 1;
  });
  return rounds;
}

Problem searchProblem(const Machine& machine, const GraphPtr& graph, bool forks) {
  auto* context = machine.context;
  auto distances = arrayOf<int>(context, graph->n), front = arrayOf<int>(context, graph->n),
       next = arrayOf<int>(context, graph->n), lengths = arrayOf<int>(context, 2);
  auto ours = [=](auto... arguments) {
    return [=](auto* function) {
      int rounds = 0;
      bsgp::check(function(context, graph->offsets.data(), graph->edges.data(), distances->data(), arguments...,
                           graph->n, 0, &rounds));
      return rounds;
    };
  };
  auto each = ours(front->data(), next->data());
  auto queue = ours(front->data(), next->data(), lengths->data());
  Form by_fork[] = {{"one", [=] { return ours()(search_fork_one); }}, {"each", [=] { return each(search_fork_each); }}};
  Form by_queue[] = {{"one", [=] { return queue(search_queue_one); }},
                     {"each", [=] { return queue(search_queue_each); }}};
  const Form* bsgp = forks ? by_fork : by_queue;
  return {[=] { std::fill_n(distances->data(), graph->n, 0); },
          {bsgp[0],
           bsgp[1],
           {"threads",
            [=, team = &machine.team] {
              return searchThreads(*team, *graph, distances->data(), front->data(), next->data());
            }},
           {"serial", [=] { return searchSerial(*graph, distances->data(), front->data(), next->data()); }}},
          [=] { return valuesOf(*distances); }};
}

// ---- connected components

struct Edges {
  int n; // vertices, and edges
  std::shared_ptr<Array<int>> from, to, parents, hooks;
};

void lower(int& place, int value) {
  Atomic atomic(place);
  for (int old = atomic.load(kRelaxed); value < old && !atomic.compare_exchange_weak(old, value, kRelaxed);)
    ;
}

int rootOf(const int* hooks, int root) {
  while (hooks[root] != root)
    root = hooks[root];
  return root;
}

bool hookPart(const Edges& edges, Part part) {
  const int *from = edges.from->data(), *to = edges.to->data(), *parents = edges.parents->data();
  bool joins = false;
  for (size_t e = part.begin; e < part.end; ++e) {
    int a = parents[from[e]], b = parents[to[e]];
    if (a == b)
      continue;
    joins = true;
    lower(edges.hooks->data()[std::max(a, b)], std::min(a, b));
  }
  return joins;
}

int componentsThreads(Team& team, const Edges& edges) {
  struct alignas(64) Flag {
    bool joins;
  };
  std::vector<Flag> flags(team.size());
  int rounds = 0;
  int *parents = edges.parents->data(), *hooks = edges.hooks->data();
  team.run([&](unsigned member) {
    Part part(edges.n, member, team.size());
    std::iota(parents + part.begin, parents + part.end, int(part.begin));
    std::iota(hooks + part.begin, hooks + part.end, int(part.begin));
    int done = 0;
    for (bool more = true; more; ++done) {
      team.sync();
      flags[member].joins = hookPart(edges, part);
      team.sync();
      for (size_t v = part.begin; v < part.end; ++v)
        parents[v] = rootOf(hooks, parents[v]);
      more = std::any_of(flags.begin(), flags.end(), [](const Flag& flag) { return flag.joins; });
    }
    if (member == 0)
      rounds = done;
  });
  return rounds;
}

// The same without threads would be no competitor: a forest of disjoint sets, halving ways to the roots.
int componentsSerial(const Edges& edges) {
  int* parents = edges.parents->data();
  const int *from = edges.from->data(), *to = edges.to->data();
  std::iota(parents, parents + edges.n, 0);
  auto find = [parents](int v) {
    for (; parents[v] != v; v = parents[v])
      parents[v] = parents[parents[v]];
    return v;
  };
  for (int e = 0; e < edges.n; ++e) {
    int a = find(from[e]), b = find(to[e]);
    parents[std::max(a, b)] = std::min(a, b);
  }
  for (int v = 0; v < edges.n; ++v)
    parents[v] = find(v);
  return 1;
}

Problem componentsProblem(const Machine& machine, int n) {
  auto* context = machine.context;
  Edges edges{n, {}, {}, {}, {}};
  for (auto* array : {&edges.from, &edges.to, &edges.parents, &edges.hooks})
    *array = arrayOf<int>(context, n);
  for (int e = 0; e < n; ++e) {
    edges.from->data()[e] = below(n, 2 * uint32_t(e));
    edges.to->data()[e] = below(n, 2 * uint32_t(e) + 1);
  }
  auto ours = [=](auto* function) {
    return [=] {
      int rounds = 0;
      bsgp::check(function(context, edges.from->data(), edges.to->data(), edges.parents->data(), edges.hooks->data(), n,
                           &rounds));
      return rounds;
    };
  };
  return {[] {},
          {{"one", ours(components_one)},
           {"each", ours(components_each)},
           {"threads", [=, team = &machine.team] { return componentsThreads(*team, edges); }},
           {"serial", [=] { return componentsSerial(edges); }}},
          [=] { return valuesOf(*edges.parents); },
          0,
          1000};
}

} // namespace

void addGraphs(Problems& to, const Machine& machine) {
  int many = machine.size(1 << 20, 1 << 16, 300), side = machine.size(1000, 300, 17), degree = 16;
  for (bool forks : {true, false}) {
    std::string name = std::string("breadth first by ") + (forks ? "fork and kill" : "a queue");
    to.push_back({name + ", " + std::to_string(many) + " vertices with " + std::to_string(degree) + " random edges",
                  [=] { return searchProblem(machine, randomGraph(machine.context, many, degree), forks); }});
    to.push_back({name + ", a grid of " + std::to_string(side) + "x" + std::to_string(side),
                  [=] { return searchProblem(machine, squareGraph(machine.context, side), forks); }});
  }
  to.push_back({"connected components, " + std::to_string(many) + " vertices and as many edges",
                [=] { return componentsProblem(machine, many); }});
}

} // namespace bench
