// The triangles around each vertex. Literally: sort (vertex, corner) pairs, then find where vertices begin. By
// counting: how many corners each vertex has, where they begin, and each corner to its place.
#include "harness.h"
#include "radix.h"

namespace bench {
namespace {

using namespace radix;

void literally(Work& w, Scratch& scratch) {
  const uint32_t* corners = w.keys;
  uint32_t *keys = reinterpret_cast<uint32_t*>(w.packed), *values = keys + (w.n + 15) / 16 * 16;
  sort(
      *w.team, scratch, w.n, [=](size_t i) { return pair(corners[i], uint32_t(i)); }, w.spare, w.spare2,
      [=](size_t at, const uint64_t* from, size_t n) { unpack(from, n, keys + at, values + at); });
  w.team->pieces(w.n, 1 << 15, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      w.out[i] = values[i] / 3;
    for (size_t i = begin; i < end; ++i)
      if (i == 0 || keys[i] != keys[i - 1])
        w.out2[keys[i]] = uint32_t(i);
  });
}

// Turns the members' counts of a range of vertices into places; `sum` is where the range begins.
void placeVertices(Work& w, Part vertices, uint32_t sum) {
  unsigned members = w.team->size();
  auto* counts = reinterpret_cast<uint32_t*>(w.spare);
  for (size_t v = vertices.begin; v < vertices.end; ++v) {
    w.out2[v] = sum;
    for (unsigned i = 0; i < members; ++i)
      sum += std::exchange(counts[i * w.vertices + v], sum);
  }
}

// Each member counts the corners of its triangles in a table of its own. Good where neighbours stand together.
void byCounting(Work& w) {
  unsigned members = w.team->size();
  auto* counts = reinterpret_cast<uint32_t*>(w.spare);
  std::vector<uint32_t> sums(members);
  w.team->run([&](unsigned index) {
    Part triangles(w.n / 3, index, members), vertices(w.vertices, index, members);
    uint32_t* mine = counts + index * w.vertices;
    std::fill_n(mine, w.vertices, 0);
    for (size_t i = triangles.begin * 3; i < triangles.end * 3; ++i)
      ++mine[w.keys[i]];
    w.team->sync();
    uint32_t sum = 0;
    for (unsigned i = 0; i < members; ++i)
      for (size_t v = vertices.begin; v < vertices.end; ++v)
        sum += counts[i * w.vertices + v];
    sums[index] = sum;
    w.team->sync();
    uint32_t before = 0;
    for (unsigned i = 0; i < index; ++i)
      before += sums[i];
    placeVertices(w, vertices, before);
    w.team->sync();
    for (size_t f = triangles.begin; f < triangles.end; ++f)
      for (size_t i = f * 3; i < f * 3 + 3; ++i)
        w.out[mine[w.keys[i]]++] = uint32_t(f);
  });
}

// One part of the corners: those of the vertices from first_vertex on, as pairs of vertex and triangle.
void countPart(Work& w, const uint64_t* corners, size_t begin, size_t n, size_t first_vertex, size_t vertices,
               Member& m) {
  uint32_t* counts = m.counts[0];
  auto* triangles = n <= 2 * kMostLocal ? reinterpret_cast<uint32_t*>(m.local) : w.out + begin;
  std::fill_n(counts, vertices, 0);
  for (size_t i = 0; i < n; ++i)
    ++counts[keyOf(corners[i]) - first_vertex];
  uint32_t sum = 0;
  for (size_t v = 0; v < vertices; ++v) {
    w.out2[first_vertex + v] = uint32_t(begin) + sum;
    sum += std::exchange(counts[v], sum);
  }
  for (size_t i = 0; i < n; ++i)
    triangles[counts[keyOf(corners[i]) - first_vertex]++] = uint32_t(corners[i]);
  if (triangles != w.out + begin)
    streamCopy(w.out + begin, triangles, n);
}

// Corners are parted by the highest bits of the vertex first, so that counting stays in a cache. Good for any mesh.
void byCountingParts(Work& w, Scratch& scratch) {
  const uint32_t* corners = w.keys;
  auto load = [=](size_t i) { return pair(corners[i], uint32_t(i) / 3); };
  Parts parts = countParts(*w.team, scratch, w.n, load, w.n < 1 << 21 ? 7 : kMostPartBits);
  size_t range = size_t(1) << parts.digit.shift;
  std::atomic<size_t> next{0};
  w.team->run([&](unsigned index) {
    Member& m = *scratch.members[index];
    scatterBuffered<uint64_t>(
        load, Part(w.n, index, w.team->size()), parts.digit, parts.bits, m,
        [spare = w.spare](size_t at, const uint64_t* from, auto n) { streamCopy(spare + at, from, n); });
    w.team->sync();
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) * range < w.vertices;) {
      size_t begin = parts.begins[i], first = i * range;
      countPart(w, w.spare + begin, begin, parts.begins[i + 1] - begin, first, std::min(range, w.vertices - first), m);
    }
    streamFence();
  });
}

} // namespace

void addHandFaces(Problems& problems) {
  auto scratch = std::make_shared<Scratch>(Team().size());
  for (const char* mesh : {"faces coherent", "faces shuffled"}) {
    addPeer(problems, mesh, "by hand, sort of (vertex, corner)", [=](Work& w) { literally(w, *scratch); });
    addPeer(problems, mesh, "by hand, counting", byCounting);
    addPeer(problems, mesh, "by hand, partition + counting in cache", [=](Work& w) { byCountingParts(w, *scratch); });
  }
}

} // namespace bench
