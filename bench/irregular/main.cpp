// irregular [--quick] [NAME...]: the forms of each problem in turns; a line of JSON for each. Exit status 1: results
// differ.
#include <algorithm>
#include <cstdio>

#include "../program.h"
#include "problem.h"

namespace bench {
namespace {

constexpr int kForms = 3, kLeastRounds = 5, kMostRounds = 31;

double timed(const Problem& problem, const std::function<void()>& form, bool alone) {
  problem.prepare();
  double begin = now(alone);
  form();
  return now(alone) - begin;
}

// False if the forms differ; then nothing is timed.
bool measure(const Problem& problem, double budget_ms, bool alone) {
  const std::function<void()>* forms[kForms] = {&problem.vectors, &problem.alone, &problem.cpp};
  uint64_t digests[kForms];
  double once = 0;
  for (int form = 0; form < kForms; ++form) {
    once += timed(problem, *forms[form], alone);
    digests[form] = problem.digest();
  }
  bool right = digests[0] == digests[2] && digests[1] == digests[2];
  std::vector<double> ms[kForms];
  int rounds = right ? std::clamp(int(budget_ms / once), kLeastRounds, kMostRounds) : 0;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < kForms; ++i) {
      int form = (round + i) % kForms; // nobody is always behind the same one
      ms[form].push_back(timed(problem, *forms[form], alone));
    }
  std::printf("{\"name\": \"%s\", \"right\": %s", problem.name.c_str(), right ? "true" : "false");
  const char* names[kForms] = {"vectors", "alone", "cpp"};
  for (int form = 0; form < kForms; ++form) {
    std::printf(", \"%s\": [", names[form]);
    for (size_t i = 0; i < ms[form].size(); ++i)
      std::printf("%s%.4f", i ? ", " : "", ms[form][i]);
    std::printf("]");
  }
  std::printf("}\n");
  std::fflush(stdout);
  return right;
}

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
  auto [quick, only] = bench::argumentsOf(argc, argv);
  bsgp::Context context;
  bench::Team team;
  bench::Problems problems;
  bench::addGraphs(problems, context, team, {quick});
  bench::addOthers(problems, context, team, {quick});
  bench::addAtomics(problems, context, team, {quick});
  bool right = true;
  for (const auto& make : problems) {
    bench::Problem problem = make();
    bool asked = only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& name) {
                   return problem.name.find(name) != std::string::npos;
                 });
    if (asked)
      right &= bench::measure(problem, quick ? 300 : 1000, context.threads() == 1);
  }
  return right ? 0 : 1;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
