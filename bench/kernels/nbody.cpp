#include "nbody.h"
#include "kernel.h"

namespace bench {
namespace {

constexpr float kSoft = 0.0001f;

struct Bodies {
  std::shared_ptr<Array<bsgp_float4>> acceleration, body;
  int n;
};

void serial(const Bodies& bodies) {
  const bsgp_float4* body = bodies.body->data();
  for (int i = 0; i < bodies.n; ++i) {
    float sx = 0, sy = 0, sz = 0;
    for (int j = 0; j < bodies.n; ++j) {
      float x = body[j].x - body[i].x, y = body[j].y - body[i].y, z = body[j].z - body[i].z;
      float square = x * x + y * y + z * z + kSoft, pull = body[j].w / (square * std::sqrt(square));
      sx += pull * x;
      sy += pull * y;
      sz += pull * z;
    }
    bodies.acceleration->data()[i] = {sx, sy, sz, 0};
  }
}

// Coordinates apart first, so that a vector is loaded at once.
void simd(const Bodies& bodies) {
  int n = bodies.n;
  std::vector<float> columns(size_t(n) * 4);
  float *xs = columns.data(), *ys = xs + n, *zs = ys + n, *mass = zs + n;
  for (int i = 0; i < n; ++i) {
    const bsgp_float4& body = bodies.body->data()[i];
    xs[i] = body.x, ys[i] = body.y, zs[i] = body.z, mass[i] = body.w;
  }
  for (int i = 0; i < n; ++i) {
    float hx = xs[i], hy = ys[i], hz = zs[i], sx = 0, sy = 0, sz = 0;
#pragma omp simd reduction(+ : sx, sy, sz)
    for (int j = 0; j < n; ++j) {
      float x = xs[j] - hx, y = ys[j] - hy, z = zs[j] - hz;
      float square = x * x + y * y + z * z + kSoft, pull = mass[j] / (square * std::sqrt(square));
      sx += pull * x;
      sy += pull * y;
      sz += pull * z;
    }
    bodies.acceleration->data()[i] = {sx, sy, sz, 0};
  }
}

} // namespace

Kernel nbody(bsgp_context* context, bool quick) {
  int n = quick ? 2048 : 8192;
  Random random(5);
  auto body = [&](size_t) {
    float x = random(), y = random(), z = random();
    return bsgp_float4{x, y, z, random() / float(n)};
  };
  Bodies bodies{arrayOf<bsgp_float4>(context, size_t(n)), arrayOf<bsgp_float4>(context, size_t(n), body), n};
  Kernel kernel{.size = std::to_string(n) + " bodies", .work = double(n) * n * 20, .tolerance = 1e-4};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) {
         bsgp::check(nbody_accelerations(on, bodies.acceleration->data(), bodies.body->data(), n));
       }},
      {Form::Serial, "", [=](bsgp_context*) { serial(bodies); }},
      {Form::Simd, "omp simd", [=](bsgp_context*) { simd(bodies); }},
  };
  auto to = bodies.acceleration;
  float* floats = reinterpret_cast<float*>(to->data());
  kernel.spoil = [=] { std::fill_n(floats, 4 * to->size(), -12345.0f); };
  kernel.output = [=] { return std::vector<float>(floats, floats + 4 * to->size()); };
  return kernel;
}

} // namespace bench
