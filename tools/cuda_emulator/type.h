// The fundamental types of PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace bsgp::emulator {

enum class Type : uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64
};

Type typeOf(std::string_view name); // "u32"; none if it is no type
unsigned bytesOf(Type);             // 0 for pred and none

inline bool isSigned(Type type) {
  return type >= Type::s8 && type <= Type::s64;
}
inline bool isInteger(Type type) {
  return type >= Type::u8 && type <= Type::s64;
}

} // namespace bsgp::emulator
