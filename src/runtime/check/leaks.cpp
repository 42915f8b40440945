#include "runtime/check/leaks.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "runtime/check/report.h"
#include "runtime/check/report_text.h"
#include "runtime/failure.h"

namespace bsgp::runtime::check {
namespace {

struct Leak {
  uint64_t bytes = 0, count = 0;
  std::string type; // of the elements
};

bool isLeak(const Allocation& memory) {
  return memory.bytes > 0 && !memory.is_foreign && !memory.is_freed.load(std::memory_order_relaxed);
}

std::string lineOf(const Place& place, const Leak& leak) {
  return formatted("%s: note: never freed: %s allocation%s of %s, %s bytes [lint]\n", inText(place).c_str(),
                   grouped(leak.count).c_str(), leak.count == 1 ? "" : "s", leak.type.c_str(),
                   grouped(leak.bytes).c_str());
}

} // namespace

std::string leaksOf(AllocationMap& allocations, size_t most) {
  std::map<Place, Leak> by_place;
  allocations.forAll([&](const Allocation& memory) {
    if (!isLeak(memory))
      return;
    Place made = placeIfLoaded(memory.made);
    bool of_list = made.isKnown() && !memory.made.site->text; // which gives it back
    if (!made.isKnown() || of_list || made.file.starts_with('<'))
      return;
    Leak& leak = by_place[made];
    leak.bytes += memory.bytes, ++leak.count;
    leak.type = memory.made.site->text;
  });
  std::vector<std::pair<Place, Leak>> sorted(by_place.begin(), by_place.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second.bytes, a.first) < std::tie(a.second.bytes, b.first);
  });
  std::string text;
  for (const auto& [place, leak] : std::span(sorted).first(std::min(most, sorted.size())))
    text += lineOf(place, leak);
  if (sorted.size() > most)
    text += formatted("check: %zu more places allocate memory that is never freed\n", sorted.size() - most);
  return text;
}

} // namespace bsgp::runtime::check
