// Measures the functions of one argument over all floats and all halves, those of two on a grid of bit patterns, and the
// conversions to and from half, in the code that bsgpc makes of them (functions.h: `accuracy` beside this file makes it).
//
//   accuracy [--every N] [--checkpoint FILE] [FUNCTION...]
//
// The reference of a function is glibc's libmvec, four doubles at once, which promises 4 ULP of a double: a hundred millionth of
// what is measured. The point that comes out worst is computed again in 113 bits (libquadmath), and that figure is printed.
// The reference of a conversion is libgcc's, which computes with integers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <immintrin.h>
#include <limits>
#include <quadmath.h>
#include <string>
#include <vector>

#include <bsgp/bsgp.hpp>

#include "functions.h"

using Quad = __float128;

// ---- the references ------------------------------------------------------------------------------------------------------

#define BSGP_VECTOR_REFERENCE(NAME)                                                                                    \
  extern "C" __m256d _ZGVdN4v_##NAME(__m256d);                                                                         \
  static void all_##NAME(const double* x, double* y, int n) {                                                          \
    for (int i = 0; i < n; i += 4)                                                                                     \
      _mm256_storeu_pd(y + i, _ZGVdN4v_##NAME(_mm256_loadu_pd(x + i)));                                                \
  }                                                                                                                    \
  static Quad one_##NAME(Quad x) {                                                                                     \
    return NAME##q(x);                                                                                                 \
  }
#define BSGP_EXACT_REFERENCE(NAME, VALUE, QUAD)                                                                        \
  static void all_##NAME(const double* x, double* y, int n) {                                                          \
    for (int i = 0; i < n; ++i)                                                                                        \
      y[i] = VALUE;                                                                                                    \
  }                                                                                                                    \
  static Quad one_##NAME(Quad x) {                                                                                     \
    return QUAD;                                                                                                       \
  }
static Quad exp10q(Quad x) {
  return powq(10, x);
}
BSGP_VECTOR_REFERENCE(acos)
BSGP_VECTOR_REFERENCE(acosh)
BSGP_VECTOR_REFERENCE(asin)
BSGP_VECTOR_REFERENCE(asinh)
BSGP_VECTOR_REFERENCE(atan)
BSGP_VECTOR_REFERENCE(atanh)
BSGP_VECTOR_REFERENCE(cbrt)
BSGP_VECTOR_REFERENCE(cos)
BSGP_VECTOR_REFERENCE(cosh)
BSGP_VECTOR_REFERENCE(erf)
BSGP_VECTOR_REFERENCE(erfc)
BSGP_VECTOR_REFERENCE(exp)
BSGP_VECTOR_REFERENCE(exp10)
BSGP_VECTOR_REFERENCE(exp2)
BSGP_VECTOR_REFERENCE(expm1)
BSGP_VECTOR_REFERENCE(log)
BSGP_VECTOR_REFERENCE(log10)
BSGP_VECTOR_REFERENCE(log1p)
BSGP_VECTOR_REFERENCE(log2)
BSGP_VECTOR_REFERENCE(sin)
BSGP_VECTOR_REFERENCE(sinh)
BSGP_VECTOR_REFERENCE(tan)
BSGP_VECTOR_REFERENCE(tanh)
BSGP_EXACT_REFERENCE(sqrt, std::sqrt(x[i]), sqrtq(x))
BSGP_EXACT_REFERENCE(rsqrt, 1 / std::sqrt(x[i]), 1 / sqrtq(x))
BSGP_EXACT_REFERENCE(floor, std::floor(x[i]), floorq(x))
BSGP_EXACT_REFERENCE(ceil, std::ceil(x[i]), ceilq(x))
BSGP_EXACT_REFERENCE(trunc, std::trunc(x[i]), truncq(x))
BSGP_EXACT_REFERENCE(round, std::round(x[i]), roundq(x))
BSGP_EXACT_REFERENCE(rint, std::rint(x[i]), rintq(x))

#define BSGP_TWO_REFERENCE(NAME)                                                                                       \
  extern "C" __m256d _ZGVdN4vv_##NAME(__m256d, __m256d);                                                               \
  static void all_##NAME(const double* x, const double* y, double* z, int n) {                                         \
    for (int i = 0; i < n; i += 4)                                                                                     \
      _mm256_storeu_pd(z + i, _ZGVdN4vv_##NAME(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i)));                       \
  }                                                                                                                    \
  static Quad one_##NAME(Quad x, Quad y) {                                                                             \
    return NAME##q(x, y);                                                                                              \
  }
BSGP_TWO_REFERENCE(atan2)
BSGP_TWO_REFERENCE(hypot)
BSGP_TWO_REFERENCE(pow)

struct One {
  const char* name;
  bsgp_status (*floats)(bsgp_context*, float* x, float* y, int32_t n);
  bsgp_status (*halves)(bsgp_context*, uint16_t* x, uint16_t* y, int32_t n);
  void (*all)(const double* x, double* y, int n);
  Quad (*exact)(Quad);
};
#define BSGP_ONE(NAME) {#NAME, float_##NAME, half_##NAME, all_##NAME, one_##NAME},
static const One ones[] = {BSGP_FUNCTIONS_OF_ONE(BSGP_ONE)};

struct Two {
  const char* name;
  bsgp_status (*floats)(bsgp_context*, float* x, float* y, float* z, int32_t n);
  void (*all)(const double* x, const double* y, double* z, int n);
  Quad (*exact)(Quad, Quad);
};
#define BSGP_TWO(NAME) {#NAME, float_##NAME, all_##NAME, one_##NAME},
static const Two twos[] = {BSGP_FUNCTIONS_OF_TWO(BSGP_TWO)};

// ---- errors --------------------------------------------------------------------------------------------------------------

struct FloatKind {
  using T = float;
  static constexpr const char* name = "float";
  static constexpr int digits = 24, least = -149, most = 128, bits = 32;
  static float of(uint64_t u) { return std::bit_cast<float>(uint32_t(u)); }
  static double wide(float x) { return double(x); }
};
struct HalfKind {
  using T = uint16_t;
  static constexpr const char* name = "half";
  static constexpr int digits = 11, least = -24, most = 16, bits = 16;
  static uint16_t of(uint64_t u) { return uint16_t(u); }
  static double wide(uint16_t x) { return double(std::bit_cast<_Float16>(x)); }
};

// 2^n for n in -1022 .. 1023.
static double power(int64_t n) {
  return std::bit_cast<double>(uint64_t(n + 1023) << 52);
}

// In ULPs of the exact result; infinity counts as the power of 2 after the largest number. -1: there is a NaN, an infinity, a
// zero or a sign where the reference has another.
template <class K> inline double ulps(double got, double exact) {
  double limit = power(K::most), size = std::fabs(exact);
  double r = size > limit ? limit : size, g = std::fabs(got);
  g = g > limit ? limit : g;
  int64_t e = int64_t(std::bit_cast<uint64_t>(r) >> 52) - 1023 - (K::digits - 1);
  e = e < K::least ? int64_t(K::least) : e;
  bool sign = (std::bit_cast<int64_t>(got) ^ std::bit_cast<int64_t>(exact)) < 0;
  double error = std::fabs(sign ? g + r : g - r) * power(-e);
  bool number = got == got && exact == exact, none = got != got && exact != exact;
  bool wrong = !number || (sign && (g == 0 || r == 0)) || (exact == 0 && g != 0) || error > 1000;
  return none ? 0 : wrong ? -1 : error;
}

template <class K> double exactUlps(double got, Quad exact) {
  Quad limit = power(K::most), g = std::isinf(got) ? (got > 0 ? limit : -limit) : Quad(got);
  int e = exact == 0 ? K::least : std::max(ilogbq(exact) - K::digits + 1, K::least);
  return double(ldexpq(fabsq(g - exact), -e));
}

// The worst so far. `at` and `wrong_at` are numbers of points.
struct Worst {
  double error = 0;
  uint64_t at = 0, wrong = 0, wrong_at = 0;

  void take(double e, uint64_t point) {
    if (e < 0 && wrong++ == 0)
      wrong_at = point;
    if (e > error)
      error = e, at = point;
  }
};

// ---- points --------------------------------------------------------------------------------------------------------------

constexpr int kBatch = 1 << 16;

struct Options {
  uint64_t every = 1;
  std::string checkpoint;
};

// What a file says of a run that was broken off: a line per 2^26 points.
static uint64_t resume(const Options& o, const std::string& what, Worst& worst) {
  std::ifstream file(o.checkpoint);
  std::string name;
  uint64_t every, next, begin = 0;
  Worst w;
  while (file >> name >> every >> next >> w.error >> w.at >> w.wrong >> w.wrong_at)
    if (name == what && every == o.every)
      begin = next, worst = w;
  return begin;
}

static void remember(const Options& o, const std::string& what, uint64_t next, const Worst& w) {
  if (o.checkpoint.empty())
    return;
  std::ofstream file(o.checkpoint, std::ios::app);
  file.precision(17);
  file << what << ' ' << o.every << ' ' << next << ' ' << w.error << ' ' << w.at << ' ' << w.wrong << ' ' << w.wrong_at
       << std::endl;
}

// Points 0 ... count-1 in batches: errors(first, error) gives the errors of a batch.
static Worst sweep(const Options& o, const std::string& what, uint64_t count,
                   const std::function<void(uint64_t, std::vector<double>&)>& errors) {
  Worst worst;
  std::vector<double> error(kBatch);
  for (uint64_t first = resume(o, what, worst); first < count; first += kBatch) {
    errors(first, error);
    double most = 0, least = 0;
    for (double e : error) {
      most = e > most ? e : most;
      least = e < least ? e : least;
    }
    if (most > worst.error || least < 0)
      for (int i = 0; i < kBatch && first + i < count; ++i)
        worst.take(error[i], first + i);
    if ((first + kBatch) % (uint64_t(1) << 26) == 0 || first + kBatch >= count)
      remember(o, what, first + kBatch, worst);
  }
  return worst;
}

static void print(const char* type, const char* name, double error, const std::string& at, const Worst& w,
                  const std::string& wrong_at, const std::string& points) {
  std::printf("| %s | %s | %.3f | %s | %llu | %s |", name, type, error, error > 0 ? at.c_str() : "",
              (unsigned long long)w.wrong, points.c_str());
  if (w.wrong)
    std::printf(" <- first at %s", wrong_at.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

static std::string text(double x) {
  char out[40];
  std::snprintf(out, sizeof out, "%.9g", x);
  return out;
}

static std::string pointsOf(uint64_t every) {
  return every == 1 ? "all" : "every " + std::to_string(every);
}

// ---- functions -----------------------------------------------------------------------------------------------------------

template <class K, class Ours>
void one(bsgp_context* context, const Options& o, const char* name, Ours ours, const One& f) {
  using T = typename K::T;
  Options options = o;
  if (K::bits == 16)
    options.every = 1, options.checkpoint.clear();
  bsgp::DeviceArray<T> x(context, kBatch), y(context, kBatch);
  std::vector<T> in(kBatch), out(kBatch);
  std::vector<double> wide(kBatch), exact(kBatch);
  uint64_t last = (uint64_t(1) << K::bits) - 1;
  auto point = [&](uint64_t i) { return K::of(std::min(i * options.every, last)); };
  auto apply = [&] {
    x.set(in);
    bsgp::check(ours(context, x.data(), y.data(), kBatch));
    y.get(out);
  };
  auto errors = [&](uint64_t first, std::vector<double>& error) {
    for (int i = 0; i < kBatch; ++i) {
      in[i] = point(first + i);
      wide[i] = K::wide(in[i]);
    }
    apply();
    f.all(wide.data(), exact.data(), kBatch);
    for (int i = 0; i < kBatch; ++i)
      error[i] = ulps<K>(K::wide(out[i]), exact[i]);
  };
  Worst w = sweep(options, std::string(K::name) + "_" + name, last / options.every + 1, errors);
  in[0] = point(w.at);
  apply();
  double at = K::wide(in[0]);
  print(K::name, name, exactUlps<K>(K::wide(out[0]), f.exact(at)), text(at), w, text(K::wide(point(w.wrong_at))),
        pointsOf(options.every));
}

// A grid of 2^16 by 2^16 bit patterns, whose low bits differ from row to row.
static void two(bsgp_context* context, const Options& o, const Two& f) {
  bsgp::DeviceArray<float> x(context, kBatch), y(context, kBatch), z(context, kBatch);
  std::vector<float> a(kBatch), b(kBatch), c(kBatch);
  std::vector<double> wide_a(kBatch), wide_b(kBatch), exact(kBatch);
  auto first_of = [&](uint64_t i) { return std::bit_cast<float>(uint32_t(i * o.every >> 16) * 65537u); };
  auto second_of = [&](uint64_t i) {
    uint64_t k = i * o.every;
    return std::bit_cast<float>(uint32_t(k & 65535) * 65537u + uint32_t(k >> 16) * 40503u);
  };
  auto apply = [&] {
    x.set(a), y.set(b);
    bsgp::check(f.floats(context, x.data(), y.data(), z.data(), kBatch));
    z.get(c);
  };
  auto errors = [&](uint64_t first, std::vector<double>& error) {
    for (int i = 0; i < kBatch; ++i) {
      a[i] = first_of(first + i), b[i] = second_of(first + i);
      wide_a[i] = a[i], wide_b[i] = b[i];
    }
    apply();
    f.all(wide_a.data(), wide_b.data(), exact.data(), kBatch);
    for (int i = 0; i < kBatch; ++i)
      error[i] = ulps<FloatKind>(c[i], exact[i]);
  };
  Worst w = sweep(o, std::string("float_") + f.name, (uint64_t(1) << 32) / o.every, errors);
  a[0] = first_of(w.at), b[0] = second_of(w.at);
  apply();
  auto pair = [&](uint64_t i) { return text(first_of(i)) + ", " + text(second_of(i)); };
  print("float", f.name, exactUlps<FloatKind>(c[0], f.exact(a[0], b[0])), pair(w.at), w, pair(w.wrong_at),
        "grid, " + pointsOf(o.every));
}

// ---- conversions ---------------------------------------------------------------------------------------------------------

static bool sameHalf(uint16_t a, uint16_t b) {
  auto is_nan = [](uint16_t u) { return (u & 0x7fff) > 0x7c00; };
  return is_nan(a) ? is_nan(b) : a == b;
}

// The results of `ours` for points 0 ... count-1 against those of `theirs`: -1 where they differ.
template <class From, class To, class Ours, class Make, class Theirs>
void conversion(bsgp_context* context, const Options& o, const char* name, uint64_t count, Ours ours, Make make,
                Theirs same) {
  bsgp::DeviceArray<From> x(context, kBatch);
  bsgp::DeviceArray<To> y(context, kBatch);
  std::vector<From> in(kBatch);
  std::vector<To> out(kBatch);
  auto errors = [&](uint64_t first, std::vector<double>& error) {
    for (int i = 0; i < kBatch; ++i)
      in[i] = make(std::min(first + uint64_t(i), count - 1));
    x.set(in);
    bsgp::check(ours(context, x.data(), y.data(), kBatch));
    y.get(out);
    for (int i = 0; i < kBatch; ++i)
      error[i] = same(in[i], out[i]) ? 0 : -1;
  };
  Worst w = sweep(o, name, count, errors);
  print("half", name, 0, "", w, std::to_string(w.wrong_at), std::to_string(count) + " points");
}

// Numbers around the points where rounding to half changes: halfway between two halves, and the doubles beside it.
static double aroundHalf(uint64_t i) {
  auto h = std::bit_cast<_Float16>(uint16_t(i / 6));
  auto next = std::bit_cast<_Float16>(uint16_t(i / 6 + 1));
  double low = double(h), high = std::isinf(double(next)) ? std::copysign(65536.0, low) : double(next);
  double middle = low / 2 + high / 2;
  switch (i % 6) {
  case 0:
    return low;
  case 1:
    return middle;
  case 2:
    return std::nextafter(middle, high);
  case 3:
    return std::nextafter(middle, low);
  case 4:
    return middle + (high - low) * 0x1p-25; // rounded to float first it would be the middle
  default:
    return middle - (high - low) * 0x1p-25;
  }
}

static void conversions(bsgp_context* context, const Options& o) {
  auto toHalf = [](auto x, uint16_t y) { return sameHalf(std::bit_cast<uint16_t>(_Float16(x)), y); };
  auto fromHalf = [](uint16_t x, auto y) {
    double wide = double(std::bit_cast<_Float16>(x));
    return wide != wide ? y != y : std::bit_cast<uint64_t>(double(y)) == std::bit_cast<uint64_t>(wide);
  };
  auto bits = [](uint64_t i) { return uint16_t(i); };
  auto whole = [](uint64_t i) { return int32_t(i) - (1 << 17); };
  auto strided = [&](uint64_t i) { return std::bit_cast<float>(uint32_t(i * o.every)); };
  conversion<uint16_t, float>(context, {}, "half_to_float", 1 << 16, half_to_float, bits, fromHalf);
  conversion<uint16_t, double>(context, {}, "half_to_double", 1 << 16, half_to_double, bits, fromHalf);
  conversion<int32_t, uint16_t>(context, {}, "int_to_half", 1 << 18, int_to_half, whole, toHalf);
  conversion<double, uint16_t>(context, {}, "double_to_half", 6 << 16, double_to_half, aroundHalf, toHalf);
  conversion<float, uint16_t>(context, o, "float_to_half", ((uint64_t(1) << 32) - 1) / o.every + 1, float_to_half,
                              strided, toHalf);
}

int main(int argc, char** argv) {
  Options options;
  std::vector<std::string> only;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--every" && i + 1 < argc)
      options.every = std::max(1ull, std::strtoull(argv[++i], nullptr, 10));
    else if (word == "--checkpoint" && i + 1 < argc)
      options.checkpoint = argv[++i];
    else
      only.push_back(word);
  }
  size_t known = 0;
  auto wanted = [&](const char* name) {
    bool named = std::find(only.begin(), only.end(), name) != only.end();
    known += named;
    return only.empty() || named;
  };
  bsgp::Context context({.target = "cpu", .threads = 1});
  std::printf("| function | type | max ULP | at | wrong special values | points |\n|---|---|---|---|---|---|\n");
  if (wanted("conversions"))
    conversions(context, options);
  for (const One& f : ones)
    if (wanted(f.name)) {
      one<HalfKind>(context, options, f.name, f.halves, f);
      one<FloatKind>(context, options, f.name, f.floats, f);
    }
  for (const Two& f : twos)
    if (wanted(f.name))
      two(context, options, f);
  if (known == only.size())
    return 0;
  std::fprintf(stderr, "accuracy: an unknown function; they are 'conversions'");
  for (const One& f : ones)
    std::fprintf(stderr, " %s", f.name);
  for (const Two& f : twos)
    std::fprintf(stderr, " %s", f.name);
  std::fprintf(stderr, "\n");
  return 1;
}
