#include "runtime/check/races.h"

#include <algorithm>

namespace bsgp::runtime::check {
namespace {

constexpr uint32_t kMostSites = 1u << entry::kSiteBits;

// 0: more than an entry can tell.
uint32_t numberOf(const bsgp_check_site& site) {
  return site.number + 1 < kMostSites ? site.number + 1 : 0;
}

const bsgp_check_site* siteNumbered(const bsgp_check_site& like, uint32_t number) {
  return number && number <= like.count ? &like - like.number + (number - 1) : nullptr;
}

// Null where the owner was there twice, and the other time is what this one conflicts with.
const bsgp_check_site* conflicting(const bsgp_check_site& like, uint32_t number) {
  const bsgp_check_site* found = siteNumbered(like, number);
  return found && canRace(raceClassOf(*found), raceClassOf(like)) ? found : nullptr;
}

bool isWrite(RaceClass access_class) {
  return access_class == RaceClass::Write || access_class == RaceClass::AtomicWrite;
}

Who whoOf(const Reach& reach) {
  return {reach.launch.check, reach.rank, reach.launch.block, reach.launch.size};
}

// When the owner last wrote there (upper half), and did anything (lower), in launches whose threads release; of each byte.
std::atomic<uint64_t>& timesAt(const Reach& reach, Allocation& memory, uint64_t offset) {
  return reach.launch.check->checker->shadows.get(memory.times, memory.bytes, 0, 1)[offset];
}

void keepTime(const Reach& reach, Allocation& memory, uint64_t offset) {
  uint32_t now = reach.launch.check->orders->now();
  if (!now)
    return;
  auto& times = timesAt(reach, memory, offset);
  uint64_t written = times.load(std::memory_order_relaxed) >> 32;
  times.store((isWrite(raceClassOf(reach.site)) ? now : written) << 32 | now, std::memory_order_relaxed);
}

} // namespace

void Races::change(const Reach& reach, Allocation& memory, RaceShadow& shadow, uint64_t granule, uint64_t offset,
                   int64_t group) {
  const bsgp_check_launch& check = *reach.launch.check;
  RaceClass access_class = raceClassOf(reach.site);
  RaceShadow* current = &shadow;
  std::atomic<uint64_t>* slot = &shadow[granule];
  uint64_t at = granule << shadow.shift(), old = slot->load(std::memory_order_relaxed);
  for (;;) {
    if (old == entry::kMoved) { // soon there is a finer shadow; its granules are those of another call
      while (memory.races.load(std::memory_order_acquire) == current)
        continue;
      return device(reach, memory, offset);
    }
    RaceState state = entry::epochOf(old) == check.epoch ? entry::stateOf(old) : RaceState(0);
    if (state == kRaced)
      return;
    bool is_owner = state && int64_t(entry::rankOf(old)) / group == reach.rank / group;
    RaceStep step = raceStep(state, is_owner, access_class);
    bool races = step.next == kRaced, is_told = races && isRace(reach, memory, at, old, group);
    if (races && !is_told)
      step = raceStep(0, true, access_class); // what was before is ordered before this
    bool takes_site = step.takes_over || (is_owner && isStronger(state, step.next, access_class));
    uint64_t fresh = entry::make(check.epoch, step.next, takes_site ? numberOf(reach.site) : entry::siteOf(old),
                                 takes_site ? uint64_t(reach.rank) : entry::rankOf(old));
    if (fresh != old && !slot->compare_exchange_weak(old, fresh, std::memory_order_relaxed))
      continue;
    if (is_told)
      tell(reach, memory, at, old, group);
    else if (is_owner || step.takes_over)
      keepTime(reach, memory, at);
    return;
  }
}

bool Races::isRace(const Reach& reach, Allocation& memory, uint64_t offset, uint64_t entry, int64_t group) {
  Orders& orders = *reach.launch.check->orders;
  if (!orders.now())
    return true;
  uint64_t times = timesAt(reach, memory, offset).load(std::memory_order_relaxed);
  bool reads = raceClassOf(reach.site) == RaceClass::Read || raceClassOf(reach.site) == RaceClass::AtomicLoad;
  uint32_t time = reads ? uint32_t(times >> 32) : uint32_t(times);
  Order order = orders.before(int64_t(entry::rankOf(entry)), time, reach.rank, group);
  bool others = hasOthers(entry::stateOf(entry));
  if (order == Order::None && !(others && orders.hasAcquired(reach.rank, group)))
    return true;
  if (order == Order::Unknown || others)
    reach.launch.check->checker->countUnjudged();
  return false;
}

void Races::tell(const Reach& reach, const Allocation& memory, uint64_t offset, uint64_t entry, int64_t group) {
  Finding finding;
  finding.what = What::Race;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.allocation = &memory;
  finding.offset = int64_t(offset);
  finding.room = memory.extent.load(std::memory_order_relaxed);
  auto owner = int64_t(entry::rankOf(entry));
  if (owner / group != reach.rank / group) { // else somebody else was there, too, and who is not known
    finding.other = conflicting(reach.site, entry::siteOf(entry));
    finding.other_rank = owner;
    finding.others_too = hasOthers(entry::stateOf(entry));
  }
  reach.launch.check->checker->reports.add(finding);
}

void Races::inBlock(const Reach& reach, const Allocation* memory, uint64_t address, uint64_t begin) {
  int64_t block = reach.rank / reach.launch.block;
  auto thread = uint32_t(reach.rank - block * reach.launch.block);
  BlockRaces& races = runningBlock(reach.launch, reach.rank, reach.worker);
  auto conflict = races.reach(address, reach.site.bytes, {thread, raceClassOf(reach.site), numberOf(reach.site)});
  if (!conflict.found)
    return;
  Finding finding;
  finding.what = What::Race;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.allocation = memory;
  finding.offset = int64_t(address - (memory ? memory->begin : begin));
  finding.room = memory ? memory->extent.load(std::memory_order_relaxed) : reach.site.extent;
  if (conflict.knows_other) {
    finding.other = conflicting(reach.site, conflict.site);
    finding.other_rank = block * reach.launch.block + conflict.thread;
    finding.others_too = conflict.others_too;
  }
  reach.launch.check->checker->reports.add(finding);
}

// The places of one put are a row of bytes, one for each thread. What is put to no rank lands nowhere.
void Races::put(const Reach& reach, int64_t target, int32_t put) {
  const bsgp_check_launch& check = *reach.launch.check;
  if (put < 0 || uint32_t(put) >= Checker::kPuts || target < 0 || target >= reach.launch.size)
    return;
  RaceShadow& shadow = check.checker->putsOf(uint32_t(put), uint64_t(reach.launch.size));
  std::atomic<uint64_t>& slot = shadow[uint64_t(target)];
  uint64_t mine = entry::make(check.epoch, 1, numberOf(reach.site), uint64_t(reach.rank));
  uint64_t old = slot.exchange(mine, std::memory_order_relaxed);
  if (entry::epochOf(old) != check.epoch || int64_t(entry::rankOf(old)) == reach.rank)
    return;
  Finding finding;
  finding.what = What::PutRace;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.offset =
      target * std::max<int64_t>(reach.site.element_bytes ? reach.site.element_bytes : reach.site.bytes, 1);
  finding.other = siteNumbered(reach.site, entry::siteOf(old));
  finding.other_rank = int64_t(entry::rankOf(old));
  check.checker->reports.add(finding);
}

void Races::order(const Reach& reach, uint64_t address) {
  if (reach.site.access == BSGP_ACCESS_ATOMIC_STORE)
    reach.launch.check->orders->release(reach.rank, address);
  else if (reach.site.access == BSGP_ACCESS_ATOMIC_LOAD)
    reach.launch.check->orders->acquire(reach.rank, address);
}

} // namespace bsgp::runtime::check
