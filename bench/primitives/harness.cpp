#include "harness.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sys/resource.h>
#include <thread>

#include "limits.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// Threads that slept run their first calls at half the speed: their processors were halted, and others have used the caches.
constexpr double kWarmMs = 2, kSampleMs = 1.5, kLongMs = 300;
constexpr size_t kMostCalls = 200;
constexpr int kTries = 3;

double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// How often other threads took a processor from this process' ones.
long preemptions() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// A peer's times in one problem, one for each round; negative: left out.
struct Samples {
  const Peer* peer;
  std::vector<double> ms;
  double once = 0, total = 0;
  std::string wrong;
};

class Measurement {
public:
  Measurement(const Problem& problem, Work& work, bool quick)
      : problem_(problem), work_(work), rounds_(quick ? 5 : 9), budget_ms_(quick ? 400 : 2500) {
    limit_.name = problem.reads_only ? "limit: read" : "limit: copy";
    limit_.run = problem.reads_only ? readAll : copyAll;
    samples_.push_back({.peer = &limit_, .ms = {}, .wrong = {}});
    for (const Peer& peer : problem.peers)
      if (work.n <= peer.most)
        samples_.push_back({.peer = &peer, .ms = {}, .wrong = {}});
  }

  std::vector<Samples> run() {
    for (Samples& samples : samples_)
      first(samples);
    for (int round = 0; round < rounds_; ++round)
      for (Samples& samples : samples_)
        samples.ms.push_back(round == 0 || samples.total < budget_ms_ ? sample(samples) : -1);
    return samples_;
  }

private:
  // Not timed: what a run needs that its predecessor changed.
  void prepare(const Peer& peer) {
    if (&peer == &limit_ || !(problem_.sorts || peer.in_place))
      return;
    if (peer.packed)
      work_.team->pieces(work_.n, 1 << 15, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          work_.packed[i] = uint64_t(work_.keys[i]) << 32 | work_.values[i];
      });
    else
      bothOut([](uint32_t& to, uint32_t from) { to = from; });
  }

  template <class Function> void bothOut(const Function& function) {
    work_.team->pieces(work_.n, 1 << 15, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        function(work_.out[i], work_.keys[i]);
        function(work_.out2[i], work_.values[i]);
      }
    });
  }

  double timed(const Peer& peer) {
    prepare(peer);
    auto begin = Clock::now();
    peer.run(work_);
    return msSince(begin);
  }

  // The first run is checked.
  void first(Samples& samples) {
    const Peer& peer = *samples.peer;
    work_.count = 0;
    work_.sum = 0;
    bothOut([](uint32_t& to, uint32_t) { to = 0xCDCDCDCD; });
    samples.once = timed(peer); // no sample: memory is allocated and threads are made for the first time
    if (peer.packed)
      for (size_t i = 0; i < work_.n; ++i) {
        work_.out[i] = uint32_t(work_.packed[i] >> 32);
        work_.out2[i] = uint32_t(work_.packed[i]);
      }
    if (&peer != &limit_)
      samples.wrong = problem_.check(work_);
    // The number of calls of a sample follows this time.
    if (samples.once < kLongMs)
      samples.once = std::min(samples.once, timed(peer));
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(peer.lingers_ms));
  }

  // The time of a call on threads that are awake, after those of others have gone to sleep. One more try, and another,
  // where other programs took a processor away.
  double sample(Samples& samples) {
    const Peer& peer = *samples.peer;
    if (samples.once < kSampleMs)
      for (auto begin = Clock::now(); msSince(begin) < kWarmMs;)
        samples.once = std::min(samples.once, timed(peer));
    double least = 1e300;
    bool disturbed = true;
    int tries = samples.once < kLongMs ? kTries : 1;
    for (int i = 0; i < tries && disturbed; ++i) {
      long before = preemptions();
      least = std::min(least, medianOfCalls(samples));
      disturbed = preemptions() != before;
    }
    ++samples_taken;
    samples_disturbed += disturbed;
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(peer.lingers_ms));
    return least;
  }

  double medianOfCalls(Samples& samples) {
    size_t calls = std::clamp(size_t(kSampleMs / samples.once), size_t(1), kMostCalls);
    std::vector<double> times(calls);
    for (double& time : times)
      time = timed(*samples.peer);
    std::nth_element(times.begin(), times.begin() + ptrdiff_t(calls / 2), times.end());
    samples.total += times[calls / 2] * double(calls);
    return times[calls / 2];
  }

  const Problem& problem_;
  Work& work_;
  int rounds_;
  double budget_ms_;
  Peer limit_;
  std::vector<Samples> samples_;

public:
  int samples_taken = 0, samples_disturbed = 0;
};

void print(const Problem& problem, const Work& work, const std::vector<Samples>& all, bool& first) {
  for (const Samples& samples : all) {
    std::printf("%s\n  {\"problem\": \"%s\", \"n\": %zu, \"bytes\": %.0f, \"limit\": \"%s\", \"peer\": \"%s\", "
                "\"wrong\": \"%s\", \"ms\": [",
                first ? "" : ",", problem.name.c_str(), work.n, problem.bytes * double(work.n),
                problem.reads_only ? "read" : "copy", samples.peer->name.c_str(), samples.wrong.c_str());
    first = false;
    for (size_t i = 0; i < samples.ms.size(); ++i)
      samples.ms[i] < 0 ? std::printf("%snull", i ? ", " : "") : std::printf("%s%.6f", i ? ", " : "", samples.ms[i]);
    std::printf("]}");
  }
  std::fflush(stdout);
}

template <class T> T* allocate(bsgp_context* context, size_t n) {
  void* memory = nullptr;
  if (bsgp_alloc(context, n * sizeof(T), &memory) != BSGP_OK) {
    std::fprintf(stderr, "%s\n", bsgp_error_message());
    std::exit(1);
  }
  return static_cast<T*>(memory);
}

// Filled, so that no peer pays for the first touch.
Work allocateWork(bsgp_context* context, Team& team, size_t n) {
  constexpr size_t kRoom = 1024; // for 256 bins, and for meshes, which have at least one square
  Work work{.team = &team, .context = context, .n = n};
  for (uint32_t** array : {&work.keys, &work.values, &work.out, &work.out2})
    std::fill_n(*array = allocate<uint32_t>(context, n + kRoom), n + kRoom, 1);
  for (uint64_t** array : {&work.packed, &work.spare, &work.spare2})
    std::fill_n(*array = allocate<uint64_t>(context, n + kRoom), n + kRoom, 1);
  return work;
}

std::vector<size_t> sizesOf(const Problem& problem, const Settings& settings) {
  if (!settings.sizes.empty())
    return settings.sizes;
  if (problem.mesh)
    return {settings.quick ? size_t(3'000'000) : size_t(30'000'000)};
  return {10'000, 1'000'000, settings.quick ? size_t(16) << 20 : size_t(64) << 20};
}

bool wanted(const Problem& problem, const Settings& settings) {
  return settings.only.empty() || std::any_of(settings.only.begin(), settings.only.end(), [&](const std::string& name) {
           return problem.name.find(name) != std::string::npos;
         });
}

} // namespace

bool measure(Problems& problems, const Settings& settings) {
  Team team;
  bsgp_context* context = bsgp_context_create(nullptr);
  size_t most = 0;
  for (const Problem& problem : problems)
    if (wanted(problem, settings))
      for (size_t n : sizesOf(problem, settings))
        most = std::max(most, n);
  Work work = allocateWork(context, team, most);
  bool right = true, first = true;
  int taken = 0, disturbed = 0;
  std::printf("{\"threads\": %u, \"results\": [", team.size());
  for (const Problem& problem : problems)
    for (size_t n : wanted(problem, settings) ? sizesOf(problem, settings) : std::vector<size_t>{}) {
      std::fprintf(stderr, "\r%-60s", (problem.name + ", " + std::to_string(n)).c_str());
      work.n = n;
      problem.setup(work);
      Measurement measurement(problem, work, settings.quick);
      std::vector<Samples> all = measurement.run();
      taken += measurement.samples_taken;
      disturbed += measurement.samples_disturbed;
      print(problem, work, all, first);
      for (const Samples& samples : all)
        right = right && samples.wrong.empty();
    }
  std::fprintf(stderr, "\r%60s\r", "");
  std::printf("\n], \"samples\": %d, \"disturbed\": %d}\n", taken, disturbed);
  bsgp_context_destroy(context);
  return right;
}

} // namespace bench
