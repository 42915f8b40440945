// Arithmetic of f32 and f64.
#include <cmath>

#include "lanes.h"
#include "real.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

struct Add {
  template <class T> static T of(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T of(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T of(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T of(T a, T b) { return a / b; }
};
struct Fma {
  template <class T> static T of(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Sqrt {
  template <class T> static T of(T a) { return std::sqrt(a); }
};
struct Rcp {
  template <class T> static T of(T a) { return T(1) / a; }
};
struct Rsqrt {
  template <class T> static T of(T a) { return static_cast<T>(1 / std::sqrt(double(a))); }
};
struct Sin {
  template <class T> static T of(T a) { return std::sin(a); }
};
struct Cos {
  template <class T> static T of(T a) { return std::cos(a); }
};
struct Lg2 {
  template <class T> static T of(T a) { return std::log2(a); }
};
struct Ex2 {
  template <class T> static T of(T a) { return std::exp2(a); }
};
struct Tanh {
  template <class T> static T of(T a) { return std::tanh(a); }
};

// One of two NaN gives the other operand, +0 is greater than -0.
template <bool nan> struct Min {
  template <class T> static T of(T a, T b) {
    if (a != a || b != b)
      return nan ? a + b : a != a ? b : a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
template <bool nan> struct Max {
  template <class T> static T of(T a, T b) {
    if (a != a || b != b)
      return nan ? a + b : a != a ? b : a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
// The sign is that of the product.
template <class F> struct XorSign {
  static float of(float a, float b) {
    float magnitude = F::of(std::fabs(a), std::fabs(b));
    return magnitude != magnitude ? magnitude
                                  : std::copysign(magnitude, std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f);
  }
};

// F with the modifiers of f32.
template <class F, bool ftz, bool sat> struct Single {
  static float in(float a) { return ftz ? flush(a) : a; }
  static float out(float a) { return sat ? clampToUnit(a) : canonical(ftz ? flush(a) : a); }
  static float of(float a) { return out(F::of(in(a))); }
  static float of(float a, float b) { return out(F::of(in(a), in(b))); }
  static float of(float a, float b, float c) { return out(F::of(in(a), in(b), in(c))); }
};
// F in another rounding; the values are hidden from a compiler that thinks there is one rounding only.
template <class F, Round round> struct Rounded {
  template <class T> static T hidden(T a) {
    asm volatile("" : "+x"(a));
    return a;
  }
  template <class T> static T of(T a) {
    return rounded(round, [=] { return hidden(F::of(hidden(a))); });
  }
  template <class T> static T of(T a, T b) {
    return rounded(round, [=] { return hidden(F::of(hidden(a), hidden(b))); });
  }
  template <class T> static T of(T a, T b, T c) {
    return rounded(round, [=] { return hidden(F::of(hidden(a), hidden(b), hidden(c))); });
  }
};

const char* shape(int operands, bool is_double) {
  return (is_double ? "dddd" : "ffff") + (3 - operands);
}

// F with the rounding part of its name already in `name`, in all combinations of .ftz and .sat.
template <int n, class F> void addSingle(Table& t, const std::string& name, bool saturates) {
  t.add(name + ".f32", handlerOf<n, float, Single<F, false, false>>(), shape(n, false));
  t.add(name + ".ftz.f32", handlerOf<n, float, Single<F, true, false>>(), shape(n, false));
  if (!saturates)
    return;
  t.add(name + ".sat.f32", handlerOf<n, float, Single<F, false, true>>(), shape(n, false));
  t.add(name + ".ftz.sat.f32", handlerOf<n, float, Single<F, true, true>>(), shape(n, false));
}

template <int n, class F> void addRounded(Table& t, const std::string& name, bool saturates) {
  addSingle<n, F>(t, name + ".rn", saturates);
  addSingle<n, Rounded<F, Round::zero>>(t, name + ".rz", saturates);
  addSingle<n, Rounded<F, Round::down>>(t, name + ".rm", saturates);
  addSingle<n, Rounded<F, Round::up>>(t, name + ".rp", saturates);
  t.add(name + ".rn.f64", handlerOf<n, double, F>(), shape(n, true));
  t.add(name + ".rz.f64", handlerOf<n, double, Rounded<F, Round::zero>>(), shape(n, true));
  t.add(name + ".rm.f64", handlerOf<n, double, Rounded<F, Round::down>>(), shape(n, true));
  t.add(name + ".rp.f64", handlerOf<n, double, Rounded<F, Round::up>>(), shape(n, true));
}

template <class F> void addUnrounded(Table& t, const std::string& name) {
  addSingle<2, F>(t, name, true);
  t.add(name + ".f64", binary<double, double, double, F>, "ddd");
}

struct Abs {
  template <class T> static T of(T a) { return std::fabs(a); }
};
struct Neg {
  template <class T> static T of(T a) { return -a; }
};
struct Copysign { // the sign of the first
  template <class T> static T of(T a, T b) { return std::copysign(b, a); }
};

enum class Test { finite, infinite, number, notanumber, normal, subnormal };
template <class T, Test test> void testp(Warp& w, const Op& op) {
  const T* a = w.at<T>(op.o[1]);
  w.setPredicate(op.o[0], lanesWhere([=](unsigned i) {
                   int c = std::fpclassify(a[i]);
                   switch (test) {
                   case Test::finite:
                     return c != FP_NAN && c != FP_INFINITE;
                   case Test::infinite:
                     return c == FP_INFINITE;
                   case Test::number:
                     return c != FP_NAN;
                   case Test::notanumber:
                     return c == FP_NAN;
                   case Test::normal:
                     return c == FP_NORMAL || c == FP_ZERO;
                   case Test::subnormal:
                     return c == FP_SUBNORMAL;
                   }
                   return false;
                 }));
}

template <class T> void addTests(Table& t, const std::string& type, const char* operands) {
  t.add("testp.finite." + type, testp<T, Test::finite>, operands);
  t.add("testp.infinite." + type, testp<T, Test::infinite>, operands);
  t.add("testp.number." + type, testp<T, Test::number>, operands);
  t.add("testp.notanumber." + type, testp<T, Test::notanumber>, operands);
  t.add("testp.normal." + type, testp<T, Test::normal>, operands);
  t.add("testp.subnormal." + type, testp<T, Test::subnormal>, operands);
}

template <template <bool> class F> void addExtreme(Table& t, const std::string& name) {
  addSingle<2, F<false>>(t, name, false);
  for (std::string ftz : {"", ".ftz"}) {
    bool flushes = !ftz.empty();
    t.add(name + ftz + ".NaN.f32",
          flushes ? binary<float, float, float, Single<F<true>, true, false>>
                  : binary<float, float, float, Single<F<true>, false, false>>,
          "fff");
    t.add(name + ftz + ".xorsign.abs.f32",
          flushes ? binary<float, float, float, Single<XorSign<F<false>>, true, false>>
                  : binary<float, float, float, Single<XorSign<F<false>>, false, false>>,
          "fff");
    t.add(name + ftz + ".NaN.xorsign.abs.f32",
          flushes ? binary<float, float, float, Single<XorSign<F<true>>, true, false>>
                  : binary<float, float, float, Single<XorSign<F<true>>, false, false>>,
          "fff");
  }
  t.add(name + ".f64", binary<double, double, double, F<false>>, "ddd");
}

} // namespace

void addSingles(Table& t) {
  addUnrounded<Add>(t, "add");
  addUnrounded<Sub>(t, "sub");
  addUnrounded<Mul>(t, "mul");
  addRounded<2, Add>(t, "add", true);
  addRounded<2, Sub>(t, "sub", true);
  addRounded<2, Mul>(t, "mul", true);
  addRounded<3, Fma>(t, "fma", true);
  addRounded<3, Fma>(t, "mad", true);
  addRounded<2, Div>(t, "div", false);
  addRounded<1, Sqrt>(t, "sqrt", false);
  addRounded<1, Rcp>(t, "rcp", false);
  addSingle<2, Div>(t, "div.full", false);
  addSingle<2, Div>(t, "div.approx", false);
  addSingle<1, Sqrt>(t, "sqrt.approx", false);
  addSingle<1, Rcp>(t, "rcp.approx", false);
  addSingle<1, Rsqrt>(t, "rsqrt.approx", false);
  addSingle<1, Sin>(t, "sin.approx", false);
  addSingle<1, Cos>(t, "cos.approx", false);
  addSingle<1, Lg2>(t, "lg2.approx", false);
  addSingle<1, Ex2>(t, "ex2.approx", false);
  t.add("tanh.approx.f32", unary<float, float, Single<Tanh, false, false>>, "ff");
  addExtreme<Min>(t, "min");
  addExtreme<Max>(t, "max");
  addSingle<1, Abs>(t, "abs", false);
  addSingle<1, Neg>(t, "neg", false);
  t.add("abs.f32", unary<float, float, Abs>, "ff"); // the bits of NaN stay
  t.add("neg.f32", unary<float, float, Neg>, "ff");
  t.add("copysign.f32", binary<float, float, float, Copysign>, "fff");
  addTests<float>(t, "f32", "pf");
}

void addDoubles(Table& t) {
  t.add("abs.f64", unary<double, double, Abs>, "dd");
  t.add("neg.f64", unary<double, double, Neg>, "dd");
  t.add("copysign.f64", binary<double, double, double, Copysign>, "ddd");
  t.add("rsqrt.approx.f64", unary<double, double, Rsqrt>, "dd");
  t.add("rsqrt.approx.ftz.f64", unary<double, double, Rsqrt>, "dd");
  t.add("rcp.approx.ftz.f64", unary<double, double, Rcp>, "dd");
  addTests<double>(t, "f64", "pd");
}

} // namespace bsgp::emulator
