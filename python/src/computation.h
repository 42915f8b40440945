// What calls of traced functions run.
#pragma once

#include "bindings.h"

namespace bsgp::python {

// What calls do, in words and in counts.
struct Explained {
  std::string text;
  bsgp_array_counts counts{};

  void add(const Explained& part, const char* indent = "  "); // its lines, further to the right
};

class Computation {
public:
  Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  virtual ~Computation() = default;

  // Computes the results, which the caller releases. It needs no lock of the interpreter, and sets no exception.
  virtual bsgp_status call(int32_t count, bsgp_array* const* arguments, bsgp_array** results) const = 0;
  virtual size_t outputs() const = 0;
  // Adds what a call does, unless `to` is null. The results are arrays of the shapes and types of a call's, which are not computed; the
  // caller releases them.
  virtual bsgp_status explain(int32_t count, bsgp_array* const* arguments, bsgp_array** results,
                              Explained* to) const = 0;
};

nanobind::tuple explained(const Computation& computation, const nanobind::args& arguments);

// Sets and throws the exception of a call that has failed.
void checkComputed(bsgp_status status);

} // namespace bsgp::python
