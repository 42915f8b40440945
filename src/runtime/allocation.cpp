// Allocates, frees and copies memory for compiled host code.
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>

#include "plan/check_abi.h"
#include "runtime/context.h"

using namespace bsgp::runtime;

namespace {

int32_t negativeCount(bsgp_call* call, const bsgp_site* site, const char* what, int64_t count) {
  return call->fail(BSGP_FAILED, site, formatted("%s %" PRId64 " elements: the number is negative", what, count));
}

// A list without elements is null, too.
std::string copyOfNothing(int64_t count, bool has_target, uint32_t space) {
  std::string text =
      formatted("cannot copy %" PRId64 " elements: the %s is null", count, has_target ? "source" : "target");
  if (Space(space) == Space::Host)
    return text;
  text += ", as an empty list is (0 elements)\n  help: ";
  return text + (has_target ? std::string("a list to copy from is filled first")
                            : formatted("give the list its elements first: list.resize(%" PRId64 ")", count));
}

int32_t allocate(bsgp_call* call, int64_t count, int64_t element_bytes, const bsgp_site* site,
                 Memory::Allocation& out) {
  std::string why;
  if (count < 0)
    return negativeCount(call, site, "cannot allocate", count);
  int64_t bytes = 0;
  if (!__builtin_mul_overflow(count, element_bytes, &bytes))
    out = call->context->memory.allocate(size_t(bytes), {site, count}, why);
  if (!out.block)
    return call->allocationFailed(site, count, element_bytes, "device memory", why);
  if (call->context->profile) [[unlikely]]
    call->context->profile->allocated(size_t(bytes));
  return BSGP_OK;
}

// Notify the watch that a program may reach a list's elements, and the room that it reserved.
void listHas(bsgp_call* call, const bsgp_dlist& list, int64_t n, int64_t element_bytes) {
  if (call->context->watch && list.data) [[unlikely]]
    call->context->watch->listHas(list.data, uint64_t(n * element_bytes));
}
void listReserves(bsgp_call* call, const bsgp_dlist& list, int64_t n, int64_t element_bytes) {
  if (call->context->watch && list.data) [[unlikely]]
    call->context->watch->listReserves(list.data, uint64_t(n * element_bytes));
}

void moved(bsgp_call* call, void* to, Space to_space, const void* from, size_t bytes, const bsgp_site* site) {
  if (call->context->watch) [[unlikely]]
    call->context->watch->copied(to, to_space, from, bytes, site, call);
}

// Grows to room for n elements: by half at least, so that appending piece by piece stays linear; never shrinks.
int32_t grow(bsgp_call* call, bsgp_dlist* list, int64_t n, int64_t element_bytes, const bsgp_site* site) {
  int64_t capacity = std::max(n, list->n ? list->capacity + list->capacity / 2 : 0);
  Memory::Allocation fresh;
  if (int32_t status = allocate(call, capacity, element_bytes, site, fresh))
    return status;
  if (list->data) {
    auto copied = call->context->device->copy(fresh.block, Space::Device, list->data, Space::Device,
                                              size_t(list->n * element_bytes));
    if (!copied) {
      call->context->memory.release(fresh.block);
      return call->fail(BSGP_FAILED, site, copied.message());
    }
    moved(call, fresh.block, Space::Device, list->data, size_t(list->n * element_bytes), site);
    call->context->memory.release(list->data, 0, site);
  }
  list->data = fresh.block;
  list->capacity = capacity;
  listHas(call, *list, list->n, element_bytes);
  return call->checkMemory();
}

char* elementOf(const bsgp_dlist& list, int64_t index, int64_t element_bytes) {
  return static_cast<char*>(list.data) + index * element_bytes;
}

int32_t noElement(bsgp_call* call, const bsgp_dlist& list, int64_t index, const bsgp_site* site) {
  return call->fail(BSGP_FAILED, site,
                    formatted("there is no element %" PRId64 " in a list of %" PRId64, index, list.n));
}

// The host gets 0 in place of memory that cannot be read.
bool mayCopy(bsgp_call* call, void* to, Space to_space, const void* from, Space from_space, size_t bytes,
             const bsgp_site* site) {
  Watch& watch = *call->context->watch;
  auto isHere = [&](Space space) { return space == Space::Host || !call->context->device->isGpu(); };
  if (!watch.mayCopy(to, bytes, BSGP_ACCESS_WRITE, isHere(to_space), site, call))
    return false;
  if (watch.mayCopy(from, bytes, BSGP_ACCESS_READ, isHere(from_space), site, call))
    return true;
  if (to_space == Space::Host)
    std::memset(to, 0, bytes);
  return false;
}

// Returns the usual help if nothing more is known.
std::string whyNotFreed(bsgp_call* call, const void* block, Space space, const char* otherwise) {
  std::string why = call->context->watch ? call->context->watch->whyNotFreed(block, space) : "";
  return why.empty() ? std::string("help: was it ") + otherwise + " before, or is it a pointer into the middle?" : why;
}

// Copies between places that were checked.
int32_t copyBytes(bsgp_call* call, void* to, Space to_space, const void* from, Space from_space, size_t bytes,
                  const bsgp_site* site) {
  if (call->context->watch && !mayCopy(call, to, to_space, from, from_space, bytes, site)) [[unlikely]]
    return BSGP_OK;
  auto copied = call->context->device->copy(to, to_space, from, from_space, bytes, call->on_device.get());
  if (!copied)
    return call->fail(BSGP_FAILED, site, copied.message());
  moved(call, to, to_space, from, bytes, site);
  return to_space == Space::Host && from_space == Space::Device ? call->wait() : int32_t(BSGP_OK);
}

// True if an index of a part of it was reported as outside.
bool isOutside(const bsgp_call* call, int64_t part, int64_t bytes, int64_t element_bytes) {
  return call->context->watch && (part < 0 || part > element_bytes - bytes);
}

// True if an element may be at `there`, as far as the allocation that the pointer leads to is known.
bool isOneAllocation(bsgp_call* call, const void* pointer, const char* there, int64_t element_bytes) {
  Memory& memory = call->context->memory;
  size_t room = memory.roomAt(pointer, Space::Device);
  int64_t distance = there - static_cast<const char*>(pointer);
  if (distance >= 0)
    return room == SIZE_MAX || size_t(distance + element_bytes) <= room;
  return room == SIZE_MAX || memory.roomAt(there, Space::Device) == room + size_t(-distance);
}

int32_t noElementThere(bsgp_call* call, int64_t index, const bsgp_site* site) {
  return call->fail(BSGP_FAILED, site,
                    formatted("there is no element %" PRId64 " in the memory that this points to", index));
}

} // namespace

extern "C" {

int32_t bsgp_rt_dnew(bsgp_call* call, int64_t count, int64_t element_bytes, const bsgp_site* site, void** out) try {
  *out = nullptr;
  Memory::Allocation allocation;
  int32_t status = allocate(call, count, element_bytes, site, allocation);
  *out = allocation.block;
  return status;
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "device memory", count * element_bytes);
}

int32_t bsgp_rt_dtempnew(bsgp_call* call, int64_t count, int64_t element_bytes, uint32_t scope, const bsgp_site* site,
                         void** out) try {
  Memory& memory = call->context->memory;
  size_t bytes = 0;
  bool fits =
      count >= 0 && !__builtin_mul_overflow(size_t(count), size_t(element_bytes), &bytes); // else it fails below
  *out = scope && fits ? call->spawn_temps.takeKept(site, bytes, scope, memory) : nullptr;
  if (*out)
    return BSGP_OK;
  Memory::Allocation allocation;
  int32_t status = allocate(call, count, element_bytes, site, allocation);
  if (status != BSGP_OK)
    return status;
  Temps& temps = scope ? call->spawn_temps : call->function_temps;
  try {
    temps.add({allocation.block, allocation.serial, scope, site, bytes});
  } catch (const std::bad_alloc&) {
    call->context->memory.release(allocation.block, allocation.serial);
    throw;
  }
  *out = allocation.block;
  return BSGP_OK;
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "device memory", count * element_bytes);
}

int32_t bsgp_rt_dfree(bsgp_call* call, void* block, const bsgp_site* site) try {
  bool is_programs = call->spawn_temps.forget(block);
  if (!block || (is_programs && call->context->memory.release(block, 0, site)))
    return call->checkMemory();
  return call->fail(
      BSGP_FAILED, site,
      formatted("dfree of %p, which is no device memory that dnew gave and is still allocated\n  ", block) +
          whyNotFreed(call, block, Space::Device, "freed"));
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a message");
}

int32_t bsgp_rt_new(bsgp_call* call, int64_t count, int64_t element_bytes, const bsgp_site* site, void** out) try {
  *out = nullptr;
  if (count < 0)
    return negativeCount(call, site, "cannot allocate", count);
  int64_t bytes = 0;
  if (!__builtin_mul_overflow(count, element_bytes, &bytes))
    *out = call->context->memory.allocateHost(size_t(bytes), {site, count});
  return *out ? int32_t(BSGP_OK) : call->allocationFailed(site, count, element_bytes, "host memory", "");
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "host memory", count * element_bytes);
}

int32_t bsgp_rt_delete(bsgp_call* call, void* block, const bsgp_site* site) try {
  if (!block || call->context->memory.releaseHost(block, site))
    return call->checkMemory();
  return call->fail(BSGP_FAILED, site,
                    formatted("delete of %p, which is no host memory that new gave and is still allocated\n  ", block) +
                        whyNotFreed(call, block, Space::Host, "deleted"));
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a message");
}

int32_t bsgp_rt_copy(bsgp_call* call, void* to, uint32_t to_space, const void* from, uint32_t from_space, int64_t count,
                     int64_t element_bytes, const bsgp_site* site) try {
  int64_t bytes = 0;
  if (count < 0)
    return negativeCount(call, site, "cannot copy", count);
  if (__builtin_mul_overflow(count, element_bytes, &bytes))
    return call->fail(BSGP_FAILED, site, formatted("cannot copy %" PRId64 " elements: more than any memory", count));
  if (bytes == 0)
    return BSGP_OK;
  if (!to || !from)
    return call->fail(BSGP_FAILED, site, copyOfNothing(count, to != nullptr, to ? from_space : to_space));
  Memory& memory = call->context->memory;
  size_t room = memory.roomAt(to, Space(to_space)), there = memory.roomAt(from, Space(from_space));
  if (size_t(bytes) > std::min(room, there))
    return call->fail(BSGP_FAILED, site,
                      formatted("cannot copy %" PRId64 " elements (%" PRId64 " bytes): the %s has %zu bytes", count,
                                bytes, room < there ? "target" : "source", std::min(room, there)));
  return copyBytes(call, to, Space(to_space), from, Space(from_space), size_t(bytes), site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a copy");
}

int32_t bsgp_rt_peek(bsgp_call* call, const void* pointer, int64_t index, int64_t element_bytes, void* to,
                     const bsgp_site* site) try {
  const char* there = static_cast<const char*>(pointer) + index * element_bytes;
  if (pointer && !isOneAllocation(call, pointer, there, element_bytes))
    return noElementThere(call, index, site);
  if (!pointer)
    return bsgp_rt_copy(call, to, BSGP_HOST, nullptr, BSGP_DEVICE, 1, element_bytes, site);
  return copyBytes(call, to, Space::Host, there, Space::Device, size_t(element_bytes), site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a copy");
}

int32_t bsgp_rt_poke(bsgp_call* call, void* pointer, int64_t index, int64_t element_bytes, const void* from,
                     const bsgp_site* site) try {
  char* there = static_cast<char*>(pointer) + index * element_bytes;
  if (pointer && !isOneAllocation(call, pointer, there, element_bytes))
    return noElementThere(call, index, site);
  if (!pointer)
    return bsgp_rt_copy(call, nullptr, BSGP_DEVICE, from, BSGP_HOST, 1, element_bytes, site);
  return copyBytes(call, there, Space::Device, from, Space::Host, size_t(element_bytes), site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a copy");
}

int32_t bsgp_rt_dlist_reserve(bsgp_call* call, bsgp_dlist* list, int64_t n, int64_t element_bytes,
                              const bsgp_site* site) try {
  if (n < 0)
    return negativeCount(call, site, "cannot reserve", n);
  int32_t status = n > list->capacity ? grow(call, list, n, element_bytes, site) : int32_t(BSGP_OK);
  listReserves(call, *list, n, element_bytes);
  return status;
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a list", n * element_bytes);
}

// Within the capacity it touches no element: elements written behind the end after a reserve are part of the list
// then.
int32_t bsgp_rt_dlist_resize(bsgp_call* call, bsgp_dlist* list, int64_t n, int64_t element_bytes,
                             const bsgp_site* site) try {
  if (n < 0)
    return negativeCount(call, site, "cannot resize a list to", n);
  if (n > list->capacity || !list->data)
    if (int32_t status = grow(call, list, n, element_bytes, site))
      return status;
  list->n = n;
  listHas(call, *list, n, element_bytes);
  return BSGP_OK;
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a list", n * element_bytes);
}

void bsgp_rt_dlist_free(bsgp_call* call, bsgp_dlist* list) {
  if (list->data)
    call->context->memory.release(list->data);
  *list = {};
}

int32_t bsgp_rt_dlist_assign(bsgp_call* call, bsgp_dlist* to, const bsgp_dlist* from, int64_t element_bytes,
                             const bsgp_site* site) try {
  if (to == from)
    return BSGP_OK;
  if (from->n > to->capacity) {
    Memory::Allocation fresh;
    if (int32_t status = allocate(call, from->n, element_bytes, site, fresh))
      return status;
    bsgp_rt_dlist_free(call, to);
    to->data = fresh.block, to->capacity = from->n;
    if (int32_t status = call->checkMemory())
      return status;
  }
  to->n = from->n;
  listHas(call, *to, to->n, element_bytes);
  return bsgp_rt_copy(call, to->data, BSGP_DEVICE, from->data, BSGP_DEVICE, from->n, element_bytes, site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a list", from->n * element_bytes);
}

int32_t bsgp_rt_dlist_append(bsgp_call* call, bsgp_dlist* list, const void* values, int64_t count,
                             int64_t element_bytes, const bsgp_site* site) try {
  int64_t first = list->n;
  if (int32_t status = bsgp_rt_dlist_resize(call, list, first + count, element_bytes, site))
    return status;
  return bsgp_rt_copy(call, elementOf(*list, first, element_bytes), BSGP_DEVICE, values, BSGP_HOST, count,
                      element_bytes, site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a list", count * element_bytes);
}

int32_t bsgp_rt_dlist_read(bsgp_call* call, const bsgp_dlist* list, int64_t index, int64_t element_bytes, int64_t part,
                           int64_t bytes, void* to, const bsgp_site* site) try {
  if (index < 0 || index >= list->n)
    return noElement(call, *list, index, site);
  if (isOutside(call, part, bytes, element_bytes)) [[unlikely]] {
    std::memset(to, 0, size_t(bytes));
    return BSGP_OK;
  }
  return bsgp_rt_copy(call, to, BSGP_HOST, elementOf(*list, index, element_bytes) + part, BSGP_DEVICE, 1, bytes, site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a message");
}

int32_t bsgp_rt_dlist_write(bsgp_call* call, const bsgp_dlist* list, int64_t index, int64_t element_bytes, int64_t part,
                            int64_t bytes, const void* from, const bsgp_site* site) try {
  if (index < 0 || index >= list->n)
    return noElement(call, *list, index, site);
  if (isOutside(call, part, bytes, element_bytes)) [[unlikely]]
    return BSGP_OK;
  return bsgp_rt_copy(call, elementOf(*list, index, element_bytes) + part, BSGP_DEVICE, from, BSGP_HOST, 1, bytes,
                      site);
} catch (const std::bad_alloc&) {
  return call->outOfMemory(site, "a message");
}

} // extern "C"
