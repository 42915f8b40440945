// The transforms themselves, of the lines of an array along one axis, by pocketfft (third_party).
#pragma once

#include <complex>
#include <cstdint>

namespace bsgp::arrays {

// An array of outer x n x inner elements, whose lines along n are transformed: some of the outer ones, and of the inner ones. `n` is the
// number of points; of the side that real numbers make shorter there are n / 2 + 1. Throws std::bad_alloc.
struct Lines {
  int64_t outer, n, inner;
  int64_t outer_begin, outer_end, inner_begin, inner_end;
  double factor; // of each result
};

// from and to may be the same array.
template <class Real>
void transformComplex(const Lines& lines, bool forward, const std::complex<Real>* from, std::complex<Real>* to);
template <class Real> void transformReal(const Lines& lines, const Real* from, std::complex<Real>* to);
// The half that transformReal gives has its conjugate as the other half.
template <class Real> void transformToReal(const Lines& lines, const std::complex<Real>* from, Real* to);

} // namespace bsgp::arrays
