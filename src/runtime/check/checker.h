// The checks of one context: their settings, the memory that exists, and the findings.
//
// The folder `runtime/check` takes the calls of check_abi.h (calls.cpp) and reports errors (report.h). Every access
// looks up the allocation of its pointer (allocations.h) and is compared with its bounds. A context that does not
// check has none of this.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "plan/check_abi.h"
#include "runtime/check/allocations.h"
#include "runtime/check/quarantine.h"
#include "runtime/check/report.h"
#include "runtime/check/unset.h"
#include "runtime/check/unset_copies.h"
#include "runtime/watch.h"

namespace bsgp::runtime::check {

class Orders;

struct Settings {
  uint32_t kinds = 0;    // bits of bsgp_check_kind; 0: nothing is checked
  uint64_t limit = 20;   // reports that are printed
  std::string json_path; // "": none
};

class Checker final : public Watch {
public:
  explicit Checker(Settings settings, uint32_t most_allocations = AllocationMap::kMostRecords)
      : allocations(most_allocations), settings_(std::move(settings)) {}
  ~Checker() override;

  std::vector<WatchedBlock> allocated(const WatchedBlock& block, const Origin& origin) override;
  std::vector<WatchedBlock> freed(const WatchedBlock& block, bool is_damaged, const bsgp_site* at,
                                  uint64_t peak_bytes) override;
  std::vector<WatchedBlock> releaseAll() override;
  void listHas(void* data, uint64_t bytes) override { allocations.listHas(data, bytes); }
  void listReserves(void* data, uint64_t bytes) override { allocations.listReserves(data, bytes); }
  std::string whyNotFreed(const void* block, Space space) const override;
  bool mayCopy(const void* pointer, uint64_t bytes, uint8_t access, bool is_mapped_here, const bsgp_site* site,
               bsgp_call* call) override;
  // If nothing was written there, and the host gets it, that is reported at `site`.
  void copied(const void* to, Space to_space, const void* from, uint64_t bytes, const bsgp_site* site,
              bsgp_call* call = nullptr) override;
  std::unique_ptr<CallWatch> callBegins() override;
  std::string callEnds(CallWatch& call) override;
  std::unique_ptr<LaunchWatch> launchBegins(const bsgp_call& call, const bsgp_plan& plan, const bsgp_kernel& kernel,
                                            const char* frame, int64_t threads) override;
  bool reportAll(const char* ended_by = nullptr, bool was_reported = false) override;
  void reportAtEndOnly() override { tells_calls_ = false; }
  bool foundErrors() const override { return reports.errors() > 0; }

  bool looksFor(uint32_t kind) const { return (settings_.kinds & kind) != 0; }
  // Are called around each launch, of so many threads. `orders` lives as long.
  void begin(bsgp_check_launch& launch, Orders& orders, int64_t threads);
  void end(const bsgp_check_launch& launch);
  // Returns entries for `count` threads that a put may go to.
  RaceShadow& putsOf(uint32_t put, uint64_t count);
  static constexpr uint32_t kPuts = 4096; // others are not checked

  // Notes that an atomic has given or left a value that depends on the order of threads: so may all that they do.
  void sawAtomic() {
    if (!has_atomics_.load(std::memory_order_relaxed))
      has_atomics_.store(true, std::memory_order_relaxed);
  }
  // Notes that code reports its writes, or asks for them: all other memory was not written.
  void followsWrites() {
    if (!follows_writes_.load(std::memory_order_relaxed))
      follows_writes_.store(true, std::memory_order_relaxed);
  }
  // Notes that code compiled with checks has run.
  void sawCode() {
    if (!saw_code_.load(std::memory_order_relaxed))
      saw_code_.store(true, std::memory_order_relaxed);
  }
  // Copies the written-bits along with the bytes.
  void moved(uintptr_t to, uintptr_t from, uint64_t bytes);
  void setVariable(uintptr_t begin, uint64_t bytes, bool is_set);
  void unsetVariable(uintptr_t begin, uint64_t bytes);
  // The memory goes to code that is not watched (bsgp_rt_check_reached), and counts as written.
  void reached(const void* pointer, uint64_t bytes, bool holds_pointers);
  // Counts an error of a kind that was not asked for.
  void countOutside() { outside_.fetch_add(1, std::memory_order_relaxed); }
  void countUnjudged(uint64_t pairs = 1) { unjudged_.fetch_add(pairs, std::memory_order_relaxed); }
  uint64_t unjudged() const { return unjudged_.load(std::memory_order_relaxed); }
  // Notes that code for a GPU has run, which only compares blocks with each other; `lost` of its findings were
  // dropped.
  void ranOnGpu(uint64_t lost) {
    on_gpu_.store(true, std::memory_order_relaxed);
    lost_.fetch_add(lost, std::memory_order_relaxed);
  }

  AllocationMap allocations;
  Shadows shadows;
  UnsetRanges unset; // of host code, beside its allocations
  UnsetCopies unset_copies;
  Reports reports;

private:
  // False: there are too many allocations.
  bool add(void* block, uint64_t bytes, Space space, Origin origin);
  Allocation* free(void* block, const bsgp_site* at);
  void forget(Allocation* allocation); // nobody can mean it any more
  std::vector<WatchedBlock> released(const std::vector<Quarantine::Block>& blocks);
  void reachedByCallers(); // the same for all memory of host code
  // The first error of a call, or after `before` of no known call, as a text; "": there is none, or it is reported at the
  // end only.
  std::string firstError(const CallFindings& call, uint64_t before) const;
  void forgetLaunches();
  uint32_t judgedKinds() const;

  const Settings settings_;
  Quarantine quarantine_, host_quarantine_;
  bool tells_calls_ = true, has_told_ = false;
  std::mutex tell_mutex_;   // of has_told_
  std::mutex launch_mutex_; // of the next three
  std::condition_variable launch_ended_;
  uint64_t launches_ = 0;
  uint32_t running_ = 0;
  std::atomic<uint64_t> unjudged_{0}, outside_{0}, lost_{0};
  std::atomic<RaceShadow*> puts_[kPuts]{};
  std::atomic<bool> on_gpu_{false}, has_atomics_{false}, follows_writes_{false}, saw_code_{false};
};

} // namespace bsgp::runtime::check
