// cvt: between all types of numbers.
#include "convert.h"

#include <algorithm>
#include <type_traits>

#include "lanes.h"
#include "real.h"

namespace bsgp::emulator {

namespace {

// What Op::aux holds: the rounding of a floating-point result, the rounding to an integer, and flags.
enum : uint32_t { kRound = 7, kIntegral = 8, kFlush = 16, kSaturate = 32, kRelu = 64 };

Round roundOf(const Op& op) {
  return static_cast<Round>(op.aux & kRound);
}

template <class T> T hidden(T a) {
  asm volatile("" : "+x"(a));
  return a;
}

// Types as they are kept in a register, and as numbers.
template <Type type> struct Kept;
#define KEPT(type, stored)                                                                                             \
  template <> struct Kept<Type::type> {                                                                                \
    using Value = stored;                                                                                              \
  };
KEPT(u8, uint8_t)
KEPT(s8, int8_t)
KEPT(u16, uint16_t)
KEPT(s16, int16_t)
KEPT(u32, uint32_t)
KEPT(s32, int32_t)
KEPT(u64, uint64_t)
KEPT(s64, int64_t)
KEPT(f16, uint16_t)
KEPT(bf16, uint16_t)
KEPT(f32, float)
KEPT(f64, double)
#undef KEPT

template <Type type> constexpr bool kIsInteger = type >= Type::u8 && type <= Type::s64;

template <Type type> double number(typename Kept<type>::Value a, const Op& op) {
  if constexpr (type == Type::f16)
    return widen<Half>(a);
  else if constexpr (type == Type::bf16)
    return widen<Brain>(a);
  else if constexpr (type == Type::f32)
    return op.aux & kFlush ? flush(a) : a;
  else
    return a;
}

template <Type to> typename Kept<to>::Value fromDouble(double a, const Op& op) {
  if (op.aux & kSaturate)
    a = clampToUnit(a);
  if (op.aux & kRelu && !(a > 0) && a == a)
    a = 0;
  if constexpr (to == Type::f16) {
    return narrow<Half>(a, roundOf(op));
  } else if constexpr (to == Type::bf16) {
    return narrow<Brain>(a, roundOf(op));
  } else if constexpr (to == Type::f32) {
    float result = roundOf(op) == Round::nearest
                       ? static_cast<float>(a)
                       : rounded(roundOf(op), [=] { return hidden(static_cast<float>(hidden(a))); });
    return canonical(op.aux & kFlush ? flush(result) : result);
  } else {
    return a;
  }
}

// Integer to floating point, rounded once.
template <Type to, class S> typename Kept<to>::Value fromInteger(S a, const Op& op) {
  if constexpr (to == Type::f32 || to == Type::f64) {
    using T = typename Kept<to>::Value;
    auto convert = [=] {
      if constexpr (std::is_signed_v<S> || sizeof(S) < 8) {
        volatile int64_t value = static_cast<int64_t>(a);
        return hidden(static_cast<T>(value));
      } else {
        volatile uint64_t value = a;
        return hidden(static_cast<T>(value));
      }
    };
    T result = roundOf(op) == Round::nearest ? static_cast<T>(a) : rounded(roundOf(op), convert);
    return op.aux & kSaturate ? clampToUnit(result) : result;
  } else {
    // A double holds more than the 16-bit formats need; what it cannot hold of 64 bits only tells that there is more.
    auto result = static_cast<double>(a);
    if (sizeof(S) == 8 && static_cast<__int128>(result) != static_cast<__int128>(a))
      result = addToOdd(static_cast<double>(a >> 12 << 12), static_cast<double>(a & 4095));
    return fromDouble<to>(result, op);
  }
}

// Out of range: the nearest value of the type. NaN: see the PTX manual, cvt.
template <Type to, Type from> typename Kept<to>::Value toInteger(double a, const Op& op) {
  using T = typename Kept<to>::Value;
  if (a != a) {
    bool zero = from != Type::f64 && sizeof(T) < 8;
    return zero ? T(0) : static_cast<T>(std::make_unsigned_t<T>(1) << (8 * sizeof(T) - 1));
  }
  a = toIntegral(a, roundOf(op));
  if (a <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (a >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(a);
}

template <class T, class S> T between(S a, bool saturate) {
  if (!saturate)
    return static_cast<T>(a);
  auto low = static_cast<__int128>(std::numeric_limits<T>::min()),
       high = static_cast<__int128>(std::numeric_limits<T>::max());
  return static_cast<T>(std::clamp(static_cast<__int128>(a), low, high));
}

template <Type to, Type from> typename Kept<to>::Value convertOne(typename Kept<from>::Value a, const Op& op) {
  if constexpr (kIsInteger<to> && kIsInteger<from>)
    return between<typename Kept<to>::Value>(a, op.aux & kSaturate);
  else if constexpr (kIsInteger<to>)
    return toInteger<to, from>(number<from>(a, op), op);
  else if constexpr (kIsInteger<from>)
    return fromInteger<to>(a, op);
  else if constexpr (to == from && (to == Type::f16 || to == Type::bf16))
    return op.aux & (kIntegral | kSaturate) ? fromDouble<to>(toIntegral(number<from>(a, op), roundOf(op)), op) : a;
  else
    return fromDouble<to>(op.aux & kIntegral ? toIntegral(number<from>(a, op), roundOf(op)) : number<from>(a, op), op);
}

// Registers of 2, 4 or 8 bytes: the value is in the low bytes, and fills a wider register with its sign or zeros.
template <Type to, Type from> void convert(Warp& w, const Op& op) {
  using T = typename Kept<to>::Value;
  using S = typename Kept<from>::Value;
  char* d = w.at<char>(op.o[0]);
  const char* a = w.at<char>(op.o[1]);
  size_t to_bytes = op.o[4], from_bytes = op.o[5];
  auto body = [&](size_t into, size_t out) {
    forLanes(w.exec, [&](unsigned i) {
      S value;
      std::memcpy(&value, a + i * out, sizeof(S));
      T result = convertOne<to, from>(value, op);
      if (into > sizeof(T)) {
        auto wide = static_cast<int64_t>(result);
        std::memcpy(d + i * into, &wide, into < sizeof(wide) ? into : sizeof(wide));
        return;
      }
      std::memcpy(d + i * into, &result, sizeof(T));
    });
  };
  constexpr size_t usual_to = sizeof(T) < 2 ? 2 : sizeof(T), usual_from = sizeof(S) < 2 ? 2 : sizeof(S);
  if (to_bytes == usual_to && from_bytes == usual_from)
    body(usual_to, usual_from);
  else
    body(to_bytes, from_bytes);
}

// d = high, low
template <Type to> void convertPair(Warp& w, const Op& op) {
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  const float *high = w.at<float>(op.o[1]), *low = w.at<float>(op.o[2]);
  forLanes(w.exec, [&](unsigned i) {
    uint32_t top = fromDouble<to>(number<Type::f32>(high[i], op), op);
    d[i] = top << 16 | fromDouble<to>(number<Type::f32>(low[i], op), op);
  });
}

template <Type to> Handler chooseFrom(Type from) {
  switch (from) {
#define FROM(type)                                                                                                     \
  case Type::type:                                                                                                     \
    return convert<to, Type::type>;
    FROM(u8)
    FROM(s8)
    FROM(u16)
    FROM(s16)
    FROM(u32)
    FROM(s32)
    FROM(u64)
    FROM(s64)
    FROM(f16)
    FROM(bf16)
    FROM(f32)
    FROM(f64)
#undef FROM
  default:
    return nullptr;
  }
}

Handler choose(Type to, Type from) {
  switch (to) {
#define TO(type)                                                                                                       \
  case Type::type:                                                                                                     \
    return chooseFrom<Type::type>(from);
    TO(u8)
    TO(s8)
    TO(u16)
    TO(s16)
    TO(u32)
    TO(s32)
    TO(u64)
    TO(s64)
    TO(f16)
    TO(bf16)
    TO(f32)
    TO(f64)
#undef TO
  default:
    return nullptr;
  }
}

struct Modifiers {
  int round = -1, integral = -1;
  bool flush = false, saturate = false, relu = false, known = true;
};

void readModifier(std::string_view word, Modifiers& m) {
  static constexpr std::string_view kRounds[] = {"rn", "rz", "rm", "rp", "rna"},
                                    kIntegrals[] = {"rni", "rzi", "rmi", "rpi"};
  auto round = std::find(std::begin(kRounds), std::end(kRounds), word);
  auto integral = std::find(std::begin(kIntegrals), std::end(kIntegrals), word);
  if (round != std::end(kRounds) && m.round < 0)
    m.round = static_cast<int>(round - kRounds);
  else if (integral != std::end(kIntegrals) && m.integral < 0)
    m.integral = static_cast<int>(integral - kIntegrals);
  else if (word == "ftz")
    m.flush = true;
  else if (word == "sat")
    m.saturate = true;
  else if (word == "relu")
    m.relu = true;
  else
    m.known = false;
}

bool isFloat(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

// A rounding must be given where the result may not be exact, and nowhere else.
bool fits(const Modifiers& m, Type to, Type from) {
  if (!m.known || (m.round >= 0 && m.integral >= 0) || (m.round == 4))
    return false;
  bool from_float = isFloat(from), to_float = isFloat(to);
  if (m.relu && !((to == Type::f16 || to == Type::bf16) && from == Type::f32))
    return false;
  if (from_float && !to_float)
    return m.integral >= 0;
  if (!from_float && to_float)
    return m.round >= 0;
  if (!from_float)
    return m.round < 0 && m.integral < 0 && !m.flush;
  if (bytesOf(to) < bytesOf(from))
    return m.round >= 0;
  return to == from ? m.round < 0 : m.integral < 0;
}

} // namespace

Conversion conversionOf(std::string_view text, unsigned to_bytes, unsigned from_bytes) {
  Conversion result;
  Modifiers modifiers;
  std::string_view words[8];
  size_t count = 0;
  for (size_t begin = 0; begin < text.size() && count < 8; ++count) {
    size_t end = std::min(text.find('.', begin), text.size());
    words[count] = text.substr(begin, end - begin);
    begin = end + 1;
  }
  if (count < 2)
    return result;
  for (size_t i = 0; i + 2 < count; ++i)
    readModifier(words[i], modifiers);
  result.to = typeOf(words[count - 2]);
  result.from = typeOf(words[count - 1]);
  result.pair = result.to == Type::f16x2 || result.to == Type::bf16x2;
  if (result.pair) {
    bool right = modifiers.known && (modifiers.round == 0 || modifiers.round == 1) && result.from == Type::f32;
    result.run = !right ? nullptr : result.to == Type::f16x2 ? convertPair<Type::f16> : convertPair<Type::bf16>;
  } else if (fits(modifiers, result.to, result.from) && bytesOf(result.to) <= to_bytes &&
             bytesOf(result.from) <= from_bytes) {
    bool wider = to_bytes > std::max(2u, bytesOf(result.to));
    result.run = wider && isFloat(result.to) ? nullptr : choose(result.to, result.from);
  }
  int round = modifiers.round >= 0 ? modifiers.round : std::max(0, modifiers.integral);
  auto flag = [](bool set, uint32_t bit) { return set ? bit : 0; };
  result.aux = static_cast<uint32_t>(round) | flag(modifiers.integral >= 0, kIntegral) | flag(modifiers.flush, kFlush) |
               flag(modifiers.saturate, kSaturate) | flag(modifiers.relu, kRelu);
  return result;
}

} // namespace bsgp::emulator
