#include "type.h"

#include <iterator>

namespace bsgp::emulator {

namespace {
struct Entry {
  std::string_view name;
  unsigned bytes;
};
// In the order of the enumeration.
constexpr Entry kTypes[] = {{"", 0},    {"pred", 0},  {"b8", 1},   {"b16", 2},    {"b32", 4}, {"b64", 8}, {"u8", 1},
                            {"u16", 2}, {"u32", 4},   {"u64", 8},  {"s8", 1},     {"s16", 2}, {"s32", 4}, {"s64", 8},
                            {"f16", 2}, {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"f32", 4}, {"f64", 8}};
} // namespace

Type typeOf(std::string_view name) {
  for (unsigned i = 1; i < std::size(kTypes); ++i)
    if (kTypes[i].name == name)
      return static_cast<Type>(i);
  return Type::none;
}

unsigned bytesOf(Type type) {
  return kTypes[static_cast<unsigned>(type)].bytes;
}

} // namespace bsgp::emulator
