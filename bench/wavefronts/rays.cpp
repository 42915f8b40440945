// Rays through a hierarchy of boxes, and the neighbours in a graph: reported without a goal, and without vectors by hand.
#include "../kernels/mesh.h"
#include "numbers.h"
#include "problem.h"

namespace bench {
namespace {

struct Scene {
  const Node* nodes;
  const Triangle* triangles;
};

struct Found {
  float t = INFINITY;
  int triangle = -1;
};

Vec3 vec(const bsgp_float3& v) {
  return {v.x, v.y, v.z};
}

float enters(const Node& box, const Vec3& from, const Vec3& inverse, float t) {
  Vec3 a = (vec(box.low) - from) * inverse, b = (vec(box.high) - from) * inverse;
  float enter = most(most(least(a.x, b.x), least(a.y, b.y)), most(least(a.z, b.z), 0));
  float leave = least(least(most(a.x, b.x), most(a.y, b.y)), least(most(a.z, b.z), t));
  return enter <= leave ? enter : INFINITY;
}

// Moeller and Trumbore.
void meet(const Triangle& triangle, int index, const Vec3& from, const Vec3& to, Found& found) {
  Vec3 edge1 = vec(triangle.edge1), edge2 = vec(triangle.edge2), p = cross(to, edge2);
  float det = dotOf(edge1, p);
  if (det == 0)
    return;
  float inverse = 1 / det;
  Vec3 s = from - vec(triangle.corner);
  float u = dotOf(s, p) * inverse;
  if (u < 0 || u > 1)
    return;
  Vec3 q = cross(s, edge1);
  float v = dotOf(to, q) * inverse;
  if (v < 0 || u + v > 1)
    return;
  float t = dotOf(edge2, q) * inverse;
  if (t > 0 && t < found.t)
    found = {t, index};
}

Found nearest(const Scene& scene, const Vec3& from, const Vec3& to) {
  Vec3 inverse{1 / to.x, 1 / to.y, 1 / to.z};
  Found found;
  int stack[48], top = 0, at = 0;
  while (true) {
    const Node& node = scene.nodes[at];
    if (node.count) {
      for (int i = node.first; i < node.first + node.count; ++i)
        meet(scene.triangles[i], i, from, to, found);
    } else {
      float left = enters(scene.nodes[node.first], from, inverse, found.t);
      float right = enters(scene.nodes[node.first + 1], from, inverse, found.t);
      bool swapped = right < left;
      if (most(left, right) < INFINITY)
        stack[top++] = node.first + !swapped;
      if (least(left, right) < INFINITY) {
        at = node.first + swapped;
        continue;
      }
    }
    if (top == 0)
      return found;
    at = stack[--top];
  }
}

Vec3 scattered(const Triangle& triangle, const Vec3& to, uint32_t& seed) {
  Vec3 normal = unitOf(cross(vec(triangle.edge1), vec(triangle.edge2)));
  float side = (dotOf(normal, to) > 0 ? -1.0f : 1.0f) * 1.5f;
  seed = next(seed);
  float a = around(seed);
  seed = next(seed);
  float b = around(seed);
  seed = next(seed);
  return unitOf(Vec3{fma(normal.x, side, a), fma(normal.y, side, b), fma(normal.z, side, around(seed))});
}

float pathAt(const Scene& scene, int w, int h, int rank) {
  uint32_t seed = seedOf(uint32_t(rank), 7);
  Vec3 from{0, -0.2f, 0}, to = throughPixel(float(rank % w), float(rank / w), w, h);
  float light = 1;
  for (int bounce = 0; bounce < kMostBounces; ++bounce) {
    Found found = nearest(scene, from, to);
    if (found.triangle < 0)
      return 0;
    from = along(from, to, found.t * 0.999f);
    if (from.y > 0.7f)
      return light;
    seed = next(seed);
    if (unit(seed) > 0.9f)
      return 0;
    light *= 0.9f;
    to = scattered(scene.triangles[found.triangle], to, seed);
  }
  return 0;
}

float rayAt(const Scene& scene, int rank) {
  uint32_t seed = seedOf(uint32_t(rank), 3);
  auto point = [&] {
    float a = around(seed);
    seed = next(seed);
    float b = around(seed);
    seed = next(seed);
    return Vec3{a, b, around(seed)};
  };
  Vec3 from = 3.0f * unitOf(point());
  seed = next(seed);
  Found found = nearest(scene, from, unitOf(1.5f * point() - from));
  return found.triangle < 0 ? -1 : found.t;
}

Work pathWork(const Machine& machine, int w, int h) {
  auto mesh = std::make_shared<Mesh>(makeMesh(machine.context, 48));
  Scene scene{mesh->nodes->data(), mesh->triangles->data()};
  auto one = [=](int rank) { return pathAt(scene, w, h, rank); };
  Work work = workOf(machine, k_bvh_path, arrayOf<float>(machine.context, size_t(w) * h), one, w, h,
                     mesh->nodes->data(), mesh->triangles->data());
  work.inputs = mesh;
  return work;
}

Work raysWork(const Machine& machine, int n) {
  auto mesh = std::make_shared<Mesh>(makeMesh(machine.context, 48));
  Scene scene{mesh->nodes->data(), mesh->triangles->data()};
  auto one = [=](int rank) { return rayAt(scene, rank); };
  Work work =
      workOf(machine, k_rays, arrayOf<float>(machine.context, n), one, n, mesh->nodes->data(), mesh->triangles->data());
  work.inputs = mesh;
  return work;
}

// Vertices of from 2 to 4,096 neighbours: a power law.
struct Graph {
  Array<int> offsets, edges, values;
};

std::shared_ptr<Graph> makeGraph(bsgp_context* context, int n) {
  auto random = [](uint32_t i) { return unit(seedOf(i, 17)); };
  std::vector<int> offsets{0}, edges, values(n);
  for (int v = 0; v < n; ++v) {
    values[v] = v * 7 % 1000;
    offsets.push_back(offsets[v] + int(std::min(4096.0f, 2 / std::pow(random(v) + 1e-6f, 0.67f))));
  }
  for (int e = 0; e < offsets[n]; ++e)
    edges.push_back(int(random(e + 5) * float(n)));
  auto graph = std::make_shared<Graph>();
  *graph = {Array<int>(context, offsets), Array<int>(context, edges), Array<int>(context, values)};
  return graph;
}

Work graphWork(const Machine& machine, int n) {
  auto graph = makeGraph(machine.context, n);
  int *offsets = graph->offsets.data(), *edges = graph->edges.data(), *values = graph->values.data();
  auto one = [=](int v) {
    int sum = 0;
    for (int e = offsets[v]; e < offsets[v + 1]; ++e)
      sum += values[edges[e]];
    return sum;
  };
  Work work = workOf(machine, k_neighbours, arrayOf<int>(machine.context, n), one, n, offsets, edges, values);
  work.inputs = graph;
  return work;
}

} // namespace

void addRays(Works& to, const Machine& machine) {
  const Size& size = machine.size;
  int w = size(640, 64, 19), h = size(480, 48, 17), n = size(1'000'000, 20'000, 1013);
  int vertices = size(1'000'000, 200'000, 1019);
  to.push_back(
      {"path through boxes, " + std::to_string(w) + "x" + std::to_string(h), [=] { return pathWork(machine, w, h); }});
  to.push_back({"rays from all sides, " + std::to_string(n), [=] { return raysWork(machine, n); }});
  to.push_back({"neighbours in a graph, " + std::to_string(vertices) + " vertices",
                [=] { return graphWork(machine, vertices); }});
}

} // namespace bench
