#include "runtime/check/races.h"

#include <algorithm>

namespace bsgp::runtime::check {
namespace {

const bsgp_check_site* siteNumbered(const bsgp_check_site& like, uint64_t number) {
  return number && number <= like.count ? &like - like.number + (number - 1) : nullptr;
}

// Null if this access does not conflict with it.
const bsgp_check_site* conflicting(const bsgp_check_site& like, uint64_t number) {
  const bsgp_check_site* found = siteNumbered(like, number);
  return found && canRace(raceClassOf(*found), raceClassOf(like)) ? found : nullptr;
}

// The owners of such entries are groups of threads.
bool areOne(int64_t a, int64_t b, int64_t group) {
  return a == b || (group > 1 && a / group == b / group);
}

Who whoOf(const Reach& reach) {
  return {reach.launch.check, reach.rank, reach.launch.block, reach.launch.size};
}

// Visits the granules of an access, each with the address of the first byte that it reaches there.
template <class Function> void forGranules(const Reach& reach, uint64_t address, const Function& function) {
  OrderedAccess access{reach.rank, reach.launch.check->orders->now(), reach.site.number, raceClassOf(reach.site), 0};
  constexpr uint64_t kBytes = 1 << History::kShift;
  for (uint64_t at = address, end = address + reach.site.bytes; at < end; at = (at / kBytes + 1) * kBytes) {
    uint64_t last = std::min(end - 1, at | (kBytes - 1));
    access.bytes = uint8_t((0xFFu << at % kBytes) & (0xFFu >> (kBytes - 1 - last % kBytes)));
    function(at, access);
  }
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
    if (old == entry::kMoved) { // there will soon be a finer shadow; its granules are those of another call
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
    uint64_t mine = check.layout.make(check.epoch, step.next, numberOf(reach.site, check.layout), reach.rank);
    uint64_t fresh = step.as_owners ? mine : entry::withState(old, step.next);
    if (step.keeps_more) [[unlikely]]
      remember(reach, found, step, mine);
    if (fresh != old && !slot->compare_exchange_weak(old, fresh, std::memory_order_acq_rel, std::memory_order_relaxed))
      continue;
    if (step.next == kRaced)
      tell(reach, found);
    return;
  }
}

// Stores the access before the entry says that it holds. If that fails, the stored access has happened all the same.
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

// False if the access does not conflict with it.
bool Races::setOther(Finding& finding, const Reach& reach, uint64_t word, int64_t group) {
  const bsgp_check_launch& check = *reach.launch.check;
  int64_t rank = check.layout.rankOf(word);
  if (entry::epochOf(word) != check.epoch || areOne(rank, reach.rank, group))
    return false;
  finding.other = conflicting(reach.site, check.layout.siteOf(word));
  finding.other_rank = rank;
  return finding.other != nullptr;
}

Finding Races::findingOf(const Reach& reach, const Allocation* memory) {
  Finding finding;
  finding.what = What::Race;
  finding.site = &reach.site;
  finding.who = whoOf(reach);
  finding.allocation = memory;
  return finding;
}

Finding Races::findingAt(const Reach& reach, const Allocation& memory, uint64_t offset) {
  Finding finding = findingOf(reach, &memory);
  bool is_own = memory.is_foreign; // the caller's, whose begin is unknown
  finding.offset = int64_t(offset + (is_own ? memory.begin - reach.base : 0));
  finding.from_begin = is_own || reach.base == memory.begin;
  finding.room = memory.extent.load(std::memory_order_relaxed);
  return finding;
}

void Races::tell(const Reach& reach, const Found& found) {
  Finding finding = findingAt(reach, found.memory, found.offset());
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
  int64_t first = reach.worker.blockOf(reach.rank, reach.launch.block) * reach.launch.block;
  BlockRaces& races = runningBlock(reach.launch, reach.rank, reach.worker);
  BlockAccess access{uint32_t(reach.rank - first), reach.site.number, raceClassOf(reach.site)};
  auto conflict =
      memory ? races.reach(address, reach.site.bytes, access) : races.reachShared(address, reach.site.bytes, access);
  if (!conflict.found)
    return;
  Finding finding = findingOf(reach, memory);
  finding.offset = int64_t(address - (memory ? memory->begin : begin));
  finding.room = memory ? memory->extent.load(std::memory_order_relaxed) : reach.site.extent;
  finding.other = conflicting(reach.site, uint64_t(conflict.other.site) + 1);
  finding.other_rank = first + conflict.other.thread;
  finding.others_too = conflict.others_too;
  reach.launch.check->checker->reports.add(finding);
}

void Races::shared(const Reach& reach, uint64_t address, uint64_t begin) {
  if (!(reach.site.flags & BSGP_SITE_ORDERS)) [[likely]]
    return inBlock(reach, nullptr, address, begin);
  BlockId block{reach.launch.check->serial, reach.worker.blockOf(reach.rank, reach.launch.block)};
  inOrder(reach, placeIn(block.block, address), [&] {
    History& history = reach.worker.historyOf(block);
    forGranules(reach, address, [&](uint64_t at, const OrderedAccess& access) {
      auto verdict = history.reach(*reach.launch.check->orders, at >> History::kShift, access);
      Finding finding = findingOf(reach, nullptr);
      finding.offset = int64_t(at - begin);
      finding.room = reach.site.extent;
      judge(reach, verdict, finding);
    });
  });
}

void Races::ordered(const Reach& reach, const Allocation& memory, uint64_t offset) {
  forGranules(reach, memory.begin + offset, [&](uint64_t at, const OrderedAccess& access) {
    const bsgp_check_launch& check = *reach.launch.check;
    auto verdict = check.histories->reach(*check.orders, at >> History::kShift, access);
    if (verdict.race || verdict.unjudged)
      judge(reach, verdict, findingAt(reach, memory, at - memory.begin));
  });
}

void Races::judge(const Reach& reach, const History::Verdict& verdict, Finding finding) {
  reach.launch.check->checker->countUnjudged(verdict.unjudged);
  if (!verdict.race)
    return;
  finding.other = conflicting(reach.site, uint64_t(verdict.race->site) + 1);
  finding.other_rank = verdict.race->rank;
  finding.others_too = verdict.others_too;
  reach.launch.check->checker->reports.add(finding);
}

// The places of one put are a row of bytes, one for each thread. A put to no rank lands nowhere; of several equal
// puts of a thread the last one lands.
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
