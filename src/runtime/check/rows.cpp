#include "runtime/check/rows.h"

#include <algorithm>
#include <new>

#include "runtime/check/checks.h"
#include "runtime/check/launch.h"
#include "runtime/check/mappings.h"
#include "runtime/check/races.h"

namespace bsgp::runtime::check {
namespace {

constexpr int64_t kThreadsAtOnce = 8192;
constexpr uintptr_t kFirstPage = 4096, kEndOfAddresses = uintptr_t(1) << 47;

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// True if some k, 0 < |k| < count, has low < offset + k * step < high.
bool meetsBetween(int64_t offset, int64_t step, int64_t low, int64_t high, int64_t count) {
  int64_t size = step < 0 ? -step : step; // both k and -k are looked at
  int64_t first = floorDivide(low - offset, size) + 1, last = floorDivide(high - offset - 1, size);
  first = std::max(first, 1 - count), last = std::min(last, count - 1);
  return first <= last && !(first == 0 && last == 0);
}

} // namespace

bool mayMeet(const Row& a, const Row& b, int64_t threads) {
  if (threads < 2 || a.high(0, threads) <= b.low(0, threads) || b.high(0, threads) <= a.low(0, threads))
    return false;
  if (a.step != b.step || a.step == 0)
    return true;
  return meetsBetween(int64_t(a.first - b.first), a.step, -int64_t(a.bytes), int64_t(b.bytes), threads);
}

bool LaunchRows::meet(const Access& a, const Access& b, int64_t threads) {
  if (!a.memory || !b.memory)
    return true;
  if (a.memory != b.memory && !a.memory->is_foreign && !b.memory->is_foreign)
    return false;
  if (a.memory->is_of_library && b.memory->is_of_library)
    return false;
  return !a.is(BSGP_USE_LINE) || !b.is(BSGP_USE_LINE) || mayMeet(a.row, b.row, threads);
}

std::unique_ptr<LaunchRows> LaunchRows::make(const bsgp_launch& launch, const bsgp_check_rows& rows,
                                             const bsgp_check_reach* reaches, bool is_exact) {
  auto made = std::make_unique<LaunchRows>();
  Checker& checker = *launch.check->checker;
  made->is_shown_ = is_exact;
  for (uint32_t i = 0; i < rows.count; ++i) {
    const bsgp_check_reach& reach = reaches[i];
    Access access{rows.uses[i].site, rows.uses[i].uses, nullptr, {}};
    auto base = reinterpret_cast<uintptr_t>(reach.base);
    if (base >= kFirstPage)
      access.memory = Worker::mine().find(checker.allocations, base);
    access.row.first = reach.first;
    access.row.step = launch.size > 1 ? int64_t(reach.last - reach.first) / (launch.size - 1) : 0;
    access.row.bytes = access.site->bytes;
    bool is_line_nowhere = access.is(BSGP_USE_LINE) && (!access.memory || !reach.is_line);
    if (is_line_nowhere || (access.memory && access.memory->space == Space::Host))
      made->is_shown_ = false;
    made->accesses_.push_back(access);
  }
  made->may_set_.assign(rows.count, true);
  if (checker.looksFor(BSGP_CHECK_RACE) && launch.size > 1)
    made->judgeRaces(launch.size);
  if (checker.looksFor(BSGP_CHECK_INIT)) {
    made->judgeWrites(checker, rows.flags);
    if (!(rows.flags & BSGP_ROWS_UNSET))
      made->findWhole(checker, launch.size);
  }
  return made;
}

void LaunchRows::judgeRaces(int64_t threads) {
  auto races = [&](const Access& access) {
    can_race_ = true;
    if (access.is(BSGP_USE_LINE))
      is_shown_ = false;
    else if (access.memory && !mayRace(access.memory))
      racing_.push_back(access.memory);
  };
  for (size_t i = 0; i < accesses_.size(); ++i)
    for (size_t j = i; j < accesses_.size(); ++j) {
      const Access &a = accesses_[i], &b = accesses_[j];
      bool watched = (a.site->checks & BSGP_CHECK_RACE) && (b.site->checks & BSGP_CHECK_RACE);
      if (!watched || !check::canRace(raceClassOf(*a.site), raceClassOf(*b.site)) || !meet(a, b, threads))
        continue;
      races(a), races(b);
    }
}

// Decides whether writes can be proven: not if accesses make memory unwritten again, or ask behind what is set here
// for all threads.
void LaunchRows::judgeWrites(Checker& checker, uint32_t flags) {
  follows_writes_ = true;
  auto followed = [](const Access& access) { return access.is(BSGP_USE_ASKS) || access.is(BSGP_USE_SETS); };
  for (size_t i = 0; i < accesses_.size(); ++i) {
    const Access& line = accesses_[i];
    if (!line.is(BSGP_USE_LINE) || !followed(line))
      continue;
    checker.followsWrites();
    if (flags & BSGP_ROWS_UNSET)
      is_shown_ = false;
    may_set_[i] = line.is(BSGP_USE_ALWAYS) && !(flags & BSGP_ROWS_ASK_LATER);
    for (const Access& other : accesses_) {
      if (other.memory != line.memory)
        continue;
      if (other.is(BSGP_USE_UNSETS))
        is_shown_ = false;
      if (other.is(BSGP_USE_ASKS) && !other.is(BSGP_USE_LINE))
        may_set_[i] = false;
    }
  }
}

// Finds memory that is wholly written, for accesses at any place, if that takes less time than the threads.
void LaunchRows::findWhole(const Checker& checker, int64_t threads) {
  for (const Access& access : accesses_) {
    if (access.is(BSGP_USE_LINE) || !access.memory || isWhole(access.memory))
      continue;
    const Allocation* memory = access.memory;
    WrittenBytes* written = memory->written.load(std::memory_order_acquire);
    uint64_t bytes =
        checker.looksFor(BSGP_CHECK_BOUNDS) ? memory->extent.load(std::memory_order_relaxed) : memory->bytes;
    bool unset = std::any_of(accesses_.begin(), accesses_.end(),
                             [&](const Access& other) { return other.memory == memory && other.is(BSGP_USE_UNSETS); });
    constexpr uint64_t kBytesForThread = 64;
    if (written && !unset && bytes <= kBytesForThread * uint64_t(threads) && written->all(0, bytes))
      whole_.push_back(memory);
  }
}

bool LaunchRows::isWhole(const Allocation* memory) const {
  return std::find(whole_.begin(), whole_.end(), memory) != whole_.end();
}

bool LaunchRows::mayRace(const Allocation* memory) const {
  return std::find(racing_.begin(), racing_.end(), memory) != racing_.end();
}

bool LaunchRows::areInside(int64_t begin, int64_t end) const {
  return std::all_of(accesses_.begin(), accesses_.end(), [&](const Access& access) {
    if (!access.is(BSGP_USE_LINE))
      return true;
    uint64_t align = std::max<uint64_t>(access.site->align, 1);
    if (access.row.first % align || uint64_t(access.row.step) % align)
      return false;
    uint64_t low = access.row.low(begin, end), high = access.row.high(begin, end);
    if (access.memory->is_foreign)
      return low < high && high < kEndOfAddresses && isMapped(low, high - low, writes(access.site->access));
    return low <= high && access.memory->holds(low, high - low);
  });
}

// `write`: marks the bytes as written.
static bool forWritten(const Allocation& memory, const Row& row, int64_t begin, int64_t end, bool write) {
  WrittenBytes* written = memory.written.load(std::memory_order_acquire);
  if (!written)
    return true;
  uint64_t low = row.low(begin, end) - memory.begin, bytes = row.high(begin, end) - memory.begin - low;
  bool is_dense = uint64_t(row.step < 0 ? -row.step : row.step) <= row.bytes;
  if (write && is_dense)
    return written->set(low, bytes, true), true;
  if (!write && written->all(low, bytes))
    return true;
  for (int64_t rank = begin; rank < end && !is_dense; ++rank) {
    uint64_t offset = row.at(rank) - memory.begin;
    if (write)
      written->set(offset, row.bytes, true);
    else if (!written->all(offset, row.bytes))
      return false;
  }
  return !is_dense || write;
}

bool LaunchRows::areWritten(int64_t begin, int64_t end) const {
  return std::all_of(accesses_.begin(), accesses_.end(), [&](const Access& access) {
    return !access.is(BSGP_USE_LINE) || !access.is(BSGP_USE_ASKS) || !(access.site->checks & BSGP_CHECK_INIT) ||
           forWritten(*access.memory, access.row, begin, end, false);
  });
}

// False if some bytes are not written, and may not be marked so here.
bool LaunchRows::setWritten(int64_t begin, int64_t end) const {
  std::vector<const Access*> open;
  for (size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (!access.is(BSGP_USE_LINE) || !access.is(BSGP_USE_SETS) || !(access.site->checks & BSGP_CHECK_INIT) ||
        forWritten(*access.memory, access.row, begin, end, false))
      continue;
    if (!may_set_[i])
      return false;
    open.push_back(&access);
  }
  for (const Access* access : open)
    forWritten(*access->memory, access->row, begin, end, true);
  return true;
}

int64_t LaunchRows::decide(const bsgp_launch& launch, int64_t first_block, int64_t end_block) const {
  if (!is_shown_)
    return ~end_block;
  int64_t blocks = std::max<int64_t>(kThreadsAtOnce / launch.block, 1);
  int64_t next = std::min(end_block, first_block + blocks);
  int64_t begin = first_block * launch.block, end = std::min(next * launch.block, launch.size);
  bool shown = areInside(begin, end) && (!follows_writes_ || (areWritten(begin, end) && setWritten(begin, end)));
  return shown ? next : ~next;
}

} // namespace bsgp::runtime::check

using namespace bsgp::runtime::check;

extern "C" {

int64_t bsgp_rt_check_rows(const bsgp_launch* launch, int64_t first_block, int64_t end_block,
                           const bsgp_check_rows* rows, const bsgp_check_reach* reaches, int32_t is_exact) try {
  if (!launch->check)
    return ~end_block;
  launch->check->checker->sawCode();
  Shown& shown = *launch->check->shown;
  std::call_once(shown.once, [&] {
    shown.rows = LaunchRows::make(*launch, *rows, reaches, is_exact != 0);
    shown.cannot_race.store(!shown.rows->canRace(), std::memory_order_release);
  });
  return shown.rows->decide(*launch, first_block, end_block);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

const void* bsgp_rt_check_written(const bsgp_launch* launch, const void* base) try {
  if (!launch->check || !launch->check->checker->looksFor(BSGP_CHECK_INIT))
    return nullptr;
  launch->check->checker->sawCode();
  auto at = reinterpret_cast<uintptr_t>(base);
  Allocation* memory = at < kFirstPage ? nullptr : Worker::mine().find(launch->check->checker->allocations, at);
  const LaunchRows* rows = launch->check->shown->rows.get();
  if (!memory || (rows && rows->isWhole(memory)))
    return nullptr;
  WrittenBytes* written = memory->written.load(std::memory_order_acquire);
  return written ? written->bits() : nullptr;
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

} // extern "C"
