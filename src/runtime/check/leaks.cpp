#include "runtime/check/leaks.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <span>

#include "runtime/check/report_text.h"
#include "runtime/failure.h"

namespace bsgp::runtime::check {
namespace {

bool isLeak(const Allocation& memory) {
  return memory.bytes > 0 && !memory.is_foreign && !memory.is_freed.load(std::memory_order_relaxed);
}

std::string lineOf(const Leak& leak) {
  return formatted("%s: note: never freed: %s allocation%s of %s, %s bytes [lint]\n", inText(leak.made).c_str(),
                   grouped(leak.count).c_str(), leak.count == 1 ? "" : "s", leak.type.c_str(),
                   grouped(leak.bytes).c_str());
}

} // namespace

std::vector<Leak> leaksOf(AllocationMap& allocations) {
  std::map<Place, Leak> by_place;
  allocations.forAll([&](const Allocation& memory) {
    if (!isLeak(memory))
      return;
    Place made = placeIfLoaded(memory.made);
    bool of_list = made.isKnown() && !memory.made.site->text; // which gives it back
    if (!made.isKnown() || of_list || made.of_library)
      return;
    Leak& leak = by_place[made];
    leak.bytes += memory.bytes, ++leak.count;
    leak.made = made;
    leak.type = memory.made.site->text;
  });
  std::vector<Leak> sorted;
  for (const auto& [place, leak] : by_place)
    sorted.push_back(leak);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Leak& a, const Leak& b) { return a.bytes > b.bytes; });
  return sorted;
}

std::string textOf(const std::vector<Leak>& leaks, size_t most) {
  std::string text;
  for (const Leak& leak : std::span(leaks).first(std::min(most, leaks.size())))
    text += lineOf(leak);
  if (leaks.size() > most)
    text += formatted("check: %zu more places allocate memory that is never freed\n", leaks.size() - most);
  return text;
}

} // namespace bsgp::runtime::check
