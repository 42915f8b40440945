#include "ao.h"
#include "kernel.h"
#include "lanes.h"

namespace bench {
namespace {

struct Ball {
  Vec3 center;
  float radius;
};
struct Ray {
  Vec3 from, to;
};
struct Hit {
  float t = INFINITY;
  Vec3 at{}, normal{};
};

constexpr Ball kBalls[3] = {{{-2, 0, -3.5f}, 0.5f}, {{-0.5f, 0, -3}, 0.5f}, {{1, 0, -2.2f}, 0.5f}};
constexpr float kFloor = -0.5f;
constexpr int kAcross = 8;

float meets(const Ray& ray, const Ball& ball) {
  Vec3 offset = ray.from - ball.center;
  float b = dot(offset, ray.to), d = b * b - (dot(offset, offset) - ball.radius * ball.radius);
  if (d <= 0)
    return INFINITY;
  float t = -b - std::sqrt(d);
  return t > 0 ? t : INFINITY;
}

float meetsFloor(const Ray& ray) {
  if (std::fabs(ray.to.y) < 1e-17f)
    return INFINITY;
  float t = (kFloor - ray.from.y) / ray.to.y;
  return t > 0 ? t : INFINITY;
}

Hit nearest(const Ray& ray) {
  Hit hit;
  for (const Ball& ball : kBalls)
    if (float t = meets(ray, ball); t < hit.t) {
      Vec3 at = ray.from + t * ray.to;
      hit = {t, at, normalize(at - ball.center)};
    }
  if (float t = meetsFloor(ray); t < hit.t)
    hit = {t, ray.from + t * ray.to, {0, 1, 0}};
  return hit;
}

bool occluded(const Ray& ray) {
  for (const Ball& ball : kBalls)
    if (meets(ray, ball) < INFINITY)
      return true;
  return meetsFloor(ray) < INFINITY;
}

float random(uint32_t& state) {
  state = state * 747796405u + 2891336453u;
  uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return float(((word >> 22) ^ word) >> 8) * 0x1p-24f;
}

float sky(const Hit& hit, uint32_t state) {
  Vec3 n = hit.normal;
  Vec3 helper = std::fabs(n.x) < 0.6f ? Vec3{1, 0, 0} : std::fabs(n.y) < 0.6f ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  Vec3 u = normalize(cross(helper, n)), v = cross(n, u);
  Ray ray{hit.at + 0.0001f * n, {}};
  int free = 0;
  for (int i = 0; i < kAcross * kAcross; ++i) {
    float r2 = random(state), r = std::sqrt(r2), phi = 2.0f * float(M_PI) * random(state);
    ray.to = std::cos(phi) * r * u + std::sin(phi) * r * v + std::sqrt(1.0f - r2) * n;
    free += !occluded(ray);
  }
  return float(free) / float(kAcross * kAcross);
}

void serial(float* image, int width, int height) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      float x = (float(column) + 0.5f) * 2 / float(width) - 1, y = 1 - (float(row) + 0.5f) * 2 / float(height);
      Hit hit = nearest({{0, 0, 0}, normalize(Vec3{x, y, -1})});
      int at = row * width + column;
      image[at] = hit.t < INFINITY ? sky(hit, uint32_t(at)) : 0;
    }
}

// Pixels side by side.
struct Rays {
  Vecs from, to;
};

Floats meets(const Rays& rays, const Ball& ball) {
  Vecs offset = rays.from - all(ball.center);
  Floats b = dot(offset, rays.to), d = b * b - (dot(offset, offset) - ball.radius * ball.radius);
  Floats t = -b - sqrt(max(d, Floats(0.0f)));
  return choose(d <= 0.0f || t <= 0.0f, INFINITY, t);
}

Floats meetsFloor(const Rays& rays) {
  Floats t = (kFloor - rays.from.y) / rays.to.y;
  return choose(abs(rays.to.y) < 1e-17f || t <= 0.0f, INFINITY, t);
}

Floats random(Words& state) {
  state = state * 747796405u + 2891336453u;
  Words word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return stdx::static_simd_cast<Floats>(stdx::static_simd_cast<Ints>(((word >> 22) ^ word) >> 8)) * 0x1p-24f;
}

Floats sky(Vecs at, Vecs n, Words state) {
  auto x = abs(n.x) < 0.6f, y = !x && abs(n.y) < 0.6f;
  Vecs helper{choose(x, 1, 0), choose(y, 1, 0), choose(x || y, 0, 1)};
  Vecs u = normalize(cross(helper, n)), v = cross(n, u);
  Rays rays{at + 0.0001f * n, {}};
  Floats free = 0;
  for (int i = 0; i < kAcross * kAcross; ++i) {
    Floats r2 = random(state), r = sqrt(r2), phi = 2.0f * float(M_PI) * random(state);
    rays.to = cos(phi) * r * u + sin(phi) * r * v + sqrt(1.0f - r2) * n;
    Floats t = meetsFloor(rays);
    for (const Ball& ball : kBalls)
      t = min(t, meets(rays, ball));
    where(t == INFINITY, free) += 1.0f;
  }
  return free / float(kAcross * kAcross);
}

void vectors(float* image, int width, int height) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; column += kLanes) {
      Floats x = (lanesFrom(float(column)) + 0.5f) * 2 / float(width) - 1;
      Rays rays{{0, 0, 0}, normalize(Vecs{x, 1 - (float(row) + 0.5f) * 2 / float(height), -1})};
      Floats t = meetsFloor(rays);
      Vecs normal{0, 1, 0};
      for (const Ball& ball : kBalls) {
        Floats to = meets(rays, ball);
        auto nearer = to < t;
        Vecs out = normalize(to * rays.to - all(ball.center));
        normal = {choose(nearer, out.x, normal.x), choose(nearer, out.y, normal.y), choose(nearer, out.z, normal.z)};
        t = min(t, to);
      }
      auto hit = t < INFINITY;
      int at = row * width + column;
      Floats seen = 0;
      if (any_of(hit))
        seen = choose(hit, sky(t * rays.to, normal, Words([=](auto i) { return uint32_t(at + int(i)); })), 0);
      seen.copy_to(image + at, stdx::element_aligned);
    }
}

} // namespace

Kernel ambientOcclusion(bsgp_context* context, bool quick) {
  int width = 512, height = quick ? 64 : 512;
  auto image = arrayOf<float>(context, size_t(width * height));
  Kernel kernel{.size = std::to_string(width) + "x" + std::to_string(height) + ", 8x8 rays",
                .tolerance = 1e-6,
                .outliers = 0.005};
  kernel.forms = {
      {Form::Bsgp, "", [=](bsgp_context* on) { bsgp::check(ao_image(on, image->data(), width, height)); }},
      {Form::Serial, "", [=](bsgp_context*) { serial(image->data(), width, height); }},
      {Form::Simd, "vectors", [=](bsgp_context*) { vectors(image->data(), width, height); }},
  };
  kernel.writes(image);
  return kernel;
}

} // namespace bench
