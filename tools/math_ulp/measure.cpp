// Measures the math library, translated to C++ (library.h), against references of higher precision: the C library's
// double for float, libquadmath for double. Prints a row per function: the largest error in ULPs, where, and how many
// results at special values differ from C's. With an argument it prints a hash of all results instead.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <quadmath.h>
#include <random>
#include <string>
#include <vector>

// The library is in a namespace, where its names hide those of the C library.
#undef INFINITY
#undef NAN
#undef M_E
#undef M_LN2
#undef M_PI
#undef M_PI_2
#undef M_PI_4
#undef M_SQRT2
namespace bsgp {
#include "prelude.h" // before the library, which needs it

#include "library.h"
} // namespace bsgp

using Quad = __float128;

struct Row {
  double worst = 0;
  double at[2] = {0, 0};
  long wrong = 0; // NaN, infinity, zero or sign where C has another
  double wrong_at[2] = {0, 0};
};

static bool hashing = false;
static uint64_t hash = 14695981039346656037u;

static void mix(double x) {
  uint64_t bits = x != x ? 1 : std::bit_cast<uint64_t>(x);
  hash = (hash ^ bits) * 1099511628211u;
}

struct FloatKind {
  using T = float;
  using Reference = double;
  static constexpr int digits = 24, least = -149, most = 128;
  static int exponent(double r) { return std::ilogb(r); }
  static double scale(double r, int n) { return std::ldexp(r, n); }
  static double magnitude(double r) { return std::fabs(r); }
};
struct DoubleKind {
  using T = double;
  using Reference = Quad;
  static constexpr int digits = 53, least = -1074, most = 1024;
  static int exponent(Quad r) { return ilogbq(r); }
  static Quad scale(Quad r, int n) { return ldexpq(r, n); }
  static Quad magnitude(Quad r) { return fabsq(r); }
};

// In ULPs of the exact result; infinity counts as the power of 2 after the largest number.
template <class K> double ulps(typename K::T got, typename K::Reference exact) {
  using R = typename K::Reference;
  R limit = K::scale(R(1), K::most);
  R r = K::magnitude(exact) > limit ? (exact > 0 ? limit : -limit) : exact;
  R g = std::isinf(got) ? (got > 0 ? limit : -limit) : R(got);
  int e = r == 0 ? K::least : std::max(K::exponent(r) - K::digits + 1, K::least);
  return double(K::scale(K::magnitude(g - r), -e));
}

template <class K> void check(Row& row, typename K::T got, typename K::Reference exact, double x, double y) {
  using T = typename K::T;
  if (hashing)
    return mix(double(got));
  bool bad = (got != got) != (exact != exact);
  if (!bad && got == got) {
    T rounded = T(exact);
    bool special = exact == 0 || (std::isinf(double(rounded)) && std::isinf(double(exact)));
    double error = special ? 0 : ulps<K>(got, exact);
    bad = special ? got != rounded || (got == 0 && std::signbit(got) != std::signbit(rounded)) : error > 1000;
    bad |= got == 0 && exact != 0 && std::signbit(got) != std::signbit(rounded);
    if (error > row.worst && !bad)
      row.worst = error, row.at[0] = x, row.at[1] = y;
  }
  if (bad && row.wrong++ == 0)
    row.wrong_at[0] = x, row.wrong_at[1] = y;
}

static void print(const char* type, const char* name, const Row& row, bool two) {
  if (hashing)
    return;
  char text[100] = "";
  if (row.worst > 0)
    two ? std::snprintf(text, sizeof text, "%.17g, %.17g", row.at[0], row.at[1])
        : std::snprintf(text, sizeof text, "%.17g", row.at[0]);
  std::printf("| %s | %s | %.3f | %s | %ld |", name, type, row.worst, text, row.wrong);
  if (row.wrong)
    std::printf(" <- first at %a, %a", row.wrong_at[0], row.wrong_at[1]);
  std::printf("\n");
  std::fflush(stdout);
}

template <class T> std::vector<T> specials() {
  T inf = T(1) / T(0.0f), tiny = std::numeric_limits<T>::denorm_min(), small = std::numeric_limits<T>::min(),
    big = std::numeric_limits<T>::max(), eps = std::numeric_limits<T>::epsilon();
  std::vector<T> list;
  for (T x : {T(0),
              T(1),
              T(0.5),
              T(2),
              T(3),
              T(4),
              T(1.5),
              T(2.5),
              T(10),
              T(100),
              T(1000),
              T(0.25),
              T(1) - eps / 2,
              T(1) + eps,
              inf,
              tiny,
              small,
              big,
              small - tiny,
              T(8388607.5),
              T(4503599627370497.5),
              T(9007199254740993.0),
              T(16777217.0),
              T(88.7228),
              T(1e-20),
              T(1e20),
              T(7),
              T(0.75),
              T(709.7827),
              T(27),
              T(64)})
    list.push_back(x), list.push_back(-x);
  list.push_back(inf - inf);
  return list;
}

static double budget = 1; // scales the number of points

struct One {
  const char* name;
  float (*f)(float);
  double (*fr)(double);
  double (*d)(double);
  Quad (*dr)(Quad);
  double lo, hi; // where to look closely
};

static void floats(const One& fn) {
  Row row;
  auto point = [&](float x) { check<FloatKind>(row, fn.f(x), fn.fr(double(x)), double(x), 0); };
  for (float x : specials<float>())
    point(x);
  auto stride = uint32_t(1601 / budget);
  for (uint64_t u = 0; u < (uint64_t(1) << 32); u += stride)
    point(std::bit_cast<float>(uint32_t(u)));
  for (int i = 0; i < 1500000 * budget; ++i)
    point(float(fn.lo + (fn.hi - fn.lo) * i / (1500000 * budget)));
  std::mt19937_64 random(4);
  for (int i = 0; i < 300000 * budget; ++i) { // near the zeros of sine and cosine
    double k = std::floor(std::ldexp(double(random() >> 11), -int(random() % 53)));
    point(float(k * 1.5707963267948966));
  }
  print("float", fn.name, row, false);
}

static void doubles(const One& fn) {
  Row row;
  std::mt19937_64 random(1);
  auto point = [&](double x) { check<DoubleKind>(row, fn.d(x), hashing ? Quad(0) : fn.dr(Quad(x)), x, 0); };
  for (double x : specials<double>())
    point(x);
  for (int i = 0; i < 300000 * budget; ++i) {
    point(std::bit_cast<double>(random()));
    point(std::ldexp(double(int64_t(random())), int(random() % 40) - 93));
    double k = std::floor(std::ldexp(double(random() >> 11), -int(random() % 53)));
    point(double(Quad(k) * asinq(1))); // near the zeros of sine and cosine
    point(fn.lo + (fn.hi - fn.lo) * double(random() >> 11) * 0x1p-53);
  }
  print("double", fn.name, row, false);
}

struct Two {
  const char* name;
  float (*f)(float, float);
  double (*fr)(double, double);
  double (*d)(double, double);
  Quad (*dr)(Quad, Quad);
};

// Pairs of all magnitudes, of like magnitudes, and (for pow) whose power is in range.
template <class T> std::pair<T, T> somePair(std::mt19937_64& random, int i, int digits, int bits) {
  auto any = [&] {
    return bits == 32 ? T(std::bit_cast<float>(uint32_t(random()))) : T(std::bit_cast<double>(random()));
  };
  auto unit = [&] { return T(double(int64_t(random())) * 0x1p-63); };
  switch (i % 4) {
  case 0:
    return {any(), any()};
  case 1:
    return {T(std::ldexp(unit(), int(random() % 12) - 4)), T(std::ldexp(unit(), int(random() % 12) - 4))};
  case 2: {
    T x = std::fabs(any());
    double reach = (digits == 24 ? 150 : 1080) / std::fabs(std::log2(double(x)));
    return {x, T(reach * unit())};
  }
  default: {
    T x = 1 + T(std::ldexp(unit(), -int(random() % 12)));
    double reach = (digits == 24 ? 150 : 1080) / std::fabs(std::log2(double(x)));
    return {x, T(reach * unit())};
  }
  }
}

template <class K, class F, class R> void pairs(const char* type, const char* name, F f, R reference) {
  using T = typename K::T;
  Row row;
  auto point = [&](T x, T y) {
    check<K>(row, f(x, y), hashing ? typename K::Reference(0) : reference(x, y), double(x), double(y));
  };
  for (T x : specials<T>())
    for (T y : specials<T>())
      point(x, y);
  std::mt19937_64 random(2);
  int n = int((K::digits == 24 ? 3000000 : 1000000) * budget);
  for (int i = 0; i < n; ++i) {
    auto [x, y] = somePair<T>(random, i, K::digits, K::digits == 24 ? 32 : 64);
    point(x, y);
  }
  print(type, name, row, true);
}

static double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
static Quad rsqrtq(Quad x) {
  return 1 / sqrtq(x);
}
static double exp10r(double x) {
  return double(powl(10.0L, x));
}
static Quad exp10q(Quad x) {
  return powq(10, x);
}
static Quad exp2r(Quad x) {
  return exp2q(x);
}

static Quad smaller(Quad x, Quad y) {
  return isnanq(y) || x < y ? x : y;
} // fminq orders the zeros
static Quad larger(Quad x, Quad y) {
  return isnanq(y) || x > y ? x : y;
}

#define ONE(NAME, FR, DR, LO, HI) {#NAME, bsgp::NAME, FR, bsgp::NAME, DR, LO, HI}
static const One ones[] = {
    ONE(sqrt, std::sqrt, sqrtq, 0, 10),      ONE(rsqrt, rsqrt, rsqrtq, 0.01, 10),
    ONE(cbrt, std::cbrt, cbrtq, -10, 10),    ONE(exp, std::exp, expq, -110, 90),
    ONE(exp2, std::exp2, exp2r, -151, 130),  ONE(exp10, exp10r, exp10q, -46, 39),
    ONE(expm1, std::expm1, expm1q, -3, 3),   ONE(log, std::log, logq, 0.3, 3),
    ONE(log2, std::log2, log2q, 0.3, 3),     ONE(log10, std::log10, log10q, 0.3, 3),
    ONE(log1p, std::log1p, log1pq, -0.8, 3), ONE(sin, std::sin, sinq, -20, 20),
    ONE(cos, std::cos, cosq, -20, 20),       ONE(tan, std::tan, tanq, -20, 20),
    ONE(asin, std::asin, asinq, -1, 1),      ONE(acos, std::acos, acosq, -1, 1),
    ONE(atan, std::atan, atanq, -3, 3),      ONE(sinh, std::sinh, sinhq, -3, 3),
    ONE(cosh, std::cosh, coshq, -3, 3),      ONE(tanh, std::tanh, tanhq, -3, 3),
    ONE(asinh, std::asinh, asinhq, -3, 3),   ONE(acosh, std::acosh, acoshq, 1, 4),
    ONE(atanh, std::atanh, atanhq, -1, 1),   ONE(erf, std::erf, erfq, -3, 3),
    ONE(erfc, std::erfc, erfcq, -3, 10),     ONE(floor, std::floor, floorq, -10, 10),
    ONE(ceil, std::ceil, ceilq, -10, 10),    ONE(trunc, std::trunc, truncq, -10, 10),
    ONE(round, std::round, roundq, -10, 10), ONE(rint, std::rint, rintq, -10, 10),
};

#define TWO(NAME, FR, DR) {#NAME, bsgp::NAME, FR, bsgp::NAME, DR}
static const Two twos[] = {
    TWO(pow, std::pow, powq),
    TWO(atan2, std::atan2, atan2q),
    TWO(hypot, std::hypot, hypotq),
    TWO(fmod, std::fmod, fmodq),
    TWO(remainder, std::remainder, remainderq),
    TWO(fmin, std::fmin, smaller),
    TWO(fmax, std::fmax, larger),
};

// ldexp, frexp, ilogb, modf against the C library: exact.
template <class T> void exactParts(const char* type) {
  std::mt19937_64 random(3);
  long wrong = 0;
  auto same = [&](double a, double b) {
    mix(a);
    wrong += !(a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b);
  };
  auto point = [&](T x) {
    int e, e2 = 0;
    T m = bsgp::frexp(x, e), whole, whole2;
    T m2 = std::frexp(x, &e2);
    if (!std::isfinite(x))
      e2 = 0;
    same(m, m2), same(e, e2);
    T part = bsgp::modf(x, whole), part2 = std::modf(x, &whole2);
    same(part, part2), same(whole, whole2);
    if (x == x && x != 0)
      same(bsgp::ilogb(x), std::ilogb(x));
    for (int n : {0, 1, -1, 30, -30, -149, 149, 1000, -1000, 2147483647, -2147483647, int(random() % 400) - 200,
                  int(random() % 5000) - 2500})
      same(bsgp::ldexp(x, n), std::ldexp(x, n));
  };
  for (T x : specials<T>())
    point(x);
  for (int i = 0; i < 300000 * budget; ++i)
    point(sizeof(T) == 4 ? T(std::bit_cast<float>(uint32_t(random()))) : T(std::bit_cast<double>(random())));
  if (!hashing)
    std::printf("| ldexp frexp ilogb modf | %s | 0 | | %ld |\n", type, wrong);
}

int main(int argc, char** argv) {
  std::vector<std::string> only;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--hash"))
      hashing = true, budget = 0.1;
    else if (!std::strncmp(argv[i], "--budget=", 9))
      budget = std::atof(argv[i] + 9);
    else
      only.push_back(argv[i]);
  }
  auto wanted = [&](const char* name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  if (!hashing)
    std::printf("| function | type | max ULP | at | wrong special values |\n|---|---|---|---|---|\n");
  for (const One& fn : ones)
    if (wanted(fn.name))
      floats(fn), doubles(fn);
  for (const Two& fn : twos)
    if (wanted(fn.name)) {
      pairs<FloatKind>("float", fn.name, fn.f, fn.fr);
      pairs<DoubleKind>("double", fn.name, fn.d, fn.dr);
    }
  if (wanted("parts"))
    exactParts<float>("float"), exactParts<double>("double");
  if (hashing)
    std::printf("%016lx\n", hash);
}
