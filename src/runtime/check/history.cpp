#include "runtime/check/history.h"

#include <algorithm>

namespace bsgp::runtime::check {
namespace {

constexpr unsigned bit(RaceClass access_class) {
  return 1u << unsigned(access_class);
}

// Returns the classes that it conflicts with, as bits.
constexpr unsigned conflictsOf(RaceClass access_class) {
  unsigned classes = 0;
  for (unsigned other = 0; other < kRaceClasses; ++other)
    if (canRace(access_class, RaceClass(other)))
      classes |= 1u << other;
  return classes;
}

constexpr bool covers(RaceClass later, RaceClass earlier) {
  return (conflictsOf(earlier) & ~conflictsOf(later)) == 0;
}

void eraseEmpty(std::vector<OrderedAccess>& accesses) {
  std::erase_if(accesses, [](const OrderedAccess& access) { return access.bytes == 0; });
}

} // namespace

// Compares the access with those behind the thread's last equal one: it is still ordered behind those that that one
// was.
void History::compare(Orders& orders, Place& place, const OrderedAccess& access, Verdict& verdict) {
  auto is_same = [&](const OrderedAccess& own) {
    return own.rank == access.rank && own.access_class == access.access_class && !(access.bytes & ~own.bytes);
  };
  auto same = std::find_if(place.accesses.rbegin(), place.accesses.rend(), is_same);
  for (auto other = same.base(); other != place.accesses.end(); ++other) {
    if (other->rank == access.rank || !(other->bytes & access.bytes) ||
        !canRace(other->access_class, access.access_class))
      continue;
    Order order = orders.before(other->rank, other->time, access.rank);
    if (order == Order::Before && covers(access.access_class, other->access_class))
      other->bytes &= uint8_t(~access.bytes);
    verdict.unjudged += order == Order::Unknown;
    verdict.others_too |= order != Order::Before && verdict.race;
    if (order == Order::None && !verdict.race)
      verdict.race = *other;
  }
  bool was_compared = same != place.accesses.rend() && place.more && same->time > place.more->last.time;
  if (place.more && !was_compared)
    compareWithMore(orders, place, access, verdict);
}

void History::compareWithMore(Orders& orders, Place& place, const OrderedAccess& access, Verdict& verdict) {
  More& more = *place.more;
  bool conflicts = (more.bytes & access.bytes) && (more.classes & conflictsOf(access.access_class));
  if (conflicts && (more.in_several_blocks || !orders.isSynced(more.last.rank, more.last.time, access.rank)))
    ++verdict.unjudged, verdict.others_too = true;
  if (access.access_class == RaceClass::Write)
    more.bytes &= uint8_t(~access.bytes);
  if (more.bytes == 0)
    place.more.reset();
}

void History::keep(Orders& orders, Place& place, const OrderedAccess& access) {
  auto isOf = [&](const OrderedAccess& other) { return other.access_class == access.access_class; };
  auto isFull = [&] { return std::count_if(place.accesses.begin(), place.accesses.end(), isOf) >= kMost; };
  for (OrderedAccess& other : place.accesses)
    if (other.rank == access.rank && covers(access.access_class, other.access_class))
      other.bytes &= uint8_t(~access.bytes);
  eraseEmpty(place.accesses);
  if (!place.more && place.accesses.size() >= kMost && isFull())
    std::erase_if(place.accesses, [&](const OrderedAccess& other) {
      return isOf(other) && !(other.bytes & ~access.bytes) &&
             orders.before(other.rank, other.time, access.rank) == Order::Before;
    });
  if (place.accesses.size() < kMost || !isFull())
    place.accesses.push_back(access);
  else
    keepNot(orders, place, access);
}

void History::keepNot(Orders& orders, Place& place, const OrderedAccess& access) {
  if (!place.more)
    place.more = std::make_unique<More>(More{0, 0, false, access});
  More& more = *place.more;
  more.classes |= uint8_t(bit(access.access_class)), more.bytes |= access.bytes;
  more.in_several_blocks |= !orders.areOfOneBlock(more.last.rank, access.rank);
  if (more.last.time <= access.time)
    more.last = access;
}

History::Verdict History::reach(Orders& orders, uint64_t granule, OrderedAccess access) {
  Verdict verdict;
  Place& place = places_[granule];
  access.bytes &= uint8_t(~place.told);
  if (!access.bytes)
    return verdict;
  compare(orders, place, access, verdict);
  if (verdict.race)
    place.told |= access.bytes, verdict.unjudged = 0;
  else
    keep(orders, place, access);
  return verdict;
}

} // namespace bsgp::runtime::check
