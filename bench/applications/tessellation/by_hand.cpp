#include "by_hand.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace bench {

namespace {

constexpr float kLimit = 127, kShortest = 1.0f / 16, kNearest = 0.05f;

struct Texel {
  float height, along, across;
};

float mix(float a, float b, float t) {
  return std::fma(t, b, std::fma(-t, a, a));
}

Texel texelAt(const Input& ground, float px, float pz) {
  int last_x = ground.size.x - 1, last_z = ground.size.y - 1;
  float u = std::clamp(px * ground.scale.x, 0.0f, float(last_x)),
        v = std::clamp(pz * ground.scale.y, 0.0f, float(last_z));
  int x = std::min(int(u), std::max(last_x - 1, 0)), z = std::min(int(v), std::max(last_z - 1, 0));
  float s = u - float(x), t = v - float(z);
  const bsgp_float4* row = ground.texels + ptrdiff_t(z) * ground.size.x + x;
  int right = std::min(last_x, 1), below = std::min(last_z, 1) * ground.size.x;
  const bsgp_float4 &a = row[0], &b = row[right], &c = row[below], &d = row[below + right];
  return {mix(mix(a.x, b.x, s), mix(c.x, d.x, s), t), mix(mix(a.y, b.y, s), mix(c.y, d.y, s), t),
          mix(mix(a.z, b.z, s), mix(c.z, d.z, s), t)};
}

float dot(const bsgp_float3& a, const bsgp_float3& b) {
  return std::fma(a.z, b.z, std::fma(a.y, b.y, a.x * b.x));
}

bool seen(const View& view, bsgp_float3 low, bsgp_float3 high) {
  bsgp_float3 middle = {0.5f * (low.x + high.x) - view.eye.x, 0.5f * (low.y + high.y) - view.eye.y,
                        0.5f * (low.z + high.z) - view.eye.z};
  bsgp_float3 half = {0.5f * (high.x - low.x), 0.5f * (high.y - low.y), 0.5f * (high.z - low.z)};
  auto reach = [&](const bsgp_float3& along) {
    return dot(middle, along) + dot(half, {std::fabs(along.x), std::fabs(along.y), std::fabs(along.z)});
  };
  auto plane = [&](int extent, const bsgp_float3& by, float sign) {
    float slope = 0.5f * float(extent) / view.zoom;
    return reach(
        {slope * view.ahead.x + sign * by.x, slope * view.ahead.y + sign * by.y, slope * view.ahead.z + sign * by.z});
  };
  return reach(view.ahead) >= kNearest && plane(view.width, view.right, 1) >= 0 &&
         plane(view.width, view.right, -1) >= 0 && plane(view.height, view.up, 1) >= 0 &&
         plane(view.height, view.up, -1) >= 0;
}

float pixelsOf(const View& view, const bsgp_float3& a, const bsgp_float3& b) {
  bsgp_float3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
  bsgp_float3 m = {0.5f * (a.x + b.x) - view.eye.x, 0.5f * (a.y + b.y) - view.eye.y, 0.5f * (a.z + b.z) - view.eye.z};
  return view.zoom * std::sqrt(dot(d, d)) / std::max(std::sqrt(dot(m, m)), kNearest);
}

void cut(Patch& p, const float factors[3]) {
  for (int k = 0; k < 3; ++k) {
    int steps = int(std::ceil(0.5f * (factors[k] - 1)));
    p.parts[k] = 2 * steps + 1;
    p.ends[k] = std::max(0.5f * (factors[k] - float(2 * steps - 1)), kShortest);
  }
  float inner = (factors[0] + factors[1] + factors[2]) / 3;
  p.parts[3] = std::max(3 * int(std::ceil(inner / 3)) - 3, 0);
  p.ends[3] = std::max((inner - float(p.parts[3])) / 3, kShortest);
}

Vertex vertexAt(const Input& ground, float x, float z) {
  Texel t = texelAt(ground, x, z);
  float length = 1 / std::sqrt(std::fma(t.across, t.across, std::fma(t.along, t.along, 1.0f)));
  return {{x, t.height, z}, {-t.along * length, length, -t.across * length}};
}

// All points of an edge but its last one.
Vertex* writeEdge(const Input& ground, const Patch& p, int edge, Vertex* to) {
  const float xs[3] = {p.x, p.x + p.side, p.x}, zs[3] = {p.z, p.z, p.z + p.side};
  float ax = xs[edge], az = zs[edge], bx = xs[(edge + 1) % 3], bz = zs[(edge + 1) % 3];
  bool turned = bz < az || (bz == az && bx < ax); // points are computed from the lesser end on, for both triangles
  float low_x = turned ? bx : ax, low_z = turned ? bz : az, high_x = turned ? ax : bx, high_z = turned ? az : bz;
  int n = p.parts[edge];
  float end = p.ends[edge], all = float(n - 2) + 2 * end;
  for (int i = 0; i < n; ++i) {
    int k = turned ? n - i : i;
    float share = k == 0 ? 0 : k == n ? 1 : (float(k - 1) + end) / all;
    *to++ = vertexAt(ground, std::fma(high_x - low_x, share, low_x), std::fma(high_z - low_z, share, low_z));
  }
  return to;
}

void writeVertices(const Input& ground, const Patch& p, Vertex* to) {
  for (int edge = 0; edge < 3; ++edge)
    to = writeEdge(ground, p, edge, to);
  float scale = p.side / (float(p.parts[3]) + 3 * p.ends[3]);
  for (int row = 0; row <= p.parts[3]; ++row)
    for (int column = 0; column <= row; ++column)
      *to++ = vertexAt(ground, std::fma(scale, p.ends[3] + float(row - column), p.x),
                       std::fma(scale, p.ends[3] + float(column), p.z));
}

int inRow(int row, int column) {
  return row * (row + 1) / 2 + column;
}

// Outer and inner segments take turns as evenly as they can.
bsgp_int3* writeStrip(const Patch& p, int first, int edge, bsgp_int3* to) {
  int rim = p.parts[0] + p.parts[1] + p.parts[2], begin = edge == 0   ? 0
                                                          : edge == 1 ? p.parts[0]
                                                                      : p.parts[0] + p.parts[1];
  int n = p.parts[edge], rows = p.parts[3], all = n + rows, base = first + rim;
  auto outer = [&](int i) { return first + (begin + i == rim ? 0 : begin + i); };
  auto inner = [&](int j) {
    return base + (edge == 0 ? inRow(j, 0) : edge == 1 ? inRow(rows, j) : inRow(rows - j, rows - j));
  };
  for (int i = 0, j = 0, due = all; i + j < all;) { // due: 2 (i + j) n + all, less 2 all for each i
    due += 2 * n;
    if (due >= 2 * all) {
      *to++ = {outer(i), outer(i + 1), inner(j)};
      due -= 2 * all;
      ++i;
    } else {
      *to++ = {outer(i), inner(j + 1), inner(j)};
      ++j;
    }
  }
  return to;
}

void writeFaces(const Patch& p, int first, bsgp_int3* to) {
  int base = first + p.parts[0] + p.parts[1] + p.parts[2];
  for (int row = 0; row < p.parts[3]; ++row)
    for (int column = 0; column <= row; ++column) {
      int above = base + inRow(row, column), below = base + inRow(row + 1, column);
      *to++ = {above, below, below + 1};
      if (column < row)
        *to++ = {above, below + 1, above + 1};
    }
  for (int edge = 0; edge < 3; ++edge)
    to = writeStrip(p, first, edge, to);
}

template <class T> void grow(T*& data, size_t& room, size_t count) {
  if (count <= room)
    return;
  std::free(data);
  room = count;
  data = static_cast<T*>(std::malloc(count * sizeof(T)));
}

} // namespace

ByHand::~ByHand() {
  std::free(vertices_);
  std::free(faces_);
}

void ByHand::refine(const Input& ground, const View& view, float density, size_t number) {
  int cell = int(number / 2), upper = int(number % 2), x = cell % ground.cells.x, z = cell / ground.cells.x;
  const bsgp_float2& range = ground.ranges[cell];
  first_vertex_[number] = first_face_[number] = 0;
  if (!seen(view, {float(x), range.x, float(z)}, {float(x + 1), range.y, float(z + 1)}))
    return;
  Patch& p = patches_[number];
  p.x = float(x + upper);
  p.z = float(z + upper);
  p.side = upper ? -1 : 1;
  auto at = [&](float u, float v) { return bsgp_float3{u, texelAt(ground, u, v).height, v}; };
  bsgp_float3 corners[3] = {at(p.x, p.z), at(p.x + p.side, p.z), at(p.x, p.z + p.side)};
  float factors[3];
  for (int k = 0; k < 3; ++k)
    factors[k] = std::clamp(density * pixelsOf(view, corners[k], corners[(k + 1) % 3]), 1.0f, kLimit);
  cut(p, factors);
  first_vertex_[number] = size_t(p.vertices());
  first_face_[number] = size_t(p.faces());
}

void ByHand::makeRoom() {
  vertex_count_ = face_count_ = 0;
  for (size_t i = 0; i != patches_.size(); ++i) {
    vertex_count_ += std::exchange(first_vertex_[i], vertex_count_);
    face_count_ += std::exchange(first_face_[i], face_count_);
  }
  first_vertex_.back() = vertex_count_;
  first_face_.back() = face_count_;
  grow(vertices_, vertex_room_, vertex_count_);
  grow(faces_, face_room_, face_count_);
}

void ByHand::tessellate(const Input& ground, const View& view, float density) {
  size_t n = size_t(2) * size_t(ground.cells.x) * size_t(ground.cells.y);
  patches_.resize(n);
  first_vertex_.resize(n + 1);
  first_face_.resize(n + 1);
  team_.pieces(n, 64, [&](size_t begin, size_t end) {
    for (size_t i = begin; i != end; ++i)
      refine(ground, view, density, i);
  });
  makeRoom();
  team_.pieces(n, 8, [&](size_t begin, size_t end) {
    for (size_t i = begin; i != end; ++i)
      if (first_vertex_[i] != first_vertex_[i + 1]) {
        writeVertices(ground, patches_[i], vertices_ + first_vertex_[i]);
        writeFaces(patches_[i], int(first_vertex_[i]), faces_ + first_face_[i]);
      }
  });
}

} // namespace bench
