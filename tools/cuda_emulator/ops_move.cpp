// Moves, packing and unpacking, address spaces, clocks, fences; and what does nothing here.
#include <atomic>
#include <chrono>

#include "block.h"
#include "lanes.h"
#include "memory.h"
#include "ops_move.h"
#include "table.h"
#include "trace.h"

namespace bsgp::emulator {

namespace {

struct Copy {
  template <class T> static T of(T a) { return a; }
};

void movePredicate(Warp& w, const Op& op) {
  w.setPredicate(op.o[0], *w.at<uint32_t>(op.o[1]));
}

template <class T, uint64_t base, bool to> struct Convert {
  static T of(T a) { return to ? a - base : a + base; }
};

template <Space space> void isSpace(Warp& w, const Op& op) {
  const uint64_t* a = w.at<uint64_t>(op.o[1]);
  DeviceMemory& memory = w.block().memory();
  w.setPredicate(op.o[0], lanesWhere([&](unsigned i) {
                   switch (space) {
                   case Space::global:
                   case Space::constant:
                     return a[i] - kDeviceBase < memory.total();
                   case Space::shared:
                     return a[i] - kSharedBase < kWindow;
                   case Space::local:
                     return a[i] - kLocalBase < kWindow;
                   case Space::param:
                     return a[i] - kParamBase < kWindow;
                   case Space::generic:
                     return true;
                   }
                   return false;
                 }));
}

template <Space space> void addSpace(Table& t, const std::string& name) {
  constexpr bool moves = space == Space::shared || space == Space::local;
  constexpr uint64_t base = space == Space::shared ? kSharedBase : space == Space::local ? kLocalBase : 0;
  using W = uint64_t;
  t.add("cvta." + name + ".u64", unary<W, W, Convert<W, moves ? base : 0, false>>, "88");
  t.add("cvta.to." + name + ".u64", unary<W, W, Convert<W, moves ? base : 0, true>>, "88");
  t.add("isspacep." + name, isSpace<space>, "p8");
}

void fence(Warp& w, const Op&) {
  if (Races* races = w.block().launch().races) [[unlikely]]
    races->fence(w);
  if (Trace* trace = Trace::get()) [[unlikely]]
    trace->fence(w);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void nothing(Warp&, const Op&) {}

void activeMask(Warp& w, const Op& op) {
  uint32_t *d = w.at<uint32_t>(op.o[0]), exec = w.exec;
  forLanes(exec, [=](unsigned i) { d[i] = exec; });
}

uint64_t readClock(bool nanoseconds) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  auto ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return nanoseconds ? ns : ns + ns / 2;
}

template <class T, class Part> void unpack(Warp& w, const Op& op) {
  const T* a = w.at<T>(op.o[4]);
  for (unsigned k = 0; k < op.aux; ++k) {
    Part* d = w.at<Part>(op.o[k]);
    forLanes(w.exec, [=](unsigned i) { d[i] = static_cast<Part>(a[i] >> (8 * sizeof(Part) * k)); });
  }
}

// The parts may be the result itself, so it is put together aside.
template <class T, class Part> void pack(Warp& w, const Op& op) {
  T result[32] = {};
  for (unsigned k = 0; k < op.aux; ++k) {
    const Part* a = w.at<Part>(op.o[k]);
    for (unsigned i = 0; i < 32; ++i)
      result[i] |= static_cast<T>(static_cast<T>(a[i]) << (8 * sizeof(Part) * k));
  }
  T* d = w.at<T>(op.o[4]);
  forLanes(w.exec, [&](unsigned i) { d[i] = result[i]; });
}

} // namespace

template <class T, bool nanoseconds, unsigned shift> void clockOf(Warp& w, const Op& op) {
  T* d = w.at<T>(op.o[0]);
  auto value = static_cast<T>(readClock(nanoseconds) >> shift);
  forLanes(w.exec, [=](unsigned i) { d[i] = value; });
}

Handler clockHandler(std::string_view name, unsigned bytes) {
  if (bytes == 8)
    return name == "%clock64"       ? clockOf<uint64_t, false, 0>
           : name == "%globaltimer" ? clockOf<uint64_t, true, 0>
                                    : nullptr;
  return name == "%clock"            ? clockOf<uint32_t, false, 0>
         : name == "%clock_hi"       ? clockOf<uint32_t, false, 32>
         : name == "%globaltimer_lo" ? clockOf<uint32_t, true, 0>
         : name == "%globaltimer_hi" ? clockOf<uint32_t, true, 32>
                                     : nullptr;
}

Handler packHandler(bool unpacks, unsigned whole, unsigned part) {
  if (whole == 8 && part == 4)
    return unpacks ? unpack<uint64_t, uint32_t> : pack<uint64_t, uint32_t>;
  if (whole == 8 && part == 2)
    return unpacks ? unpack<uint64_t, uint16_t> : pack<uint64_t, uint16_t>;
  if (whole == 4 && part == 2)
    return unpacks ? unpack<uint32_t, uint16_t> : pack<uint32_t, uint16_t>;
  return nullptr;
}

void addMoves(Table& t) {
  for (std::string kind : {"b", "u", "s"}) {
    t.add("mov." + kind + "16", unary<uint16_t, uint16_t, Copy>, "22");
    t.add("mov." + kind + "32", unary<uint32_t, uint32_t, Copy>, "44");
    t.add("mov." + kind + "64", unary<uint64_t, uint64_t, Copy>, "88");
  }
  t.add("mov.f32", unary<uint32_t, uint32_t, Copy>, "ff");
  t.add("mov.f64", unary<uint64_t, uint64_t, Copy>, "dd");
  t.add("mov.pred", movePredicate, "pp");
  addSpace<Space::global>(t, "global");
  addSpace<Space::shared>(t, "shared");
  addSpace<Space::local>(t, "local");
  addSpace<Space::constant>(t, "const");
  addSpace<Space::param>(t, "param");
  t.add("activemask.b32", activeMask, "4");
  t.add("nanosleep.u32", nothing, "4");
  for (std::string scope : {"cta", "gl", "sys"})
    t.add("membar." + scope, fence, "");
  for (std::string scope : {"cta", "cluster", "gpu", "sys"})
    for (std::string order : {"", ".sc", ".acq_rel", ".acquire", ".release"})
      t.add("fence" + order + "." + scope, fence, "");
}

} // namespace bsgp::emulator
