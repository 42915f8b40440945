// loops [--quick | --tiny] [NAME...]: the forms of each problem in turns; a line of JSON for each. Exit status 1: results
// differ. --tiny: all are run once and compared, at sizes where nothing is worth a measurement.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../program.h"
#include "problem.h"

namespace bench {
namespace {

constexpr int kLeastTurns = 5, kMostTurns = 31;

struct Lane {
  const Form* form;
  int rounds = 0;
  std::vector<double> ms;
};

double timed(const Problem& problem, Lane& lane, bool alone) {
  problem.prepare();
  double begin = now(alone);
  lane.rounds = lane.form->run();
  return now(alone) - begin;
}

bool agrees(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(found[i] - expected[i]) <= tolerance * std::max(1.0, std::fabs(expected[i]))))
      return false;
  return found.size() == expected.size();
}

// What all forms take together, in ms; negative where one of them gives something else than the first.
double compared(const Problem& problem, std::vector<Lane>& lanes, bool alone) {
  std::vector<double> expected;
  double all = 0;
  bool right = true;
  for (Lane& lane : lanes) {
    all += timed(problem, lane, alone);
    if (&lane == lanes.data())
      expected = problem.output();
    right = right && agrees(problem.output(), expected, problem.tolerance) &&
            std::abs(lane.rounds - lanes[0].rounds) <= problem.rounds_apart;
  }
  return right ? all : -1;
}

void print(const std::string& name, const std::vector<Lane>& lanes, bool right) {
  std::printf("{\"name\": \"%s\", \"right\": %s, \"forms\": {", name.c_str(), right ? "true" : "false");
  for (const Lane& lane : lanes) {
    std::printf("%s\"%s\": {\"rounds\": %d, \"ms\": [", &lane == lanes.data() ? "" : ", ", lane.form->kind,
                lane.rounds);
    for (size_t i = 0; i < lane.ms.size(); ++i)
      std::printf("%s%.5f", i ? ", " : "", lane.ms[i]);
    std::printf("]}");
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

// False if the forms differ; then nothing is timed.
bool measure(const Entry& entry, double budget_ms, bool alone) {
  Problem problem = entry.make();
  std::vector<Lane> lanes;
  for (const Form& form : problem.forms)
    lanes.push_back({.form = &form, .ms = {}});
  double once = compared(problem, lanes, alone);
  int turns = once < 0 || budget_ms == 0 ? 0 : std::clamp(int(budget_ms / once), kLeastTurns, kMostTurns);
  for (int turn = 0; turn < turns; ++turn)
    for (size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[(size_t(turn) + i) % lanes.size()]; // nobody is always behind the same one
      lane.ms.push_back(timed(problem, lane, alone));
    }
  print(entry.name, lanes, once >= 0);
  return once >= 0;
}

bool isAsked(const std::vector<std::string>& only, const std::string& name) {
  return only.empty() || std::any_of(only.begin(), only.end(),
                                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
  using namespace bench;
  Extent extent = Extent::Full;
  std::vector<std::string> only;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--quick"))
      extent = Extent::Quick;
    else if (!std::strcmp(argv[i], "--tiny"))
      extent = Extent::Tiny;
    else
      only.push_back(argv[i]);
  bsgp::Context context;
  Team team;
  Machine machine{context, team, {extent}};
  Problems problems;
  addGrids(problems, machine);
  addGraphs(problems, machine);
  bool right = true;
  double budget_ms = extent == Extent::Full ? 4000 : extent == Extent::Quick ? 500 : 0;
  for (const Entry& entry : problems)
    if (isAsked(only, entry.name))
      right &= measure(entry, budget_ms, context.threads() == 1);
  return right ? 0 : 1;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
