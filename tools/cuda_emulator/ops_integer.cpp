// Integer arithmetic.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "lanes.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

// Wide enough that nothing overflows in it (products of 64 bits: see High).
template <class T>
using Wide = std::conditional_t<sizeof(T) == 8, __int128, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
template <class T> using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>; // wraps, is not promoted

struct Add {
  template <class T> static T of(T a, T b) { return static_cast<T>(Bits<T>(a) + Bits<T>(b)); }
};
struct Sub {
  template <class T> static T of(T a, T b) { return static_cast<T>(Bits<T>(a) - Bits<T>(b)); }
};
struct MulLow {
  template <class T> static T of(T a, T b) { return static_cast<T>(Bits<T>(a) * Bits<T>(b)); }
};
struct MulHigh {
  template <class T> static T of(T a, T b) {
    if constexpr (sizeof(T) == 8 && !std::is_signed_v<T>)
      return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> 64);
    else
      return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T> static auto of(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
};
template <class M> struct Mad {
  template <class T, class C> static C of(T a, T b, C c) { return Add::of(c, static_cast<C>(M::of(a, b))); }
};
// Division by zero has no defined value; these are what the hardware gives.
struct Div {
  template <class T> static T of(T a, T b) {
    if (b == 0)
      return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return Sub::of(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T of(T a, T b) {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == static_cast<T>(-1) ? T(0) : static_cast<T>(a % b);
  }
};
struct Min {
  template <class T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T of(T a, T b) { return a > b ? a : b; }
};
struct Abs {
  template <class T> static T of(T a) { return a < 0 ? Sub::of(T(0), a) : a; }
};
struct Neg {
  template <class T> static T of(T a) { return Sub::of(T(0), a); }
};
struct Sad {
  template <class T> static T of(T a, T b, T c) {
    T difference = a < b ? Sub::of(b, a) : Sub::of(a, b);
    return Add::of(c, difference);
  }
};

int32_t saturate(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}
struct AddSat {
  static int32_t of(int32_t a, int32_t b) { return saturate(int64_t(a) + b); }
};
struct SubSat {
  static int32_t of(int32_t a, int32_t b) { return saturate(int64_t(a) - b); }
};
struct MadHighSat {
  static int32_t of(int32_t a, int32_t b, int32_t c) { return saturate(int64_t(MulHigh::of(a, b)) + c); }
};

// 24 bits of each operand.
template <class T> T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << 8) >> 8);
}
template <bool high> struct Mul24 {
  template <class T> static T of(T a, T b) {
    return static_cast<T>((Wide<T>(low24(a)) * Wide<T>(low24(b))) >> (high ? 16 : 0));
  }
};

// Four products of bytes, two products of bytes and halves.
template <class A, class B> struct Dp4a {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (int i = 0; i < 32; i += 8)
      c += static_cast<uint32_t>(int32_t(static_cast<A>(a >> i)) * int32_t(static_cast<B>(b >> i)));
    return c;
  }
};
template <class A, class B, int from> struct Dp2a {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (int i = 0; i < 2; ++i) {
      using Half = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
      c += static_cast<uint32_t>(int32_t(static_cast<Half>(a >> (16 * i))) *
                                 int32_t(static_cast<B>(b >> (8 * (i + from)))));
    }
    return c;
  }
};

// Two 16-bit operations at once.
template <class T, class F> struct Pair {
  static uint32_t of(uint32_t a, uint32_t b) {
    auto low = static_cast<uint16_t>(F::of(static_cast<T>(a), static_cast<T>(b)));
    auto high = static_cast<uint16_t>(F::of(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return uint32_t(high) << 16 | low;
  }
};

const char* same(unsigned bytes, unsigned count) {
  const char* all = bytes == 2 ? "2222" : bytes == 4 ? "4444" : "8888";
  return all + (4 - count);
}

template <class T> void addType(Table& t, const std::string& type) {
  const char *two = same(sizeof(T), 2), *three = same(sizeof(T), 3), *four = same(sizeof(T), 4);
  t.add("add." + type, binary<T, T, T, Add>, three);
  t.add("sub." + type, binary<T, T, T, Sub>, three);
  t.add("mul.lo." + type, binary<T, T, T, MulLow>, three);
  t.add("mul.hi." + type, binary<T, T, T, MulHigh>, three);
  t.add("mad.lo." + type, ternary<T, T, T, T, Mad<MulLow>>, four);
  t.add("mad.hi." + type, ternary<T, T, T, T, Mad<MulHigh>>, four);
  t.add("div." + type, binary<T, T, T, Div>, three);
  t.add("rem." + type, binary<T, T, T, Rem>, three);
  t.add("min." + type, binary<T, T, T, Min>, three);
  t.add("max." + type, binary<T, T, T, Max>, three);
  t.add("sad." + type, ternary<T, T, T, T, Sad>, four);
  if constexpr (std::is_signed_v<T>) {
    t.add("abs." + type, unary<T, T, Abs>, two);
    t.add("neg." + type, unary<T, T, Neg>, two);
  }
}

template <class T, class W> void addWide(Table& t, const std::string& type) {
  bool narrow = sizeof(T) == 2;
  t.add("mul.wide." + type, binary<W, T, T, MulWide>, narrow ? "422" : "844");
  t.add("mad.wide." + type, ternary<W, T, T, W, Mad<MulWide>>, narrow ? "4224" : "8448");
}

template <class T> void add24(Table& t, const std::string& type) {
  t.add("mul24.lo." + type, binary<T, T, T, Mul24<false>>, "444");
  t.add("mul24.hi." + type, binary<T, T, T, Mul24<true>>, "444");
  t.add("mad24.lo." + type, ternary<T, T, T, T, Mad<Mul24<false>>>, "4444");
  t.add("mad24.hi." + type, ternary<T, T, T, T, Mad<Mul24<true>>>, "4444");
}

template <class A, class B> void addDotProducts(Table& t, const std::string& types) {
  t.add("dp4a." + types, ternary<uint32_t, uint32_t, uint32_t, uint32_t, Dp4a<A, B>>, "4444");
  t.add("dp2a.lo." + types, ternary<uint32_t, uint32_t, uint32_t, uint32_t, Dp2a<A, B, 0>>, "4444");
  t.add("dp2a.hi." + types, ternary<uint32_t, uint32_t, uint32_t, uint32_t, Dp2a<A, B, 2>>, "4444");
}

template <class T> void addPairs(Table& t, const std::string& type) {
  t.add("add." + type, binary<uint32_t, uint32_t, uint32_t, Pair<T, Add>>, "444");
  t.add("min." + type, binary<uint32_t, uint32_t, uint32_t, Pair<T, Min>>, "444");
  t.add("max." + type, binary<uint32_t, uint32_t, uint32_t, Pair<T, Max>>, "444");
}

} // namespace

void addIntegers(Table& t) {
  forIntegers([&]<class T>(const char* type) { addType<T>(t, type); });
  addWide<uint16_t, uint32_t>(t, "u16");
  addWide<int16_t, int32_t>(t, "s16");
  addWide<uint32_t, uint64_t>(t, "u32");
  addWide<int32_t, int64_t>(t, "s32");
  add24<uint32_t>(t, "u32");
  add24<int32_t>(t, "s32");
  addDotProducts<uint8_t, uint8_t>(t, "u32.u32");
  addDotProducts<uint8_t, int8_t>(t, "u32.s32");
  addDotProducts<int8_t, uint8_t>(t, "s32.u32");
  addDotProducts<int8_t, int8_t>(t, "s32.s32");
  addPairs<uint16_t>(t, "u16x2");
  addPairs<int16_t>(t, "s16x2");
  t.add("add.sat.s32", binary<int32_t, int32_t, int32_t, AddSat>, "444");
  t.add("sub.sat.s32", binary<int32_t, int32_t, int32_t, SubSat>, "444");
  t.add("mad.hi.sat.s32", ternary<int32_t, int32_t, int32_t, int32_t, MadHighSat>, "4444");
}

} // namespace bsgp::emulator
