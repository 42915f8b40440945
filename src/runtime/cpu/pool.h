// Threads that execute the blocks of a launch together with the thread that asks for it.
//
// Below a millisecond of work, the start of the work matters most (docs/performance.md):
// - a launch never waits for a sleeping worker;
// - workers look for work for some time before they sleep;
// - the caller does alone what takes less time alone than shared;
// - a thread gets the same part of each launch: it is in its cache.
//
// Each worker is pinned to a processor, one for each. The worker on the caller's processor stays out: so the caller
// keeps its processor, wherever it runs, without being pinned itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/interrupt.h"

namespace bsgp::runtime {

class Pool {
public:
  struct Options {
    unsigned threads = 0; // with the caller; 0: as many as this process may use; fewer if it does not get them
    std::chrono::microseconds spin{200}; // the time for which a worker looks for work before it sleeps
    bool always_share = false;           // never measure whether sharing pays (tests)
  };
  using Body = void (*)(const void* context, int64_t first, int64_t end);

  explicit Pool(const Options& options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned threads() const { return threads_; }

  // Covers [0, count) exactly once by calls of body on ranges, on several threads, in any order; returns when all are
  // done. Several threads may call it: one gets the workers, the others work alone until they are free. Large items
  // are shared at once, one by one: to find out whether that pays would take as long as the first of them. If earlier
  // runs of the same `work` were short, it is done at once: a look at the clock takes as long as a small launch.
  // Null: nothing is known. If `most_in_order` is not 0, a range begins when all before it have begun, and has no
  // more items than that while several threads work. Inside of an Interrupt of the calling thread, items are left out once that is ended.
  enum class Items { Unknown, Large };
  void run(int64_t count, Body body, const void* context, Items items = Items::Unknown, const void* work = nullptr,
           int64_t most_in_order = 0);

  template <class Function>
  void forRanges(int64_t count, const Function& function, Items items = Items::Unknown, const void* work = nullptr,
                 int64_t most_in_order = 0) {
    run(
        count, [](const void* f, int64_t first, int64_t end) { (*static_cast<const Function*>(f))(first, end); },
        &function, items, work, most_in_order);
  }

private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Body body = nullptr;
    const void* context = nullptr;
    int64_t end = 0, grain = 1;
    bool in_order = false;
    Interrupt* interrupt = nullptr; // of the caller
  };
  // A part of a job for one thread, or for a few: they take ranges from its begin, others from its end when theirs is
  // done.
  struct alignas(64) Region {
    std::atomic<uint64_t> left{0}; // ranges: the first one, and (upper half) the one behind the last
    int64_t begin = 0, end = 0;    // items
    bool take(bool from_end, uint32_t& range);
  };
  struct alignas(64) Worker {
    std::atomic<uint32_t> asleep{0}; // the futex that it sleeps on
    unsigned number = 0;             // among the workers
    int cpu = -1;                    // -1: not pinned; ascending
    std::thread thread;
  };

  // The time that an item of some work took when it was last measured.
  class Known {
  public:
    bool isShort(const void* work, int64_t count); // for this many; now and then it asks for another measurement
    void measured(const void* work, double ns_each);

  private:
    std::atomic<uint64_t>& slot(const void* work) { return slots_[(uintptr_t(work) >> 4) % std::size(slots_)]; }
    static uint64_t keyOf(const void* work) { return uint64_t(uintptr_t(work)) << 16; }
    // The address's low 48 bits, how many times it is believed yet, ns; if several threads write at once, one of them
    // wins.
    std::atomic<uint64_t> slots_[128]{};
  };

  void start(unsigned threads);
  bool startWorkers(const std::vector<int>& cpus);
  void endWorkers();
  void serve(Worker& self);
  bool awaitBell(Worker& self, uint32_t& heard);
  void sleep(Worker& self, uint32_t heard);
  void wake(unsigned most, int here);
  bool join();
  void leave();
  void divide(const Job& job, int64_t first);
  bool isLeft() const;
  unsigned regionOf(const Worker& worker) const;
  void claimRanges(unsigned own, Interrupt* asking); // asking: the caller's own; null: a worker, or nobody asks
  bool worthSharing(int64_t ns_left) const;
  int callerCpu() const;
  void ranAlone(Clock::time_point begin);
  int64_t grainOf(int64_t count, double ns_each) const;
  void runShared(const Job& job, int64_t first);
  void share(const Job& job, int64_t first);
  void awaitWorkers(Interrupt* interrupt);
  void runAlone(Interrupt& interrupt, int64_t count, Body body, const void* context, const void* short_work);

  unsigned threads_ = 1;
  std::chrono::nanoseconds spin_;
  bool always_share_;
  unsigned forks_; // of this process when the workers were started; after another one there are none
  std::vector<std::unique_ptr<Worker>> workers_;

  alignas(64) std::atomic<uint32_t> bell_{0}; // one more for each job
  std::atomic<int> caller_cpu_{-1};
  std::atomic<bool> stop_{false};
  Job job_;                                    // written while no worker is in
  std::vector<Region> regions_;                // the caller's is the first
  alignas(64) std::atomic<uint32_t> state_{0}; // open?, caller asleep?, workers in
  alignas(64) std::atomic<bool> busy_{false};  // a caller has the workers
  Known known_;
  std::atomic<unsigned> sleepers_{0};
  // The time at which a launch last ran on its caller alone although it was worth sharing, and how long such launches
  // in a row took (ranAlone): enough of them wake the workers. Steady clock.
  std::atomic<int64_t> alone_until_{0}, alone_ns_{0};
};

} // namespace bsgp::runtime
