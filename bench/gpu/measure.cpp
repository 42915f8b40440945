// In a round every peer of a problem takes its turn, so that what disturbs the machine disturbs all of them. A sample
// is as many calls as make a millisecond, over arrays that no cache holds. Twice: by the host's clock, each call waited
// for and its result fetched; and by events on the device, calls one after the other.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "arrays.h"

namespace bench::gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleMs = 1, kPeerMs = 6000; // a peer gets no more rounds after that long
constexpr size_t kMostCalls = 200, kFewestRounds = 5;
constexpr size_t kCheckedAgain = size_t(1) << 24; // up to here, after the times too

double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A peer's times, one for each round, of a call.
struct Samples {
  Peer* peer;
  std::vector<double> host_ms, device_ms;
  double once = 1e300, spent = 0;
  std::string wrong;
};

class Measurement {
public:
  Measurement(const Problem& problem, Arrays& arrays, DeviceClock* clock)
      : problem_(problem), arrays_(arrays), clock_(clock) {
    for (const auto& peer : problem.peers)
      samples_.push_back({.peer = peer.get(), .host_ms = {}, .device_ms = {}, .wrong = {}});
  }

  // No rounds: only checks.
  std::vector<Samples> run(int rounds) {
    for (Samples& samples : samples_) {
      samples.peer->setUp(arrays_.slice(0));
      checked(samples);
    }
    for (Samples& samples : samples_)
      for (int i = 0; rounds && i < 3; ++i)
        samples.once = std::min(samples.once, byHost(*samples.peer, 1));
    for (int round = 0; round < rounds; ++round)
      for (Samples& samples : samples_)
        if (round < int(kFewestRounds) || samples.spent < kPeerMs)
          sample(samples);
    if (rounds && arrays_.n() <= kCheckedAgain)
      for (Samples& samples : samples_)
        checked(samples);
    return samples_;
  }

private:
  void checked(Samples& samples) {
    Peer& peer = *samples.peer;
    if (peer.limit)
      return;
    arrays_.poison();
    if (peer.in_place)
      arrays_.refill();
    Work work = arrays_.slice(0);
    work.bins.fill(0xCDCDCDCD);
    peer.launch(work);
    peer.fetch(work);
    if (samples.wrong.empty())
      samples.wrong = arrays_.check(problem_, work, peer.any_order);
    if (!samples.wrong.empty())
      std::fprintf(stderr, "WRONG: %s, %s, %zu: %s\n", problem_.name.c_str(), peer.name.c_str(), arrays_.n(),
                   samples.wrong.c_str());
  }

  // The time of one of `calls` calls, each waited for.
  double byHost(Peer& peer, size_t calls) {
    std::vector<Work> works = prepare(peer, calls);
    auto begin = Clock::now();
    for (Work& work : works) {
      peer.launch(work);
      peer.fetch(work);
    }
    return msSince(begin) / double(calls) / peer.calls;
  }

  double byDevice(Peer& peer, size_t calls) {
    std::vector<Work> works = prepare(peer, calls);
    clock_->begin();
    for (Work& work : works)
      peer.launch(work);
    return clock_->endMs() / double(calls) / peer.calls;
  }

  std::vector<Work> prepare(const Peer& peer, size_t calls) {
    if (peer.in_place)
      arrays_.refill();
    std::vector<Work> works;
    for (size_t i = 0; i < calls; ++i) {
      works.push_back(arrays_.slice(next_++));
      works.back().count = 1; // not one that is checked
    }
    return works;
  }

  // What works in place finds sorted what it sorted before: no slice twice.
  void sample(Samples& samples) {
    auto begin = Clock::now();
    size_t most = samples.peer->in_place ? std::min(arrays_.slices(), kMostCalls) : kMostCalls;
    size_t calls = std::clamp(size_t(kSampleMs / samples.once), size_t(1), most);
    samples.host_ms.push_back(byHost(*samples.peer, calls));
    if (clock_)
      samples.device_ms.push_back(byDevice(*samples.peer, calls));
    samples.spent += msSince(begin);
  }

  const Problem& problem_;
  Arrays& arrays_;
  DeviceClock* clock_;
  std::vector<Samples> samples_;
  size_t next_ = 0;
};

std::string list(const std::vector<double>& numbers) {
  std::string text;
  char one[32];
  for (double number : numbers) {
    std::snprintf(one, sizeof one, "%s%.6f", text.empty() ? "" : ", ", number);
    text += one;
  }
  return "[" + text + "]";
}

void print(const Problem& problem, size_t n, const std::vector<Samples>& all) {
  for (const Samples& samples : all)
    std::printf("{\"problem\": \"%s\", \"n\": %zu, \"bytes\": %.0f, \"peer\": \"%s\", \"ours\": %s, \"limit\": %s, "
                "\"wrong\": \"%s\", "
                "\"host_ms\": %s, \"device_ms\": %s}\n",
                problem.name.c_str(), n, problem.bytes * double(n), samples.peer->name.c_str(),
                samples.peer->ours ? "true" : "false", samples.peer->limit ? "true" : "false", samples.wrong.c_str(),
                list(samples.host_ms).c_str(), list(samples.device_ms).c_str());
  std::fflush(stdout);
}

bool wanted(const Problem& problem, const Settings& settings) {
  return settings.only.empty() || std::any_of(settings.only.begin(), settings.only.end(), [&](const std::string& name) {
           return problem.name.find(name) != std::string::npos;
         });
}

std::vector<size_t> sizesOf(const Problem& problem, const Settings& settings) {
  if (problem.mesh) // corners: three for each triangle
    return {settings.check ? size_t(30'000) : size_t(30'000'000)};
  return problem.sizes.empty() ? settings.sizes : problem.sizes;
}

// A size for which there is no memory is left out, and said.
bool measureOne(const Problem& problem, size_t n, const Settings& settings, bsgp_context* context, DeviceClock* clock,
                Team& team) try {
  auto begin = Clock::now();
  Arrays arrays(problem, context, team, n, settings.check ? 0 : settings.rotate);
  auto all = Measurement(problem, arrays, clock).run(settings.check ? 0 : settings.rounds);
  print(problem, arrays.n(), all);
  std::fprintf(stderr, "%s, %zu: %.1f s\n", problem.name.c_str(), n, msSince(begin) / 1e3);
  return std::all_of(all.begin(), all.end(), [](const Samples& s) { return s.wrong.empty(); });
} catch (const OutOfMemory& error) {
  std::fprintf(stderr, "%s, %zu: left out: %s\n", problem.name.c_str(), n, error.what());
  return true;
} catch (const std::exception& error) {
  std::fprintf(stderr, "FAILED: %s, %zu: %s\n", problem.name.c_str(), n, error.what());
  return false;
}

} // namespace

bool measure(Problems& problems, const Settings& settings, bsgp_context* context, DeviceClock* clock) {
  Team team;
  bool right = true;
  for (Problem& problem : problems)
    if (wanted(problem, settings))
      for (size_t n : sizesOf(problem, settings))
        right &= measureOne(problem, n, settings, context, clock, team);
  return right;
}

} // namespace bench::gpu
