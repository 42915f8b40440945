// Functions that watched code calls (check_abi.h). A good access takes no lock and no call but the lookup.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <new>

#include "runtime/check/checked_call.h"
#include "runtime/check/checks.h"
#include "runtime/check/lanes.h"
#include "runtime/check/mappings.h"
#include "runtime/check/races.h"
#include "runtime/check/tell.h"
#include "runtime/context.h"
#include "runtime/environment.h"

namespace bsgp::runtime::check {
namespace {

Who hostCode(bsgp_call* call) {
  Who who;
  who.call = findingsOf(call);
  return who;
}

Who whoIs(const bsgp_launch* launch, int64_t rank) {
  return {launch->check, rank, launch->block, launch->size};
}

[[gnu::noinline, gnu::cold]] void* refuse(Checker& checker, Worker& worker, const Who& who, uintptr_t at,
                                          uintptr_t base, const Allocation* memory, const bsgp_check_site& site,
                                          What what) {
  tellOutside(checker, who, {at, base, memory, what}, site);
  return worker.nowhere(site.bytes);
}

bool isAligned(uintptr_t at, const bsgp_check_site& site) {
  return site.align <= 1 || (at & (site.align - 1)) == 0; // a power of two
}

bool watchesRaces(const Checker& checker, const bsgp_check_site& site) {
  return (site.checks & BSGP_CHECK_RACE) && checker.looksFor(BSGP_CHECK_RACE);
}

// Memory of the caller's own has a record for each MiB; an access to two of them is not checked.
void raced(const Reach& reach, Allocation& of_base, uintptr_t at) {
  Allocation* memory = &of_base;
  if (of_base.is_of_library)
    return;
  if (of_base.is_foreign) [[unlikely]] {
    memory = reach.worker.find(reach.launch.check->checker->allocations, at);
    if (!memory || !memory->holds(at, reach.site.bytes))
      return;
  }
  Races::device(reach, *memory, at - memory->begin);
}

// Memory that is no allocation may be reached if it is mapped. Its base may lie in no memory: a caller may count from
// another element than the first.
[[gnu::noinline]] bool isReachable(Checker& checker, uintptr_t at, uintptr_t base, const bsgp_check_site& site,
                                   Allocation*& memory) {
  if (isNull(base) || isFar(at, base) || !isMapped(at, site.bytes, writes(site.access)))
    return false;
  if (!memory)
    memory = Worker::mine().find(checker.allocations, at);
  return memory && memory->is_foreign;
}

// Returns the address, or in place of that of a bad access one that does no harm.
inline void* checked(Checker& checker, const Who& who, void* address, const void* base_pointer,
                     const bsgp_check_site& site, const bsgp_launch* launch = nullptr) {
  Worker& worker = Worker::mine();
  auto at = reinterpret_cast<uintptr_t>(address), base = reinterpret_cast<uintptr_t>(base_pointer);
  if (site.space >= BSGP_MEMORY_SHARED) {
    if (at == BSGP_TOLD_ADDRESS)
      return worker.nowhere(site.bytes);
    bool is_guarded = site.extent == 0 && !isNull(at); // by the code itself
    if (is_guarded || (at - base < site.extent && site.bytes <= site.extent - (at - base))) [[likely]] {
      if (launch && site.space == BSGP_MEMORY_SHARED && watchesRaces(checker, site)) {
        beginWatching(*launch, who.rank, worker);
        Races::shared({*launch, who.rank, site, worker}, at, base);
      }
      return address;
    }
    return refuse(checker, worker, who, at, base, nullptr, site, What::Outside);
  }
  Allocation* memory = isNull(base) ? nullptr : worker.find(checker.allocations, base);
  if (memory && memory->space == Space::Host && !memory->mayBeBaseOf(base)) [[unlikely]]
    memory = checker.allocations.foreignAt(base);
  bool is_known = memory && !memory->is_foreign;
  bool inside = is_known ? memory->holds(at, site.bytes) : isReachable(checker, at, base, site, memory);
  if (!inside || !isAligned(at, site)) [[unlikely]]
    return refuse(checker, worker, who, at, base, memory, site, inside ? What::Misaligned : What::Outside);
  if (launch && site.space == BSGP_MEMORY_DEVICE && watchesRaces(checker, site)) {
    Reach reach{*launch, who.rank, site, worker, base};
    Races::inOrder(reach, at, [&] {
      if (!launch->check->shown->cannot_race.load(std::memory_order_relaxed))
        raced(reach, *memory, at);
    });
  }
  return address;
}

// Caches that memory of the caller's own is set, from the base on. It is most likely a variable.
void tellKnownFrom(Checker& checker, uintptr_t base, bsgp_check_known& known) {
  constexpr uint64_t kLargestVariable = 256;
  Mapping mapping = mappingAt(base);
  known.begin = base, known.bytes = mapping.is_writable ? mapping.end - base : 0;
  bool forgot = false;
  known.followed_bytes = checker.unset.tellSetFrom(base, std::min(known.bytes, kLargestVariable), forgot);
  if (forgot)
    checker.allocations.changed();
}

// Caches the bounds and the written-bits of memory of `new` and of the caller's own: the runtime knows the written
// bytes of those.
void tellKnown(Checker& checker, uintptr_t base, bsgp_check_known& known) {
  uint64_t generation = checker.allocations.generation();
  Allocation* memory = isNull(base) ? nullptr : Worker::mine().find(checker.allocations, base);
  bool is_here = memory && (memory->is_foreign || (memory->space == Space::Host && memory->mayBeBaseOf(base)));
  if (!is_here || memory->is_freed.load(std::memory_order_relaxed))
    return;
  known = {base, memory->begin, memory->extent.load(std::memory_order_relaxed), 0, nullptr, nullptr, generation};
  known.counter = checker.allocations.counter();
  if (memory->is_foreign)
    return tellKnownFrom(checker, base, known);
  WrittenBytes* written = memory->written.load(std::memory_order_acquire);
  known.followed_bytes = known.bytes;
  known.written = written && checker.looksFor(BSGP_CHECK_INIT) ? written->bits() : nullptr;
}

// Null if the base leads to no allocation.
const Allocation* memoryOf(const bsgp_launch* launch, const void* base) {
  auto at = reinterpret_cast<uintptr_t>(base);
  return isNull(at) ? nullptr : Worker::mine().find(launch->check->checker->allocations, at);
}

// Reports, once, watched code in a context that does not check, unless that was asked for: of this context or of another one.
[[gnu::noinline, gnu::cold]] void tellUnchecked() {
  static std::atomic<bool> told{false};
  if (!checksWereDeclined() && !told.exchange(true))
    std::fputs("bsgp: warning: this code was compiled with checks, but the context that runs it does not check\n"
               "  help: give its bsgp_options the same `check`, or \"0\" where that is meant; or set BSGP_CHECK\n",
               stderr);
}

} // namespace
} // namespace bsgp::runtime::check

using namespace bsgp::runtime::check;

extern "C" {

void* bsgp_rt_check_access(const bsgp_launch* launch, int64_t rank, void* address, const void* base,
                           const bsgp_check_site* site) try {
  if (!launch->check) [[unlikely]] {
    tellUnchecked();
    return address;
  }
  Checker& checker = *launch->check->checker;
  checker.sawCode();
  noteAtomic(checker, *site);
  return checked(checker, whoIs(launch, rank), address, base, *site, launch);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

bsgp_check_range bsgp_rt_check_memory(const bsgp_launch* launch, const void* base) try {
  const LaunchRows* rows = launch->check ? launch->check->shown->rows.get() : nullptr;
  const Allocation* memory = rows ? memoryOf(launch, base) : nullptr;
  if (memory && rows->mayRace(memory))
    return {0, 0}; // the runtime is called for each access
  return bsgp_rt_check_written_memory(launch, base);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

bsgp_check_range bsgp_rt_check_written_memory(const bsgp_launch* launch, const void* base_pointer) try {
  auto base = reinterpret_cast<uintptr_t>(base_pointer);
  constexpr bsgp_check_range kEverywhere{0, uint64_t(1) << 47}; // all but far addresses
  if (!launch->check)
    return kEverywhere;
  launch->check->checker->sawCode();
  const Allocation* memory = memoryOf(launch, base_pointer);
  if (memory && memory->is_foreign) {
    Mapping mapping = mappingAt(base);
    return {mapping.begin, mapping.is_writable ? mapping.end : mapping.begin};
  }
  if (!memory || memory->is_freed.load(std::memory_order_relaxed))
    return {base, base};
  return {memory->begin, memory->begin + memory->extent.load(std::memory_order_relaxed)};
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_value(const bsgp_launch* launch, int64_t rank, uint32_t check_value, int64_t value,
                         const bsgp_check_site* site) try {
  if (launch->check)
    tellValue(*launch->check->checker, whoIs(launch, rank), check_value, value, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_block_sync(const bsgp_launch* launch, int64_t rank) try {
  if (!launch->check || !launch->check->checker->looksFor(BSGP_CHECK_RACE))
    return;
  beginWatching(*launch, rank, Worker::mine());
  Races::blockSync(*launch, rank);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_all_synced(const bsgp_launch* launch, int64_t rank) try {
  if (launch->check)
    passSync(*launch, rank, Worker::mine());
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_warp_sync(const bsgp_launch* launch, int64_t rank) try {
  if (!launch->check || !launch->check->checker->looksFor(BSGP_CHECK_RACE))
    return;
  beginWatching(*launch, rank, Worker::mine());
  Races::warpSync(*launch, rank);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_fence(const bsgp_launch* launch, int64_t rank) try {
  if (launch->check && launch->check->checker->looksFor(BSGP_CHECK_RACE))
    launch->check->orders->fence(rank);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_put(const bsgp_launch* launch, int64_t rank, int64_t target, int32_t put,
                       const bsgp_check_site* site) try {
  if (launch->check && watchesRaces(*launch->check->checker, *site))
    Races::put({*launch, rank, *site, Worker::mine()}, target, put);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void* bsgp_rt_check_host_access(bsgp_call* call, void* address, const void* base, const bsgp_check_site* site,
                                bsgp_check_known* known) try {
  Checker* checker = checkerOf(*call->context);
  if (!checker)
    return address;
  if (known)
    tellKnown(*checker, reinterpret_cast<uintptr_t>(base), *known);
  return checked(*checker, hostCode(call), address, base, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_calls(bsgp_call* call, const bsgp_site* site) try {
  if (CheckedCall* checked = checkedCall(call))
    checked->library_call = site;
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_library_memory(bsgp_call* call, void* block) try {
  Checker* checker = checkerOf(*call->context);
  if (checker && !checker->looksFor(BSGP_CHECK_LIBRARY))
    checker->allocations.giveToLibrary(block);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_host_value(bsgp_call* call, uint32_t check_value, int64_t value, const bsgp_check_site* site) try {
  if (Checker* checker = checkerOf(*call->context))
    tellValue(*checker, hostCode(call), check_value, value, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

} // extern "C"
