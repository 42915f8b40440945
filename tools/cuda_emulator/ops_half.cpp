// Arithmetic of f16, bf16 and pairs of them: computed in double, rounded once.
#include <cmath>

#include "lanes.h"
#include "real.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

struct Add {
  static double of(double a, double b) { return addToOdd(a, b); }
};
struct Sub {
  static double of(double a, double b) { return addToOdd(a, -b); }
};
struct Mul {
  static double of(double a, double b) { return a * b; }
};
struct Fma {
  static double of(double a, double b, double c) { return addToOdd(a * b, c); } // the product is exact
};
template <bool nan> struct Min {
  static double of(double a, double b) {
    if (a != a || b != b)
      return nan ? a + b : a != a ? b : a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
template <bool nan> struct Max {
  static double of(double a, double b) {
    if (a != a || b != b)
      return nan ? a + b : a != a ? b : a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
struct Ex2 {
  static double of(double a) { return std::exp2(a); }
};
struct Tanh {
  static double of(double a) { return std::tanh(a); }
};

struct Abs {
  static double of(double a) { return std::fabs(a); }
};
struct Neg {
  static double of(double a) { return -a; }
};

enum class Clamp { none, unit, positive }; // .sat, .relu

template <class Format, class F, bool ftz, Clamp clamp> struct Scalar {
  static double in(uint16_t a) {
    constexpr uint16_t exponent = 0x7fff & ~((1 << (Format::precision - 1)) - 1);
    return widen<Format>(ftz && !(a & exponent) ? a & 0x8000 : a);
  }
  static uint16_t out(double value) {
    if (clamp == Clamp::unit)
      value = clampToUnit(value);
    uint16_t bits = narrow<Format>(value);
    if (clamp == Clamp::positive && bits & 0x8000)
      return 0;
    constexpr uint16_t exponent = 0x7fff & ~((1 << (Format::precision - 1)) - 1);
    return ftz && !(bits & exponent) ? bits & 0x8000 : bits;
  }
  template <class... T> static uint16_t of(T... a) { return out(F::of(in(a)...)); }
};

template <class F> struct Both {
  template <class... T> static uint32_t of(T... a) {
    return uint32_t(F::of(static_cast<uint16_t>(a >> 16)...)) << 16 | F::of(static_cast<uint16_t>(a)...);
  }
};

template <int n, class Format, class F, bool ftz, Clamp clamp>
void addBoth(Table& t, const std::string& name, const std::string& type) {
  using S = Scalar<Format, F, ftz, clamp>;
  t.add(name + "." + type, handlerOf<n, uint16_t, S>(), &"2222"[3 - n]);
  t.add(name + "." + type + "x2", handlerOf<n, uint32_t, Both<S>>(), &"4444"[3 - n]);
}

// name, name.rn, with .ftz, .sat and .relu
template <int n, class F> void addSums(Table& t, const std::string& name, bool always_rounded) {
  for (std::string rn : {"", ".rn"}) {
    if (rn.empty() && always_rounded)
      continue;
    addBoth<n, Half, F, false, Clamp::none>(t, name + rn, "f16");
    addBoth<n, Half, F, true, Clamp::none>(t, name + rn + ".ftz", "f16");
    addBoth<n, Half, F, false, Clamp::unit>(t, name + rn + ".sat", "f16");
    addBoth<n, Half, F, true, Clamp::unit>(t, name + rn + ".ftz.sat", "f16");
    addBoth<n, Brain, F, false, Clamp::none>(t, name + rn, "bf16");
  }
}

template <template <bool> class F> void addExtreme(Table& t, const std::string& name) {
  addBoth<2, Half, F<false>, false, Clamp::none>(t, name, "f16");
  addBoth<2, Half, F<true>, false, Clamp::none>(t, name + ".NaN", "f16");
  addBoth<2, Half, F<false>, true, Clamp::none>(t, name + ".ftz", "f16");
  addBoth<2, Half, F<true>, true, Clamp::none>(t, name + ".ftz.NaN", "f16");
  addBoth<2, Brain, F<false>, false, Clamp::none>(t, name, "bf16");
  addBoth<2, Brain, F<true>, false, Clamp::none>(t, name + ".NaN", "bf16");
}

template <uint32_t keep, uint32_t flip> struct Sign {
  template <class T> static T of(T a) { return static_cast<T>((a & keep) ^ flip); }
};

template <uint32_t keep, uint32_t flip> void addSign(Table& t, const std::string& name) {
  for (std::string type : {".f16", ".bf16"}) {
    t.add(name + type, unary<uint16_t, uint16_t, Sign<keep, flip>>, "22");
    t.add(name + type + "x2", unary<uint32_t, uint32_t, Sign<keep, flip>>, "44");
  }
}

} // namespace

void addHalves(Table& t) {
  addSums<2, Add>(t, "add", false);
  addSums<2, Sub>(t, "sub", false);
  addSums<2, Mul>(t, "mul", false);
  addSums<3, Fma>(t, "fma", true);
  addBoth<3, Half, Fma, false, Clamp::positive>(t, "fma.rn.relu", "f16");
  addBoth<3, Half, Fma, true, Clamp::positive>(t, "fma.rn.ftz.relu", "f16");
  addBoth<3, Brain, Fma, false, Clamp::positive>(t, "fma.rn.relu", "bf16");
  addExtreme<Min>(t, "min");
  addExtreme<Max>(t, "max");
  addSign<0x7fff7fff, 0>(t, "abs");
  addSign<0xffffffff, 0x80008000>(t, "neg");
  addBoth<1, Half, Abs, true, Clamp::none>(t, "abs.ftz", "f16");
  addBoth<1, Half, Neg, true, Clamp::none>(t, "neg.ftz", "f16");
  addBoth<1, Half, Ex2, false, Clamp::none>(t, "ex2.approx", "f16");
  addBoth<1, Brain, Ex2, true, Clamp::none>(t, "ex2.approx.ftz", "bf16");
  addBoth<1, Half, Tanh, false, Clamp::none>(t, "tanh.approx", "f16");
  addBoth<1, Brain, Tanh, false, Clamp::none>(t, "tanh.approx", "bf16");
}

} // namespace bsgp::emulator
