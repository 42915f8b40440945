#include "runtime/hash.h"

#include <bit>
#include <cstring>

#include "runtime/failure.h"

namespace bsgp::runtime {
namespace {

constexpr uint64_t kC1 = 0x87c37b91114253d5u, kC2 = 0x4cf5ad432745937fu;

uint64_t mix1(uint64_t k) {
  return std::rotl(k * kC1, 31) * kC2;
}
uint64_t mix2(uint64_t k) {
  return std::rotl(k * kC2, 33) * kC1;
}

uint64_t finalMix(uint64_t k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdu;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53u;
  return k ^ k >> 33;
}

} // namespace

std::string Hash128::hex() const {
  return formatted("%016llx%016llx", static_cast<unsigned long long>(high), static_cast<unsigned long long>(low));
}

Hash128 hash128(std::string_view bytes, uint32_t seed) {
  uint64_t h1 = seed, h2 = seed;
  size_t whole = bytes.size() / 16 * 16;
  for (size_t i = 0; i < whole; i += 16) {
    uint64_t k[2];
    std::memcpy(k, bytes.data() + i, 16);
    h1 = (std::rotl(h1 ^ mix1(k[0]), 27) + h2) * 5 + 0x52dce729;
    h2 = (std::rotl(h2 ^ mix2(k[1]), 31) + h1) * 5 + 0x38495ab5;
  }
  uint64_t tail[2] = {};
  if (bytes.size() > whole)
    std::memcpy(tail, bytes.data() + whole, bytes.size() - whole);
  h2 ^= mix2(tail[1]) ^ bytes.size();
  h1 ^= mix1(tail[0]) ^ bytes.size();
  h1 += h2;
  h2 += h1;
  h1 = finalMix(h1);
  h2 = finalMix(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

} // namespace bsgp::runtime
