#include "runtime/check/lanes.h"

#include <new>

#include "runtime/check/checks.h"
#include "runtime/check/races.h"

namespace bsgp::runtime::check {
namespace {

constexpr uint32_t kMostLines = 64; // limit of the lines of a block

uint64_t low(const LaneLine& line) {
  return line.step < 0 ? line.first + uint64_t(line.step) * (line.count - 1) : line.first;
}

uint64_t high(const LaneLine& line) {
  return (line.step < 0 ? line.first : line.first + uint64_t(line.step) * (line.count - 1)) + line.bytes;
}

} // namespace

// If both have the same step, it is exact for all threads up to the last of them.
bool mayMeet(const LaneLine& a, const LaneLine& b) {
  if (high(a) <= low(b) || high(b) <= low(a))
    return false;
  bool is_one_thread = a.count == 1 && b.count == 1 && a.access.thread == b.access.thread;
  if (is_one_thread)
    return false;
  auto fromThread0 = [](const LaneLine& line) {
    return Row{line.first - uint64_t(line.step) * line.access.thread, line.step, line.bytes};
  };
  uint32_t threads = std::max(a.access.thread + a.count, b.access.thread + b.count);
  return mayMeet(fromThread0(a), fromThread0(b), threads);
}

LaneLines::LaneLines(const bsgp_launch& launch, int64_t first_rank, int64_t count, const bsgp_check_rows& rows,
                     const bsgp_check_reach* reaches)
    : launch_(launch), rows_(rows), reaches_(reaches), worker_(Worker::mine()), lines_(worker_.lines) {
  int64_t block = worker_.blockOf(first_rank, launch.block);
  auto thread = uint32_t(first_rank - block * launch.block);
  if (launch.check->checker->looksFor(BSGP_CHECK_RACE))
    races_ = &Races::runningBlock(launch, first_rank, worker_);
  worker_.written.enter({launch.check->serial, block});
  lines_.clear();
  for (uint32_t i = 0; i < rows.count; ++i) {
    const bsgp_check_site& site = *rows.uses[i].site;
    int64_t step = count > 1 ? int64_t(reaches[i].last - reaches[i].first) / (count - 1) : 0;
    uint64_t skipped = uint32_t(reaches[i].is_line) >> 1, missing = reaches[i].is_line >> 32;
    lines_.push_back({reaches[i].first + uint64_t(step) * skipped,
                      step,
                      site.bytes,
                      uint32_t(uint64_t(count) - missing),
                      {uint32_t(thread + skipped), site.number, raceClassOf(site)}});
  }
}

bool LaneLines::areInside() const {
  for (uint32_t i = 0; i < rows_.count; ++i) {
    auto begin = reinterpret_cast<uintptr_t>(reaches_[i].base);
    if (lines_[i].count == 0)
      continue;
    uint64_t from = low(lines_[i]), to = high(lines_[i]), end = begin + rows_.uses[i].site->extent;
    if (!reaches_[i].is_line || from < begin || to > end || to < from)
      return false;
  }
  return true;
}

bool LaneLines::areNoRaces() const {
  if (!races_)
    return true;
  if (races_->hasReachedShared() || races_->lines().size() + rows_.count > kMostLines)
    return false;
  for (uint32_t i = 0; i < rows_.count; ++i) {
    if (!looksFor(i, BSGP_CHECK_RACE) || lines_[i].count == 0)
      continue;
    const LaneLine& mine = lines_[i];
    for (uint32_t j = 0; j <= i; ++j)
      if (looksFor(j, BSGP_CHECK_RACE) && lines_[j].count != 0 &&
          canRace(mine.access.access_class, lines_[j].access.access_class) && mayMeet(mine, lines_[j]))
        return false;
    for (const LaneLine& before : races_->lines())
      if (canRace(mine.access.access_class, before.access.access_class) && mayMeet(mine, before))
        return false;
  }
  return true;
}

// `write`: marks the bytes as written.
bool LaneLines::isWritten(const LaneLine& line, bool write) const {
  if (line.count == 0)
    return true;
  BlockWritten& written = worker_.written;
  uint64_t from = low(line), bytes = high(line) - from;
  bool is_dense = uint64_t(line.step < 0 ? -line.step : line.step) <= line.bytes;
  if (is_dense && write)
    written.set(from, bytes, BlockWritten::kAll, true);
  if (is_dense)
    return written.all(from, bytes, BlockWritten::kAll);
  for (uint32_t i = 0; i < line.count; ++i) {
    uint64_t at = line.first + uint64_t(line.step) * i;
    if (write)
      written.set(at, line.bytes, BlockWritten::kAll, true);
    else if (!written.all(at, line.bytes, BlockWritten::kAll))
      return false;
  }
  return true;
}

bool LaneLines::areWritten() const {
  for (uint32_t i = 0; i < rows_.count; ++i) {
    uint64_t uses = rows_.uses[i].uses;
    bool must_be = (uses & BSGP_USE_ASKS) || ((uses & BSGP_USE_SETS) && !(uses & BSGP_USE_ALWAYS));
    if (must_be && looksFor(i, BSGP_CHECK_INIT) && !isWritten(lines_[i], false))
      return false;
  }
  return true;
}

void LaneLines::noteWrites() {
  for (uint32_t i = 0; i < rows_.count; ++i) {
    uint64_t uses = rows_.uses[i].uses;
    if (!(uses & (BSGP_USE_ASKS | BSGP_USE_SETS)) || !looksFor(i, BSGP_CHECK_INIT))
      continue;
    launch_.check->checker->followsWrites();
    if ((uses & BSGP_USE_SETS) && (uses & BSGP_USE_ALWAYS))
      isWritten(lines_[i], true);
  }
}

void LaneLines::keep() {
  for (uint32_t i = 0; races_ && i < rows_.count; ++i)
    if (lines_[i].count != 0 && (rows_.uses[i].uses & BSGP_USE_ALWAYS) && looksFor(i, BSGP_CHECK_RACE))
      races_->keep(lines_[i]);
}

namespace {

LaneTrace& traceOf(const bsgp_launch& launch, int64_t rank, Worker& worker) {
  worker.trace.enter({launch.check->serial, worker.blockOf(rank, launch.block)});
  return worker.trace;
}

// Notes the open steps, which the block took like the one before.
void closeTrace(const bsgp_launch& launch, int64_t rank, Worker& worker) {
  int64_t block = worker.blockOf(rank, launch.block) * launch.block;
  worker.trace.close([&](const LaneStep& step, bool since_sync) {
    if (!step.rows)
      return;
    LaneLines lines(launch, block + step.thread, step.count, *step.rows, step.reaches);
    lines.noteWrites();
    if (since_sync)
      lines.keep();
  });
}

} // namespace

void beginWatching(const bsgp_launch& launch, int64_t rank, Worker& worker) {
  traceOf(launch, rank, worker).leave();
  closeTrace(launch, rank, worker);
}

// Device memory counts syncs, too.
void passSync(const bsgp_launch& launch, int64_t rank, Worker& worker) {
  LaneTrace& trace = traceOf(launch, rank, worker);
  bool goes_on = trace.goesOn({});
  if (!goes_on)
    closeTrace(launch, rank, worker);
  if (launch.check->checker->looksFor(BSGP_CHECK_RACE))
    Races::blockSyncOfAll(launch, rank);
  if (!goes_on)
    trace.add({});
}

bool showLanes(const bsgp_launch& launch, int64_t first_rank, int64_t count, const bsgp_check_rows& rows,
               const bsgp_check_reach* reaches) {
  Worker& worker = Worker::mine();
  LaneTrace& trace = traceOf(launch, first_rank, worker);
  LaneStep step{&rows, uint32_t(first_rank % launch.block), uint32_t(count), reaches};
  if (trace.goesOn(step))
    return true;
  closeTrace(launch, first_rank, worker);
  LaneLines lines(launch, first_rank, count, rows, reaches);
  if (!lines.areShown()) {
    trace.leave();
    return false;
  }
  lines.noteWrites();
  lines.keep();
  trace.add(step);
  return true;
}

} // namespace bsgp::runtime::check

using namespace bsgp::runtime::check;

extern "C" int32_t bsgp_rt_check_lanes(const bsgp_launch* launch, int64_t first_rank, int64_t count,
                                       const bsgp_check_rows* rows, const bsgp_check_reach* reaches) try {
  bool may_be_ordered = rows->count != 0 && (rows->uses[0].site->flags & BSGP_SITE_ORDERS); // by atomics: watched
  if (!launch->check || may_be_ordered)
    return 0;
  launch->check->checker->sawCode();
  return showLanes(*launch, first_rank, count, *rows, reaches);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}
