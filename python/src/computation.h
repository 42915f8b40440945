// What calls of traced functions run.
#pragma once

#include "bindings.h"

namespace bsgp::python {

class Computation {
public:
  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  // Computes the results, which the caller releases. It needs no lock of the interpreter, and sets no exception.
  virtual bsgp_status call(int32_t count, bsgp_array* const* arguments, bsgp_array** results) const = 0;
  virtual size_t outputs() const = 0;
};

// Sets and throws the exception of a call that has failed.
void checkComputed(bsgp_status status);

} // namespace bsgp::python
