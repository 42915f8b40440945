// A job is open while blocks may be left. Workers hear the bell, join while the job is open (state_ counts them),
// claim ranges from regions_ and leave. The caller works too, closes the job when nothing is left to claim, and waits
// only for the workers that have joined: a worker that wakes up late finds the job closed.
#include "runtime/cpu/pool.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "runtime/machine.h"
#include "runtime/pause.h"

namespace bsgp::runtime {
namespace {

constexpr uint32_t kOpen = 1u << 31, kCallerAsleep = 1u << 30, kCount = kCallerAsleep - 1;
constexpr int64_t kMostBlocksAtOnce = 64;
// Ranges of more blocks than that, if they take no longer: code that reads and writes memory is a quarter faster in
// ranges of 512 KiB and more than in 64 KiB (Zen 5; bench/primitives).
constexpr int64_t kLongRangeNs = 300'000;
constexpr int64_t kLongestRangeNs = 10'000'000; // between two looks at whether the work has to end
// Measured on two cores of an Emerald Rapids guest: starting workers that are awake costs 0.3 us, waking one takes 13
// us of the caller's time and 33 us until it works.
constexpr int64_t kShareAwakeNs = 3'000, kShareAsleepNs = 60'000;
// A shorter range makes the threads fight for the cursor, and for the lines that they write side by side.
constexpr int64_t kShortestRangeNs = 1'500;
constexpr unsigned kMostRegions = 16; // each thread looks into all of them before it is done
// Shorter launches are not measured each time, only once in so many.
constexpr uint64_t kShortNs = 1'500, kTimesBelieved = 7;
constexpr int64_t kMostShort = 64;         // blocks
constexpr int kPausesBeforeSleep = 20'000; // of a caller that waits for workers in the middle of a block

using Clock = std::chrono::steady_clock;

int64_t nsSince(Clock::time_point begin) {
  return (Clock::now() - begin).count();
}

void futexWait(std::atomic<uint32_t>& word, uint32_t value, const timespec* longest = nullptr) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, longest, nullptr, 0);
}
void futexWake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// A forked child has none of its parent's threads.
std::atomic<unsigned> fork_count{0};
unsigned forksSoFar() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1); });
  (void)registered;
  return fork_count.load(std::memory_order_relaxed);
}

void pinTo(int cpu) {
  CpuMask mask;
  CPU_SET_S(cpu, sizeof mask.words, mask.words);
  sched_setaffinity(0, sizeof mask.words, mask.words); // the processor may have gone: then unpinned
}

} // namespace

Pool::Pool(const Options& options) : spin_(options.spin), always_share_(options.always_share), forks_(forksSoFar()) {
  start(options.threads ? options.threads : usableThreads());
}

// If the system refuses one of the threads, the others begin again as a smaller pool, which is not pinned.
void Pool::start(unsigned threads) {
  threads_ = std::max(1u, threads);
  std::vector<int> cpus = usableCpus();
  while (threads_ > 1 && !startWorkers(cpus)) {
    threads_ = unsigned(workers_.size()) + 1;
    endWorkers();
    cpus.clear();
  }
}

// Starts one worker on each of the first `cpus`, or unpinned ones if those are too few. False if workers_ are only
// those that could be made. Signals of the process are for its own threads.
bool Pool::startWorkers(const std::vector<int>& cpus) {
  bool pinned = threads_ <= cpus.size();
  unsigned wanted = pinned ? threads_ : threads_ - 1;
  regions_ = std::vector<Region>(std::min(threads_, kMostRegions));
  workers_.reserve(wanted);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    while (workers_.size() < wanted) {
      auto worker = std::make_unique<Worker>();
      worker->number = unsigned(workers_.size());
      worker->cpu = pinned ? cpus[worker->number] : -1;
      worker->thread = std::thread([this, w = worker.get()] { serve(*w); });
      workers_.push_back(std::move(worker));
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return workers_.size() == wanted;
}

void Pool::endWorkers() {
  stop_.store(true);
  bell_.fetch_add(1);
  wake(UINT_MAX, -1);
  for (auto& worker : workers_)
    worker->thread.join();
  workers_.clear();
  stop_.store(false);
}

Pool::~Pool() {
  if (forks_ != forksSoFar()) {
    for (auto& worker : workers_)
      worker->thread.detach();
    return;
  }
  endWorkers();
}

// ---- workers

void Pool::serve(Worker& self) {
  pthread_setname_np(pthread_self(), "bsgp");
  if (self.cpu >= 0)
    pinTo(self.cpu);
  uint32_t heard = 0;
  while (awaitBell(self, heard))
    if (join()) {
      if (sleepers_.load(std::memory_order_relaxed) && isLeft())
        wake(2, caller_cpu_.load(std::memory_order_relaxed)); // two wake two each: the caller need not wake all
      claimRanges(regionOf(self), nullptr);
      leave();
    }
}

// False when the pool ends. A worker on the caller's processor does not look for work: it would only take the
// caller's time.
bool Pool::awaitBell(Worker& self, uint32_t& heard) {
  auto begin = Clock::now();
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      uint32_t bell = bell_.load(std::memory_order_acquire);
      if (bell != heard) {
        heard = bell;
        if (stop_.load())
          return false;
        if (self.cpu < 0 || self.cpu != caller_cpu_.load(std::memory_order_relaxed))
          return true;
        begin = {};
      }
      pause();
    }
    if (Clock::now() - begin < spin_)
      continue;
    sleep(self, heard);
    begin = Clock::now();
  }
}

void Pool::sleep(Worker& self, uint32_t heard) {
  self.asleep.store(1);
  sleepers_.fetch_add(1);
  while (self.asleep.load() == 1 && bell_.load() == heard)
    futexWait(self.asleep, 1);
  self.asleep.store(0);
  sleepers_.fetch_sub(1);
}

// Wakes all but the one pinned to the processor `here`.
void Pool::wake(unsigned most, int here) {
  for (auto& worker : workers_) {
    if (worker->asleep.load() == 0 || (here >= 0 && worker->cpu == here))
      continue;
    if (worker->asleep.exchange(0) == 1) {
      futexWake(worker->asleep);
      if (--most == 0)
        return;
    }
  }
}

bool Pool::join() {
  uint32_t state = state_.load(std::memory_order_acquire);
  while ((state & kOpen) && (state & kCount) + 1 < threads_)
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel))
      return true;
  return false;
}

void Pool::leave() {
  uint32_t left = state_.fetch_sub(1, std::memory_order_acq_rel) - 1;
  if (left == kCallerAsleep)
    futexWake(state_);
}

// False if nothing is left.
bool Pool::Region::take(bool from_end, uint32_t& range) {
  uint64_t now = left.load(std::memory_order_relaxed), next = 0;
  do {
    auto first = uint32_t(now), last = uint32_t(now >> 32);
    if (first == last)
      return false;
    range = from_end ? last - 1 : first;
    next = from_end ? uint64_t(last - 1) << 32 | first : now + 1;
  } while (!left.compare_exchange_weak(now, next, std::memory_order_relaxed));
  return true;
}

// Makes the same parts of each job of so many items, however many the caller has done alone before `first`; a job in
// order has one part, which all take from.
void Pool::divide(const Job& job, int64_t first) {
  int64_t count = job.in_order ? 1 : int64_t(regions_.size());
  auto bound = [&](int64_t part) {
    part = std::min(part, count);
    return job.end / count * part + job.end % count * part / count;
  };
  for (int64_t i = 0; i < int64_t(regions_.size()); ++i) {
    Region& region = regions_[size_t(i)];
    region.begin = std::max(first, bound(i));
    region.end = std::max(first, bound(i + 1));
    auto ranges = uint64_t((region.end - region.begin + job.grain - 1) / job.grain);
    region.left.store(ranges << 32, std::memory_order_relaxed);
  }
}

bool Pool::isLeft() const {
  return std::any_of(regions_.begin(), regions_.end(), [](const Region& region) {
    uint64_t left = region.left.load(std::memory_order_relaxed);
    return uint32_t(left) != left >> 32;
  });
}

// One of the pinned workers stays out, and those behind it move up. If there are many threads, several share a
// region.
unsigned Pool::regionOf(const Worker& worker) const {
  int caller = caller_cpu_.load(std::memory_order_relaxed);
  bool moves_up = caller >= 0 && worker.cpu > caller;
  unsigned thread = std::min(worker.number + (moves_up ? 0 : 1), threads_ - 1);
  return unsigned(uint64_t(thread) * regions_.size() / threads_);
}

// A range that is taken is run: in a job in order others wait for it.
void Pool::claimRanges(unsigned own, Interrupt* asking) {
  const Job job = job_;
  auto isEnded = [&] { return job.interrupt && job.interrupt->isEnded(); };
  for (size_t i = 0; i < regions_.size(); ++i) {
    Region& region = regions_[(own + i) % regions_.size()];
    for (uint32_t range = 0; !isEnded() && region.take(i > 0 && !job.in_order, range);) {
      int64_t first = region.begin + int64_t(range) * job.grain;
      job.body(job.context, first, std::min(first + job.grain, region.end));
      if (asking)
        asking->ask();
    }
  }
}

// ---- callers

// Returns -1 if workers are not pinned.
int Pool::callerCpu() const {
  return workers_[0]->cpu < 0 ? -1 : sched_getcpu();
}

bool Pool::worthSharing(int64_t ns_left) const {
  bool awake = sleepers_.load(std::memory_order_relaxed) < workers_.size();
  return ns_left > (awake ? kShareAwakeNs : kShareAsleepNs);
}

bool Pool::Known::isShort(const void* work, int64_t count) {
  std::atomic<uint64_t>& slot = this->slot(work);
  uint64_t known = slot.load(std::memory_order_relaxed);
  uint64_t times = known >> 8 & 0xFF, ns = known & 0xFF;
  if ((known ^ keyOf(work)) >> 16 != 0 || times == 0 || ns == 0xFF || ns * uint64_t(count) > kShortNs)
    return false;
  slot.store(known - (1 << 8), std::memory_order_relaxed);
  return true;
}

void Pool::Known::measured(const void* work, double ns_each) {
  uint64_t ns = ns_each < 0xFF ? uint64_t(ns_each) + 1 : 0xFF;
  slot(work).store(keyOf(work) | kTimesBelieved << 8 | ns, std::memory_order_relaxed);
}

// Runs alone first, in steps that double, until the rest is worth sharing by the time taken so far.
void Pool::run(int64_t count, Body body, const void* context, Items items, const void* work, int64_t most_in_order) {
  if (count <= 0)
    return;
  Interrupt* interrupt = Interrupt::current();
  if (interrupt && interrupt->isEnded()) [[unlikely]]
    return;
  bool is_alone = workers_.empty() || forks_ != forksSoFar();
  if (count == 1 || (is_alone && !interrupt))
    return body(context, 0, count);
  bool in_order = most_in_order != 0;
  int64_t most = in_order ? most_in_order : INT64_MAX;
  bool may_be_short = work && count <= kMostShort;
  if (is_alone)
    return runAlone(*interrupt, count, body, context, may_be_short ? work : nullptr);
  if (always_share_ || items == Items::Large)
    return runShared({body, context, count, 1, in_order, interrupt}, 0);
  if (may_be_short && known_.isShort(work, count))
    return body(context, 0, count);
  auto begin = Clock::now();
  double ns_each = 0;
  for (int64_t done = 0, step = 1; done < count; step = done) {
    int64_t end = std::min(done + step, count);
    body(context, done, end);
    done = end;
    if (done == count)
      break;
    ns_each = double(nsSince(begin)) / double(done);
    if (worthSharing(int64_t(ns_each * double(count - done))))
      return runShared({body, context, count, std::min(grainOf(count - done, ns_each), most), in_order, interrupt},
                       done);
  }
  if (ns_each * double(count) > kShareAwakeNs)
    ranAlone(begin);
  else if (may_be_short)
    known_.measured(work, double(nsSince(begin)) / double(count));
}

void Pool::runAlone(Interrupt& interrupt, int64_t count, Body body, const void* context, const void* short_work) {
  if (short_work && known_.isShort(short_work, count))
    return body(context, 0, count);
  auto begin = Clock::now();
  if (runInSteps(interrupt, count, body, context) && short_work)
    known_.measured(short_work, double(nsSince(begin)) / double(count));
}

// Notes work that would have been shared, had the workers been awake. One such launch is not worth waking them, a row
// of them is.
void Pool::ranAlone(Clock::time_point begin) {
  auto now = Clock::now();
  int64_t idle =
      (begin.time_since_epoch() - std::chrono::nanoseconds(alone_until_.load(std::memory_order_relaxed))).count();
  int64_t before = idle < spin_.count() ? alone_ns_.load(std::memory_order_relaxed) : 0;
  int64_t alone = before + (now - begin).count();
  alone_until_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  alone_ns_.store(alone > kShareAsleepNs ? 0 : alone, std::memory_order_relaxed);
  if (alone > kShareAsleepNs)
    wake(2, callerCpu());
}

int64_t Pool::grainOf(int64_t count, double ns_each) const {
  int64_t shortest = int64_t(double(kShortestRangeNs) / std::max(ns_each, 1.0)) + 1;
  int64_t most = std::max(kMostBlocksAtOnce, int64_t(double(kLongRangeNs) / std::max(ns_each, 1.0)));
  most = std::min(most, int64_t(double(kLongestRangeNs) / std::max(ns_each, 1.0)) + 1);
  int64_t grain = std::clamp<int64_t>(count / (int64_t(threads_) * 16), 1, most);
  return std::max(grain, std::min(shortest, count / threads_ + 1));
}

// If another caller has the workers, this one goes on alone, range by range.
void Pool::runShared(const Job& job, int64_t first) {
  while (first < job.end) {
    if (!busy_.load(std::memory_order_relaxed) && !busy_.exchange(true, std::memory_order_acquire))
      return share(job, first);
    int64_t end = std::min(first + job.grain, job.end);
    job.body(job.context, first, end);
    first = end;
    if (job.interrupt && job.interrupt->ask())
      return;
  }
}

void Pool::share(const Job& job, int64_t first) {
  job_ = job;
  job_.grain = std::max(job.grain, job.end >> 31); // ranges are counted in 32 bits
  divide(job_, first);
  int here = callerCpu();
  caller_cpu_.store(here, std::memory_order_relaxed);
  state_.store(kOpen, std::memory_order_release);
  bell_.fetch_add(1);
  if (sleepers_.load() != 0)
    wake(2, here);
  claimRanges(0, job.interrupt);
  awaitWorkers(job.interrupt);
  busy_.store(false, std::memory_order_release);
}

void Pool::awaitWorkers(Interrupt* interrupt) {
  uint32_t state = state_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (int i = 0; state != 0 && i < kPausesBeforeSleep; ++i) {
    pause();
    state = state_.load(std::memory_order_acquire);
  }
  if (state == 0)
    return;
  state = state_.fetch_or(kCallerAsleep, std::memory_order_acq_rel) | kCallerAsleep;
  const timespec between_asks{0, 50'000'000};
  while ((state & kCount) != 0) {
    futexWait(state_, state, interrupt ? &between_asks : nullptr);
    state = state_.load(std::memory_order_acquire);
    if (interrupt)
      interrupt->ask();
  }
  state_.store(0, std::memory_order_relaxed);
}

} // namespace bsgp::runtime
