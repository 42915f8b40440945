#include "runtime/guard.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace bsgp::runtime::guard {
namespace {

// No numbers that programs write: whatever their type, they are large, and none is like its neighbours.
constexpr std::array<uint8_t, kBytes> makePattern() {
  std::array<uint8_t, kBytes> bytes{};
  uint32_t state = 0x9E3779B9;
  for (uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = uint8_t(state >> 24) | 0x41;
  }
  return bytes;
}

constexpr std::array<uint8_t, kBytes> kPattern = makePattern();

} // namespace

void set(void* block, size_t bytes) {
  auto* begin = static_cast<uint8_t*>(block);
  std::memcpy(begin - kBytes, kPattern.data(), kBytes);
  std::memcpy(begin + bytes, kPattern.data(), kBytes);
}

Damage find(const void* block, size_t bytes) {
  auto* begin = static_cast<const uint8_t*>(block);
  if (std::memcmp(begin + bytes, kPattern.data(), kBytes) != 0)
    return Damage::Behind;
  return std::memcmp(begin - kBytes, kPattern.data(), kBytes) != 0 ? Damage::Before : Damage::None;
}

} // namespace bsgp::runtime::guard
