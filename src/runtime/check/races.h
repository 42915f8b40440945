// Races of one launch: an access is compared with what the entry of its granule knows, and the entry changed by
// compare-and-swap. Where nothing changes nothing is written.
#pragma once

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

// Entries other than those of one access are not looked at; slow() is for what does not happen often.
class Races {
public:
  static void device(const Reach& reach, Allocation& memory, uint64_t offset) {
    RaceShadow& shadow = reach.launch.check->checker->shadows.get(memory.races, memory.bytes, offset, reach.site.bytes);
    const bsgp_check_launch& check = *reach.launch.check;
    RaceClass access_class = raceClassOf(reach.site);
    startOrders(reach);
    int64_t group = reach.site.flags & BSGP_SITE_SYNCS ? reach.launch.block : 1;
    uint64_t last = (offset + reach.site.bytes - 1) >> shadow.shift();
    for (uint64_t i = offset >> shadow.shift(); i <= last; ++i) {
      uint64_t entry = shadow[i].load(std::memory_order_relaxed);
      bool is_owner = check.layout.rankOf(entry) == reach.rank;
      if (entry::epochOf(entry) == check.epoch && (is_owner || group == 1) &&
          raceStep(entry::stateOf(entry), is_owner, access_class).next == entry::stateOf(entry) && !check.orders->now())
        continue;
      change(reach, memory, shadow, i, offset, group);
    }
    if (group > 1)
      inBlock(reach, &memory, memory.begin + offset);
  }
  // Within the running block alone: shared memory, and what threads of one block do that passes block.sync.
  static void inBlock(const Reach& reach, const Allocation* memory, uint64_t address, uint64_t begin = 0);
  static BlockRaces& runningBlock(const bsgp_launch& launch, int64_t rank, Worker& worker) {
    worker.races.enter({launch.check->serial, worker.blockOf(rank, launch.block)}, launch.block);
    return worker.races;
  }
  static void put(const Reach& reach, int64_t target, int32_t put);
  static void order(const Reach& reach, uint64_t address); // of an atomic

private:
  static void startOrders(const Reach& reach) {
    if ((reach.site.flags & BSGP_SITE_ORDERS) && !reach.launch.check->orders->now()) [[unlikely]]
      reach.launch.check->orders->start();
  }
  // What an access finds at a granule.
  struct Found {
    Allocation& memory;
    RaceShadow& shadow;
    uint64_t granule;
    int64_t group;  // threads of one are ordered
    uint64_t entry; // as it was
    uint64_t offset() const { return granule << shadow.shift(); }
  };
  static void change(const Reach& reach, Allocation& memory, RaceShadow& shadow, uint64_t granule, uint64_t offset,
                     int64_t group);
  static bool isRace(const Reach& reach, const Found& found);
  static bool isRaceInBlock(const Reach& reach, int64_t other, const BlockRaces::Conflict& conflict);
  static void remember(const Reach& reach, const Found& found, const RaceStep& step, uint64_t mine);
  static void tell(const Reach& reach, const Found& found);
  static bool setOther(Finding& finding, const Reach& reach, uint64_t word, int64_t group);
};

} // namespace bsgp::runtime::check
