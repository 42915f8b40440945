// Proves properties of a launch before its threads run, from the places that they will reach: lines, base + rank *
// step, or any place in the memory of a base (check_abi.h). If no two threads can race there, lines stay inside and
// all bytes read were written, threads run as a copy of the kernel that does not watch them.
//
// Races are judged for the whole launch, by the first worker; bounds and writes for some blocks at a time. A proof
// covers all accesses that the threads may make, so it is never wrong.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "plan/check_abi.h"
#include "runtime/check/allocations.h"
#include "runtime/check/race_state.h"

namespace bsgp::runtime::check {

class Checker;

// An access to `bytes` at first + rank * step.
struct Row {
  uint64_t first = 0;
  int64_t step = 0;
  uint64_t bytes = 0;
  uint64_t at(int64_t rank) const { return first + uint64_t(step) * uint64_t(rank); }
  // The lowest byte of these threads, and the end of the highest.
  uint64_t low(int64_t begin, int64_t end) const { return step < 0 ? at(end - 1) : at(begin); }
  uint64_t high(int64_t begin, int64_t end) const { return (step < 0 ? at(begin) : at(end - 1)) + bytes; }
};

// True if two different ones of so many threads may meet, one at a place of `a`, one at a place of `b`. It is exact
// if both have the same step.
bool mayMeet(const Row& a, const Row& b, int64_t threads);

class LaunchRows {
public:
  // As bsgp_rt_check_rows returns it.
  int64_t decide(const bsgp_launch& launch, int64_t first_block, int64_t end_block) const;
  // True if a base has accesses that are no lines: they have to be watched for races.
  bool mayRace(const Allocation* memory) const;
  // True if all of a base's memory was written, and the launch leaves it so.
  bool isWhole(const Allocation* memory) const;
  bool canRace() const { return can_race_; } // some access to device memory can race

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
  std::vector<const Allocation*> racing_; // memory of accesses that are no lines and may race
  std::vector<const Allocation*> whole_;
  std::vector<bool> may_set_; // of each access: set before the threads run
  bool is_shown_ = true, can_race_ = false, follows_writes_ = false;
};

} // namespace bsgp::runtime::check
