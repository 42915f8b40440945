#include "volume.h"
#include "kernel.h"
#include "lanes.h"

namespace bench {
namespace {

constexpr float kThickness = 30;

struct Cloud {
  const float* cells;
  int n;
};
struct Span {
  float from, to;
};

Span inside(Vec3 from, Vec3 along) { // the box 0 ... 1
  float ax = (0 - from.x) / along.x, ay = (0 - from.y) / along.y, az = (0 - from.z) / along.z;
  float bx = (1 - from.x) / along.x, by = (1 - from.y) / along.y, bz = (1 - from.z) / along.z;
  return {std::max(std::max(std::min(ax, bx), std::min(ay, by)), std::max(std::min(az, bz), 0.0f)),
          std::min(std::max(ax, bx), std::min(std::max(ay, by), std::max(az, bz)))};
}

float mix(float a, float b, float t) {
  return a + t * (b - a);
}

float density(const Cloud& cloud, Vec3 p) {
  int n = cloud.n;
  float most = float(n) - 1.001f;
  float qx = std::clamp(p.x * float(n) - 0.5f, 0.0f, most), qy = std::clamp(p.y * float(n) - 0.5f, 0.0f, most),
        qz = std::clamp(p.z * float(n) - 0.5f, 0.0f, most);
  int x = int(qx), y = int(qy), z = int(qz);
  float fx = qx - float(x), fy = qy - float(y), fz = qz - float(z);
  const float *c = cloud.cells + (z * n + y) * n + x, *d = c + n * n;
  float front = mix(mix(c[0], c[1], fx), mix(c[n], c[n + 1], fx), fy);
  return mix(front, mix(mix(d[0], d[1], fx), mix(d[n], d[n + 1], fx), fy), fz);
}

float lightAt(const Cloud& cloud, Vec3 p, Vec3 lamp) {
  Vec3 way = lamp - p;
  float far = length(way);
  Vec3 along = 1 / far * way;
  float end = std::min(inside(p, along).to, far), step = 0.04f, sum = 0;
  for (float at = 0.5f * step; at < end; at += step)
    sum += density(cloud, p + at * along);
  return std::exp(-kThickness * step * sum) / (far * far);
}

float march(const Cloud& cloud, Vec3 from, Vec3 along, Vec3 lamp) {
  Span t = inside(from, along);
  float step = 0.02f, clear = 1, light = 0;
  for (float at = t.from + 0.5f * step; at < t.to; at += step) {
    Vec3 p = from + at * along;
    float d = density(cloud, p);
    if (d <= 0)
      continue;
    light += clear * d * kThickness * step * lightAt(cloud, p, lamp);
    clear *= std::exp(-kThickness * step * d);
    if (clear < 0.01f)
      break;
  }
  return light;
}

void serial(float* image, int width, int height, const Cloud& cloud) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      float x = (float(column) + 0.5f) / float(width) - 0.5f, y = 0.5f - (float(row) + 0.5f) / float(height);
      Vec3 along = normalize(Vec3{0.8f * x - 0.4f, 0.8f * y - 0.3f, 1.5f});
      image[row * width + column] = march(cloud, {0.9f, 0.8f, -1}, along, {-0.3f, 1.7f, 0.1f});
    }
}

// Pixels side by side.
struct Spans {
  Floats from, to;
};

Spans inside(Vecs from, Vecs along) {
  Floats ax = (0 - from.x) / along.x, ay = (0 - from.y) / along.y, az = (0 - from.z) / along.z;
  Floats bx = (1 - from.x) / along.x, by = (1 - from.y) / along.y, bz = (1 - from.z) / along.z;
  return {max(max(min(ax, bx), min(ay, by)), max(min(az, bz), Floats(0))),
          min(max(ax, bx), min(max(ay, by), max(az, bz)))};
}

Floats mix(Floats a, Floats b, Floats t) {
  return a + t * (b - a);
}

Floats density(const Cloud& cloud, Vecs p) {
  int n = cloud.n;
  Floats most = float(n) - 1.001f, least = 0;
  Floats qx = min(max(p.x * float(n) - 0.5f, least), most), qy = min(max(p.y * float(n) - 0.5f, least), most),
         qz = min(max(p.z * float(n) - 0.5f, least), most);
  Floats x = trunc(qx), y = trunc(qy), z = trunc(qz), fx = qx - x, fy = qy - y, fz = qz - z;
  Ints at = stdx::static_simd_cast<Ints>((z * float(n) + y) * float(n) + x);
  auto side = [&](const float* c) {
    return mix(mix(gather(c, at), gather(c + 1, at), fx), mix(gather(c + n, at), gather(c + n + 1, at), fx), fy);
  };
  return mix(side(cloud.cells), side(cloud.cells + n * n), fz);
}

Floats lightAt(const Cloud& cloud, Vecs p, Vec3 lamp, Mask wanted) {
  Vecs way = all(lamp) - p;
  Floats far = length(way);
  Vecs along = 1 / far * way;
  Floats end = choose(wanted, min(inside(p, along).to, far), 0), sum = 0;
  float step = 0.04f;
  Floats at = 0.5f * step;
  for (auto more = at < end; any_of(more); at += step, more = at < end)
    where(more, sum) += density(cloud, p + at * along);
  return quickExp(-kThickness * step * sum) / (far * far);
}

Floats march(const Cloud& cloud, Vecs from, Vecs along, Vec3 lamp) {
  Spans t = inside(from, along);
  float step = 0.02f;
  Floats clear = 1, light = 0, at = t.from + 0.5f * step;
  for (auto more = at < t.to; any_of(more); at += step, more = more && at < t.to && clear >= 0.01f) {
    Vecs p = from + at * along;
    Floats d = density(cloud, p);
    auto thick = more && d > 0.0f;
    if (none_of(thick))
      continue;
    where(thick, light) += clear * d * kThickness * step * lightAt(cloud, p, lamp, thick);
    where(thick, clear) *= quickExp(-kThickness * step * d);
  }
  return light;
}

void vectors(float* image, int width, int height, const Cloud& cloud) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; column += kLanes) {
      Floats x = (lanesFrom(float(column)) + 0.5f) / float(width) - 0.5f;
      Vecs along = normalize(Vecs{0.8f * x - 0.4f, 0.8f * (0.5f - (float(row) + 0.5f) / float(height)) - 0.3f, 1.5f});
      march(cloud, {0.9f, 0.8f, -1}, along, {-0.3f, 1.7f, 0.1f})
          .copy_to(image + row * width + column, stdx::element_aligned);
    }
}

// Balls of cloud, none in between.
std::shared_ptr<Array<float>> makeCloud(bsgp_context* context, int n) {
  struct Puff {
    Vec3 center;
    float radius;
  } puffs[24];
  Random random(3);
  for (Puff& puff : puffs)
    puff = {{0.2f + 0.6f * random(), 0.2f + 0.6f * random(), 0.2f + 0.6f * random()}, 0.05f + 0.12f * random()};
  return arrayOf<float>(context, size_t(n) * n * n, [&](size_t i) {
    Vec3 p{(float(int(i) % n) + 0.5f) / float(n), (float(int(i) / n % n) + 0.5f) / float(n),
           (float(int(i) / n / n) + 0.5f) / float(n)};
    float sum = 0;
    for (const Puff& puff : puffs)
      sum += std::max(0.0f, 1 - length(p - puff.center) / puff.radius);
    return std::min(sum, 1.0f);
  });
}

} // namespace

Kernel volume(bsgp_context* context, bool quick) {
  int width = 512, height = quick ? 48 : 384, n = 128;
  auto image = arrayOf<float>(context, size_t(width * height));
  auto cells = makeCloud(context, n);
  Kernel kernel{.size = std::to_string(width) + "x" + std::to_string(height) + ", 128^3 cells",
                .tolerance = 1e-3,
                .outliers = 0.002};
  kernel.forms = {
      {Form::Bsgp, "",
       [=](bsgp_context* on) { bsgp::check(volume_image(on, image->data(), width, height, cells->data(), n)); }},
      {Form::Serial, "", [=](bsgp_context*) { serial(image->data(), width, height, {cells->data(), n}); }},
      {Form::Simd, "vectors", [=](bsgp_context*) { vectors(image->data(), width, height, {cells->data(), n}); }},
  };
  kernel.writes(image);
  return kernel;
}

} // namespace bench
