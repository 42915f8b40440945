// The C functions of errors.
#include "arrays/api_parts.h"
#include "arrays/origin.h"

namespace bsgp::arrays {

namespace {
constinit thread_local Mistake last_mistake = Mistake::Value;
}

bsgp_status failed(bsgp_status status, const Error& error) {
  last_mistake = error.mistake;
  if (error.mistake == Mistake::Memory)
    status = BSGP_OUT_OF_MEMORY;
  else if (error.mistake == Mistake::Interruption)
    status = BSGP_INTERRUPTED;
  return runtime::setError(status, error.message);
}

} // namespace bsgp::arrays

using namespace bsgp;
using namespace bsgp::arrays;

bsgp_mistake bsgp_array_mistake(void) {
  switch (last_mistake) {
  case Mistake::Type:
    return BSGP_MISTAKE_TYPE;
  case Mistake::Index:
    return BSGP_MISTAKE_INDEX;
  case Mistake::Overflow:
    return BSGP_MISTAKE_OVERFLOW;
  case Mistake::Matrix:
    return BSGP_MISTAKE_MATRIX;
  case Mistake::Value:
  case Mistake::Memory:
  case Mistake::Interruption:
    break;
  }
  return BSGP_MISTAKE_VALUE;
}

bsgp_status bsgp_arrays_set_origin(const char* place) {
  currentOrigin() = 0;
  return runtime::guardedCall("the place of an operation", [&] {
    currentOrigin() = originNamed(place ? place : "");
    return BSGP_OK;
  });
}
