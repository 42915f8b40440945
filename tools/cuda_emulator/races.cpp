#include "races.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <sys/mman.h>

#include "block.h"
#include "lanes.h"
#include "memory.h"

namespace bsgp::emulator {

namespace {

// A tag: the launch, the warp, barriers and releases. A number that is the largest stands for all from there on.
constexpr unsigned kWarpBits = 20, kTimeBits = 17;
constexpr uint64_t kWarps = uint64_t(1) << kWarpBits, kLatest = (uint64_t(1) << kTimeBits) - 1;
constexpr uint64_t kLaunches = (uint64_t(1) << (64 - kWarpBits - 2 * kTimeBits)) - 1;
constexpr int kMostReports = 4;

uint64_t launchOf(uint64_t tag) {
  return tag >> (kWarpBits + 2 * kTimeBits);
}

Moment momentOf(uint64_t tag) {
  return {tag >> 2 * kTimeBits & (kWarps - 1), static_cast<uint32_t>(tag >> kTimeBits & kLatest),
          static_cast<uint32_t>(tag & kLatest)};
}

} // namespace

uint64_t Touched::tag(uint64_t launch, const Moment& moment) {
  uint64_t of_launch = (launch % kLaunches + 1) << kWarpBits | moment.warp % kWarps;
  return of_launch << 2 * kTimeBits | std::min<uint64_t>(moment.barriers, kLatest) << kTimeBits |
         std::min<uint64_t>(moment.releases, kLatest);
}

Races::Races(uint64_t memory_bytes) : bytes_(memory_bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* place = mmap(nullptr, bytes_ * sizeof(Touched), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (place == MAP_FAILED)
    throw std::bad_alloc();
  touched_ = static_cast<Touched*>(place);
}

void Races::begin(uint64_t warps_of_block) {
  reports_ = 0;
  order_.begin(warps_of_block);
  if (++launch_ % kLaunches == 0) // numbers come again
    madvise(static_cast<void*>(touched_), bytes_ * sizeof(Touched), MADV_DONTNEED);
}

Races::Place Races::placeOf(Space space, uint64_t address) {
  if (space == Space::shared)
    return {true, address};
  if (space == Space::generic && address - kSharedBase < kWindow)
    return {true, address - kSharedBase};
  return {false, address - kDeviceBase};
}

Moment Races::now(Warp& w) {
  Block& block = w.block();
  const BlockRaces& races = block.races();
  return {(block.number() * block.warpCount() + w.index()) % kWarps, races.barriers, races.pasts[w.index()].releases};
}

void Races::note(Warp& w, const Op& op, Space space, unsigned bytes, bool write) {
  const uint64_t* a = w.at<uint64_t>(op.o[0]);
  if (reports_ < kMostReports && space != Space::local)
    forLanes(w.exec, [&](unsigned lane) { noteLane(w, op, space, lane, a[lane] + op.imm, bytes, write); });
}

// Notes an access; returns what it collides with: null, "written" or "read".
const char* Races::note(Touched& byte, Warp& w, const Moment& now, bool is_shared, bool write) {
  uint64_t me = Touched::tag(launch_, now), warps = w.block().warpCount();
  auto races = [&](uint64_t tag) {
    Moment then = momentOf(tag);
    if (launchOf(tag) != launchOf(me) || then.warp == now.warp || then.barriers == kLatest || then.releases == kLatest)
      return false;
    if (is_shared && then.warp / warps != now.warp / warps) // of a block that ran here before
      return false;
    return !order_.isBefore(then, w.block().races().pasts[w.index()], now);
  };
  auto load = [](std::atomic<uint64_t>& of) { return of.load(std::memory_order_relaxed); };
  const char* found = races(load(byte.writer)) ? "written" : nullptr;
  uint64_t last = load(byte.readers[0]);
  if (write) {
    if (!found && (races(last) || races(load(byte.readers[1]))))
      found = "read";
    byte.writer.store(me, std::memory_order_relaxed);
    for (auto& reader : byte.readers) // this write comes after them, or has been told of
      reader.store(0, std::memory_order_relaxed);
    return found;
  }
  if (momentOf(last).warp != now.warp)
    byte.readers[1].store(last, std::memory_order_relaxed);
  byte.readers[0].store(me, std::memory_order_relaxed);
  return found;
}

void Races::noteLane(Warp& w, const Op& op, Space space, unsigned lane, uint64_t address, unsigned bytes, bool write) {
  Place place = placeOf(space, address);
  Block& block = w.block();
  uint64_t end = place.is_shared ? block.sharedBytes() : bytes_;
  if (bytes > end || place.at > end - bytes)
    return;
  Touched* touched = place.is_shared ? block.races().shared.data() : touched_;
  Moment moment = now(w);
  const char* with = nullptr;
  for (unsigned i = 0; i < bytes; ++i)
    if (const char* found = note(touched[place.at + i], w, moment, place.is_shared, write))
      with = found;
  if (with && reports_++ < kMostReports)
    std::fprintf(
        stderr,
        "CUDA emulator: race: kernel %s, line %u of its module, %.*s: %s %s 0x%llx, which another warp has %s\n",
        block.kernel().name.c_str(), block.kernel().lines[op.number],
        static_cast<int>(block.kernel().texts[op.number].size()), block.kernel().texts[op.number].data(),
        block.threadName(w, lane).c_str(), write ? "writes" : "reads",
        static_cast<unsigned long long>(place.is_shared ? place.at : address), with);
}

void Races::access(Warp& w, const Op& op, Space space, const uint64_t* addresses, Access kind) {
  Past& past = w.block().races().pasts[w.index()];
  Moment moment = now(w); // of all lanes
  forLanes(w.exec, [&](unsigned lane) {
    Place place = placeOf(space, addresses[lane] + op.imm);
    uint64_t block = place.is_shared ? w.block().number() + 1 : 0;
    order_.access(past, moment, block << 40 | place.at, kind, op.o[5]);
  });
}

void Races::loaded(Warp& w, const Op& op, Space space, const uint64_t* addresses) {
  access(w, op, space, addresses, Access::load);
}

void Races::stores(Warp& w, const Op& op, Space space) {
  access(w, op, space, w.at<uint64_t>(op.o[0]), Access::store);
}

std::unique_lock<std::mutex> Races::exchanges(Warp& w, const Op& op, Space space) {
  std::unique_lock lock(order_.exchanges);
  access(w, op, space, w.at<uint64_t>(op.o[1]), Access::exchange);
  return lock;
}

void Races::fence(Warp& w) {
  order_.fence(w.block().races().pasts[w.index()], now(w));
}

} // namespace bsgp::emulator
