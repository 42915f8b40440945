// The problems: their inputs, and what is right.
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "harness.h"

namespace bench {
namespace {

// A bijection of 32 bits that looks random.
uint32_t mix(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x21f0aaadu;
  x = (x ^ (x >> 15)) * 0x735a2d97u;
  return x ^ (x >> 15);
}

template <class Function> void fill(Work& work, const Function& function) {
  work.team->pieces(work.n, 1 << 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      function(i);
  });
}

// The keys are random and collide as random ones do.
void randomKeys(Work& w) {
  fill(w, [&](size_t i) {
    uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
    w.keys[i] = mix(uint32_t(x >> 32) ^ mix(uint32_t(x)));
    w.values[i] = uint32_t(i);
  });
}

void smallInts(Work& w) {
  fill(w, [&](size_t i) { w.keys[i] = mix(uint32_t(i)) >> 24; });
}

// From 0 to 1, as floats.
void floats(Work& w) {
  fill(w, [&](size_t i) { reinterpret_cast<float*>(w.keys)[i] = float(mix(uint32_t(i)) >> 8) * 0x1p-24f; });
}

std::string expect(bool right, const char* otherwise) {
  return right ? "" : otherwise;
}

std::string checkReduce(const Work& w) {
  return expect(uint32_t(w.count) == std::accumulate(w.keys, w.keys + w.n, 0u), "a wrong sum");
}

std::string checkReduceFloat(const Work& w) {
  const auto* x = reinterpret_cast<const float*>(w.keys);
  double sum = std::accumulate(x, x + w.n, 0.0);
  return expect(std::fabs(w.sum - sum) <= 1e-4 * sum, "a sum off by more than 1e-4");
}

std::string checkScan(const Work& w) {
  uint32_t sum = 0;
  for (size_t i = 0; i < w.n; sum += w.keys[i++])
    if (w.out[i] != sum)
      return "wrong at " + std::to_string(i);
  return "";
}

std::string checkCompact(const Work& w) {
  size_t kept = 0;
  for (size_t i = 0; i < w.n; ++i)
    if (w.keys[i] & 1 && w.out[kept++] != w.keys[i])
      return "wrong at " + std::to_string(kept - 1);
  return expect(kept == size_t(w.count), "a wrong count");
}

// The ranks of the odd elements.
std::string checkKill(const Work& w) {
  size_t kept = 0;
  for (size_t i = 0; i < w.n; ++i)
    if (w.keys[i] & 1 && w.out[kept++] != i)
      return "wrong at " + std::to_string(kept - 1);
  return expect(kept == size_t(w.count), "a wrong count");
}

std::string checkSplit(const Work& w) {
  size_t at = 0, evens = 0;
  for (uint32_t side : {0u, 1u}) {
    for (size_t i = 0; i < w.n; ++i)
      if ((w.keys[i] & 1) == side && w.out[at++] != w.keys[i])
        return "wrong at " + std::to_string(at - 1);
    evens = side ? evens : at;
  }
  return expect(evens == size_t(w.count), "a wrong count");
}

// Of eight elements some are of one value, the rest of the next.
void sortedRuns(Work& w) {
  fill(w, [&](size_t i) { w.keys[i] = uint32_t(i / 8 * 2 + (i % 8 > mix(uint32_t(i / 8)) % 7)); });
}

std::string checkUnique(const Work& w) {
  size_t kept = 0;
  for (size_t i = 0; i < w.n; ++i)
    if ((i == 0 || w.keys[i] != w.keys[i - 1]) && w.out[kept++] != w.keys[i])
      return "wrong at " + std::to_string(kept - 1);
  return expect(kept == size_t(w.count), "a wrong count");
}

std::string checkHistogram(const Work& w) {
  std::array<uint32_t, 256> bins{};
  for (size_t i = 0; i < w.n; ++i)
    ++bins[w.keys[i]];
  return expect(bins == w.bins, "wrong counts");
}

uint64_t mark(uint32_t a, uint32_t b) {
  uint64_t x = (uint64_t(a) << 32 | b) * 0x9E3779B97F4A7C15u;
  return (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u;
}

// Sorted, and of the same elements: by a sum of hashes. The values are the places in the input, so order by key and
// value is what stable means.
std::string checkSort(const Work& w, bool with_values) {
  uint64_t before = 0, after = 0;
  for (size_t i = 0; i < w.n; ++i) {
    before += mark(w.keys[i], with_values ? w.values[i] : 0);
    after += mark(w.out[i], with_values ? w.out2[i] : 0);
    if (i && (w.out[i - 1] > w.out[i] || (with_values && w.out[i - 1] == w.out[i] && w.out2[i - 1] >= w.out2[i])))
      return "out of order at " + std::to_string(i);
  }
  return expect(before == after, "other elements than before");
}

// A grid of vertices, two triangles in each square; every vertex has some. Shuffled: triangles in random order,
// vertices renumbered.
void mesh(Work& w, bool shuffled) {
  size_t triangles = w.n / 3, side = std::max<size_t>(1, size_t(std::sqrt(double(triangles) / 2)));
  w.n = side * side * 6;
  w.vertices = (side + 1) * (side + 1);
  auto randomOrder = [](uint64_t* order, size_t n) {
    std::iota(order, order + n, 0);
    for (size_t i = n; i > 1; --i)
      std::swap(order[i - 1], order[uint64_t(mix(uint32_t(i))) * i >> 32]);
  };
  if (shuffled) {
    randomOrder(w.spare, w.n / 3);
    randomOrder(w.spare2, w.vertices);
  }
  for (size_t f = 0; f < w.n / 3; ++f) {
    size_t at = shuffled ? w.spare[f] : f, x = at / 2 % side, y = at / 2 / side, v = y * (side + 1) + x;
    size_t corners[2][3] = {{v, v + 1, v + side + 1}, {v + 1, v + side + 2, v + side + 1}};
    for (size_t c = 0; c < 3; ++c)
      w.keys[f * 3 + c] = uint32_t(shuffled ? w.spare2[corners[at % 2][c]] : corners[at % 2][c]);
  }
}

// out: triangles, vertex by vertex, ascending; out2: where a vertex' begin.
std::string checkFaces(const Work& w) {
  uint64_t before = 0, after = 0;
  for (size_t i = 0; i < w.n; ++i)
    before += mark(w.keys[i], uint32_t(i / 3));
  for (size_t v = 0; v < w.vertices; ++v) {
    size_t begin = w.out2[v], end = v + 1 < w.vertices ? w.out2[v + 1] : w.n;
    if (begin >= end || end > w.n || (v == 0 && begin != 0))
      return "wrong beginning of vertex " + std::to_string(v);
    for (size_t i = begin; i < end; ++i) {
      after += mark(uint32_t(v), w.out[i]);
      if (i > begin && w.out[i - 1] >= w.out[i])
        return "out of order at " + std::to_string(i);
    }
  }
  return expect(before == after, "other triangles than those of the mesh");
}

} // namespace

Peer& addPeer(Problems& problems, const std::string& problem, const std::string& name, std::function<void(Work&)> run) {
  for (Problem& p : problems)
    if (p.name == problem)
      return p.peers.emplace_back(Peer{.name = name, .run = std::move(run)});
  throw std::logic_error("no problem " + problem);
}

Problems makeProblems() {
  auto none = [](const Work&) { return std::string(); };
  auto keysOnly = [](const Work& w) { return checkSort(w, false); };
  auto pairs = [](const Work& w) { return checkSort(w, true); };
  Problems p;
  auto add = [&](const char* name, double bytes, bool reads_only, auto setup, auto check) {
    p.push_back({.name = name, .bytes = bytes, .reads_only = reads_only, .setup = setup, .check = check, .peers = {}});
    return &p.back();
  };
  add("limits", 8, false, randomKeys, none);
  add("reduce int", 4, true, randomKeys, checkReduce);
  add("reduce float", 4, true, floats, checkReduceFloat);
  add("exclusive scan int", 8, false, randomKeys, checkScan);
  add("compact half", 6, false, randomKeys, checkCompact);
  add("kill half", 6, false, randomKeys, checkKill);
  add("kill half, x follows", 6, false, randomKeys, checkCompact);
  add("split by a bit", 8, false, randomKeys, checkSplit);
  add("unique of four", 5, false, sortedRuns, checkUnique);
  add("histogram 256", 4, true, smallInts, checkHistogram);
  add("sort keys", 8, false, randomKeys, keysOnly)->sorts = true;
  add("sort pairs", 16, false, randomKeys, pairs)->sorts = true;
  add("faces coherent", 8, false, [](Work& w) { mesh(w, false); }, checkFaces)->mesh = true;
  add("faces shuffled", 8, false, [](Work& w) { mesh(w, true); }, checkFaces)->mesh = true;
  return p;
}

} // namespace bench
