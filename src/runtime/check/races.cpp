#include "runtime/check/races.h"

#include <algorithm>

namespace bsgp::runtime::check {
namespace {

// 0: more than an entry can tell.
uint64_t numberOf(const bsgp_check_site& site, const entry::Layout& layout) {
  return site.number + 1 < layout.sites() ? site.number + 1 : 0;
}

const bsgp_check_site* siteNumbered(const bsgp_check_site& like, uint64_t number) {
  return number && number <= like.count ? &like - like.number + (number - 1) : nullptr;
}

// Null where it is none that this one conflicts with.
const bsgp_check_site* conflicting(const bsgp_check_site& like, uint64_t number) {
  const bsgp_check_site* found = siteNumbered(like, number);
  return found && canRace(raceClassOf(*found), raceClassOf(like)) ? found : nullptr;
}

// To entries whose owners are groups of threads.
bool areOne(int64_t a, int64_t b, int64_t group) {
  return a == b || (group > 1 && a / group == b / group);
}

Who whoOf(const Reach& reach) {
  return {reach.launch.check, reach.rank, reach.launch.block, reach.launch.size};
}

void keepTime(const Reach& reach, std::atomic<uint64_t>& times) {
  uint32_t now = reach.launch.check->orders->now();
  if (!now)
    return;
  uint64_t written = times.load(std::memory_order_relaxed) >> 32;
  times.store((writes(raceClassOf(reach.site)) ? now : written) << 32 | now, std::memory_order_relaxed);
}

// Shared memory of another block may lie at the same address.
uint64_t placeIn(int64_t block, uint64_t address) {
  return (uint64_t(block) + 1) * 0x9E3779B97F4A7C15u ^ address;
}

} // namespace

void Races::change(const Reach& reach, Allocation& memory, RaceShadow& shadow, uint64_t granule, uint64_t offset,
                   int64_t group) {
  const bsgp_check_launch& check = *reach.launch.check;
  RaceClass access_class = raceClassOf(reach.site);
  RaceShadow* current = &shadow;
  std::atomic<uint64_t>* slot = &shadow[granule];
  for (uint64_t old = slot->load(std::memory_order_relaxed);;) {
    if (old == entry::kMoved) { // soon there is a finer shadow; its granules are those of another call
      while (memory.races.load(std::memory_order_acquire) == current)
        continue;
      return device(reach, memory, offset);
    }
    RaceState state = entry::epochOf(old) == check.epoch ? entry::stateOf(old) : RaceState(0);
    if (state == kRaced)
      return;
    Found found{memory, shadow, granule, group, old};
    bool is_owner = state && areOne(check.layout.rankOf(old), reach.rank, group);
    RaceStep step = raceStep(state, is_owner, access_class);
    bool races = step.next == kRaced, is_told = races && isRace(reach, found);
    if (races && !is_told)
      step = raceStep(0, true, access_class); // what was before is ordered before this
    uint64_t mine = check.layout.make(check.epoch, step.next, numberOf(reach.site, check.layout), reach.rank);
    uint64_t fresh = step.as_owners ? mine : entry::withState(old, step.next);
    if (step.keeps_more) [[unlikely]]
      remember(reach, found, step, mine);
    if (fresh != old && !slot->compare_exchange_weak(old, fresh, std::memory_order_acq_rel, std::memory_order_relaxed))
      continue;
    if (is_told)
      tell(reach, found);
    else if (is_owner || step.takes_over)
      keepTime(reach, shadow.in(RaceShadow::kTimes, granule));
    return;
  }
}

// Before the entry says that it holds. If that fails, what was written here has happened all the same.
void Races::remember(const Reach& reach, const Found& found, const RaceStep& step, uint64_t mine) {
  const bsgp_check_launch& check = *reach.launch.check;
  if (step.as_read || step.owners_as_read)
    found.shadow.in(RaceShadow::kReads, found.granule)
        .store(step.as_read ? mine : found.entry, std::memory_order_relaxed);
  auto& others = found.shadow.in(RaceShadow::kOthers, found.granule);
  if (step.as_others)
    others.store(mine, std::memory_order_relaxed);
  if (!step.owners_as_others)
    return;
  uint64_t other = others.load(std::memory_order_relaxed);
  bool still_is_other = hasOthers(entry::stateOf(found.entry)) && entry::epochOf(other) == check.epoch &&
                        !areOne(check.layout.rankOf(other), reach.rank, found.group);
  if (!still_is_other)
    others.store(found.entry, std::memory_order_relaxed);
}

bool Races::isRace(const Reach& reach, const Found& found) {
  Orders& orders = *reach.launch.check->orders;
  if (!orders.now())
    return true;
  // When the owner last wrote there (upper half), and did anything (lower), in launches whose threads release.
  uint64_t times = found.shadow.in(RaceShadow::kTimes, found.granule).load(std::memory_order_relaxed);
  uint32_t time = writes(raceClassOf(reach.site)) ? uint32_t(times) : uint32_t(times >> 32);
  Order order = orders.before(reach.launch.check->layout.rankOf(found.entry), time, reach.rank, found.group);
  bool others = hasOthers(entry::stateOf(found.entry));
  if (order == Order::None && !(others && orders.hasAcquired(reach.rank, found.group)))
    return true;
  if (order == Order::Unknown || others)
    reach.launch.check->checker->countUnjudged();
  return false;
}

// Whatever other threads of the block have told each other, a warp.sync may have carried on.
bool Races::isRaceInBlock(const Reach& reach, int64_t other, const BlockRaces::Conflict& conflict) {
  Orders& orders = *reach.launch.check->orders;
  if (!orders.now())
    return true;
  int64_t group = reach.launch.block;
  Order order = conflict.is_with_owner ? orders.before(other, conflict.time, reach.rank, group) : Order::None;
  bool is_known = conflict.is_with_owner && !conflict.others_too;
  if (order == Order::None && (is_known || !orders.hasAcquired(reach.rank, group)))
    return true;
  if (order != Order::Before || !is_known || !conflict.is_sure)
    reach.launch.check->checker->countUnjudged();
  return false;
}

// False: it is none that the access conflicts with.
bool Races::setOther(Finding& finding, const Reach& reach, uint64_t word, int64_t group) {
  const bsgp_check_launch& check = *reach.launch.check;
  int64_t rank = check.layout.rankOf(word);
  if (entry::epochOf(word) != check.epoch || areOne(rank, reach.rank, group))
    return false;
  finding.other = conflicting(reach.site, check.layout.siteOf(word));
  finding.other_rank = rank;
  return finding.other != nullptr;
}

void Races::tell(const Reach& reach, const Found& found) {
  Finding finding;
  finding.what = What::Race;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.allocation = &found.memory;
  bool is_own = found.memory.is_foreign; // the caller's, whose begin nobody knows
  finding.offset = int64_t(found.offset() + (is_own ? found.memory.begin - reach.base : 0));
  finding.from_begin = is_own || reach.base == found.memory.begin;
  finding.room = found.memory.extent.load(std::memory_order_relaxed);
  finding.others_too = hasOthers(entry::stateOf(found.entry));
  auto word = [&](RaceShadow::Plane plane) {
    return found.shadow.in(plane, found.granule).load(std::memory_order_relaxed);
  };
  const entry::Layout& layout = reach.launch.check->layout;
  if (areOne(layout.rankOf(found.entry), reach.rank, found.group))
    setOther(finding, reach, word(RaceShadow::kOthers), found.group);
  else if (!setOther(finding, reach, found.entry, found.group) && layout.siteOf(found.entry))
    setOther(finding, reach, word(RaceShadow::kReads), found.group);
  reach.launch.check->checker->reports.add(finding);
}

void Races::inBlock(const Reach& reach, const Allocation* memory, uint64_t address, uint64_t begin) {
  int64_t block = reach.worker.blockOf(reach.rank, reach.launch.block);
  auto thread = uint32_t(reach.rank - block * reach.launch.block);
  BlockRaces& races = runningBlock(reach.launch, reach.rank, reach.worker);
  startOrders(reach);
  if (!memory && reach.site.access >= BSGP_ACCESS_ATOMIC_LOAD)
    order(reach, placeIn(block, address));
  BlockAccess access{thread, reach.site.number, raceClassOf(reach.site), reach.launch.check->orders->now()};
  auto conflict =
      memory ? races.reach(address, reach.site.bytes, access) : races.reachShared(address, reach.site.bytes, access);
  if (!conflict.found)
    return;
  if (!isRaceInBlock(reach, block * reach.launch.block + conflict.other.thread, conflict))
    return races.beginAt(address, reach.site.bytes, access);
  Finding finding;
  finding.what = What::Race;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.allocation = memory;
  finding.offset = int64_t(address - (memory ? memory->begin : begin));
  finding.room = memory ? memory->extent.load(std::memory_order_relaxed) : reach.site.extent;
  finding.other = conflicting(reach.site, uint64_t(conflict.other.site) + 1);
  finding.other_rank = block * reach.launch.block + conflict.other.thread;
  finding.others_too = conflict.others_too;
  reach.launch.check->checker->reports.add(finding);
}

// The places of one put are a row of bytes, one for each thread. What is put to no rank lands nowhere; of what one put of
// a thread puts again and again the last lands.
void Races::put(const Reach& reach, int64_t target, int32_t put) {
  const bsgp_check_launch& check = *reach.launch.check;
  const entry::Layout& layout = check.layout;
  if (target < 0 || target >= reach.launch.size)
    return;
  if (put < 0 || uint32_t(put) >= Checker::kPuts)
    return check.checker->countUnjudged();
  RaceShadow& shadow = check.checker->putsOf(uint32_t(put), uint64_t(reach.launch.size));
  std::atomic<uint64_t>& slot = shadow[uint64_t(target)];
  uint64_t number = numberOf(reach.site, layout);
  uint64_t old = slot.exchange(layout.make(check.epoch, 1, number, reach.rank), std::memory_order_relaxed);
  if (entry::epochOf(old) != check.epoch || (layout.rankOf(old) == reach.rank && layout.siteOf(old) == number))
    return;
  Finding finding;
  finding.what = What::PutRace;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.offset =
      target * std::max<int64_t>(reach.site.element_bytes ? reach.site.element_bytes : reach.site.bytes, 1);
  finding.other = siteNumbered(reach.site, layout.siteOf(old));
  finding.other_rank = layout.rankOf(old);
  check.checker->reports.add(finding);
}

void Races::order(const Reach& reach, uint64_t address) {
  if (reach.site.access == BSGP_ACCESS_ATOMIC_STORE)
    reach.launch.check->orders->release(reach.rank, address);
  else if (reach.site.access == BSGP_ACCESS_ATOMIC_LOAD)
    reach.launch.check->orders->acquire(reach.rank, address);
  else
    reach.launch.check->orders->update(reach.rank, address);
}

} // namespace bsgp::runtime::check
