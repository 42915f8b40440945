// Atomic operations: atom and red.
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "access.h"
#include "memory.h"
#include "real.h"

namespace bsgp::emulator {

namespace {

// New values; `flushed`: subnormal numbers count as zero, as they do in global memory.
struct Add {
  template <class T> static T of(T old, T b, T, bool) { return static_cast<T>(old + b); }
};
struct Min {
  template <class T> static T of(T old, T b, T, bool) { return std::min(old, b); }
};
struct Max {
  template <class T> static T of(T old, T b, T, bool) { return std::max(old, b); }
};
struct And {
  template <class T> static T of(T old, T b, T, bool) { return old & b; }
};
struct Or {
  template <class T> static T of(T old, T b, T, bool) { return old | b; }
};
struct Xor {
  template <class T> static T of(T old, T b, T, bool) { return old ^ b; }
};
struct Exchange {
  template <class T> static T of(T, T b, T, bool) { return b; }
};
struct Compare {
  template <class T> static T of(T old, T b, T c, bool) { return old == b ? c : old; }
};
struct Increment {
  static uint32_t of(uint32_t old, uint32_t b, uint32_t, bool) { return old >= b ? 0 : old + 1; }
};
struct Decrement {
  static uint32_t of(uint32_t old, uint32_t b, uint32_t, bool) { return old == 0 || old > b ? b : old - 1; }
};
struct AddSingle {
  static uint32_t of(uint32_t old, uint32_t b, uint32_t, bool flushed) {
    float x = std::bit_cast<float>(old), y = std::bit_cast<float>(b);
    float sum = canonical(flushed ? flush(flush(x) + flush(y)) : x + y);
    return std::bit_cast<uint32_t>(sum);
  }
};
struct AddDouble {
  static uint64_t of(uint64_t old, uint64_t b, uint64_t, bool) {
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
};
template <class Format> struct AddShort {
  static uint16_t of(uint16_t old, uint16_t b, uint16_t, bool) {
    return narrow<Format>(addToOdd(widen<Format>(old), widen<Format>(b)));
  }
};
template <class Format> struct AddPair {
  static uint32_t of(uint32_t old, uint32_t b, uint32_t, bool) {
    using F = AddShort<Format>;
    uint32_t high = F::of(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(b >> 16), 0, false);
    return high << 16 | F::of(static_cast<uint16_t>(old), static_cast<uint16_t>(b), 0, false);
  }
};

// Lanes one after the other. Shared memory belongs to the one host thread that runs the block.
template <Space space, class T, class F> void atomic(Warp& w, const Op& op) {
  const uint64_t* a = w.at<uint64_t>(op.o[1]);
  const T *b = w.at<T>(op.o[2]), *c = w.at<T>(op.o[3]);
  T* d = w.at<T>(op.o[0]);
  if (Trace* trace = w.block().launch().trace) [[unlikely]]
    trace->access(w, op, space, op.o[1], sizeof(T), 'x');
  std::unique_lock<std::mutex> exchange;
  if (Races* races = w.block().launch().races) [[unlikely]]
    exchange = races->exchanges(w, op, space);
  for (uint32_t rest = w.exec; rest; rest &= rest - 1) {
    auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t address = a[lane] + op.imm;
    T* to = reinterpret_cast<T*>(place<space>(w, op, lane, address, sizeof(T), true));
    bool flushed = space != Space::shared && address - kSharedBase >= kWindow;
    T old = __atomic_load_n(to, __ATOMIC_RELAXED);
    if constexpr (space == Space::shared) {
      *to = F::of(old, b[lane], c[lane], flushed);
    } else {
      while (!__atomic_compare_exchange_n(to, &old, F::of(old, b[lane], c[lane], flushed), false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST)) {
      }
    }
    d[lane] = old;
  }
}

template <Space space> Handler choose(std::string_view name, Type type) {
  auto is = [&](std::string_view wanted, std::initializer_list<Type> types) {
    return name == wanted && std::find(types.begin(), types.end(), type) != types.end();
  };
  if (is("add", {Type::u32, Type::s32}))
    return atomic<space, uint32_t, Add>;
  if (is("add", {Type::u64}))
    return atomic<space, uint64_t, Add>;
  if (is("add", {Type::f32}))
    return atomic<space, uint32_t, AddSingle>;
  if (is("add", {Type::f64}))
    return atomic<space, uint64_t, AddDouble>;
  if (is("add", {Type::f16}))
    return atomic<space, uint16_t, AddShort<Half>>;
  if (is("add", {Type::bf16}))
    return atomic<space, uint16_t, AddShort<Brain>>;
  if (is("add", {Type::f16x2}))
    return atomic<space, uint32_t, AddPair<Half>>;
  if (is("add", {Type::bf16x2}))
    return atomic<space, uint32_t, AddPair<Brain>>;
  if (is("min", {Type::u32}))
    return atomic<space, uint32_t, Min>;
  if (is("min", {Type::s32}))
    return atomic<space, int32_t, Min>;
  if (is("min", {Type::u64}))
    return atomic<space, uint64_t, Min>;
  if (is("min", {Type::s64}))
    return atomic<space, int64_t, Min>;
  if (is("max", {Type::u32}))
    return atomic<space, uint32_t, Max>;
  if (is("max", {Type::s32}))
    return atomic<space, int32_t, Max>;
  if (is("max", {Type::u64}))
    return atomic<space, uint64_t, Max>;
  if (is("max", {Type::s64}))
    return atomic<space, int64_t, Max>;
  if (is("and", {Type::b32}))
    return atomic<space, uint32_t, And>;
  if (is("and", {Type::b64}))
    return atomic<space, uint64_t, And>;
  if (is("or", {Type::b32}))
    return atomic<space, uint32_t, Or>;
  if (is("or", {Type::b64}))
    return atomic<space, uint64_t, Or>;
  if (is("xor", {Type::b32}))
    return atomic<space, uint32_t, Xor>;
  if (is("xor", {Type::b64}))
    return atomic<space, uint64_t, Xor>;
  if (is("exch", {Type::b32}))
    return atomic<space, uint32_t, Exchange>;
  if (is("exch", {Type::b64}))
    return atomic<space, uint64_t, Exchange>;
  if (is("cas", {Type::b16}))
    return atomic<space, uint16_t, Compare>;
  if (is("cas", {Type::b32}))
    return atomic<space, uint32_t, Compare>;
  if (is("cas", {Type::b64}))
    return atomic<space, uint64_t, Compare>;
  if (is("inc", {Type::u32}))
    return atomic<space, uint32_t, Increment>;
  if (is("dec", {Type::u32}))
    return atomic<space, uint32_t, Decrement>;
  return nullptr;
}

} // namespace

Handler atomicHandler(Space space, std::string_view operation, Type type) {
  switch (space) {
  case Space::global:
    return choose<Space::global>(operation, type);
  case Space::shared:
    return choose<Space::shared>(operation, type);
  case Space::generic:
    return choose<Space::generic>(operation, type);
  default:
    return nullptr;
  }
}

} // namespace bsgp::emulator
