#include "races.h"

#include <cstdio>
#include <new>
#include <sys/mman.h>

#include "block.h"
#include "lanes.h"
#include "memory.h"

namespace bsgp::emulator {

namespace {
constexpr uint64_t kPeriods = (1u << (32 - Touched::kWarpBits)) - 1;
constexpr int kMostReports = 4;
} // namespace

uint32_t Touched::tag(uint64_t period, uint64_t warp) {
  return static_cast<uint32_t>((period % kPeriods + 1) << kWarpBits | warp % kMany);
}

const char* Touched::note(uint32_t me, bool write) {
  auto of_others = [&](uint32_t tag) { return tag >> kWarpBits == me >> kWarpBits && tag != me; };
  uint32_t wrote = writer.load(std::memory_order_relaxed), read = reader.load(std::memory_order_relaxed);
  if (write)
    writer.store(me, std::memory_order_relaxed);
  else
    reader.store(of_others(read) ? me | kMany : me, std::memory_order_relaxed);
  return of_others(wrote) ? "written" : write && of_others(read) ? "read" : nullptr;
}

Races::Races(uint64_t memory_bytes) : bytes_(memory_bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, bytes_ * sizeof(Touched), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (place == MAP_FAILED)
    throw std::bad_alloc();
  touched_ = static_cast<Touched*>(place);
}

void Races::begin() {
  reports_ = 0;
  if (++period_ % kPeriods == 0) // numbers come again
    madvise(static_cast<void*>(touched_), bytes_ * sizeof(Touched), MADV_DONTNEED);
}

void Races::note(Warp& w, const Op& op, Space space, unsigned bytes, bool write) {
  const uint64_t* a = w.at<uint64_t>(op.o[0]);
  forLanes(w.exec, [&](unsigned lane) { noteLane(w, op, space, lane, a[lane] + op.imm, bytes, write); });
}

void Races::noteLane(Warp& w, const Op& op, Space space, unsigned lane, uint64_t address, unsigned bytes, bool write) {
  if (space == Space::generic && address - kSharedBase < kWindow) {
    space = Space::shared;
    address -= kSharedBase;
  }
  bool shared = space == Space::shared;
  uint64_t at = shared ? address : address - kDeviceBase;
  Block& block = w.block();
  if (space == Space::local || at > (shared ? block.sharedBytes() : bytes_) || (at % bytes) != 0)
    return;
  uint32_t me = shared ? Touched::tag(block.sharedRaces().period, w.index())
                       : Touched::tag(period_, block.number() * block.warpCount() + w.index());
  const char* with = nullptr;
  for (unsigned i = 0; i < bytes; ++i)
    if (const char* found = (shared ? block.sharedRaces().touched.data() : touched_)[at + i].note(me, write))
      with = found;
  if (with && reports_++ < kMostReports)
    std::fprintf(
        stderr,
        "CUDA emulator: race: kernel %s, line %u of its module, %.*s: %s %s 0x%llx, which another warp has %s\n",
        block.kernel().name.c_str(), block.kernel().lines[op.number],
        static_cast<int>(block.kernel().texts[op.number].size()), block.kernel().texts[op.number].data(),
        block.threadName(w, lane).c_str(), write ? "writes" : "reads", static_cast<unsigned long long>(address), with);
}

} // namespace bsgp::emulator
