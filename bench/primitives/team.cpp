#include "team.h"

#include <chrono>
#include <sched.h>

#include "simd.h"

namespace bench {
namespace {

constexpr std::chrono::microseconds kSpin{100};

std::vector<int> usableCpus() {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask))
      cpus.push_back(cpu);
  return cpus;
}

} // namespace

Team::Team() {
  std::vector<int> cpus = usableCpus();
  size_ = unsigned(cpus.size());
  for (int cpu : cpus) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->cpu = cpu;
  }
  for (auto& worker : workers_)
    worker->thread = std::thread([this, w = worker.get()] { serve(*w); });
}

Team::~Team() {
  stop_ = true;
  for (auto& worker : workers_) {
    worker->bell.fetch_add(1);
    worker->bell.notify_one();
  }
  for (auto& worker : workers_)
    worker->thread.join();
}

void Team::serve(Worker& self) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(self.cpu, &mask);
  sched_setaffinity(0, sizeof mask, &mask);
  for (uint32_t heard = 0;; ++heard) {
    auto begin = std::chrono::steady_clock::now();
    while (self.bell.load(std::memory_order_acquire) == heard) {
      pause();
      if (std::chrono::steady_clock::now() - begin > kSpin)
        self.bell.wait(heard);
    }
    if (stop_)
      return;
    body_(function_, self.member);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Team::start(Body body, const void* function) {
  body_ = body;
  function_ = function;
  done_.store(0, std::memory_order_relaxed);
  int here = sched_getcpu();
  unsigned member = 1;
  for (auto& worker : workers_) {
    if (worker->cpu == here || member == size_)
      continue;
    worker->member = member++;
    worker->bell.fetch_add(1, std::memory_order_release);
    worker->bell.notify_one();
  }
  body(function, 0);
  for (int i = 0; done_.load(std::memory_order_acquire) != size_ - 1; ++i)
    i < 10'000 ? pause() : (void)sched_yield();
}

void Team::sync() {
  unsigned phase = phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);
    return;
  }
  for (int i = 0; phase_.load(std::memory_order_acquire) == phase; ++i)
    i < 10'000 ? pause() : (void)sched_yield();
}

} // namespace bench
