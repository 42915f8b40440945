// Finds races of one launch: an access is compared with the entry of its granule, and the entry is changed by
// compare-and-swap. An unchanged entry is not written. If atomics may order threads, the access is compared with all
// that it may race with (history.h).
#pragma once

#include <algorithm>

#include "runtime/check/history.h"
#include "runtime/check/launch.h"

namespace bsgp::runtime::check {

inline RaceClass raceClassOf(const bsgp_check_site& site) {
  constexpr RaceClass kClasses[] = {RaceClass::Read, RaceClass::Write, RaceClass::AtomicLoad, RaceClass::AtomicWrite,
                                    RaceClass::AtomicWrite};
  return kClasses[site.access];
}

// An access of thread `rank`. Device memory: its allocation, by offset.
struct Reach {
  const bsgp_launch& launch;
  int64_t rank;
  const bsgp_check_site& site;
  Worker& worker;
  uintptr_t base = 0; // of the memory: the pointer that the address was computed from
};

// 0 if it is too large for an entry.
inline uint64_t numberOf(const bsgp_check_site& site, const entry::Layout& layout) {
  return site.number + 1 < layout.sites() ? site.number + 1 : 0;
}

// Only the entries of one access are compared; slow() is for rare cases.
class Races {
public:
  static void device(const Reach& reach, Allocation& memory, uint64_t offset) {
    if (reach.site.flags & BSGP_SITE_ORDERS) [[unlikely]]
      return ordered(reach, memory, offset);
    RaceShadow& shadow = reach.launch.check->checker->shadows.get(memory.races, memory.bytes, offset, reach.site.bytes);
    const bsgp_check_launch& check = *reach.launch.check;
    RaceClass access_class = raceClassOf(reach.site);
    int64_t group = reach.site.flags & BSGP_SITE_SYNCS ? reach.launch.block : 1;
    uint64_t last = (offset + reach.site.bytes - 1) >> shadow.shift();
    for (uint64_t i = offset >> shadow.shift(); i <= last; ++i) {
      uint64_t entry = shadow[i].load(std::memory_order_relaxed);
      if (entry::epochOf(entry) != check.epoch && beginEntry(shadow[i], entry, reach))
        continue;
      bool is_owner = check.layout.rankOf(entry) == reach.rank;
      if (entry::epochOf(entry) == check.epoch && (is_owner || group == 1) &&
          raceStep(entry::stateOf(entry), is_owner, access_class).next == entry::stateOf(entry))
        continue;
      change(reach, memory, shadow, i, offset, group);
    }
    if (group > 1)
      inBlock(reach, &memory, memory.begin + offset);
  }
  // Checks an access to shared memory, of the array that begins there.
  static void shared(const Reach& reach, uint64_t address, uint64_t begin);
  static BlockRaces& runningBlock(const bsgp_launch& launch, int64_t rank, Worker& worker) {
    int64_t block = worker.blockOf(rank, launch.block);
    worker.races.enter({launch.check->serial, block}, std::min(launch.block, launch.size - block * launch.block));
    return worker.races;
  }
  // A thread comes to a block.sync; or all threads of its block have passed one.
  static void blockSync(const bsgp_launch& launch, int64_t rank) {
    Orders& orders = *launch.check->orders;
    if (runningBlock(launch, rank, Worker::mine()).blockSync(uint32_t(rank % launch.block)) && orders.now())
      orders.blockSync(rank);
  }
  static void warpSync(const bsgp_launch& launch, int64_t rank) {
    Orders& orders = *launch.check->orders;
    if (runningBlock(launch, rank, Worker::mine()).warpSync(uint32_t(rank % launch.block)) && orders.now())
      orders.warpSync(rank);
  }
  static void blockSyncOfAll(const bsgp_launch& launch, int64_t rank) {
    runningBlock(launch, rank, Worker::mine()).blockSyncOfAll();
    if (launch.check->orders->now())
      launch.check->orders->blockSync(rank);
  }
  static void put(const Reach& reach, int64_t target, int32_t put);
  // Orders an access at the address around `judge`: its acquire comes before it, and it comes before its release.
  template <class Judge> static void inOrder(const Reach& reach, uint64_t address, const Judge& judge) {
    if (!(reach.site.flags & BSGP_SITE_ORDERS)) [[likely]]
      return judge();
    if (!reach.launch.check->orders->now())
      reach.launch.check->orders->start();
    bool is_store = reach.site.access == BSGP_ACCESS_ATOMIC_STORE;
    if (reach.site.access >= BSGP_ACCESS_ATOMIC_LOAD && !is_store)
      order(reach, address);
    judge();
    if (is_store)
      order(reach, address);
  }

private:
  static void order(const Reach& reach, uint64_t address); // of an atomic
  // Looks at the running block alone: for shared memory, and for threads of one block that passes block.sync.
  static void inBlock(const Reach& reach, const Allocation* memory, uint64_t address, uint64_t begin = 0);
  // Begins the entry of a granule in this launch. False if another thread came first, or if the shadow is written
  // anew.
  static bool beginEntry(std::atomic<uint64_t>& slot, uint64_t old, const Reach& reach) {
    const bsgp_check_launch& check = *reach.launch.check;
    RaceState first = raceStep(0, true, raceClassOf(reach.site)).next;
    uint64_t fresh = check.layout.make(check.epoch, first, numberOf(reach.site, check.layout), reach.rank);
    return old != entry::kMoved &&
           slot.compare_exchange_strong(old, fresh, std::memory_order_acq_rel, std::memory_order_relaxed);
  }
  // The entry of a granule, as an access finds it.
  struct Found {
    Allocation& memory;
    RaceShadow& shadow;
    uint64_t granule;
    int64_t group;  // threads of one group are ordered
    uint64_t entry; // as it was
    uint64_t offset() const { return granule << shadow.shift(); }
  };
  static void change(const Reach& reach, Allocation& memory, RaceShadow& shadow, uint64_t granule, uint64_t offset,
                     int64_t group);
  static void ordered(const Reach& reach, const Allocation& memory, uint64_t offset);
  static void judge(const Reach& reach, const History::Verdict& verdict, Finding finding);
  static Finding findingOf(const Reach& reach, const Allocation* memory);
  static Finding findingAt(const Reach& reach, const Allocation& memory, uint64_t offset);
  static void remember(const Reach& reach, const Found& found, const RaceStep& step, uint64_t mine);
  static void tell(const Reach& reach, const Found& found);
  static bool setOther(Finding& finding, const Reach& reach, uint64_t word, int64_t group);
};

} // namespace bsgp::runtime::check
