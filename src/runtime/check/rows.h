// What can be shown of a launch before its threads run, by the places that they will reach: lines, base + rank * step, or
// anything in the memory of a base (check_abi.h). Where no two threads can race there, where lines stay inside and what
// they read was written, threads run as a copy of the kernel that does not watch that.
//
// Races are judged for the whole launch, by whoever comes first; bounds and writes for some blocks at a time. What is
// shown holds for more accesses than the threads may make; it is never shown wrongly.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "plan/check_abi.h"
#include "runtime/check/allocations.h"
#include "runtime/check/race_state.h"

namespace bsgp::runtime::check {

class Checker;

// `bytes` at first + rank * step.
struct Row {
  uint64_t first = 0;
  int64_t step = 0;
  uint64_t bytes = 0;
  uint64_t at(int64_t rank) const { return first + uint64_t(step) * uint64_t(rank); }
  // From the lowest byte of these threads to behind the highest.
  uint64_t low(int64_t begin, int64_t end) const { return step < 0 ? at(end - 1) : at(begin); }
  uint64_t high(int64_t begin, int64_t end) const { return (step < 0 ? at(begin) : at(end - 1)) + bytes; }
};

// Whether two different ones of so many threads may meet, one at a place of `a`, one at a place of `b`. Exact where both
// have the same step.
bool mayMeet(const Row& a, const Row& b, int64_t threads);

class LaunchRows {
public:
  // As bsgp_rt_check_rows returns it.
  int64_t decide(const bsgp_launch& launch, int64_t first_block, int64_t end_block) const;
  // Of a base whose places are no lines: its accesses have to be watched for races.
  bool mayRace(const Allocation* memory) const;
  // All of a base's memory was written, and the launch leaves it so.
  bool isWhole(const Allocation* memory) const;
  bool canRace() const { return can_race_; } // some access to device memory

  static std::unique_ptr<LaunchRows> make(const bsgp_launch& launch, const bsgp_check_rows& rows,
                                          const bsgp_check_reach* reaches, bool is_exact);

private:
  struct Access {
    const bsgp_check_site* site;
    uint64_t uses;
    Allocation* memory; // null: unknown
    Row row;            // of a line
    bool is(bsgp_check_use use) const { return (uses & use) != 0; }
  };
  void judgeRaces(int64_t threads);
  void judgeWrites(Checker& checker, uint32_t flags);
  void findWhole(const Checker& checker, int64_t threads);
  bool areInside(int64_t begin, int64_t end) const;
  bool areWritten(int64_t begin, int64_t end) const;
  bool setWritten(int64_t begin, int64_t end) const;
  static bool meet(const Access& a, const Access& b, int64_t threads);

  std::vector<Access> accesses_;
  std::vector<const Allocation*> racing_; // with accesses that are no lines and may race
  std::vector<const Allocation*> whole_;
  std::vector<bool> may_set_; // of each access: before the threads run
  bool is_shown_ = true, can_race_ = false, follows_writes_ = false;
};

} // namespace bsgp::runtime::check
