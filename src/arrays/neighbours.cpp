#include "arrays/neighbours.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/whole.h"

namespace bsgp::arrays {

namespace {

// The bits of numbers of one sign are in the order of the numbers. C++ has no nextafter of 16 bits.
uint16_t nextHalf(uint16_t a, uint16_t b) {
  constexpr uint16_t kSign = 0x8000, kInfinity = 0x7c00;
  uint16_t magnitude_a = a & ~kSign, magnitude_b = b & ~kSign;
  if (magnitude_a > kInfinity || magnitude_b > kInfinity)
    return magnitude_a > kInfinity ? a : b;
  if (a == b || magnitude_a + magnitude_b == 0)
    return b;
  if (magnitude_a == 0)
    return uint16_t((b & kSign) | 1);
  bool grows = ((a ^ b) & kSign) == 0 && magnitude_b > magnitude_a;
  return uint16_t(grows ? a + 1 : a - 1);
}

template <class T, class Next> void runOf(const WholeCall& call, const Next& next) {
  const T *a = call.operands[0].as<T>(), *b = call.operands[1].as<T>();
  T* to = call.result<T>();
  call.pool.forRanges(call.shape.elements(), [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i)
      to[i] = next(a[i], b[i]);
  });
}

Result<void> run(const WholeCall& call) {
  if (call.type == BSGP_FLOAT16)
    runOf<uint16_t>(call, nextHalf);
  else if (call.type == BSGP_FLOAT32)
    runOf<float>(call, [](float a, float b) { return std::nextafter(a, b); });
  else
    runOf<double>(call, [](double a, double b) { return std::nextafter(a, b); });
  return {};
}
constexpr WholeOperation kNextafter{"nextafter", run};

} // namespace

Result<NodeRef> makeNextafter(const NodeRef& a, const NodeRef& b) {
  bsgp_dtype type = commonType({a->type, a->weak}, {b->type, b->weak}).type;
  if (info(type).kind != TypeKind::Float)
    return Error{
        fmt::format("nextafter: numbers of type {}\n  help: it takes floating-point numbers: convert by astype",
                    info(type).name),
        Mistake::Type};
  auto shape = broadcastShape("nextafter", a->shape, b->shape);
  if (!shape)
    return shape.error();
  NodeRef operands[2];
  for (int i = 0; i < 2; ++i) {
    auto wide = makeBroadcast(makeCast(i == 0 ? a : b, type), *shape, "nextafter");
    if (!wide)
      return wide;
    operands[i] = wide.take();
  }
  return makeWhole(kNextafter, type, *shape, operands, {});
}

} // namespace bsgp::arrays
