// The reports of checks: equal findings are one report, with a count of elements. Texts are copied at once: the
// program may be unloaded before they are printed.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "plan/check_abi.h"
#include "runtime/check/allocations.h"

namespace bsgp::runtime::check {

enum class What : uint8_t { Race, PutRace, Outside, Null, Freed, Nowhere, Misaligned, Value };

struct Report;

// The first error that a call from outside made, described by that call's findings alone. Reports sets it.
struct CallFindings {
  const void* key = nullptr; // which of the reports it belongs to; null: the call made no error
  std::shared_ptr<Report> first;
};

// A thread of a launch, or host code (rank < 0).
struct Who {
  const bsgp_check_launch* launch = nullptr; // null: host code
  int64_t rank = -1;
  int64_t block = 1;            // threads of a block
  int64_t threads = 0;          // of the launch
  CallFindings* call = nullptr; // of host code; null: unknown
};

struct Place {
  std::string file;
  uint32_t line = 0, column = 0;
  bool of_library = false;
  bool isKnown() const { return !file.empty(); }
  auto operator<=>(const Place&) const = default;
};

// A finding, which a check hands over; it is not kept.
struct Finding {
  What what = What::Outside;
  const bsgp_check_site* site = nullptr;
  const bsgp_check_site* other = nullptr; // of a race; null: unknown
  Who who;
  int64_t other_rank = -1;                // -1: unknown
  bool others_too = false;                // others may have been there
  const Allocation* allocation = nullptr; // null: unknown, or an array whose site knows all
  int64_t offset = 0;                     // bytes from the begin of what the program names
  uint64_t room = 0;                      // bytes from there to the end
  bool from_begin = true;                 // it is the begin of its memory
  uint32_t value_kind = 0;                // bsgp_check_value
  int64_t value = 0;
  std::vector<Place> copied; // an undefined value in memory: the places, one of which copied it there
};

inline bool writes(uint8_t access) { // bsgp_check_access
  return access == BSGP_ACCESS_WRITE || access == BSGP_ACCESS_ATOMIC_STORE || access == BSGP_ACCESS_ATOMIC_UPDATE;
}

// A watched place, as reports show it.
struct Spot {
  Place at, inside;
  std::string text; // of the expression; "": unknown
  uint8_t access = 0;
};

inline constexpr uint32_t kCauseCopy = BSGP_CAUSE_SHUFFLE + 1; // known only at run time

// A possible cause of an undefined value.
struct Cause {
  Place at;
  std::string name;            // of the variable or function; "": unknown
  uint32_t kind = 0;           // bsgp_check_cause_kind, or kCauseCopy
  bool is_sure = true;         // if it is the only one
  std::optional<int64_t> rank; // of a thread.get
};

// Indices of elements: sorted ranges that do not touch.
class Elements {
public:
  void add(int64_t index);
  uint64_t count() const { return count_; }
  bool isWhole() const { return is_whole_; } // else there are more, which are not counted
  // Some of the ranges, if there are too many.
  const std::map<int64_t, int64_t>& ranges() const { return ranges_; } // first -> last

private:
  void addUnlisted(int64_t index);
  static constexpr size_t kMostRanges = 4096, kMostUnlisted = 1 << 18;
  std::map<int64_t, int64_t> ranges_;
  std::unordered_set<int64_t> unlisted_;
  uint64_t count_ = 0;
  bool is_whole_ = true;
};

struct Report {
  What what = What::Outside;
  uint32_t kind = 0, value_kind = 0; // bsgp_check_kind, bsgp_check_value
  Spot spot, other;
  uint64_t latest = 0; // number of its last finding, among those of no known call
  uint64_t times = 0;
  uint64_t when = 0; // the time of the first finding: it grows with launches and with host code between
  // These are of the finding with the lowest element:
  int64_t rank = -1, block = 0, other_rank = -1, other_block = 0, index = 0, value = 0;
  int64_t inside_element = 0; // bytes from the begin of the element
  bool others_too = false, is_array = false, is_shared = false;
  bool negates = false;      // `value` is the only operand
  std::string name, element; // "bins", "int"
  int64_t count = 0;         // elements behind `name`
  bool from_begin = true;    // `name` is the begin of its memory
  uint64_t align = 0;
  Place made, freed;
  std::string made_as; // "dnew", "list" ..., or ""
  std::string made_type;
  int64_t made_count = 0;
  Place spawn;
  uint32_t superstep = 0;
  uint64_t launch = 0;
  int64_t threads = 0; // 0: host code
  std::vector<Cause> causes;
  Elements elements;

  // An undefined value, and the memory it was read from.
  bool isOfMemory() const { return what == What::Value && value_kind == BSGP_VALUE_UNDEFINED && made_count != 0; }
  // ... which had been copied there.
  bool isCopy() const { return !causes.empty() && causes[0].kind == kCauseCopy; }
  bool isNote() const { return what == What::Value && value_kind == BSGP_VALUE_DIVISOR; }
};

class Reports {
  using Key = std::tuple<What, uint32_t, Place, Place, Place>;

public:
  void add(const Finding& finding);
  uint64_t errors() const { return errors_.load(std::memory_order_relaxed); } // reports other than notes
  // Counts the findings of these reports, also equal ones, whose call is not known.
  uint64_t findings() const { return findings_.load(std::memory_order_relaxed); }
  std::vector<Report> sorted() const; // as launches were, and by place in each
  void launched(uint64_t number) { launch_.store(number, std::memory_order_relaxed); }
  Report since(uint64_t findings) const; // an error that was found after so many
  // As it is now; nothing: that call made no error.
  std::optional<Report> firstOf(const CallFindings& call) const;

private:
  mutable std::mutex mutex_;
  std::map<Key, Report> reports_;
  std::atomic<uint64_t> errors_{0}, findings_{0}, launch_{0};
};

Place placeOf(const bsgp_site* site);
Place placeIfLoaded(const Where& where); // unknown if its program is gone

} // namespace bsgp::runtime::check
