// 128 bits that tell contents apart.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bsgp::runtime {

struct Hash128 {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const; // 32 digits
};

// MurmurHash3_x64_128 (Austin Appleby, in the public domain: github.com/aappleby/smhasher), with the same results on
// a machine of little-endian byte order. It is no protection against deliberate collisions.
Hash128 hash128(std::string_view bytes, uint32_t seed = 0);

} // namespace bsgp::runtime
