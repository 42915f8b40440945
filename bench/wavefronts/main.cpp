// wavefronts [--quick | --tiny] [NAME...]: the forms of each work in turns; a line of JSON for each. Exit status 1:
// results differ. --tiny: all are run and compared, nothing is timed.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "../program.h"
#include "problem.h"

namespace bench {
namespace {

constexpr int kLeastTurns = 5, kMostTurns = 31;
constexpr int kWarm = 4; // runs in which the runtime finds out which form of a kernel is faster

struct Lane {
  const WorkForm* form;
  std::vector<double> ms;
};

double timed(const WorkForm& form, bool alone) {
  double begin = now(alone);
  form.run();
  return now(alone) - begin;
}

// What a turn of all forms takes, in ms; negative where one of them gives something else than the first.
double compared(const Work& work, bool alone) {
  std::string expected;
  double all = 0;
  bool right = true;
  for (const WorkForm& form : work.forms) {
    double ms = 0;
    for (int run = 0; run < (form.isCompiled() ? kWarm : 1); ++run) {
      work.spoil();
      ms = timed(form, alone);
      std::string found = work.bits();
      if (expected.empty())
        expected = found;
      right = right && found == expected;
    }
    all += ms;
  }
  return right ? all : -1;
}

void print(const std::string& name, const std::vector<Lane>& lanes, bool right) {
  std::printf("{\"name\": \"%s\", \"right\": %s, \"ms\": {", name.c_str(), right ? "true" : "false");
  for (const Lane& lane : lanes) {
    std::printf("%s\"%s\": [", &lane == lanes.data() ? "" : ", ", lane.form->kind);
    for (size_t i = 0; i < lane.ms.size(); ++i)
      std::printf("%s%.5f", i ? ", " : "", lane.ms[i]);
    std::printf("]");
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

// False if the forms differ; then nothing is timed.
bool measure(const WorkEntry& entry, double budget_ms, bool alone) {
  Work work = entry.make();
  std::vector<Lane> lanes;
  for (const WorkForm& form : work.forms)
    lanes.push_back({.form = &form, .ms = {}});
  double once = compared(work, alone);
  int turns = once < 0 || budget_ms == 0 ? 0 : std::clamp(int(budget_ms / once), kLeastTurns, kMostTurns);
  for (int turn = 0; turn < turns; ++turn)
    for (size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[(size_t(turn) + i) % lanes.size()]; // nobody is always behind the same one
      lane.ms.push_back(timed(*lane.form, alone));
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
  Works works;
  addMarches(works, machine);
  addCounts(works, machine);
  addRays(works, machine);
  bool right = true;
  double budget_ms = extent == Extent::Full ? 4000 : extent == Extent::Quick ? 400 : 0;
  for (const WorkEntry& entry : works)
    if (isAsked(only, entry.name))
      right &= measure(entry, budget_ms, context.threads() == 1);
  return right ? 0 : 1;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
