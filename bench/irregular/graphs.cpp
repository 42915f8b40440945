#include <atomic>
#include <cmath>
#include <memory>

#include "problem.h"

namespace bench {
namespace {

using Atomic = std::atomic_ref<int>;
constexpr auto kRelaxed = std::memory_order_relaxed;

enum class Degrees { Constant, Uniform, Power };

struct Graph {
  int n = 0;
  Array<int> offsets, edges;
};

// `m` edges there and back, of ends drawn as `degrees` says. Constant: each vertex has m / n, of any others, one way.
std::shared_ptr<Graph> makeGraph(bsgp_context* context, int n, int m, Degrees degrees) {
  Random random(11);
  std::vector<int> scattered(n); // which vertices have many edges says nothing of their numbers
  for (int i = 0; i < n; ++i) {
    int j = int(random.below(i + 1));
    scattered[i] = scattered[j];
    scattered[j] = i;
  }
  auto end = [&]() -> int {
    if (degrees != Degrees::Power)
      return int(random.below(n));
    float u = random.unit(); // exponent 2.5
    return scattered[std::min(n - 1, int(float(n) * u * u * u))];
  };
  auto graph = std::make_shared<Graph>(Graph{n, Array<int>(context, n + 1), {}});
  int* offsets = graph->offsets.data();
  std::fill_n(offsets, n + 1, 0);
  if (degrees == Degrees::Constant) {
    graph->edges = Array<int>(context, m);
    for (int v = 0; v <= n; ++v)
      offsets[v] = int(int64_t(m) / n * v);
    for (int e = 0; e < m; ++e)
      graph->edges.data()[e] = end();
    return graph;
  }
  std::vector<int> from(m / 2), to(m / 2);
  for (int i = 0; i < m / 2; ++i) {
    from[i] = end();
    to[i] = end();
    ++offsets[from[i] + 1];
    ++offsets[to[i] + 1];
  }
  for (int v = 0; v < n; ++v)
    offsets[v + 1] += offsets[v];
  graph->edges = Array<int>(context, offsets[n]);
  std::vector<int> at(offsets, offsets + n);
  for (int i = 0; i < m / 2; ++i) {
    graph->edges.data()[at[from[i]]++] = to[i];
    graph->edges.data()[at[to[i]]++] = from[i];
  }
  return graph;
}

std::shared_ptr<Array<int>> arrayOf(bsgp_context* context, size_t n) {
  auto array = std::make_shared<Array<int>>(context, n);
  std::fill_n(array->data(), n, 0);
  return array;
}

// ---- the greedy independent set

int decide(const int* offsets, const int* edges, const int* flags, int v) {
  int flag = 1;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int u = edges[e];
    if (u < v) {
      int f = flags[u];
      if (f == 1)
        return 2;
      if (f == 0)
        flag = 0;
    }
  }
  return flag;
}

void independentSet(Team& team, const Graph& graph, int* flags, int* next, int rounds) {
  const int *offsets = graph.offsets.data(), *edges = graph.edges.data();
  for (int round = 0; round < rounds; ++round) {
    team.pieces(graph.n, kPiece, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v)
        next[v] = flags[v] ? flags[v] : decide(offsets, edges, flags, int(v));
    });
    std::swap(flags, next);
  }
}

Problem independentSetProblem(bsgp_context* context, Team& team, Size size) {
  constexpr int kRounds = 14;
  auto graph = makeGraph(context, size(1000000, 100000), size(25000000, 2500000), Degrees::Power);
  auto flags = arrayOf(context, graph->n), next = arrayOf(context, graph->n);
  auto ours = [=](auto* function) {
    bsgp::check(
        function(context, graph->offsets.data(), graph->edges.data(), flags->data(), next->data(), graph->n, kRounds));
  };
  return {"independent set, power law, " + std::to_string(graph->n) + " vertices, " +
              std::to_string(graph->edges.size()) + " edges, 14 rounds",
          [=] { std::fill_n(flags->data(), graph->n, 0); },
          [=] { ours(independent_set); },
          [=] { ours(independent_set_width1); },
          [=, &team] { independentSet(team, *graph, flags->data(), next->data(), kRounds); },
          [=] { return digestOf(flags->data(), graph->n); }};
}

// ---- the spanning forest

void lower(int& place, int value) {
  Atomic atomic(place);
  for (int old = atomic.load(kRelaxed); value < old && !atomic.compare_exchange_weak(old, value, kRelaxed);)
    ;
}

void spanningForest(Team& team, const int* from, const int* to, int m, int* parents, int* hooks, int n, int rounds) {
  auto each = [&](int count, auto body) {
    team.pieces(count, kPiece, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        body(int(i));
    });
  };
  each(n, [=](int v) { parents[v] = hooks[v] = v; });
  for (int round = 0; round < rounds; ++round) {
    each(m, [=](int e) {
      int a = parents[from[e]], b = parents[to[e]];
      if (a != b)
        lower(hooks[std::max(a, b)], std::min(a, b));
    });
    each(n, [=](int v) {
      int root = parents[v];
      while (hooks[root] != root)
        root = hooks[root];
      parents[v] = root;
    });
  }
}

Problem spanningForestProblem(bsgp_context* context, Team& team, Size size) {
  constexpr int kRounds = 5;
  int m = size(10000000, 1000000), n = m / 2;
  auto from = arrayOf(context, m), to = arrayOf(context, m), parents = arrayOf(context, n), hooks = arrayOf(context, n);
  Random random(5);
  for (int e = 0; e < m; ++e) {
    from->data()[e] = int(random.below(n));
    to->data()[e] = int(random.below(n));
  }
  auto ours = [=](auto* function) {
    bsgp::check(function(context, from->data(), to->data(), m, parents->data(), hooks->data(), n, kRounds));
  };
  return {"spanning forest by atomic_min, " + std::to_string(m) + " random edges",
          [] {},
          [=] { ours(spanning_forest); },
          [=] { ours(spanning_forest_width1); },
          [=, &team] { spanningForest(team, from->data(), to->data(), m, parents->data(), hooks->data(), n, kRounds); },
          [=] { return digestOf(parents->data(), n); }};
}

// ---- breadth first

bool reach(int& distance, int level) {
  int none = -1;
  return Atomic(distance).load(kRelaxed) == -1 &&
         Atomic(distance).compare_exchange_strong(none, level, kRelaxed, kRelaxed);
}

void breadthFirst(Team& team, const Graph& graph, int* distances, int* front, int* next, int source) {
  const int *offsets = graph.offsets.data(), *edges = graph.edges.data();
  std::fill_n(distances, graph.n, -1);
  distances[source] = 0;
  front[0] = source;
  std::atomic<int> length{1};
  for (int level = 1, size = 1; size > 0; ++level, size = length) {
    length = 0;
    team.pieces(size, 256, [&](size_t begin, size_t end) {
      std::vector<int> found;
      for (size_t i = begin; i < end; ++i)
        for (int v = front[i], e = offsets[v]; e < offsets[v + 1]; ++e)
          if (reach(distances[edges[e]], level))
            found.push_back(edges[e]);
      std::copy(found.begin(), found.end(), next + length.fetch_add(int(found.size()), kRelaxed));
    });
    std::swap(front, next);
  }
}

Problem breadthFirstProblem(bsgp_context* context, Team& team, Size size, bool fork) {
  auto graph = makeGraph(context, size(1000000, 100000), size(16000000, 1600000), Degrees::Uniform);
  auto distances = arrayOf(context, graph->n), front = arrayOf(context, graph->n), next = arrayOf(context, graph->n),
       length = arrayOf(context, 1);
  int *offsets = graph->offsets.data(), *edges = graph->edges.data();
  auto forked = [=](auto* function) {
    bsgp::check(function(context, offsets, edges, distances->data(), front->data(), next->data(), graph->n, 0));
  };
  auto counted = [=](auto* function) {
    bsgp::check(
        function(context, offsets, edges, distances->data(), front->data(), next->data(), length->data(), graph->n, 0));
  };
  return {std::string("breadth first by ") + (fork ? "thread.fork" : "a counter") + ", " + std::to_string(graph->n) +
              " vertices, " + std::to_string(graph->edges.size()) + " edges",
          [] {},
          [=] { fork ? forked(bfs_fork) : counted(bfs_counter); },
          [=] { fork ? forked(bfs_fork_width1) : counted(bfs_counter_width1); },
          [=, &team] { breadthFirst(team, *graph, distances->data(), front->data(), next->data(), 0); },
          [=] { return digestOf(distances->data(), graph->n); }};
}

// ---- a loop over neighbours

Problem neighboursProblem(bsgp_context* context, Team& team, Size size, Degrees degrees, bool cached) {
  int n = cached ? 8192 : size(2000000, 500000), times = cached ? 50 : 1;
  auto graph = makeGraph(context, n, 16 * n, degrees);
  auto values = arrayOf(context, n), sums = arrayOf(context, n);
  for (int i = 0; i < n; ++i)
    values->data()[i] = int(mixed(uint32_t(i)));
  int *offsets = graph->offsets.data(), *edges = graph->edges.data();
  auto ours = [=](auto* function) {
    for (int i = 0; i < times; ++i)
      bsgp::check(function(context, offsets, edges, values->data(), sums->data(), n));
  };
  auto cpp = [=, &team](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      int sum = 0;
      for (int e = offsets[v]; e < offsets[v + 1]; ++e)
        sum += values->data()[edges[e]];
      sums->data()[v] = sum;
    }
  };
  const char* kinds[] = {"constant", "uniform", "power law"};
  return {std::string("neighbours' sums, ") + kinds[int(degrees)] +
              (cached ? ", in the cache, 50 times" : ", in memory"),
          [] {},
          [=] { ours(sum_of_neighbours); },
          [=] { ours(sum_of_neighbours_width1); },
          [=, &team] {
            for (int i = 0; i < times; ++i)
              team.pieces(n, cached ? 512 : kPiece, cpp);
          },
          [=] { return graph->n ? digestOf(sums->data(), n) : 0; }};
}

} // namespace

void addGraphs(Problems& to, bsgp_context* context, Team& team, Size size) {
  to.push_back([=, &team] { return independentSetProblem(context, team, size); });
  to.push_back([=, &team] { return spanningForestProblem(context, team, size); });
  for (bool fork : {true, false})
    to.push_back([=, &team] { return breadthFirstProblem(context, team, size, fork); });
  for (bool cached : {true, false})
    for (Degrees degrees : {Degrees::Constant, Degrees::Uniform, Degrees::Power})
      to.push_back([=, &team] { return neighboursProblem(context, team, size, degrees, cached); });
}

} // namespace bench
