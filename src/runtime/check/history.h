// The accesses to memory in a launch in which atomics order threads: for each place all those that a later access may
// race with. The states of race_state.h know one owner alone, which is not enough here: an access ordered behind the
// owner's need not be ordered behind the others'.
//
// An access is forgotten when a later one covers it: that is, it is by the same thread or ordered behind the first
// one, and conflicts with all that the first one conflicts with. So a write that all others are ordered behind is
// alone, and only unordered accesses are kept: kMost of each class, and the fact that there were more.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/check/orders.h"
#include "runtime/check/race_state.h"

namespace bsgp::runtime::check {

struct OrderedAccess {
  int64_t rank = 0;
  uint32_t time = 0, site = 0; // of the launch's orders; its number
  RaceClass access_class = RaceClass::Read;
  uint8_t bytes = 0; // one bit for each byte of a granule
};

class History {
public:
  static constexpr unsigned kShift = 3; // a granule has 8 bytes
  struct Verdict {
    std::optional<OrderedAccess> race; // an access that it races with
    bool others_too = false;
    uint64_t unjudged = 0; // pairs
  };

  // Compares the access with those at its place, and keeps it.
  Verdict reach(Orders& orders, uint64_t granule, OrderedAccess access);
  void clear() { places_.clear(); }

private:
  static constexpr unsigned kMost = 16;
  struct More { // accesses that are not kept
    uint8_t classes = 0, bytes = 0;
    bool in_several_blocks = false;
    OrderedAccess last;
  };
  struct Place {
    std::vector<OrderedAccess> accesses;
    std::unique_ptr<More> more;
    uint8_t told = 0; // bytes whose race was reported
  };
  static void compare(Orders& orders, Place& place, const OrderedAccess& access, Verdict& verdict);
  static void compareWithMore(Orders& orders, Place& place, const OrderedAccess& access, Verdict& verdict);
  static void keep(Orders& orders, Place& place, const OrderedAccess& access);
  static void keepNot(Orders& orders, Place& place, const OrderedAccess& access);

  std::unordered_map<uint64_t, Place> places_; // by granule
};

// The history of device memory, for all workers of a launch.
class Histories {
public:
  History::Verdict reach(Orders& orders, uint64_t granule, const OrderedAccess& access) {
    Part& part = parts_[granule * 0x9E3779B97F4A7C15u >> 58];
    std::lock_guard lock(part.mutex);
    return part.history.reach(orders, granule, access);
  }

private:
  struct alignas(64) Part {
    std::mutex mutex;
    History history;
  };
  Part parts_[64];
};

} // namespace bsgp::runtime::check
