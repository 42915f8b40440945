// Decides when two accesses race: five bits and the number of one owner stand for all accesses that reached one
// granule of memory since the threads were last ordered.
//
// Ids are threads, or groups of threads that are ordered within. An access is of one of four classes; for each class
// an entry knows that there was none, that only the owner made one, or that others did, too. A new access conflicts
// with a class if another thread is in it. A foreign access that is no atomic load and met only atomic loads becomes
// the owner: so "others too" never hides a thread that could still conflict. Besides the empty one 25 states are free
// of races.
//
// Three accesses are remembered in full: one of the owner, one of another thread, and if the owner's is atomic, a
// plain read that it made. A race is always with one of them: so both of its places can be reported.
#pragma once

#include <array>
#include <cstdint>

namespace bsgp::runtime::check {

enum class RaceClass : uint8_t { Read, Write, AtomicLoad, AtomicWrite };

using RaceState = uint8_t; // 0: there was no access
constexpr unsigned kRaceClasses = 4, kRaceStates = 26, kStateBits = 5;
constexpr RaceState kRaced = (1 << kStateBits) - 1; // the race was reported

struct RaceStep {
  RaceState next = 0;      // kRaced: the access conflicts
  bool takes_over = false; // the accessing thread is the owner from now on
  // Tells which access is remembered from now on as
  bool as_owners = false;        // that of the owner: this access
  bool as_others = false;        // that of another thread: this access
  bool owners_as_others = false; // that of another thread: the former owner's
  bool as_read = false;          // the owner's read: this access
  bool owners_as_read = false;   // the owner's read: the owner's access so far
  bool keeps_more = false;       // any of these four
};

namespace race_detail {

// Each class has two bits: 0 no access, 1 the owner's alone, 2 others' too.
constexpr unsigned of(unsigned all, unsigned access_class) {
  return all >> 2 * access_class & 3;
}

constexpr bool conflicts(unsigned all, bool is_owner, unsigned access_class) {
  auto others = [&](RaceClass c) { return of(all, unsigned(c)) > (is_owner ? 1u : 0u); };
  switch (RaceClass(access_class)) {
  case RaceClass::Read:
    return others(RaceClass::Write) || others(RaceClass::AtomicWrite);
  case RaceClass::Write:
    return others(RaceClass::Read) || others(RaceClass::Write) || others(RaceClass::AtomicLoad) ||
           others(RaceClass::AtomicWrite);
  case RaceClass::AtomicWrite:
    return others(RaceClass::Read) || others(RaceClass::Write);
  case RaceClass::AtomicLoad:
    return others(RaceClass::Write);
  }
  return false;
}

constexpr unsigned with(unsigned all, unsigned access_class, unsigned who) {
  return (all & ~(3u << 2 * access_class)) | who << 2 * access_class;
}

struct Full {
  unsigned all;
  bool takes_over;
};

constexpr Full after(unsigned all, bool is_owner, unsigned access_class) {
  constexpr unsigned kLoad = unsigned(RaceClass::AtomicLoad);
  if (all == 0)
    return {with(0, access_class, 1), true};
  if (is_owner)
    return {of(all, access_class) ? all : with(all, access_class, 1), false};
  if (access_class != kLoad && (all & ~(3u << 2 * kLoad)) == 0)
    return {with(with(0, kLoad, 2), access_class, 1), true};
  return {with(all, access_class, 2), false};
}

struct Table {
  std::array<uint8_t, 32> all{}; // of each state, two bits of each class
  unsigned states = 1;
  RaceStep steps[32][2][kRaceClasses]{}; // state, is the owner, class

  constexpr RaceState stateOf(unsigned wanted) {
    for (unsigned i = 0; i < states; ++i)
      if (all[i] == wanted)
        return RaceState(i);
    all[states] = uint8_t(wanted);
    return RaceState(states++);
  }
  constexpr Table() {
    for (unsigned state = 0; state < states; ++state)
      for (unsigned is_owner = 0; is_owner < 2; ++is_owner)
        for (unsigned c = 0; c < kRaceClasses; ++c)
          steps[state][is_owner][c] = stepOf(all[state], is_owner, c);
    for (auto& steps_of_owner : steps[kRaced])
      for (RaceStep& step : steps_of_owner)
        step.next = kRaced;
  }
  constexpr RaceStep stepOf(unsigned full, bool is_owner, unsigned access_class) {
    RaceStep step;
    step.next = kRaced;
    if (full && conflicts(full, is_owner, access_class))
      return step;
    Full next = after(full, is_owner, access_class);
    step.next = stateOf(next.all);
    step.takes_over = step.as_owners = next.takes_over;
    step.owners_as_others = full && next.takes_over;
    if (!next.takes_over && next.all != full)
      is_owner ? keepOfOwner(step, full, RaceClass(access_class)) : keepOfOther(step, full, RaceClass(access_class));
    step.keeps_more = step.as_others || step.owners_as_others || step.as_read || step.owners_as_read;
    return step;
  }
  // Keeps the access that conflicts with more: a write does with all; an atomic one with reads, but a read with
  // atomic writes.
  static constexpr void keepOfOwner(RaceStep& step, unsigned full, RaceClass access_class) {
    auto has = [&](RaceClass c) { return of(full, unsigned(c)) != 0; };
    if (access_class == RaceClass::AtomicLoad || has(RaceClass::Write))
      return;
    step.as_read = access_class == RaceClass::Read && has(RaceClass::AtomicWrite);
    step.owners_as_read = access_class == RaceClass::AtomicWrite && has(RaceClass::Read);
    step.as_owners = !step.as_read;
  }
  static constexpr void keepOfOther(RaceStep& step, unsigned full, RaceClass access_class) {
    auto others = [&](RaceClass c) { return of(full, unsigned(c)) == 2; };
    step.as_others =
        access_class != RaceClass::AtomicLoad || !(others(RaceClass::Read) || others(RaceClass::AtomicWrite));
  }
};

inline constexpr Table kTable;
static_assert(kTable.states == kRaceStates);

} // namespace race_detail

inline RaceStep raceStep(RaceState state, bool is_owner, RaceClass access_class) {
  return race_detail::kTable.steps[state][is_owner][unsigned(access_class)];
}

constexpr bool writes(RaceClass access_class) {
  return access_class == RaceClass::Write || access_class == RaceClass::AtomicWrite;
}

// True if accesses of two unordered threads are a race.
constexpr bool canRace(RaceClass a, RaceClass b) {
  auto is_atomic = [](RaceClass c) { return c == RaceClass::AtomicLoad || c == RaceClass::AtomicWrite; };
  return (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b));
}

// True if another thread than the owner was there.
inline bool hasOthers(RaceState state) {
  return (race_detail::kTable.all[state] & 0xAA) != 0;
}

} // namespace bsgp::runtime::check
