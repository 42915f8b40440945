// Functions by which watched code notes written bytes, and asks for them (check_abi.h). Memory of the caller's own
// counts as written.
#include <algorithm>
#include <new>

#include "runtime/check/checked_call.h"
#include "runtime/check/checks.h"
#include "runtime/check/lanes.h"
#include "runtime/context.h"

namespace bsgp::runtime::check {
namespace {

bool watchesInit(Checker& checker, const bsgp_check_site& site) {
  if (!(site.checks & BSGP_CHECK_INIT) || !checker.looksFor(BSGP_CHECK_INIT))
    return false;
  checker.followsWrites();
  return true;
}

int64_t threadOf(const bsgp_check_site& site, int64_t rank) {
  return site.space == BSGP_MEMORY_THREAD ? rank : BlockWritten::kAll;
}

// Arrays of threads are no part of the steps that blocks take together.
BlockWritten& ofBlock(const bsgp_launch* launch, int64_t rank, Worker& worker, const bsgp_check_site& site) {
  worker.written.enter({launch->check->serial, worker.blockOf(rank, launch->block)});
  if (site.space == BSGP_MEMORY_SHARED)
    beginWatching(*launch, rank, worker);
  return worker.written;
}

AllocationMap::WrittenAt writtenAt(Checker& checker, Worker& worker, uintptr_t at, const bsgp_check_site& site) {
  return site.space >= BSGP_MEMORY_SHARED ? AllocationMap::WrittenAt{}
                                          : worker.writtenAt(checker.allocations, at, site.bytes);
}

// In host code (no launch), memory without an allocation is a variable.
bool isWritten(Checker& checker, const bsgp_launch* launch, int64_t rank, const void* address,
               const bsgp_check_site& site) {
  Worker& worker = Worker::mine();
  if (!watchesInit(checker, site) || worker.isNowhere(address))
    return true;
  auto at = reinterpret_cast<uintptr_t>(address);
  if (launch && site.space == BSGP_MEMORY_HOST) // a variable, by its offset in the frame
    return std::ranges::none_of(launch->check->unset,
                                [&](auto& range) { return at < range.second && range.first < at + site.bytes; });
  if (launch && site.space >= BSGP_MEMORY_SHARED)
    return site.space == BSGP_MEMORY_CONSTANT ||
           ofBlock(launch, rank, worker, site).all(at, site.bytes, threadOf(site, rank));
  auto [bytes, offset] = writtenAt(checker, worker, at, site);
  return bytes ? bytes->all(offset, site.bytes) : launch || !checker.unset.any(at, site.bytes);
}

void setWritten(Checker& checker, const bsgp_launch* launch, int64_t rank, const void* address, bool written,
                const bsgp_check_site& site) {
  Worker& worker = Worker::mine();
  if (!watchesInit(checker, site) || worker.isNowhere(address))
    return;
  auto at = reinterpret_cast<uintptr_t>(address);
  if (launch && site.space >= BSGP_MEMORY_SHARED) {
    if (site.space != BSGP_MEMORY_CONSTANT)
      ofBlock(launch, rank, worker, site).set(at, site.bytes, threadOf(site, rank), written);
    return;
  }
  if (auto [bytes, offset] = writtenAt(checker, worker, at, site); bytes) {
    bytes->set(offset, site.bytes, written);
    if (const Allocation* memory = written ? nullptr : worker.find(checker.allocations, at); memory)
      checker.unset_copies.add(*memory, offset, site.bytes, site.at);
  } else if (!launch)
    written ? checker.unset.set(at, site.bytes) : checker.unsetVariable(at, site.bytes);
}

// Null if the context does not look for it.
Checker* watchesInit(bsgp_call* call) {
  Checker* checker = checkerOf(*call->context);
  return checker && checker->looksFor(BSGP_CHECK_INIT) ? checker : nullptr;
}

} // namespace
} // namespace bsgp::runtime::check

using namespace bsgp::runtime::check;

extern "C" {

int32_t bsgp_rt_check_is_written(const bsgp_launch* launch, int64_t rank, const void* address,
                                 const bsgp_check_site* site) try {
  return !launch->check || isWritten(*launch->check->checker, launch, rank, address, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_set_written(const bsgp_launch* launch, int64_t rank, const void* address, int32_t written,
                               const bsgp_check_site* site) try {
  if (launch->check)
    setWritten(*launch->check->checker, launch, rank, address, written != 0, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_reached(bsgp_call* call, const void* pointer, uint64_t bytes, int32_t holds_pointers) try {
  if (Checker* checker = watchesInit(call); checker && pointer)
    checker->reached(pointer, bytes, holds_pointers != 0);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_host_variable(bsgp_call* call, const void* address, uint64_t bytes, int32_t is_set) try {
  auto begin = reinterpret_cast<uintptr_t>(address);
  if (Checker* checker = watchesInit(call))
    checker->setVariable(begin, bytes, is_set != 0);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_host_moved(bsgp_call* call, const void* to, const void* from, uint64_t bytes) try {
  if (Checker* checker = watchesInit(call))
    checker->moved(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from), bytes);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

int32_t bsgp_rt_check_host_is_written(bsgp_call* call, const void* address, const bsgp_check_site* site) try {
  Checker* checker = checkerOf(*call->context);
  return !checker || isWritten(*checker, nullptr, 0, address, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

void bsgp_rt_check_host_set_written(bsgp_call* call, const void* address, int32_t written,
                                    const bsgp_check_site* site) try {
  if (Checker* checker = checkerOf(*call->context))
    setWritten(*checker, nullptr, 0, address, written != 0, *site);
} catch (const std::bad_alloc&) {
  endWithoutMemoryForChecks();
}

} // extern "C"
