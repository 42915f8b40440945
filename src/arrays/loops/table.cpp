#include <cstring>
#include <limits>

#include "arrays/loops/loops.h"
#include "arrays/loops/math.h"

namespace bsgp::arrays {

void loopsV2(Loops& table);
void loopsV3(Loops& table);
void loopsV4(Loops& table);
void complexLoopsV2(Loops& table);
void complexLoopsV3(Loops& table);
void complexLoopsV4(Loops& table);

namespace {

Loops makeLoops() {
  Loops table{};
  if (__builtin_cpu_supports("x86-64-v4"))
    loopsV4(table), complexLoopsV4(table);
  else if (__builtin_cpu_supports("x86-64-v3"))
    loopsV3(table), complexLoopsV3(table);
  else
    loopsV2(table), complexLoopsV2(table);
  addMath(table);
  addComplexMath(table);
  return table;
}

template <class T> void identityAs(bsgp_operation combines, void* to) {
  using Limits = std::numeric_limits<T>;
  T value = combines == BSGP_OP_MULTIPLY || combines == BSGP_OP_LOGICAL_AND ? T(1) : T(0);
  if (combines == BSGP_OP_MINIMUM)
    value = Limits::has_infinity ? Limits::infinity() : Limits::max();
  if (combines == BSGP_OP_MAXIMUM)
    value = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  std::memcpy(to, &value, sizeof value);
}

template <class T> void complexIdentityAs(bsgp_operation combines, void* to) {
  T value[2] = {combines == BSGP_OP_MULTIPLY ? T(1) : T(0), T(0)};
  std::memcpy(to, value, sizeof value);
}

} // namespace

const Loops& loops() {
  static const Loops table = makeLoops();
  return table;
}

void identityOf(bsgp_operation combines, bsgp_dtype type, void* to) {
  switch (type) {
  case BSGP_BOOL: {
    uint8_t value = combines == BSGP_OP_MULTIPLY || combines == BSGP_OP_LOGICAL_AND || combines == BSGP_OP_MINIMUM;
    std::memcpy(to, &value, 1);
    return;
  }
  case BSGP_INT8:
    return identityAs<int8_t>(combines, to);
  case BSGP_INT16:
    return identityAs<int16_t>(combines, to);
  case BSGP_INT32:
    return identityAs<int32_t>(combines, to);
  case BSGP_INT64:
    return identityAs<int64_t>(combines, to);
  case BSGP_UINT8:
    return identityAs<uint8_t>(combines, to);
  case BSGP_UINT16:
    return identityAs<uint16_t>(combines, to);
  case BSGP_UINT32:
    return identityAs<uint32_t>(combines, to);
  case BSGP_UINT64:
    return identityAs<uint64_t>(combines, to);
  case BSGP_FLOAT32:
    return identityAs<float>(combines, to);
  case BSGP_COMPLEX64:
    return complexIdentityAs<float>(combines, to);
  case BSGP_COMPLEX128:
    return complexIdentityAs<double>(combines, to);
  default:
    return identityAs<double>(combines, to);
  }
}

} // namespace bsgp::arrays
