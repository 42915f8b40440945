// Functions compiled ahead of time: gravity.h is generated from gravity.bsgp, the struct Body included.
#include <cmath>
#include <cstdio>
#include <vector>

#include <bsgp/bsgp.hpp>

#include "gravity.h"

namespace {

// A heavy body in the middle and light ones on circles around it.
std::vector<Body> system(int n) {
  std::vector<Body> bodies(n);
  bodies[0].mass = 1;
  for (int i = 1; i < n; ++i) {
    float radius = float(i);
    bodies[i].at = {radius, 0, 0};
    bodies[i].speed = {0, std::sqrt(1 / radius), 0};
    bodies[i].mass = 1e-6f;
  }
  return bodies;
}

void show(double time, const std::vector<Body>& bodies) {
  std::printf("%6.2f", time);
  for (size_t i = 1; i < bodies.size(); ++i)
    std::printf("   %6.2f %6.2f", bodies[i].at.x, bodies[i].at.y);
  std::printf("\n");
}

} // namespace

int main(int argc, char** argv) try {
  if (argc > 1) {
    std::fprintf(stderr, "orbit: '%s' is one argument too many\nusage: orbit\n", argv[1]);
    return 1;
  }
  bsgp::Context context;
  bsgp::DeviceArray<Body> bodies(context, system(4));
  int n = int(bodies.size());
  std::printf("  time   the places of three bodies around a heavy one\n");
  show(0, bodies.toHost());
  for (int quarter = 1; quarter <= 4; ++quarter) {
    bsgp::check(simulate(context, bodies.data(), n, 2 * 3.14159265f / 4000, 1000));
    show(quarter * 3.14159265 / 2, bodies.toHost());
  }
  bsgp::check(checkInside(context, bodies.data(), n, 10));
  try {
    bsgp::check(checkInside(context, bodies.data(), n, 2)); // the outer ones are farther away
  } catch (const bsgp::Exception& exception) {
    std::printf("a failure is an exception: %s\n", exception.what());
  }
  std::printf("device memory in use: %llu bytes\n", static_cast<unsigned long long>(context.memory().live_bytes));
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 1;
}
