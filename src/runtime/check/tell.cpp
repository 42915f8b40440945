#include "runtime/check/tell.h"

#include <algorithm>

#include "runtime/check/mappings.h"
#include "runtime/check/worker.h"

namespace bsgp::runtime::check {
namespace {

// Returns the bytes behind a pointer, which may itself be behind the end.
uint64_t roomFrom(uintptr_t base, const Allocation& memory, uint64_t extent) {
  uintptr_t end = memory.begin + extent;
  return end > base ? end - base : 0;
}

// Describes where `address` is relative to the memory of `base`.
Finding outsideOf(const bsgp_check_site& site, uintptr_t at, uintptr_t base, const Allocation* memory) {
  Finding finding;
  finding.site = &site;
  finding.allocation = memory;
  finding.offset = int64_t(at - base);
  finding.room = memory ? roomFrom(base, *memory, memory->extent.load(std::memory_order_relaxed)) : site.extent;
  finding.from_begin = !memory || memory->begin == base;
  if (site.space >= BSGP_MEMORY_SHARED) {
    if (isNull(at))
      finding.what = What::Null;
    return finding;
  }
  if (isNull(base))
    finding.what = What::Null;
  else if (!memory || memory->is_foreign)
    finding.what = What::Nowhere, finding.allocation = nullptr, finding.value = isMapped(at, 1, false);
  else if (memory->is_freed.load(std::memory_order_relaxed))
    finding.what = What::Freed, finding.room = roomFrom(base, *memory, memory->had_extent.load());
  return finding;
}

// Describes the memory that the undefined value was read from, if it is known.
void describeSource(Finding& finding, Checker& checker, uintptr_t at) {
  const Allocation* memory = isNull(at) ? nullptr : Worker::mine().find(checker.allocations, at);
  if (!memory || memory->is_foreign || !memory->holds(at, 1))
    return;
  finding.allocation = memory;
  finding.offset = int64_t(at - memory->begin);
  finding.room = memory->extent.load(std::memory_order_relaxed);
  finding.copied = checker.unset_copies.of(*memory, uint64_t(finding.offset));
}

} // namespace

void tellOutside(Checker& checker, const Who& who, const BadAccess& access, const bsgp_check_site& site) {
  if (!(site.checks & BSGP_CHECK_BOUNDS) || !checker.looksFor(BSGP_CHECK_BOUNDS))
    return checker.countOutside();
  if (isFar(access.at, access.base))
    return;
  Finding finding = outsideOf(site, access.at, access.base, access.memory);
  if (access.what == What::Misaligned)
    finding.what = access.what;
  finding.who = who;
  checker.reports.add(finding);
}

void tellValue(Checker& checker, const Who& who, uint32_t kind, int64_t value, const bsgp_check_site& site) {
  if (!checker.looksFor(bsgp_kind_of_value(kind)))
    return bsgp_kind_of_value(kind) == BSGP_CHECK_BOUNDS ? checker.countOutside() : void();
  if (kind == BSGP_VALUE_INDEX && isFar(uint64_t(value) * site.element_bytes, 0))
    return;
  Finding finding;
  finding.what = What::Value;
  finding.site = &site;
  finding.who = who;
  finding.value_kind = kind;
  finding.value = value;
  finding.room = kind == BSGP_VALUE_INDEX ? site.extent * std::max<uint64_t>(site.element_bytes, 1) : 0;
  if (kind == BSGP_VALUE_UNDEFINED && !(site.flags & BSGP_SITE_ASKED))
    describeSource(finding, checker, uintptr_t(value));
  checker.reports.add(finding);
}

} // namespace bsgp::runtime::check
