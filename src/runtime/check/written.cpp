#include "runtime/check/written.h"

#include <algorithm>

namespace bsgp::runtime::check {

// Copies eight bytes at a time if both begin alike, from the end that is not overwritten before it is read.
void WrittenBytes::copy(uint64_t offset, const WrittenBytes& from, uint64_t from_offset, uint64_t bytes) {
  bool backwards = this == &from && from_offset < offset;
  uint64_t step = (offset | from_offset | bytes) % 64 == 0 ? 64 : (offset | from_offset | bytes) % 4 == 0 ? 4 : 1;
  for (uint64_t done = 0; done < bytes; done += step) {
    uint64_t at = backwards ? bytes - step - done : done;
    bool is_written = from.all(from_offset + at, step);
    if (is_written || from.none(from_offset + at, step)) {
      set(offset + at, step, is_written);
      continue;
    }
    for (uint64_t i = 0; i < step; ++i) {
      uint64_t byte = at + (backwards ? step - 1 - i : i);
      set(offset + byte, 1, from.all(from_offset + byte, 1));
    }
  }
}

void WrittenBytes::changed(const uint64_t* before, const uint64_t* after) {
  auto* words = static_cast<std::atomic<uint64_t>*>(memory_.data());
  for (size_t i = 0; i < bytesOfBits() / sizeof(uint64_t); ++i) {
    uint64_t changes = before[i] ^ after[i];
    if (changes & after[i])
      words[i].fetch_or(changes & after[i], std::memory_order_relaxed);
    if (changes & ~after[i])
      words[i].fetch_and(~(changes & ~after[i]), std::memory_order_relaxed);
  }
}

void BlockWritten::enter(BlockId block) {
  if (block == block_) [[likely]]
    return;
  block_ = block;
  ++stamp_;
  used_ = shared_used_ = 0;
}

BlockWritten::Entry& BlockWritten::at(uintptr_t eight, int64_t thread) {
  if (2 * used_ >= entries_.size())
    grow();
  size_t mask = entries_.size() - 1, i = size_t((eight / 64 * 0x9E3779B97F4A7C15u >> 32) * 64 + eight % 64) & mask;
  while (entries_[i].stamp == stamp_ && entries_[i].eight != eight)
    i = (i + 1) & mask;
  Entry& entry = entries_[i];
  used_ += entry.stamp != stamp_;
  if (entry.stamp != stamp_ || entry.thread != thread)
    entry = {eight, stamp_, thread, 0};
  return entry;
}

void BlockWritten::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  used_ = 0;
  for (const Entry& entry : old)
    if (entry.stamp == stamp_)
      at(entry.eight, entry.thread) = entry;
}

// Lines of neighbouring arrays in memory are neighbours here.
BlockWritten::SharedEntry& BlockWritten::sharedAt(uintptr_t line) {
  size_t mask = shared_.size() - 1, i = size_t(line) & mask;
  while (shared_[i].stamp == stamp_ && shared_[i].line != line)
    i = (i + 1) & mask;
  if (shared_[i].stamp == stamp_) [[likely]]
    return shared_[i];
  if (2 * ++shared_used_ > shared_.size()) {
    growShared();
    return sharedAt(line);
  }
  return shared_[i] = {line, stamp_, 0};
}

void BlockWritten::growShared() {
  std::vector<SharedEntry> old(shared_.size() * 2);
  old.swap(shared_);
  shared_used_ = 0;
  for (const SharedEntry& entry : old)
    if (entry.stamp == stamp_)
      sharedAt(entry.line) = entry;
}

// Returns the next `bytes` of the line that `address` is in, as bits.
static uint64_t bitsOfLine(uintptr_t address, uint64_t bytes) {
  return (bytes >= 64 ? ~uint64_t(0) : (uint64_t(1) << bytes) - 1) << address % 64;
}

// Returns the next `bytes` of the eight bytes that `address` is in, as bits.
static uint8_t bitsFrom(uintptr_t address, uint64_t bytes) {
  auto first = unsigned(address % 8);
  return uint8_t((bytes >= 8 ? 0xFFu : (1u << bytes) - 1) << first);
}

bool BlockWritten::all(uintptr_t address, uint64_t bytes, int64_t thread) {
  if (thread == kAll) {
    for (uintptr_t byte = address, end = address + bytes; byte < end; byte = byte / 64 * 64 + 64)
      if (uint64_t wanted = bitsOfLine(byte, end - byte); (sharedAt(byte / 64).mask & wanted) != wanted)
        return false;
    return true;
  }
  for (uintptr_t byte = address, end = address + bytes; byte < end; byte = byte / 8 * 8 + 8) {
    uint8_t wanted = bitsFrom(byte, end - byte);
    if ((at(byte / 8, thread).mask & wanted) != wanted)
      return false;
  }
  return true;
}

void BlockWritten::set(uintptr_t address, uint64_t bytes, int64_t thread, bool written) {
  if (thread == kAll) {
    for (uintptr_t byte = address, end = address + bytes; byte < end; byte = byte / 64 * 64 + 64) {
      uint64_t &mask = sharedAt(byte / 64).mask, changed = bitsOfLine(byte, end - byte);
      mask = written ? mask | changed : mask & ~changed;
    }
    return;
  }
  for (uintptr_t byte = address, end = address + bytes; byte < end; byte = byte / 8 * 8 + 8) {
    uint8_t &mask = at(byte / 8, thread).mask, changed = bitsFrom(byte, end - byte);
    mask = uint8_t(written ? mask | changed : mask & ~changed);
  }
}

} // namespace bsgp::runtime::check
