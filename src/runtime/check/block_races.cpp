#include "runtime/check/block_races.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace bsgp::runtime::check {

void BlockRaces::enter(BlockId block, int64_t threads) {
  if (block == block_) [[likely]]
    return;
  if (block.launch != block_.launch)
    shift_ = 3;
  block_ = block;
  ++stamp_;
  used_ = 0;
  syncs_.assign(size_t(threads), {});
  syncs_of_all_ = 0, at_block_sync_ = 0;
  at_warp_sync_.assign(size_t(threads + kWarp - 1) / kWarp, 0);
  lines_.clear();
  reached_shared_ = false;
  if (entries_.empty())
    entries_.resize(1024);
}

// Under one stamp no entry is removed, so a free entry ends the search. Neighbours stand side by side; rows of them
// are scattered, because those of device memory would collide with those of shared arrays.
BlockRaces::Entry& BlockRaces::at(uint64_t granule) {
  if (2 * used_ >= entries_.size())
    grow();
  constexpr uint64_t kRow = 64, kScatter = 0x9E3779B97F4A7C15u;
  size_t mask = entries_.size() - 1, i = size_t((granule / kRow * kScatter >> 32) * kRow + granule % kRow) & mask;
  while (entries_[i].stamp == stamp_ && entries_[i].granule != granule)
    i = (i + 1) & mask;
  if (entries_[i].stamp != stamp_) {
    entries_[i].granule = granule, entries_[i].stamp = stamp_;
    entries_[i].warp.state = entries_[i].thread.state = 0;
    ++used_;
  }
  return entries_[i];
}

void BlockRaces::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  used_ = 0;
  for (const Entry& entry : old)
    if (entry.stamp == stamp_)
      at(entry.granule) = entry;
}

// Divides the granules: each entry was of all bytes of its granule.
void BlockRaces::refine(unsigned shift) {
  unsigned parts = 1u << (shift_ - shift);
  std::vector<Entry> old(entries_.size());
  old.swap(entries_);
  used_ = 0;
  shift_ = shift;
  for (Entry entry : old)
    if (entry.stamp == stamp_)
      for (uint64_t first = entry.granule * parts, part = 0; part < parts; ++part) {
        entry.granule = first + part;
        at(entry.granule) = entry;
      }
}

// Makes entries of the lines. No two of them race: that was proven.
void BlockRaces::reachLines() {
  std::vector<LaneLine> lines;
  lines.swap(lines_);
  reached_shared_ = true;
  for (const LaneLine& line : lines) {
    BlockAccess access = line.access;
    for (uint32_t i = 0; i < line.count; ++i, ++access.thread)
      reach(line.first + uint64_t(line.step) * i, line.bytes, access);
  }
}

BlockRaces::Conflict BlockRaces::reach(uint64_t address, uint64_t bytes, const BlockAccess& access) {
  if ((address | bytes) & ((uint64_t(1) << shift_) - 1)) [[unlikely]]
    refine(unsigned(std::countr_zero(address | bytes)));
  Conflict first;
  for (uint64_t granule = address >> shift_; granule <= (address + bytes - 1) >> shift_; ++granule)
    if (Conflict conflict = reachOne(granule, access); conflict.found && !first.found)
      first = conflict;
  return first;
}

// Starts a level with its first access; the state tells which other fields hold.
void BlockRaces::begin(Level& level, const BlockAccess& access) {
  level.state = raceStep(0, true, access.access_class).next;
  level.owner = access;
}

// Threads of one of `group` count as one at this level.
BlockRaces::Conflict BlockRaces::step(Level& level, bool is_owner, const BlockAccess& access, uint32_t group,
                                      bool& takes_over) {
  RaceStep next = raceStep(level.state, is_owner, access.access_class);
  takes_over = next.takes_over;
  if (level.state == kRaced)
    return {};
  if (next.next == kRaced) {
    const BlockAccess& of_owner = canRace(level.owner.access_class, access.access_class) ? level.owner : level.read;
    Conflict conflict{true, is_owner ? level.other : of_owner, hasOthers(level.state)};
    level.state = kRaced;
    return conflict;
  }
  bool knows_other = hasOthers(level.state) && level.other.thread / group != access.thread / group;
  if (next.as_others)
    level.other = access;
  else if (next.owners_as_others && !knows_other)
    level.other = level.owner;
  if (next.as_read || next.owners_as_read)
    level.read = next.as_read ? access : level.owner;
  if (next.as_owners)
    level.owner = access;
  level.state = next.next;
  return {};
}

BlockRaces::Conflict BlockRaces::reachOne(uint64_t granule, const BlockAccess& access) {
  Entry& entry = at(granule);
  Syncs now = syncsOf(access.thread);
  if (entry.warp.state == 0 || entry.syncs.block != now.block) {
    entry.syncs = now;
    begin(entry.warp, access);
    begin(entry.thread, access);
    return {};
  }
  bool is_owner = entry.warp.owner.thread / kWarp == access.thread / kWarp, takes_over = false;
  if (Conflict conflict = step(entry.warp, is_owner, access, kWarp, takes_over); conflict.found)
    return conflict;
  if (takes_over || (is_owner && entry.syncs.warp != now.warp)) {
    entry.syncs.warp = now.warp;
    begin(entry.thread, access);
    return {};
  }
  return is_owner ? step(entry.thread, entry.thread.owner.thread == access.thread, access, 1, takes_over) : Conflict{};
}

} // namespace bsgp::runtime::check
