#include "runtime/cuda/records.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdio>

#include "runtime/failure.h"
#include "runtime/output.h"

namespace bsgp::runtime::cuda {
namespace {

// Each thread of a launch may print this many slots, within the bounds.
constexpr uint64_t kSlotsOfThread = 16, kFewestSlots = 1 << 16, kMostSlots = 1 << 25;
constexpr uint8_t kNothing = 0xff; // marks an unwritten slot: no format has such a number

} // namespace

Records::~Records() {
  for (const Record& record : free_)
    destroy(record);
}

void Records::destroy(const Record& record) {
  memory_.release(record.address, sizeof(bsgp_gpu_record));
  memory_.release(record.slots, record.capacity * 8);
  if (record.said && gpu_.enter())
    gpu_.driver().cuMemFreeHost(record.said);
}

Result<void> Records::fill(CUdeviceptr to, uint8_t byte, size_t bytes) {
  if (CUresult result = gpu_.driver().cuMemsetD8Async(to, byte, bytes, gpu_.stream()))
    return gpu_.failed(result, "cuMemsetD8Async", formatted("%zu bytes", bytes));
  gpu_.gave();
  return {};
}

Result<Record> Records::take() {
  taken_.fetch_add(1, std::memory_order_acq_rel);
  auto record = freeOrNew();
  if (!record)
    taken_.fetch_sub(1, std::memory_order_acq_rel);
  return record;
}

Result<Record> Records::freeOrNew() {
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Record record = free_.back();
      free_.pop_back();
      return record;
    }
  }
  std::string why;
  Record record;
  record.address = memory_.allocate(sizeof(bsgp_gpu_record), why);
  if (!record.address)
    return Error{"cannot allocate the record of a call: " + why};
  void* said = nullptr;
  auto made = gpu_.check(gpu_.driver().cuMemHostAlloc(&said, sizeof(bsgp_gpu_record), 0), "cuMemHostAlloc");
  record.said = static_cast<bsgp_gpu_record*>(said);
  if (made) {
    *record.said = {};
    made = fill(record.address, 0, sizeof(bsgp_gpu_record));
  }
  if (made)
    return record;
  destroy(record);
  return made.error();
}

void Records::give(const Record& record) {
  taken_.fetch_sub(1, std::memory_order_acq_rel);
  std::lock_guard lock(mutex_);
  free_.push_back(record);
}

Result<void> Records::clear(const Record& record) {
  return fill(record.address, 0, offsetof(bsgp_gpu_record, printed)); // the slots are kept
}

Result<void> Records::makeRoom(Record& record, int64_t threads) {
  uint64_t wanted = uint64_t(std::min<int64_t>(threads, int64_t(kMostSlots))) * kSlotsOfThread;
  wanted = std::clamp(wanted, kFewestSlots, kMostSlots);
  return record.capacity >= wanted ? Result<void>() : makeSlots(record, wanted);
}

// The old slots are empty: they are printed after each launch.
Result<void> Records::makeSlots(Record& record, uint64_t capacity) {
  std::string why;
  CUdeviceptr slots = memory_.allocate(capacity * 8, why);
  if (!slots)
    return Error{formatted("cannot allocate %" PRIu64 " bytes for printf: ", capacity * 8) + why};
  memory_.release(record.slots, record.capacity * 8);
  record.slots = slots;
  record.capacity = capacity;
  if (auto emptied = fill(slots, kNothing, capacity * 8); !emptied)
    return emptied;
  uint64_t told[] = {0, capacity, slots}; // printed, capacity, slots
  static_assert(offsetof(bsgp_gpu_record, slots) == offsetof(bsgp_gpu_record, printed) + 16);
  return copies_.toDevice(record.address + offsetof(bsgp_gpu_record, printed), told, sizeof told);
}

Lines linesIn(const std::vector<uint64_t>& slots, const bsgp_gpu_record& said, const bsgp_gpu_code& code) {
  Lines found;
  size_t at = 0;
  while (at < slots.size()) {
    uint32_t format = uint32_t(slots[at]), count = uint32_t(slots[at] >> 32);
    if (format >= code.format_count || count > slots.size() - at - 1)
      break;
    found.lines.push_back({code.formats[format], count, slots.data() + at + 1});
    at += 1 + size_t(count);
  }
  found.lost_slots = said.printed - at;
  return found;
}

// Slots are taken one after the other, so lines that did not fit come after all that did. Their number is not known;
// they are taken to be as long as the others.
Result<void> Records::print(const Record& record, const bsgp_gpu_code& code) {
  const bsgp_gpu_record& said = *record.said;
  std::vector<uint64_t> slots(std::min(said.printed, record.capacity));
  if (auto copied = copies_.toHost(slots.data(), record.slots, slots.size() * 8); !copied)
    return copied;
  Lines found = linesIn(slots, said, code);
  for (const Lines::Line& line : found.lines)
    bsgp_rt_print(line.format, line.count, line.arguments);
  if (found.lost_slots) {
    size_t printed = found.lines.size(), used = size_t(said.printed - found.lost_slots);
    uint64_t lost = std::max<uint64_t>(1, printed ? found.lost_slots * printed / used : found.lost_slots / 2);
    flush();
    std::fprintf(stderr,
                 "bsgp: warning: about %" PRIu64 " lines of a printf on the GPU did not fit in its %" PRIu64 " bytes\n",
                 lost, record.capacity * 8);
  }
  if (auto emptied = fill(record.slots, kNothing, slots.size() * 8); !emptied)
    return emptied;
  return fill(record.address + offsetof(bsgp_gpu_record, printed), 0, 8);
}

} // namespace bsgp::runtime::cuda
