#include "tracer.h"
#include "kernel.h"
#include "lanes.h"
#include "mesh.h"

namespace bench {
namespace {

struct Found {
  float t = INFINITY;
  int triangle = -1;
};

inline Vec3 vec(const bsgp_float3& v) {
  return {v.x, v.y, v.z};
}

inline float enters(const Node& box, Vec3 from, Vec3 inverse, float t) {
  Vec3 a = (vec(box.low) - from) * inverse, b = (vec(box.high) - from) * inverse;
  float enter = std::max(std::max(std::min(a.x, b.x), std::min(a.y, b.y)), std::max(std::min(a.z, b.z), 0.0f));
  float leave = std::min(std::min(std::max(a.x, b.x), std::max(a.y, b.y)), std::min(std::max(a.z, b.z), t));
  return enter <= leave ? enter : INFINITY;
}

// Moeller and Trumbore.
void meet(const Triangle& triangle, int index, Vec3 from, Vec3 along, Found& found) {
  Vec3 edge1 = vec(triangle.edge1), edge2 = vec(triangle.edge2), p = cross(along, edge2);
  float det = dot(edge1, p);
  if (det == 0)
    return;
  float inverse = 1 / det;
  Vec3 s = from - vec(triangle.corner);
  float u = dot(s, p) * inverse;
  if (u < 0 || u > 1)
    return;
  Vec3 q = cross(s, edge1);
  float v = dot(along, q) * inverse;
  if (v < 0 || u + v > 1)
    return;
  float t = dot(edge2, q) * inverse;
  if (t > 0 && t < found.t)
    found = {t, index};
}

Found trace(const Node* nodes, const Triangle* triangles, Vec3 from, Vec3 along) {
  Vec3 inverse{1 / along.x, 1 / along.y, 1 / along.z};
  Found found;
  int stack[48], top = 0, at = 0;
  while (true) {
    const Node& node = nodes[at];
    if (node.count) {
      for (int i = node.first; i < node.first + node.count; ++i)
        meet(triangles[i], i, from, along, found);
    } else {
      float left = enters(nodes[node.first], from, inverse, found.t);
      float right = enters(nodes[node.first + 1], from, inverse, found.t);
      bool swapped = right < left;
      if (std::max(left, right) < INFINITY)
        stack[top++] = node.first + !swapped;
      if (std::min(left, right) < INFINITY) {
        at = node.first + swapped;
        continue;
      }
    }
    if (!top)
      return found;
    at = stack[--top];
  }
}

void serial(float* image, int width, int height, const Mesh& mesh) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      float x = (float(column) + 0.5f) * 2 / float(width) - 1, y = 1 - (float(row) + 0.5f) * 2 / float(height);
      Vec3 along = normalize(Vec3{0.4f * x, 0.4f * y - 0.42f, 1});
      Found found = trace(mesh.nodes->data(), mesh.triangles->data(), {0, 1.5f, -3.5f}, along);
      float shade = 0;
      if (found.triangle >= 0) {
        const Triangle& triangle = mesh.triangles->data()[found.triangle];
        shade = std::fabs(dot(normalize(cross(vec(triangle.edge1), vec(triangle.edge2))), along));
      }
      image[row * width + column] = shade;
    }
}

// Rays side by side go through the tree together: to every node that one of them meets.
struct Packet {
  Vecs along, inverse, normal{0, 0, 0};
  Floats t = INFINITY;
};

inline Floats enters(const Node& box, const Vec3& from, const Packet& rays) {
  Vecs a = all(vec(box.low) - from) * rays.inverse, b = all(vec(box.high) - from) * rays.inverse;
  Floats enter = max(max(min(a.x, b.x), min(a.y, b.y)), max(min(a.z, b.z), Floats(0)));
  Floats leave = min(min(max(a.x, b.x), max(a.y, b.y)), min(max(a.z, b.z), rays.t));
  return choose(enter <= leave, enter, INFINITY);
}

void meet(const Triangle& triangle, const Vec3& from, Packet& rays) {
  Vec3 e1 = vec(triangle.edge1), e2 = vec(triangle.edge2), s = from - vec(triangle.corner), q = cross(s, e1);
  Vecs p = cross(rays.along, all(e2));
  Floats det = dot(all(e1), p), inverse = 1 / det, u = dot(all(s), p) * inverse, v = dot(rays.along, all(q)) * inverse;
  Floats t = dot(e2, q) * inverse;
  auto hit = det != 0.0f && u >= 0.0f && v >= 0.0f && u + v <= 1.0f && t > 0.0f && t < rays.t;
  if (none_of(hit))
    return;
  Vec3 n = cross(e1, e2);
  where(hit, rays.t) = t;
  where(hit, rays.normal.x) = n.x;
  where(hit, rays.normal.y) = n.y;
  where(hit, rays.normal.z) = n.z;
}

void trace(const Node* nodes, const Triangle* triangles, const Vec3& from, Packet& rays) {
  struct {
    int node;
    float enter; // of the first ray that does
  } stack[48];
  int top = 0, at = 0;
  while (true) {
    const Node& node = nodes[at];
    if (node.count) {
      for (int i = node.first; i < node.first + node.count; ++i)
        meet(triangles[i], from, rays);
    } else {
      float left = hmin(enters(nodes[node.first], from, rays)), right = hmin(enters(nodes[node.first + 1], from, rays));
      bool swapped = right < left;
      if (std::max(left, right) < INFINITY)
        stack[top++] = {node.first + !swapped, std::max(left, right)};
      if (std::min(left, right) < INFINITY) {
        at = node.first + swapped;
        continue;
      }
    }
    float farthest = hmax(rays.t);
    do
      if (!top)
        return;
    while (stack[--top].enter >= farthest);
    at = stack[top].node;
  }
}

void vectors(float* image, int width, int height, const Mesh& mesh) {
  constexpr int across = 4, down = kLanes / across;
  for (int row = 0; row < height; row += down)
    for (int column = 0; column < width; column += across) {
      Floats dx([](auto i) { return float(int(i) % across); }), dy([](auto i) { return float(int(i) / across); });
      Floats x = (float(column) + dx + 0.5f) * 2 / float(width) - 1,
             y = 1 - (float(row) + dy + 0.5f) * 2 / float(height);
      Packet rays;
      rays.along = normalize(Vecs{0.4f * x, 0.4f * y - 0.42f, 1});
      rays.inverse = {1 / rays.along.x, 1 / rays.along.y, 1 / rays.along.z};
      trace(mesh.nodes->data(), mesh.triangles->data(), {0, 1.5f, -3.5f}, rays);
      Floats shade = choose(rays.t < INFINITY, abs(dot(normalize(rays.normal), rays.along)), 0);
      for (int i = 0; i < kLanes; ++i)
        image[(row + i / across) * width + column + i % across] = shade[size_t(i)];
    }
}

Kernel kernelOf(bsgp_context* context, bool quick, decltype(tracer_image) image_of) {
  int width = 512, height = quick ? 64 : 512;
  auto image = arrayOf<float>(context, size_t(width * height));
  Mesh mesh = makeMesh(context, 96);
  Kernel kernel{.size = std::to_string(width) + "x" + std::to_string(height) + ", " +
                        std::to_string(mesh.triangles->size()) + " triangles",
                .tolerance = 1e-4,
                .outliers = 0.001};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) {
         bsgp::check(image_of(on, image->data(), width, height, mesh.nodes->data(), mesh.triangles->data()));
       }},
      {Form::Serial, "", [=](bsgp_context*) { serial(image->data(), width, height, mesh); }},
      {Form::Simd, "packets", [=](bsgp_context*) { vectors(image->data(), width, height, mesh); }},
  };
  kernel.writes(image);
  return kernel;
}

} // namespace

Kernel rayTracer(bsgp_context* context, bool quick) {
  return kernelOf(context, quick, tracer_image);
}

Kernel rayPackets(bsgp_context* context, bool quick) {
  return kernelOf(context, quick, tracer_packets);
}

} // namespace bench
