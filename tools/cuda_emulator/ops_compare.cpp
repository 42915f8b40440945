// Comparisons and what is chosen by them: setp, set, selp, slct.
#include <cmath>

#include "lanes.h"
#include "real.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

// `of` is given numbers, or integers; unordered ones hold for NaN, ordered ones do not.
struct Eq {
  template <class T> static bool of(T a, T b) { return a == b; }
};
struct Ne { // ordered
  template <class T> static bool of(T a, T b) { return a < b || a > b; }
};
struct Lt {
  template <class T> static bool of(T a, T b) { return a < b; }
};
struct Le {
  template <class T> static bool of(T a, T b) { return a <= b; }
};
struct Gt {
  template <class T> static bool of(T a, T b) { return a > b; }
};
struct Ge {
  template <class T> static bool of(T a, T b) { return a >= b; }
};
template <class F> struct Not {
  template <class T> static bool of(T a, T b) { return !F::of(a, b); }
};
struct Num {
  template <class T> static bool of(T a, T b) { return a == a && b == b; }
};

// How values of a type are read.
template <class T> struct Plain {
  using Stored = T;
  static T read(T a) { return a; }
};
struct Flushed {
  using Stored = float;
  static float read(float a) { return flush(a); }
};
template <class Format, bool ftz> struct Short {
  using Stored = uint16_t;
  static double read(uint16_t a) {
    constexpr uint16_t exponent = 0x7fff & ~((1 << (Format::precision - 1)) - 1);
    return widen<Format>(ftz && !(a & exponent) ? a & 0x8000 : a);
  }
};

template <class V, class F> uint32_t compare(Warp& w, const Op& op, unsigned from) {
  const auto *a = w.at<typename V::Stored>(op.o[from]), *b = w.at<typename V::Stored>(op.o[from + 1]);
  return lanesWhere([=](unsigned i) { return F::of(V::read(a[i]), V::read(b[i])); });
}

enum class Bool : uint32_t { none, with_and, with_or, with_xor };

uint32_t combine(Warp& w, const Op& op, uint32_t value, unsigned with) {
  auto how = static_cast<Bool>(op.aux & 3);
  if (how == Bool::none)
    return value;
  uint32_t c = *w.at<uint32_t>(op.o[with]) ^ (op.aux & kNegated ? kAllLanes : 0);
  return how == Bool::with_and ? value & c : how == Bool::with_or ? value | c : value ^ c;
}

template <class V, class F> void setp(Warp& w, const Op& op) {
  uint32_t value = compare<V, F>(w, op, 2), p = combine(w, op, value, 4), q = combine(w, op, ~value, 4);
  w.setPredicate(op.o[0], p);
  w.setPredicate(op.o[1], q);
}

// Pairs: p is of the low halves, q of the high ones.
template <class V, class F> void setpPair(Warp& w, const Op& op) {
  const auto *a = w.at<uint32_t>(op.o[2]), *b = w.at<uint32_t>(op.o[3]);
  auto half = [=](unsigned shift) {
    return lanesWhere([=](unsigned i) {
      return F::of(V::read(static_cast<uint16_t>(a[i] >> shift)), V::read(static_cast<uint16_t>(b[i] >> shift)));
    });
  };
  uint32_t low = half(0), high = half(16);
  w.setPredicate(op.o[0], combine(w, op, low, 4));
  w.setPredicate(op.o[1], combine(w, op, high, 4));
}

// d is all ones or 1.0 where it holds.
template <class V, class F, bool is_float> void set(Warp& w, const Op& op) {
  uint32_t value = combine(w, op, compare<V, F>(w, op, 1), 3);
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  forLanes(w.exec, [=](unsigned i) { d[i] = !(value & kLaneBit[i]) ? 0 : is_float ? 0x3f800000 : ~0u; });
}

template <class T> void selp(Warp& w, const Op& op) {
  T* d = w.at<T>(op.o[0]);
  const T *a = w.at<T>(op.o[1]), *b = w.at<T>(op.o[2]);
  uint32_t c = *w.at<uint32_t>(op.o[3]);
  forLanes(w.exec, [=](unsigned i) { d[i] = c & kLaneBit[i] ? a[i] : b[i]; });
}

template <class T, class C> struct Slct {
  static T of(T a, T b, C c) { return c >= 0 ? a : b; }
};
template <class T> struct SlctFlushed {
  static T of(T a, T b, float c) { return flush(c) >= 0 ? a : b; }
};

template <class V, class F>
void addComparison(Table& t, const std::string& name, const std::string& type, const std::string& ftz, bool pair) {
  static const char* kSetp[] = {"P22", "P44", "P88", "Pff", "Pdd", "P22n", "P44n", "P88n", "Pffn", "Pddn"};
  static const char* kSet[] = {"422", "444", "488", "4ff", "4dd", "422n", "444n", "488n", "4ffn", "4ddn"};
  constexpr size_t bytes = sizeof(typename V::Stored);
  unsigned shape = type == "f32" ? 3 : type == "f64" ? 4 : pair || bytes == 4 ? 1 : bytes == 2 ? 0 : 2;
  static const char* kBools[] = {"", ".and", ".or", ".xor"};
  for (uint32_t b = 0; b < 4; ++b) {
    std::string middle = "." + name + kBools[b] + ftz;
    Handler p = setp<V, F>;
    if constexpr (bytes == 2)
      if (pair)
        p = setpPair<V, F>;
    t.add("setp" + middle + "." + type, p, kSetp[shape + (b ? 5 : 0)], b);
    if (pair)
      continue;
    t.add("set" + middle + ".u32." + type, set<V, F, false>, kSet[shape + (b ? 5 : 0)], b);
    t.add("set" + middle + ".s32." + type, set<V, F, false>, kSet[shape + (b ? 5 : 0)], b);
    t.add("set" + middle + ".f32." + type, set<V, F, true>, kSet[shape + (b ? 5 : 0)], b);
  }
}

template <class V> void addEqual(Table& t, const std::string& type) {
  addComparison<V, Eq>(t, "eq", type, "", false);
  addComparison<V, Not<Eq>>(t, "ne", type, "", false);
}

template <class T> void addInteger(Table& t, const std::string& type) {
  using V = Plain<T>;
  addEqual<V>(t, type);
  addComparison<V, Lt>(t, "lt", type, "", false);
  addComparison<V, Le>(t, "le", type, "", false);
  addComparison<V, Gt>(t, "gt", type, "", false);
  addComparison<V, Ge>(t, "ge", type, "", false);
  if (type[0] != 'u')
    return;
  addComparison<V, Lt>(t, "lo", type, "", false);
  addComparison<V, Le>(t, "ls", type, "", false);
  addComparison<V, Gt>(t, "hi", type, "", false);
  addComparison<V, Ge>(t, "hs", type, "", false);
}

template <class V> void addFloat(Table& t, const std::string& type, const std::string& ftz = "", bool pair = false) {
  addComparison<V, Eq>(t, "eq", type, ftz, pair);
  addComparison<V, Ne>(t, "ne", type, ftz, pair);
  addComparison<V, Lt>(t, "lt", type, ftz, pair);
  addComparison<V, Le>(t, "le", type, ftz, pair);
  addComparison<V, Gt>(t, "gt", type, ftz, pair);
  addComparison<V, Ge>(t, "ge", type, ftz, pair);
  addComparison<V, Not<Ne>>(t, "equ", type, ftz, pair);
  addComparison<V, Not<Eq>>(t, "neu", type, ftz, pair);
  addComparison<V, Not<Ge>>(t, "ltu", type, ftz, pair);
  addComparison<V, Not<Gt>>(t, "leu", type, ftz, pair);
  addComparison<V, Not<Le>>(t, "gtu", type, ftz, pair);
  addComparison<V, Not<Lt>>(t, "geu", type, ftz, pair);
  addComparison<V, Num>(t, "num", type, ftz, pair);
  addComparison<V, Not<Num>>(t, "nan", type, ftz, pair);
}

template <class T> void addChoice(Table& t, const std::string& type, const char* letter) {
  std::string three = std::string(letter) + letter + letter;
  static std::unordered_map<std::string, std::string> kept; // the letters outlive the table
  auto keep = [&](const std::string& text) { return kept.emplace(text, text).first->second.c_str(); };
  t.add("selp." + type, selp<T>, keep(three + "p"));
  if (sizeof(T) == 2)
    return;
  t.add("slct." + type + ".s32", ternary<T, T, T, int32_t, Slct<T, int32_t>>, keep(three + "4"));
  t.add("slct." + type + ".f32", ternary<T, T, T, float, Slct<T, float>>, keep(three + "f"));
  t.add("slct.ftz." + type + ".f32", ternary<T, T, T, float, SlctFlushed<T>>, keep(three + "f"));
}

} // namespace

void addComparisons(Table& t) {
  addEqual<Plain<uint16_t>>(t, "b16");
  addEqual<Plain<uint32_t>>(t, "b32");
  addEqual<Plain<uint64_t>>(t, "b64");
  forIntegers([&]<class T>(const char* type) { addInteger<T>(t, type); });
  addFloat<Plain<float>>(t, "f32");
  addFloat<Flushed>(t, "f32", ".ftz");
  addFloat<Plain<double>>(t, "f64");
  addFloat<Short<Half, false>>(t, "f16");
  addFloat<Short<Half, true>>(t, "f16", ".ftz");
  addFloat<Short<Brain, false>>(t, "bf16");
  addFloat<Short<Half, false>>(t, "f16x2", "", true);
  addFloat<Short<Half, true>>(t, "f16x2", ".ftz", true);
  addFloat<Short<Brain, false>>(t, "bf16x2", "", true);
  for (std::string kind : {"b", "u", "s"}) {
    addChoice<uint16_t>(t, kind + "16", "2");
    addChoice<uint32_t>(t, kind + "32", "4");
    addChoice<uint64_t>(t, kind + "64", "8");
  }
  addChoice<uint32_t>(t, "f32", "f");
  addChoice<uint64_t>(t, "f64", "d");
}

} // namespace bsgp::emulator
