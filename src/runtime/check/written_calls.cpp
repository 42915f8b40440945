// What watched code says of what was written, and asks (check_abi.h). Memory of the caller's own counts as written.
#include "runtime/check/launch.h"
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

// Of the running block; of host code, where no block runs, all that is on the stack.
BlockWritten& ofBlock(const bsgp_launch* launch, int64_t rank, Worker& worker) {
  if (!launch)
    return worker.host_written;
  worker.written.enter({launch->check->serial, rank / launch->block});
  return worker.written;
}

bool isWritten(Checker& checker, const bsgp_launch* launch, int64_t rank, const void* address,
               const bsgp_check_site& site) {
  Worker& worker = Worker::mine();
  if (!watchesInit(checker, site) || site.space == BSGP_MEMORY_CONSTANT || worker.isNowhere(address))
    return true;
  auto at = reinterpret_cast<uintptr_t>(address);
  if (site.space >= BSGP_MEMORY_SHARED)
    return ofBlock(launch, rank, worker).all(at, site.bytes, threadOf(site, rank));
  auto [bytes, offset] = checker.allocations.writtenAt(at, site.bytes);
  return !bytes || bytes->all(offset, site.bytes);
}

void setWritten(Checker& checker, const bsgp_launch* launch, int64_t rank, const void* address, bool written,
                const bsgp_check_site& site) {
  Worker& worker = Worker::mine();
  if (!watchesInit(checker, site) || site.space == BSGP_MEMORY_CONSTANT || worker.isNowhere(address))
    return;
  auto at = reinterpret_cast<uintptr_t>(address);
  if (site.space >= BSGP_MEMORY_SHARED)
    return ofBlock(launch, rank, worker).set(at, site.bytes, threadOf(site, rank), written);
  if (auto [bytes, offset] = checker.allocations.writtenAt(at, site.bytes); bytes)
    bytes->set(offset, site.bytes, written);
}

} // namespace
} // namespace bsgp::runtime::check

using namespace bsgp::runtime::check;

extern "C" {

int32_t bsgp_rt_check_is_written(const bsgp_launch* launch, int64_t rank, const void* address,
                                 const bsgp_check_site* site) {
  return !launch->check || isWritten(*launch->check->checker, launch, rank, address, *site);
}

void bsgp_rt_check_set_written(const bsgp_launch* launch, int64_t rank, const void* address, int32_t written,
                               const bsgp_check_site* site) {
  if (launch->check)
    setWritten(*launch->check->checker, launch, rank, address, written != 0, *site);
}

void bsgp_rt_check_reached(bsgp_call* call, const void* pointer) {
  Checker* checker = call->context->checker.get();
  Allocation* memory =
      checker && pointer ? Worker::mine().find(checker->allocations, reinterpret_cast<uintptr_t>(pointer)) : nullptr;
  if (WrittenBytes* bytes = memory ? memory->written.load(std::memory_order_acquire) : nullptr)
    bytes->set(0, memory->extent.load(std::memory_order_relaxed), true);
}

int32_t bsgp_rt_check_host_is_written(bsgp_call* call, const void* address, const bsgp_check_site* site) {
  return !call->context->checker || isWritten(*call->context->checker, nullptr, 0, address, *site);
}

void bsgp_rt_check_host_set_written(bsgp_call* call, const void* address, int32_t written,
                                    const bsgp_check_site* site) {
  if (call->context->checker)
    setWritten(*call->context->checker, nullptr, 0, address, written != 0, *site);
}

} // extern "C"
