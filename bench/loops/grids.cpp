// Rounds over all places: an empty one, a stencil, conjugate gradients.
#include <algorithm>
#include <memory>

#include "problem.h"

namespace bench {
namespace {

// ---- an empty round

Problem emptyProblem(const Machine& machine) {
  int rounds = machine.size(1'000'000, 1'000'000, 1000);
  auto ours = [=](auto* function) {
    bsgp::check(function(machine.context, rounds));
    return rounds;
  };
  auto threads = [=, team = &machine.team] {
    team->run([=](unsigned) {
      for (int i = 0; i < rounds; ++i)
        team->sync();
    });
    return rounds;
  };
  return {
      [] {}, {{"one", [=] { return ours(empty_one); }}, {"threads", threads}}, [] { return std::vector<double>{}; }};
}

// ---- a stencil of three points

float mean(float left, float here, float right) {
  return (left + here + right) * (1.0f / 3);
}

void stencilPart(const float* __restrict from, float* __restrict to, size_t n, Part part) {
  size_t begin = std::max(part.begin, size_t(1)), end = std::min(part.end, n - 1);
  if (part.begin == 0)
    to[0] = mean(from[0], from[0], from[std::min(n - 1, size_t(1))]);
  for (size_t i = begin; i < end; ++i)
    to[i] = mean(from[i - 1], from[i], from[i + 1]);
  if (part.end == n && n > 1)
    to[n - 1] = mean(from[n - 2], from[n - 1], from[n - 1]);
}

void stencilSerial(float* from, float* to, size_t n, int rounds) {
  for (int round = 0; round < rounds; ++round, std::swap(from, to))
    stencilPart(from, to, n, {n, 0, 1});
}

void stencilThreads(Team& team, float* first, float* second, size_t n, int rounds) {
  team.run([&, first, second](unsigned member) {
    float *from = first, *to = second;
    for (int round = 0; round < rounds; ++round, std::swap(from, to)) {
      stencilPart(from, to, n, {n, member, team.size()});
      team.sync();
    }
  });
}

// An even number of rounds, whose result is in p.
Problem stencilProblem(const Machine& machine, int n, int rounds) {
  auto p = arrayOf<float>(machine.context, n), q = arrayOf<float>(machine.context, n);
  float *first = p->data(), *second = q->data();
  auto prepare = [=] {
    for (int i = 0; i < n; ++i)
      first[i] = float(mixed(i) >> 8) * 0x1p-24f;
  };
  auto counted = [=](auto run) { return [=] { return run(), rounds; }; };
  return {prepare,
          {{"one", counted([=] { bsgp::check(stencil_one(machine.context, first, n, rounds)); })},
           {"each", counted([=] { bsgp::check(stencil_each(machine.context, first, second, n, rounds)); })},
           {"threads", counted([=, team = &machine.team] { stencilThreads(*team, first, second, n, rounds); })},
           {"serial", counted([=] { stencilSerial(first, second, n, rounds); })}},
          [=] { return valuesOf(*p); }};
}

// ---- conjugate gradients

struct Gradients {
  int side, most;
  double smaller; // the square of the residual, when it ends
  std::shared_ptr<Array<double>> right, x, rests, ways, images;
};

// Rows of the matrix times the ways, their product with the ways.
double imageOf(const Gradients& g, int row) {
  const double* way = g.ways->data() + size_t(row) * g.side;
  double* image = g.images->data() + size_t(row) * g.side;
  bool has_above = row > 0, has_below = row < g.side - 1;
  const double *above = has_above ? way - g.side : way, *below = has_below ? way + g.side : way;
  double sum = 0, a = has_above, b = has_below;
  auto at = [=](int i, double left, double next) {
    return image[i] = 4 * way[i] - left - next - a * above[i] - b * below[i];
  };
  int last = g.side - 1;
  sum += way[0] * at(0, 0, last > 0 ? way[1] : 0);
#pragma omp simd reduction(+ : sum)
  for (int i = 1; i < last; ++i)
    sum += way[i] * at(i, way[i - 1], way[i + 1]);
  if (last > 0)
    sum += way[last] * at(last, way[last - 1], 0);
  return sum;
}

double descend(const Gradients& g, double step, size_t begin, size_t end) {
  double *x = g.x->data(), *rests = g.rests->data(), sum = 0;
  const double *ways = g.ways->data(), *images = g.images->data();
#pragma omp simd reduction(+ : sum)
  for (size_t i = begin; i < end; ++i) {
    x[i] += step * ways[i];
    rests[i] -= step * images[i];
    sum += rests[i] * rests[i];
  }
  return sum;
}

void turn(const Gradients& g, double share, size_t begin, size_t end) {
  const double* rests = g.rests->data();
  double* ways = g.ways->data();
#pragma omp simd
  for (size_t i = begin; i < end; ++i)
    ways[i] = rests[i] + share * ways[i];
}

// What a member of a team does; `sum` is of all members' numbers, and a barrier.
template <class Sum> int gradients(const Gradients& g, int first_row, int last_row, const Sum& sum) {
  size_t begin = size_t(first_row) * g.side, end = size_t(last_row) * g.side;
  double square = 0;
  for (size_t i = begin; i < end; ++i) {
    g.x->data()[i] = 0;
    double rest = g.rests->data()[i] = g.ways->data()[i] = g.right->data()[i];
    square += rest * rest;
  }
  square = sum(square);
  double goal = square * g.smaller;
  int rounds = 0;
  for (; rounds < g.most && square > goal; ++rounds) {
    double product = 0;
    for (int row = first_row; row < last_row; ++row)
      product += imageOf(g, row);
    double smallest = sum(descend(g, square / sum(product), begin, end));
    turn(g, smallest / square, begin, end);
    square = smallest;
    sum(0);
  }
  return rounds;
}

// Two sets of places for the members' numbers take turns: one barrier a sum.
int gradientsThreads(Team& team, const Gradients& g) {
  struct alignas(64) Place {
    double value[2];
  };
  std::vector<Place> places(team.size());
  int rounds = 0;
  team.run([&](unsigned member) {
    int turn = 0;
    auto sum = [&](double value) {
      turn = 1 - turn;
      places[member].value[turn] = value;
      team.sync();
      double all = 0;
      for (const Place& place : places)
        all += place.value[turn];
      return all;
    };
    unsigned size = team.size();
    int done = gradients(g, int(g.side * member / size), int(g.side * (member + 1) / size), sum);
    if (member == 0)
      rounds = done;
  });
  return rounds;
}

Problem gradientsProblem(const Machine& machine, int side) {
  Gradients g{side, 10 * side + 100, 1e-16, {}, {}, {}, {}, {}};
  for (auto* array : {&g.right, &g.x, &g.rests, &g.ways, &g.images})
    *array = arrayOf<double>(machine.context, size_t(side) * side);
  for (size_t i = 0; i < g.right->size(); ++i)
    g.right->data()[i] = double(mixed(uint32_t(i))) * 0x1p-32;
  auto* context = machine.context;
  auto one = [=] {
    int rounds = 0;
    bsgp::check(gradients_one(context, g.right->data(), g.x->data(), side, g.smaller, g.most, &rounds));
    return rounds;
  };
  auto each = [=] {
    int rounds = 0;
    bsgp::check(gradients_each(context, g.right->data(), g.x->data(), g.rests->data(), g.ways->data(), side, g.smaller,
                               g.most, &rounds));
    return rounds;
  };
  return {[] {},
          {{"one", one},
           {"each", each},
           {"threads", [=, team = &machine.team] { return gradientsThreads(*team, g); }},
           {"serial", [=] { return gradients(g, 0, side, [](double value) { return value; }); }}},
          [=] { return valuesOf(*g.x); },
          1e-5,
          2 + side / 50};
}

} // namespace

void addGrids(Problems& to, const Machine& machine) {
  const Size& size = machine.size;
  to.push_back({"an empty round: a test, a barrier", [=] { return emptyProblem(machine); }});
  std::pair<int, int> stencils[] = {{size(1000, 1000, 7), size(1000, 1000, 4)},
                                    {size(100'000, 100'000, 1), size(1000, 200, 2)},
                                    {size(10'000'000, 1'000'000, 1009), size(100, 100, 6)}};
  for (auto [n, rounds] : stencils)
    to.push_back({"stencil, " + std::to_string(n) + (n == 1 ? " cell" : " cells"),
                  [=] { return stencilProblem(machine, n, rounds); }});
  for (int side : {size(64, 64, 13), size(512, 128, 24)})
    to.push_back({"conjugate gradients, " + std::to_string(side) + "x" + std::to_string(side),
                  [=] { return gradientsProblem(machine, side); }});
}

} // namespace bench
