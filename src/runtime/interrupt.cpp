#include "runtime/interrupt.h"

#include <algorithm>
#include <ctime>

#include "bsgp/bsgp.h"

namespace bsgp::runtime {

std::atomic<int (*)()> asked_for_end{nullptr};
thread_local constinit Interrupt* innermost_interrupt = nullptr;

namespace {

constexpr int64_t kMs = 1'000'000, kBetweenAsks = 50 * kMs, kStep = 5 * kMs, kShortLaunches = kMs;

constinit thread_local int64_t asked_at = 0;

// Exact to a few ms, and read in a few ns.
int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return int64_t(time.tv_sec) * 1000 * kMs + time.tv_nsec;
}

bool askAt(int64_t time) {
  auto* function = asked_for_end.load(std::memory_order_acquire);
  if (!function || time - asked_at < kBetweenAsks)
    return false;
  asked_at = time;
  return function() != 0;
}

} // namespace

bool Interrupt::ask() {
  if (!isEnded() && askAt(now()))
    is_ended_.store(true, std::memory_order_relaxed);
  return isEnded();
}

bool asksToEnd() {
  return asked_for_end.load(std::memory_order_relaxed) && askAt(now());
}

// The length of a step comes from the coarse clock, so it doubles until it is longer than a tick of that.
bool runInSteps(Interrupt& interrupt, int64_t count, void (*body)(const void* context, int64_t first, int64_t end),
                const void* context) {
  int64_t step = 1, begin = now();
  for (int64_t done = 0; done < count;) {
    int64_t end = done + std::min(step, count - done);
    body(context, done, end);
    done = end;
    if (done < count && interrupt.ask())
      return false;
    int64_t time = now(), taken = time - begin;
    begin = time;
    step = taken < kStep ? step + std::min(step, count) : taken > 4 * kStep ? std::max<int64_t>(step / 2, 1) : step;
  }
  return true;
}

bool Looks::askToEnd() {
  int64_t time = asked_for_end.load(std::memory_order_relaxed) ? now() : at_;
  every_ = time - at_ < kShortLaunches ? std::min(2 * every_, kMost) : 1;
  left_ = every_;
  at_ = time;
  return askAt(time);
}

Error interruption() {
  return {"interrupted: the program around asked for an end, and the rest of the work is not done",
          Mistake::Interruption};
}

} // namespace bsgp::runtime

extern "C" void bsgp_set_interrupt(int (*asked)(void)) {
  bsgp::runtime::asked_for_end.store(asked, std::memory_order_release);
}
