// Marches from the surface of one thing to the next: alone, and inside a path.
#include "numbers.h"
#include "problem.h"
#include "refill.h"

namespace bench {
namespace {

const Vec3 kCamera{0, 0.5f, -3};

struct Picture {
  float* out;
  int w, h;
  Vec3 pixel(int rank) const { return throughPixel(float(rank % w), float(rank / w), w, h); }
};

float sphereAt(const Picture& picture, int rank) {
  Vec3 to = picture.pixel(rank);
  float t = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    float step = distanceAt(along(kCamera, to, t));
    if (step < kNear || t > kFar)
      break;
    t += step;
  }
  return t;
}

// True if the ray hits something.
bool march(const Vec3& from, const Vec3& to, float& t) {
  for (int i = 0; i < kMostSteps; ++i) {
    float step = distanceAt(along(from, to, t));
    if (step < kNear)
      return true;
    if (t > kFar)
      return false;
    t += step;
  }
  return false;
}

float pathAt(const Picture& picture, int rank) {
  uint32_t seed = seedOf(uint32_t(rank), 12345);
  Vec3 from = kCamera, to = picture.pixel(rank);
  float light = 1, sum = 0;
  for (int bounce = 0; bounce < kMostBounces; ++bounce) {
    float t = 0.01f;
    if (!march(from, to, t))
      return fma(light, fma(0.5f, to.y, 0.5f), sum);
    seed = next(seed);
    if (unit(seed) > 0.8f)
      break;
    light *= 0.9f;
    from = along(from, to, t - 0.01f);
    seed = next(seed);
    float a = around(seed);
    seed = next(seed);
    float b = around(seed);
    to = unitOf(Vec3{a, size(b) + 0.1f, fma(a, b, -0.3f)});
  }
  return sum;
}

#if defined(BENCH_LANES)

using Vecs = Triple<Floats>;

Vecs choose(Mask mask, const Vecs& yes, const Vecs& no) {
  return {bench::choose(mask, yes.x, no.x), bench::choose(mask, yes.y, no.y), bench::choose(mask, yes.z, no.z)};
}

Vecs camera() {
  return {all(kCamera.x), all(kCamera.y), all(kCamera.z)};
}

// The column and the row are exact for pictures of less than 2^23 pixels.
Vecs pixels(const Picture& picture, Ints ranks) {
  Floats y = down((floatOf(ranks) + 0.5f) / float(picture.w)), x = fma(y, all(-float(picture.w)), floatOf(ranks));
  return throughPixel(x, y, picture.w, picture.h);
}

struct SphereLanes {
  using Task = Picture;
  Ints ranks, i;
  Vecs to;
  Floats t;
  Mask occupied, live;

  [[gnu::always_inline]] void step() {
    Floats step = distanceAt(along(camera(), to, t));
    Mask leaves = either(isLess(step, all(kNear)), isLess(all(kFar), t)), goes = without(live, leaves);
    t = bench::choose(goes, t + step, t);
    i += 1;
    live = both(goes, isLess(i, Ints{} + kMostSteps));
  }

  [[gnu::always_inline]] void meet(const Picture& picture, Queue& queue) {
    scatter(picture.out, ranks, t, without(occupied, live));
    occupied = live;
    int first;
    Mask fresh = queue.take(without(maskOf<Mask>(~0u), occupied), first);
    ranks = bench::choose(fresh, ranksFrom(first, fresh), ranks);
    to = choose(fresh, pixels(picture, ranks), to);
    t = bench::choose(fresh, Floats{}, t);
    i = bench::choose(fresh, Ints{}, i);
    occupied = live = either(occupied, fresh);
  }
};

// The stations: the march, whose lanes are live; the bounce and the path around it, in meet.
struct PathLanes {
  using Task = Picture;
  Ints ranks, i, bounce;
  Words seed;
  Vecs from, to;
  Floats t, light, sum;
  Mask occupied, live, hit;

  [[gnu::always_inline]] void step() {
    Floats step = distanceAt(along(from, to, t));
    Mask meets = both(live, isLess(step, all(kNear))), goes = without(without(live, meets), isLess(all(kFar), t));
    hit = either(hit, meets);
    t = bench::choose(goes, t + step, t);
    i += 1;
    live = both(goes, isLess(i, Ints{} + kMostSteps));
  }

  // The lanes that go on after a march: the end of a bounce.
  [[gnu::always_inline]] Mask bounced(Mask waiting) {
    Mask misses = without(waiting, hit);
    sum = bench::choose(misses, fma(light, fma(to.y, all(0.5f), all(0.5f)), sum), sum);
    Words first = next(seed), second = next(first), third = next(second);
    Mask goes = without(both(waiting, hit), isLess(all(0.8f), unit(first)));
    light = bench::choose(goes, light * 0.9f, light);
    from = choose(goes, along(from, to, t - 0.01f), from);
    Floats a = around(second), b = around(third);
    to = choose(goes, unitOf(Vecs{a, size(b) + 0.1f, fma(a, b, all(-0.3f))}), to);
    seed = bench::choose(goes, third, seed);
    bounce = counted(bounce, goes);
    return both(goes, isLess(bounce, Ints{} + kMostBounces));
  }

  [[gnu::always_inline]] Mask fed(const Picture& picture, Queue& queue) {
    int first;
    Mask fresh = queue.take(without(maskOf<Mask>(~0u), occupied), first);
    ranks = bench::choose(fresh, ranksFrom(first, fresh), ranks);
    seed = bench::choose(fresh, seedOf(Words(ranks), 12345), seed);
    from = choose(fresh, camera(), from);
    to = choose(fresh, pixels(picture, ranks), to);
    light = bench::choose(fresh, all(1), light);
    sum = bench::choose(fresh, Floats{}, sum);
    bounce = bench::choose(fresh, Ints{}, bounce);
    return fresh;
  }

  [[gnu::always_inline]] void meet(const Picture& picture, Queue& queue) {
    Mask waiting = without(occupied, live), goes = bounced(waiting);
    scatter(picture.out, ranks, sum, without(waiting, goes));
    occupied = either(live, goes);
    goes = either(goes, fed(picture, queue));
    t = bench::choose(goes, all(0.01f), t);
    i = bench::choose(goes, Ints{}, i);
    hit = without(hit, goes);
    occupied = live = either(live, goes);
  }
};

#endif

struct Shape {
  const char* name;
  int w, h;
};

std::string nameOf(const Shape& shape) {
  return std::string(shape.name) + ", " + std::to_string(shape.w) + "x" + std::to_string(shape.h);
}

Work sphereWork(const Machine& machine, const Shape& shape) {
  auto out = arrayOf<float>(machine.context, size_t(shape.w) * shape.h);
  Picture picture{out->data(), shape.w, shape.h};
  Work work = workOf(machine, k_sphere, out, [=](int rank) { return sphereAt(picture, rank); }, shape.w, shape.h);
#if defined(BENCH_LANES)
  work.forms.push_back(
      {"hand", [=, team = &machine.team] { refilled<SphereLanes, 4>(*team, picture.w * picture.h, picture); }});
#endif
  return work;
}

Work pathWork(const Machine& machine, const Shape& shape) {
  auto out = arrayOf<float>(machine.context, size_t(shape.w) * shape.h);
  Picture picture{out->data(), shape.w, shape.h};
  Work work = workOf(machine, k_path, out, [=](int rank) { return pathAt(picture, rank); }, shape.w, shape.h);
#if defined(BENCH_LANES)
  work.forms.push_back(
      {"hand", [=, team = &machine.team] { refilled<PathLanes, 4>(*team, picture.w * picture.h, picture); }});
#endif
  return work;
}

} // namespace

void addMarches(Works& to, const Machine& machine) {
  auto add = [&](const char* name, auto* make, int w, int h) {
    Shape shape{name, w, h};
    to.push_back({nameOf(shape), [=] { return make(machine, shape); }});
  };
  const Size& size = machine.size;
  if (size.extent == Extent::Tiny)
    add("sphere tracing", sphereWork, 1, 1);
  add("path with a march inside", pathWork, size(640, 200, 37), size(480, 150, 29));
  add("sphere tracing", sphereWork, size(1280, 400, 67), size(960, 300, 31));
}

} // namespace bench
