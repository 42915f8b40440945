// Loops that count their iterations: a random walk, the numbers of Collatz, the set of Mandelbrot.
#include "numbers.h"
#include "problem.h"
#include "refill.h"

namespace bench {
namespace {

int walkAt(int rank) {
  uint32_t seed = seedOf(uint32_t(rank), 99);
  float x = 0, y = 0;
  for (int k = 0;; ++k) {
    seed = next(seed);
    float u = unit(seed);
    if (u > 0.98f)
      return k;
    seed = next(seed);
    x += unit(seed) - 0.5f;
    y += u - 0.5f;
    if (fma(x, x, y * y) > 100)
      return k;
  }
}

int collatzAt(int rank) {
  int k = 0;
  for (int64_t c = int64_t(rank) + 1; c != 1; ++k)
    c = c % 2 == 1 ? 3 * c + 1 : c / 2;
  return k;
}

struct Plane {
  int* out;
  int w, h, most;
};

int mandelbrotAt(const Plane& plane, int rank) {
  float cx = fma(float(rank % plane.w) / float(plane.w), 3.0f, -2.0f);
  float cy = fma(float(rank / plane.w) / float(plane.h), 2.0f, -1.0f);
  float zx = 0, zy = 0;
  int k = 0;
  for (; k < plane.most && fma(zx, zx, zy * zy) < 4; ++k) {
    float x = fma(zx, zx, -(zy * zy)) + cx;
    zy = fma(2 * zx, zy, cy);
    zx = x;
  }
  return k;
}

#if defined(BENCH_LANES)

struct WalkLanes {
  using Task = int*;
  Ints ranks, k;
  Words seed;
  Floats x, y;
  Mask occupied, live;

  [[gnu::always_inline]] void step() {
    Words first = next(seed);
    seed = next(first);
    Floats u = unit(first);
    x += unit(seed) - 0.5f;
    y += u - 0.5f;
    Mask leaves = either(isLess(all(0.98f), u), isLess(all(100), fma(x, x, y * y)));
    live = without(live, leaves);
    k = counted(k, live);
  }

  [[gnu::always_inline]] void meet(int* out, Queue& queue) {
    scatter(out, ranks, k, without(occupied, live));
    occupied = live;
    int first;
    Mask fresh = queue.take(without(maskOf<Mask>(~0u), occupied), first);
    ranks = choose(fresh, ranksFrom(first, fresh), ranks);
    seed = choose(fresh, seedOf(Words(ranks), 99), seed);
    x = choose(fresh, Floats{}, x);
    y = choose(fresh, Floats{}, y);
    k = choose(fresh, Ints{}, k);
    occupied = live = either(occupied, fresh);
  }
};

struct CollatzLanes {
  using Task = int*;
  Longs ranks, c, k;
  LongMask occupied, live;

  [[gnu::always_inline]] void step() { // c is positive
    k = counted(k, live);
    c = choose(isOdd(c), 3 * c + 1, c >> 1);
    live = both(live, isOther(c, Longs{} + 1));
  }

  [[gnu::always_inline]] void meet(int* out, Queue& queue) {
    scatter(out, ranks, k, without(occupied, live));
    occupied = live;
    int first;
    LongMask fresh = queue.take(without(maskOf<LongMask>((1u << kLongLanes) - 1), occupied), first);
    ranks = choose(fresh, ranksFrom(first, fresh), ranks);
    c = choose(fresh, ranks + 1, c);
    k = choose(fresh, Longs{}, k);
    occupied = either(occupied, fresh);
    live = both(occupied, isOther(c, Longs{} + 1));
  }
};

constexpr int kMandelbrotVectors = kBytes == 64 ? 4 : 2; // as many as there are registers for

struct MandelbrotLanes {
  using Task = Plane;
  Ints ranks, k, most;
  Floats cx, cy, zx, zy;
  Mask occupied, live;

  [[gnu::always_inline]] void step() {
    Floats x = fma(zx, zx, -(zy * zy)) + cx;
    zy = fma(2 * zx, zy, cy);
    zx = x;
    k = counted(k, live);
    live = both(both(live, isLess(k, most)), isLess(fma(zx, zx, zy * zy), all(4)));
  }

  [[gnu::always_inline]] void meet(const Plane& plane, Queue& queue) {
    scatter(plane.out, ranks, k, without(occupied, live));
    occupied = live;
    int first;
    Mask fresh = queue.take(without(maskOf<Mask>(~0u), occupied), first);
    ranks = choose(fresh, ranksFrom(first, fresh), ranks);
    Floats row = down((floatOf(ranks) + 0.5f) / float(plane.w)),
           column = fma(row, all(-float(plane.w)), floatOf(ranks));
    cx = choose(fresh, fma(column / float(plane.w), all(3), all(-2)), cx);
    cy = choose(fresh, fma(row / float(plane.h), all(2), all(-1)), cy);
    zx = choose(fresh, Floats{}, zx);
    zy = choose(fresh, Floats{}, zy);
    k = choose(fresh, Ints{}, k);
    most = Ints{} + plane.most;
    occupied = live = either(occupied, fresh);
  }
};

#endif

Work walkWork(const Machine& machine, int n) {
  auto out = arrayOf<int>(machine.context, n);
  Work work = workOf(machine, k_walk, out, [](int rank) { return walkAt(rank); }, n);
#if defined(BENCH_LANES)
  work.forms.push_back({"hand", [=, team = &machine.team] { refilled<WalkLanes, 4>(*team, n, out->data()); }});
#endif
  return work;
}

Work collatzWork(const Machine& machine, int n) {
  auto out = arrayOf<int>(machine.context, n);
  Work work = workOf(machine, k_collatz, out, [](int rank) { return collatzAt(rank); }, n);
#if defined(BENCH_LANES)
  work.forms.push_back({"hand", [=, team = &machine.team] { refilled<CollatzLanes, 4>(*team, n, out->data()); }});
#endif
  return work;
}

Work mandelbrotWork(const Machine& machine, int w, int h, int most) {
  auto out = arrayOf<int>(machine.context, size_t(w) * h);
  Plane plane{out->data(), w, h, most};
  Work work = workOf(machine, k_mandelbrot, out, [=](int rank) { return mandelbrotAt(plane, rank); }, w, h, most);
#if defined(BENCH_LANES)
  work.forms.push_back(
      {"hand", [=, team = &machine.team] { refilled<MandelbrotLanes, kMandelbrotVectors>(*team, w * h, plane); }});
#endif
  return work;
}

std::string counted(int n) {
  return n >= 1'000'000 && n % 1'000'000 == 0 ? std::to_string(n / 1'000'000) + " M" : std::to_string(n);
}

void addMandelbrot(Works& to, const Machine& machine, int w, int h, int most) {
  to.push_back({"Mandelbrot, " + std::to_string(w) + "x" + std::to_string(h) + ", " + std::to_string(most) + " steps",
                [=] { return mandelbrotWork(machine, w, h, most); }});
}

} // namespace

void addCounts(Works& to, const Machine& machine) {
  const Size& size = machine.size;
  int walkers = size(2'000'000, 60'000, 1009), numbers = size(10'000'000, 100'000, 1021);
  to.push_back({"random walk with roulette, " + counted(walkers), [=] { return walkWork(machine, walkers); }});
  if (size.extent == Extent::Tiny)
    to.push_back({"Collatz, 1", [=] { return collatzWork(machine, 1); }});
  to.push_back({"Collatz, " + counted(numbers), [=] { return collatzWork(machine, numbers); }});
  addMandelbrot(to, machine, size(256, 128, 29), size(192, 96, 17), size(10'000, 10'000, 1000));
  addMandelbrot(to, machine, size(640, 384, 23), size(480, 256, 13), 256);
}

} // namespace bench
