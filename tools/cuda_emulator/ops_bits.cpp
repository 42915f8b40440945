// Bits: logic, shifts, fields, permutations; and sums with carry.
#include <type_traits>

#include "lanes.h"
#include "logic.h"
#include "table.h"

namespace bsgp::emulator {

namespace {

struct Not {
  template <class T> static T of(T a) { return static_cast<T>(~a); }
};
struct Cnot {
  template <class T> static T of(T a) { return a == 0; }
};

// Amounts beyond the width count as the width.
struct Shl {
  template <class T> static T of(T a, uint32_t n) {
    return n >= 8 * sizeof(T) ? T(0) : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << n);
  }
};
struct Shr {
  template <class T> static T of(T a, uint32_t n) {
    constexpr uint32_t width = 8 * sizeof(T);
    if (std::is_signed_v<T>)
      return static_cast<T>(a >> (n >= width ? width - 1 : n));
    return n >= width ? T(0) : static_cast<T>(a >> n);
  }
};
template <bool left, bool wrap> struct Funnel {
  static uint32_t of(uint32_t low, uint32_t high, uint32_t amount) {
    uint32_t n = wrap ? amount & 31 : amount > 32 ? 32 : amount;
    uint64_t both = uint64_t(high) << 32 | low;
    return static_cast<uint32_t>(left ? (n == 32 ? low : (both << n) >> 32) : both >> n);
  }
};

// Field of `length` bits from `position` on; beyond the end a signed field goes on with the sign bit of the operand.
struct Extract {
  template <class T> static T of(T a, uint32_t position, uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t width = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    if (length == 0)
      return 0;
    U field = static_cast<U>(Shr::of(a, position));
    if (length >= width || (std::is_signed_v<T> && position + length > width))
      return static_cast<T>(field);
    if (!std::is_signed_v<T>)
      return static_cast<T>(field & ((U(1) << length) - 1));
    return static_cast<T>(field << (width - length)) >> (width - length);
  }
};
struct Insert {
  template <class T> static T of(T a, T b, uint32_t position, uint32_t length) {
    position &= 255;
    length &= 255;
    T ones = length >= 8 * sizeof(T) ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << length) - 1);
    T mask = Shl::of(ones, position);
    return (b & ~mask) | (Shl::of(a, position) & mask);
  }
};
template <bool as_shift> struct FindBit {
  template <class T> static uint32_t of(T a) {
    using U = std::make_unsigned_t<T>;
    U bits = std::is_signed_v<T> && a < 0 ? static_cast<U>(~a) : static_cast<U>(a);
    if (bits == 0)
      return ~0u;
    auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
    return as_shift ? zeros : static_cast<uint32_t>(8 * sizeof(T)) - 1 - zeros;
  }
};
struct Reverse {
  template <class T> static T of(T a) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i, a >>= 1)
      result = static_cast<T>(result << 1) | (a & 1);
    return result;
  }
};
struct LeadingZeros {
  template <class T> static uint32_t of(T a) { return static_cast<uint32_t>(std::countl_zero(a)); }
};
struct CountOnes {
  template <class T> static uint32_t of(T a) { return static_cast<uint32_t>(std::popcount(a)); }
};
template <bool wrap> struct Mask {
  static uint32_t of(uint32_t position, uint32_t length) {
    if (wrap)
      return Shl::of((uint32_t(1) << (length & 31)) - 1, position & 31);
    return Shl::of(length >= 32 ? ~0u : (uint32_t(1) << length) - 1, position);
  }
};
template <class T, bool wrap> struct Extend {
  static T of(T a, uint32_t bits) {
    uint32_t n = wrap ? bits & 31 : bits;
    if (n == 0)
      return 0;
    return n >= 32 ? a : static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << (32 - n)) >> (32 - n));
  }
};

enum class Permute { index, f4e, b4e, rc8, ecl, ecr, rc16 };

uint32_t selectorOf(Permute mode, uint32_t c) {
  static constexpr uint16_t kTable[7][4] = {{},
                                            {0x3210, 0x4321, 0x5432, 0x6543},
                                            {0x5670, 0x6701, 0x7012, 0x0123},
                                            {0x0000, 0x1111, 0x2222, 0x3333},
                                            {0x3210, 0x3211, 0x3222, 0x3333},
                                            {0x0000, 0x1110, 0x2210, 0x3210},
                                            {0x1010, 0x3232, 0x1010, 0x3232}};
  return mode == Permute::index ? c : kTable[static_cast<int>(mode)][c & 3];
}
template <Permute mode> struct Prmt {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t selector = selectorOf(mode, c), result = 0;
    for (int i = 0; i < 4; ++i, selector >>= 4) {
      auto byte = static_cast<uint8_t>(bytes >> (8 * (selector & 7)));
      if (selector & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= uint32_t(byte) << (8 * i);
    }
    return result;
  }
};

void lop3(Warp& w, const Op& op) {
  uint32_t* d = w.at<uint32_t>(op.o[0]);
  const uint32_t *a = w.at<uint32_t>(op.o[1]), *b = w.at<uint32_t>(op.o[2]), *c = w.at<uint32_t>(op.o[3]),
                 *table = w.at<uint32_t>(op.o[4]);
  forLanes(w.exec, [=](unsigned i) {
    uint32_t result = 0;
    for (uint32_t k = 0; k < 8; ++k)
      result |= (table[i] >> k & 1) ? (k & 4 ? a[i] : ~a[i]) & (k & 2 ? b[i] : ~b[i]) & (k & 1 ? c[i] : ~c[i]) : 0;
    d[i] = result;
  });
}

template <class T> void insert(Warp& w, const Op& op) {
  T* d = w.at<T>(op.o[0]);
  const T *a = w.at<T>(op.o[1]), *b = w.at<T>(op.o[2]);
  const uint32_t *position = w.at<uint32_t>(op.o[3]), *length = w.at<uint32_t>(op.o[4]);
  forLanes(w.exec, [=](unsigned i) { d[i] = Insert::of(a[i], b[i], position[i], length[i]); });
}

template <class F> void predicates(Warp& w, const Op& op) {
  w.setPredicate(op.o[0], F::of(*w.at<uint32_t>(op.o[1]), *w.at<uint32_t>(op.o[2])));
}
void notPredicate(Warp& w, const Op& op) {
  w.setPredicate(op.o[0], ~*w.at<uint32_t>(op.o[1]));
}

template <class T> void addLogic(Table& t, const std::string& type) {
  const char* three = sizeof(T) == 2 ? "222" : sizeof(T) == 4 ? "444" : "888";
  t.add("and." + type, binary<T, T, T, And>, three);
  t.add("or." + type, binary<T, T, T, Or>, three);
  t.add("xor." + type, binary<T, T, T, Xor>, three);
  t.add("not." + type, unary<T, T, Not>, three + 1);
  t.add("cnot." + type, unary<T, T, Cnot>, three + 1);
  const char* shift = sizeof(T) == 2 ? "224" : sizeof(T) == 4 ? "444" : "884";
  t.add("shl." + type, binary<T, T, uint32_t, Shl>, shift);
  t.add("shr." + type, binary<T, T, uint32_t, Shr>, shift);
}

template <class T> void addShr(Table& t, const std::string& type) {
  t.add("shr." + type, binary<T, T, uint32_t, Shr>, sizeof(T) == 2 ? "224" : sizeof(T) == 4 ? "444" : "884");
}

template <class T> void addFields(Table& t, const std::string& type) {
  bool wide = sizeof(T) == 8;
  t.add("bfe." + type, ternary<T, T, uint32_t, uint32_t, Extract>, wide ? "8844" : "4444");
  t.add("bfind." + type, unary<uint32_t, T, FindBit<false>>, wide ? "48" : "44");
  t.add("bfind.shiftamt." + type, unary<uint32_t, T, FindBit<true>>, wide ? "48" : "44");
}

template <class T> void addCounts(Table& t, const std::string& type) {
  bool wide = sizeof(T) == 8;
  t.add("brev." + type, unary<T, T, Reverse>, wide ? "88" : "44");
  t.add("clz." + type, unary<uint32_t, T, LeadingZeros>, wide ? "48" : "44");
  t.add("popc." + type, unary<uint32_t, T, CountOnes>, wide ? "48" : "44");
  t.add("bfi." + type, insert<T>, wide ? "88844" : "44444");
}

template <Permute mode> void addPermute(Table& t, const std::string& name) {
  t.add("prmt.b32" + name, ternary<uint32_t, uint32_t, uint32_t, uint32_t, Prmt<mode>>, "4444");
}

template <class T> void addExtend(Table& t, const std::string& type) {
  t.add("szext.clamp." + type, binary<T, T, uint32_t, Extend<T, false>>, "444");
  t.add("szext.wrap." + type, binary<T, T, uint32_t, Extend<T, true>>, "444");
}

} // namespace

void addBits(Table& t) {
  addLogic<uint16_t>(t, "b16");
  addLogic<uint32_t>(t, "b32");
  addLogic<uint64_t>(t, "b64");
  t.add("and.pred", predicates<And>, "ppp");
  t.add("or.pred", predicates<Or>, "ppp");
  t.add("xor.pred", predicates<Xor>, "ppp");
  t.add("not.pred", notPredicate, "pp");
  forIntegers([&]<class T>(const char* type) { addShr<T>(t, type); });
  using W = uint32_t;
  t.add("shf.l.clamp.b32", ternary<W, W, W, W, Funnel<true, false>>, "4444");
  t.add("shf.r.clamp.b32", ternary<W, W, W, W, Funnel<false, false>>, "4444");
  t.add("shf.l.wrap.b32", ternary<W, W, W, W, Funnel<true, true>>, "4444");
  t.add("shf.r.wrap.b32", ternary<W, W, W, W, Funnel<false, true>>, "4444");
  forIntegersOfWords([&]<class T>(const char* type) { addFields<T>(t, type); });
  addCounts<uint32_t>(t, "b32");
  addCounts<uint64_t>(t, "b64");
  t.add("bmsk.clamp.b32", binary<W, W, W, Mask<false>>, "444");
  t.add("bmsk.wrap.b32", binary<W, W, W, Mask<true>>, "444");
  addExtend<uint32_t>(t, "u32");
  addExtend<int32_t>(t, "s32");
  addPermute<Permute::index>(t, "");
  addPermute<Permute::f4e>(t, ".f4e");
  addPermute<Permute::b4e>(t, ".b4e");
  addPermute<Permute::rc8>(t, ".rc8");
  addPermute<Permute::ecl>(t, ".ecl");
  addPermute<Permute::ecr>(t, ".ecr");
  addPermute<Permute::rc16>(t, ".rc16");
  t.add("lop3.b32", lop3, "44444");
}

} // namespace bsgp::emulator
