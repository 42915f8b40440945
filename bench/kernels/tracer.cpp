#include "tracer.h"
#include "kernel.h"
#include "mesh.h"
#include "vec3.h"

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
      Vec3 along = normalize({0.5f * x, 0.5f * y - 0.42f, 1});
      Found found = trace(mesh.nodes->data(), mesh.triangles->data(), {0, 1.5f, -3.5f}, along);
      float shade = 0;
      if (found.triangle >= 0) {
        const Triangle& triangle = mesh.triangles->data()[found.triangle];
        shade = std::fabs(dot(normalize(cross(vec(triangle.edge1), vec(triangle.edge2))), along));
      }
      image[row * width + column] = shade;
    }
}

} // namespace

Kernel rayTracer(bsgp_context* context, bool quick) {
  int width = 512, height = quick ? 64 : 512;
  auto image = arrayOf<float>(context, size_t(width * height));
  Mesh mesh = makeMesh(context, 96);
  Kernel kernel{.size = std::to_string(width) + "x" + std::to_string(height) + ", " + std::to_string(mesh.triangles->size()) + " triangles",
                .tolerance = 1e-4, .outliers = 0.001};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) { bsgp::check(tracer_image(on, image->data(), width, height, mesh.nodes->data(), mesh.triangles->data())); }},
      {Form::Serial, "", [=](bsgp_context*) { serial(image->data(), width, height, mesh); }},
  };
  kernel.writes(image);
  return kernel;
}

} // namespace bench
