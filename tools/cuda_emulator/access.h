// Where the bytes of an address are, and whether a thread may touch them.
#pragma once

#include "block.h"
#include "lanes.h"
#include "ptx.h"

namespace bsgp::emulator {

constexpr int kIllegalAddress = 700, kMisalignedAddress = 716, kLaunchFailed = 719; // CUresult

// Ends the launch: `address` cannot be touched. Says why.
[[noreturn]] void faultAddress(Warp&, const Op&, unsigned lane, uint64_t address, unsigned bytes, bool write);

// Where such an access goes when there is a trace, which tells of it; else the launch ends.
char* findNothing(Warp&, const Op&, unsigned lane, uint64_t address, unsigned bytes, bool write);

// Of a generic address that is no device memory; null if it is nothing.
char* findInWindows(Warp&, unsigned lane, uint64_t address, unsigned bytes, bool write);

inline char* findShared(Warp& w, uint64_t offset, unsigned bytes) {
  Block& block = w.block();
  return offset < block.sharedBytes() && bytes <= block.sharedBytes() - offset ? block.shared() + offset : nullptr;
}

inline char* findLocal(Warp& w, unsigned lane, uint64_t offset, unsigned bytes) {
  uint32_t size = w.block().kernel().local_bytes;
  return offset < size && bytes <= size - offset ? w.local() + uint64_t(size) * lane + offset : nullptr;
}

template <Space space>
inline char* place(Warp& w, const Op& op, unsigned lane, uint64_t address, unsigned bytes, bool write) {
  char* found = nullptr;
  if (address % bytes == 0) {
    if constexpr (space == Space::shared)
      found = findShared(w, address, bytes);
    else if constexpr (space == Space::local)
      found = findLocal(w, lane, address, bytes);
    else if (space == Space::generic && address - kSharedBase < kSlotBase + kWindow - kSharedBase)
      found = findInWindows(w, lane, address, bytes, write);
    else
      found = w.block().memory().find(address, bytes);
  }
  if (!found) [[unlikely]]
    found = findNothing(w, op, lane, address, bytes, write);
  return found;
}

// Handlers; null where there is none for these types.
// Loads `type`s from the address in operand 0 (+ imm) to Op::aux registers of so many bytes, operands 1 to 4. o[5] is
// not 0 where the access is ordered with those of other threads.
Handler loadHandler(Space, Type, unsigned register_bytes, bool vector);
// Stores likewise.
Handler storeHandler(Space, Type, unsigned register_bytes);
// Old value to operand 0; address in operand 1 (+ imm), operands 2 and 3.
Handler atomicHandler(Space, std::string_view operation, Type);

} // namespace bsgp::emulator
