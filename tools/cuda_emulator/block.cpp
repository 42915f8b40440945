#include "block.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bsgp::emulator {

namespace {

constexpr uint32_t kSlice = 4096; // instructions of a warp before the next has its turn

void fill(char* slot, uint32_t bytes, unsigned lane, uint64_t value) {
  std::memcpy(slot + lane * bytes, &value, bytes);
}

// Memory of the calling thread for the warps it runs; kept for the next launch.
char* scratch(size_t bytes) {
  static thread_local std::vector<char> kept;
  if (kept.size() < bytes + 64)
    kept = std::vector<char>(bytes + 64);
  return kept.data() + (64 - reinterpret_cast<uintptr_t>(kept.data()) % 64) % 64;
}

bool dependsOnBlock(Special special) {
  return special >= Special::ctaid_x && special <= Special::ctaid_z;
}

} // namespace

Block::Block(Launch& launch) : launch_(launch), shared_bytes_(kernel().shared_bytes + launch.dynamic_shared) {
  shared_.resize(shared_bytes_ + 16);
  if (launch.races)
    races_.shared = std::vector<Touched>(shared_.size());
  prepare();
}

void Block::prepare() {
  uint32_t threads = launch_.threads(), count = (threads + 31) / 32;
  auto rounded = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  uint64_t frame = rounded(kernel().frame_bytes), local = rounded(32ull * kernel().local_bytes),
           slots = rounded(32ull * kernel().slot_bytes);
  char* place = scratch(count * (frame + local + slots));
  warps_.resize(count);
  for (uint32_t i = 0; i < count; ++i, place += frame + local + slots) {
    fillFrame(place, i);
    warps_[i].start(*this, i, std::min(32u, threads - i * 32), place, place + frame, place + frame + local);
  }
}

// What stays the same for all blocks.
void Block::fillFrame(char* frame, uint32_t warp) {
  for (const ConstantSlot& constant : kernel().constants) {
    if (constant.bytes == 0)
      fill(frame + constant.offset, 4, 0, constant.value);
    else
      for (unsigned lane = 0; lane < 32; ++lane)
        fill(frame + constant.offset, constant.bytes, lane, constant.value);
  }
  for (const SpecialSlot& slot : kernel().specials)
    fillSpecial(frame, warp, slot, false);
}

void Block::fillSpecial(char* frame, uint32_t warp, const SpecialSlot& slot, bool of_block) {
  if (dependsOnBlock(slot.special) != of_block)
    return;
  const Launch& l = launch_;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t thread = warp * 32 + lane, bit = uint32_t(1) << lane;
    auto value = [&]() -> uint64_t {
      switch (slot.special) {
      case Special::tid_x:
        return thread % l.block[0];
      case Special::tid_y:
        return thread / l.block[0] % l.block[1];
      case Special::tid_z:
        return thread / l.block[0] / l.block[1];
      case Special::ntid_x:
        return l.block[0];
      case Special::ntid_y:
        return l.block[1];
      case Special::ntid_z:
        return l.block[2];
      case Special::ctaid_x:
        return id_[0];
      case Special::ctaid_y:
        return id_[1];
      case Special::ctaid_z:
        return id_[2];
      case Special::nctaid_x:
        return l.grid[0];
      case Special::nctaid_y:
        return l.grid[1];
      case Special::nctaid_z:
        return l.grid[2];
      case Special::laneid:
        return lane;
      case Special::warpid:
        return warp;
      case Special::nwarpid:
        return 64;
      case Special::nsmid:
        return 2;
      case Special::lanemask_eq:
        return bit;
      case Special::lanemask_lt:
        return bit - 1;
      case Special::lanemask_le:
        return bit | (bit - 1);
      case Special::lanemask_gt:
        return ~(bit | (bit - 1));
      case Special::lanemask_ge:
        return ~(bit - 1);
      case Special::dynamic_smem_size:
        return l.dynamic_shared;
      case Special::total_smem_size:
        return shared_bytes_;
      case Special::smid:
      case Special::gridid:
      case Special::zero:
        return 0;
      }
      return 0;
    };
    fill(frame + slot.offset, slot.bytes, lane, value());
  }
}

void Block::run(uint64_t number) {
  id_[0] = static_cast<uint32_t>(number % launch_.grid[0]);
  id_[1] = static_cast<uint32_t>(number / launch_.grid[0] % launch_.grid[1]);
  id_[2] = static_cast<uint32_t>(number / launch_.grid[0] / launch_.grid[1]);
  number_ = number;
  races_.barriers = 0;
  races_.pasts.assign(launch_.races ? warps_.size() : 0, {});
  live_ = launch_.threads();
  std::fill(std::begin(barriers_), std::end(barriers_), Barrier());
  std::memset(shared_.data(), 0xa5, shared_.size());
  for (uint32_t i = 0; i < warps_.size(); ++i) {
    Warp& warp = warps_[i];
    warp.start(*this, i, std::min(32u, launch_.threads() - i * 32), warp.frame, warp.local(), warp.slots());
    for (const SpecialSlot& slot : kernel().specials)
      fillSpecial(warp.frame, i, slot, true);
  }
  while (live_ > 0 && !launch_.stop.load(std::memory_order_relaxed)) {
    bool progress = false;
    for (Warp& warp : warps_)
      progress |= !warp.done() && warp.run(kSlice);
    if (!progress)
      faultDeadlock();
  }
}

void Block::faultDeadlock() {
  std::string text = "kernel " + kernel().name + ": no thread of block " + std::to_string(id_[0]) + " can go on";
  for (size_t i = 0, shown = 0; i < warps_.size() && shown < 4; ++i)
    if (!warps_[i].done() && ++shown)
      text += warps_[i].whereLanesWait();
  throw Fault{719, text};
}

void Block::vote(Warp& warp, uint8_t barrier, uint32_t predicate) {
  barriers_[barrier].ones += static_cast<uint32_t>(std::popcount(predicate & warp.exec));
  barriers_[barrier].voters += static_cast<uint32_t>(std::popcount(warp.exec));
}

void Block::arrive(Warp& warp, const Op& op, uint8_t number, uint32_t expected, bool wait, bool anywhere) {
  Barrier& barrier = barriers_[number];
  auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  if (expected % 32 != 0)
    warp.fault(op, lane, 719, "a barrier's number of threads must be a multiple of 32");
  if (barrier.arrived > 0 && barrier.expected != expected)
    warp.fault(op, lane, 719, "threads come to one barrier with different numbers of threads");
  barrier.expected = expected;
  // Where threads are counted, the warps are: a warp with fewer lanes counts in full.
  bool whole = expected > 0 && warp.exec == warp.live();
  barrier.arrived += whole ? 32 : static_cast<uint32_t>(std::popcount(warp.exec));
  if (wait)
    warp.await(op, number, anywhere);
  check(number);
}

void Block::exited(uint32_t threads) {
  live_ -= threads;
  for (uint8_t i = 0; i < std::size(barriers_); ++i)
    check(i);
}

void Block::check(uint8_t number) {
  const Barrier& barrier = barriers_[number];
  uint32_t expected = barrier.expected ? barrier.expected : live_;
  if (barrier.arrived > 0 && barrier.arrived >= expected)
    complete(number);
}

void Block::complete(uint8_t number) {
  Barrier barrier = barriers_[number];
  barriers_[number] = Barrier();
  ++races_.barriers;
  for (Warp& warp : warps_)
    warp.releaseBarrier(number, [&](Warp& w, const Split& split) {
      const Op& op = kernel().code[split.pc];
      switch (static_cast<BarrierVote>(op.aux >> 8 & 0xff)) {
      case BarrierVote::none:
        return;
      case BarrierVote::popc:
        for (unsigned lane = 0; lane < 32; ++lane)
          if (split.mask >> lane & 1)
            w.at<uint32_t>(op.o[0])[lane] = barrier.ones;
        return;
      case BarrierVote::all:
      case BarrierVote::any: {
        bool all = static_cast<BarrierVote>(op.aux >> 8 & 0xff) == BarrierVote::all;
        bool value = all ? barrier.ones == barrier.voters : barrier.ones > 0;
        uint32_t* p = w.at<uint32_t>(op.o[0]);
        *p = (*p & ~split.mask) | (value ? split.mask : 0);
      }
      }
    });
}

std::string Block::threadName(const Warp& warp, unsigned lane) const {
  auto triple = [](uint64_t x, uint64_t y, uint64_t z) {
    return std::string("(") + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  };
  uint64_t thread = warp.index() * 32 + lane, x = launch_.block[0], y = launch_.block[1];
  return "thread " + triple(thread % x, thread / x % y, thread / x / y) + " of block " + triple(id_[0], id_[1], id_[2]);
}

} // namespace bsgp::emulator
