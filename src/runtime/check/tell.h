// Reports an access or a value, whether a kernel found it while it ran, or the host afterwards.
#pragma once

#include "runtime/check/checker.h"

namespace bsgp::runtime::check {

inline bool isNull(uintptr_t base) {
  constexpr uintptr_t kFirstPage = 4096;
  return base < kFirstPage;
}

// True if an index was reported on the way to this address.
inline bool isFar(uintptr_t at, uintptr_t base) {
  constexpr uint64_t kAround = uint64_t(1) << 50;
  return at - base - (BSGP_CHECK_FAR - kAround) < 2 * kAround;
}

// An access that must not be done.
struct BadAccess {
  uintptr_t at, base;       // `base`: of the pointer that `at` was computed from
  const Allocation* memory; // the one that `base` leads to; null: none, or an array whose site knows all
  What what;                // Outside, whose reason is found here; or Misaligned
};

// Reports the access, or counts it if that kind was not asked for.
void tellOutside(Checker& checker, const Who& who, const BadAccess& access, const bsgp_check_site& site);

void tellValue(Checker& checker, const Who& who, uint32_t kind, int64_t value, const bsgp_check_site& site);

// The value that an atomic gives or leaves may depend on the order of threads, and so may all their later actions.
inline void noteAtomic(Checker& checker, const bsgp_check_site& site) {
  if (site.access >= BSGP_ACCESS_ATOMIC_LOAD && !(site.flags & BSGP_SITE_NO_RESULT)) [[unlikely]]
    checker.sawAtomic();
}

} // namespace bsgp::runtime::check
