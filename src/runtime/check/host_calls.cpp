// Checks operations of host code by the runtime: copies, and giving memory back.
#include <cinttypes>

#include "runtime/check/checked_call.h"
#include "runtime/check/checker.h"
#include "runtime/check/mappings.h"
#include "runtime/check/report_text.h"
#include "runtime/failure.h"

namespace bsgp::runtime::check {

bool Checker::mayCopy(const void* pointer, uint64_t bytes, uint8_t access, bool is_mapped_here, const bsgp_site* site,
                      bsgp_call* call) {
  auto at = reinterpret_cast<uintptr_t>(pointer);
  Allocation* memory = allocations.at(at);
  bool is_freed = memory && memory->is_freed.load(std::memory_order_relaxed) && at - memory->begin < memory->bytes;
  bool is_nowhere = !memory && is_mapped_here && !isMapped(at, bytes, writes(access));
  if (!is_freed && !is_nowhere)
    return true;
  if (!looksFor(BSGP_CHECK_BOUNDS)) {
    countOutside();
    return false;
  }
  bsgp_check_site watched = {};
  watched.at = site;
  watched.access = access;
  watched.space = is_freed && memory->space == Space::Device ? BSGP_MEMORY_DEVICE : BSGP_MEMORY_HOST;
  watched.checks = BSGP_CHECK_BOUNDS;
  watched.bytes = watched.element_bytes = uint32_t(bytes);
  Finding finding;
  finding.what = is_freed ? What::Freed : What::Nowhere;
  finding.site = &watched;
  finding.who.call = findingsOf(call);
  finding.allocation = is_freed ? memory : nullptr;
  finding.offset = is_freed ? int64_t(at - memory->begin) : 0;
  finding.room = is_freed ? memory->had_extent.load(std::memory_order_relaxed) : 0;
  finding.value = is_nowhere && isMapped(at, 1, false);
  reports.add(finding);
  return false;
}

std::string Checker::whyNotFreed(const void* block, Space space) const {
  auto at = reinterpret_cast<uintptr_t>(block);
  const Allocation* memory = allocations.at(at);
  if (!memory || memory->is_foreign || at - memory->begin > memory->bytes)
    return "";
  auto behind = [](const char* words, const Where& where) {
    std::string place = inText(placeIfLoaded(where));
    return place.empty() ? "" : words + place;
  };
  if (memory->is_freed.load(std::memory_order_relaxed))
    return "it was freed before" + behind(", at ", memory->freed);
  if (memory->space != space)
    return std::string(space == Space::Device ? "it is host memory of new, which delete frees"
                                              : "it is device memory of dnew, which dfree frees") +
           behind("; allocated at ", memory->made);
  if (at != memory->begin)
    return formatted("it points %" PRIu64 " bytes behind the begin of what was allocated",
                     uint64_t(at - memory->begin)) +
           behind(" at ", memory->made);
  return "it was not asked for by dnew: a list or dtempnew frees it" + behind("; allocated at ", memory->made);
}

} // namespace bsgp::runtime::check
