// kernels [--quick] [--rounds N] [NAME...]: every kernel's forms in turns; JSON on stdout. Exit status 1: outputs
// differ.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "kernel.h"

namespace bench {
namespace {

const Entry kEntries[] = {
    {"mandelbrot", mandelbrot},
    {"ao", ambientOcclusion},
    {"noise", noise},
    {"black-scholes", blackScholes},
    {"binomial", binomial},
    {"wave", wave},
    {"volume", volume},
    {"tracer", rayTracer},
    {"tracer packets", rayPackets},
    {"nbody", nbody},
    {"convolution 1D", convolution1d},
    {"convolution 2D", convolution2d},
    {"sgemm plain", sgemm},
    {"sgemm strips", sgemmStrips},
    {"sgemm tiled", sgemmTiled},
    {"heat insulated 512", [](auto* c, bool) { return heatInsulated(c, 512); }},
    {"heat insulated 2048", [](auto* c, bool) { return heatInsulated(c, 2048); }},
    {"heat insulated 4096", [](auto* c, bool) { return heatInsulated(c, 4096); }},
    {"heat fixed 512", [](auto* c, bool) { return heatFixed(c, 512); }},
    {"heat fixed 2048", [](auto* c, bool) { return heatFixed(c, 2048); }},
    {"heat fixed 4096", [](auto* c, bool) { return heatFixed(c, 4096); }},
    {"filter 5x5 512", [](auto* c, bool) { return filterClamped(c, 512); }},
    {"filter 5x5 2048", [](auto* c, bool) { return filterClamped(c, 2048); }},
    {"filter 5x5 4096", [](auto* c, bool) { return filterClamped(c, 4096); }},
};

using Clock = std::chrono::steady_clock;
constexpr double kSampleMs = 4;
constexpr auto kLinger = std::chrono::milliseconds(1); // longer than threads without work stay awake
constexpr int kTries = 3, kLeastRounds = 3;
constexpr double kBudgetMs = 3000; // of a form; it sits out the rounds after

// How often other threads took a processor from this process' ones.
long preemptions() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// A form in one context: a column of the table.
struct Lane {
  const Form* form;
  bsgp_context* context;
  bool all = false; // BSGP on all cores
  std::vector<double> ms;
  double once = 0, total = 0;
  double most = 0;   // the largest difference to the serial form's output, as the tolerance counts
  double beyond = 0; // share of the outputs that differ by more than the tolerance
  bool wrong = false;
};

double timed(const Kernel& kernel, const Lane& lane) {
  kernel.prepare();
  auto begin = Clock::now();
  lane.form->run(lane.context);
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<float> outputOf(const Kernel& kernel, Lane& lane) {
  kernel.spoil();
  lane.once = timed(kernel, lane);
  return kernel.output();
}

void compare(const Kernel& kernel, Lane& lane, const std::vector<float>& expected) {
  std::vector<float> found = outputOf(kernel, lane);
  size_t beyond = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i])
      continue;
    double difference = std::fabs(double(found[i]) - expected[i]) / std::max(1.0, std::fabs(double(expected[i])));
    lane.most = difference <= 1e300 ? std::max(lane.most, difference) : 1e300; // NaN is no number of JSON
    beyond += !(difference <= kernel.tolerance);
  }
  lane.beyond = double(beyond) / double(found.size());
  lane.wrong = lane.beyond > kernel.outliers;
}

// The median of a few calls; again where other programs took a processor away.
double sample(const Kernel& kernel, Lane& lane) {
  std::this_thread::sleep_for(kLinger);
  double least = 1e300;
  bool disturbed = true;
  for (int i = 0; i < kTries && disturbed; ++i) {
    long before = preemptions();
    std::vector<double> times(std::clamp(size_t(kSampleMs / lane.once), size_t(1), size_t(100)));
    for (double& time : times)
      lane.total += time = timed(kernel, lane);
    std::nth_element(times.begin(), times.begin() + ptrdiff_t(times.size() / 2), times.end());
    least = std::min(least, times[times.size() / 2]);
    disturbed = preemptions() != before && least < 100;
  }
  return lane.once = least;
}

void print(const char* name, const Kernel& kernel, const std::vector<Lane>& lanes, bool first) {
  std::printf(
      "%s\n  {\"kernel\": \"%s\", \"size\": \"%s\", \"work\": %.0f, \"tolerance\": %g, \"outliers\": %g, \"forms\": [",
      first ? "" : ",", name, kernel.size.c_str(), kernel.work, kernel.tolerance, kernel.outliers);
  for (const Lane& lane : lanes) {
    const char* kinds[] = {"bsgp", "serial", "simd", "parallel"};
    const char* kind = lane.all ? "all" : kinds[lane.form->kind];
    std::printf("%s\n    {\"kind\": \"%s\", \"how\": \"%s\", \"most\": %g, \"beyond\": %g, \"wrong\": %s, \"ms\": [",
                &lane == lanes.data() ? "" : ",", kind, lane.form->how.c_str(), lane.most, lane.beyond,
                lane.wrong ? "true" : "false");
    for (size_t i = 0; i < lane.ms.size(); ++i)
      std::printf("%s%.6f", i ? ", " : "", lane.ms[i]);
    std::printf("]}");
  }
  std::printf("]}");
  std::fflush(stdout);
}

// False if an output was wrong.
bool measure(const Entry& entry, bsgp_context* one, bsgp_context* all, bool quick, int rounds, bool first) {
  Kernel kernel = entry.make(all, quick);
  std::vector<Lane> lanes;
  for (const Form& form : kernel.forms) {
    lanes.push_back({.form = &form, .context = one, .ms = {}});
    if (form.kind == Form::Bsgp)
      lanes.push_back({.form = &form, .context = all, .all = true, .ms = {}});
  }
  auto serial = std::find_if(lanes.begin(), lanes.end(), [](const Lane& l) { return l.form->kind == Form::Serial; });
  std::vector<float> expected = outputOf(kernel, *serial);
  bool right = true;
  for (Lane& lane : lanes) {
    compare(kernel, lane, expected);
    right = right && !lane.wrong;
  }
  for (int round = 0; round < rounds; ++round)
    for (Lane& lane : lanes)
      if (round < kLeastRounds || lane.total < kBudgetMs)
        lane.ms.push_back(sample(kernel, lane));
  print(entry.name, kernel, lanes, first);
  return right;
}

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
  bool quick = false;
  int rounds = 9;
  std::vector<std::string> only;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--quick"))
      quick = true, rounds = 3;
    else if (!std::strcmp(argv[i], "--rounds") && i + 1 < argc)
      rounds = std::atoi(argv[++i]);
    else
      only.push_back(argv[i]);
  bsgp::Context one({.threads = 1}), all;
  std::printf("{\"threads\": %u, \"target\": \"%s\", \"results\": [", all.threads(), all.target());
  bool right = true, first = true;
  for (const bench::Entry& entry : bench::kEntries) {
    if (!only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& name) {
          return std::string(entry.name).find(name) != std::string::npos;
        }))
      continue;
    if (isatty(2))
      std::fprintf(stderr, "\r%-30s", entry.name);
    right &= bench::measure(entry, one, all, quick, rounds, first);
    first = false;
  }
  if (isatty(2))
    std::fprintf(stderr, "\r%30s\r", "");
  std::printf("\n]}\n");
  return right ? 0 : 1;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
