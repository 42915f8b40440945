// Linear algebra and Fourier transforms of arrays. Included by bsgp/arrays.hpp.
#pragma once

#include "bsgp/arrays.hpp"

namespace bsgp::arrays {

// ---- linear algebra ----

// Matrices are the last two axes; leading axes are a batch. arrays.h says what each function promises.
namespace linalg {
using arrays::matmul, arrays::matrix_transpose, arrays::tensordot, arrays::vecdot;

inline Array diagonal(const Array& a, int64_t offset = 0) {
  return detail::made(bsgp_array_diagonal, a.get(), offset);
}
inline Array trace(const Array& a, int64_t offset = 0) {
  return detail::made(bsgp_array_trace, a.get(), offset);
}
inline Array outer(const Array& a, const Array& b) {
  return detail::made(bsgp_array_outer, a.get(), b.get());
}
inline Array cross(const Array& a, const Array& b, int axis = -1) {
  return detail::made(bsgp_array_cross, a.get(), b.get(), int32_t(axis));
}
inline Array matrix_power(const Array& a, int64_t exponent) {
  return detail::made(bsgp_array_matrix_power, a.get(), exponent);
}
// Over all axes, or some.
inline Array vector_norm(const Array& a, double order = 2) {
  return detail::made(bsgp_array_vector_norm, a.get(), int32_t(-1), static_cast<const int32_t*>(nullptr), int32_t(0),
                      order);
}
inline Array vector_norm(const Array& a, const Axes& axes, bool keep = false, double order = 2) {
  return detail::made(bsgp_array_vector_norm, a.get(), int32_t(axes.size()), axes.data(), int32_t(keep), order);
}
inline Array matrix_norm(const Array& a, bsgp_norm norm = BSGP_NORM_FROBENIUS, bool keep = false) {
  return detail::made(bsgp_array_matrix_norm, a.get(), int32_t(keep), norm);
}

inline Array cholesky(const Array& a, bool upper = false) {
  return detail::made(bsgp_array_cholesky, a.get(), int32_t(upper));
}
inline Array det(const Array& a) {
  return detail::made(bsgp_array_det, a.get());
}
inline Array inv(const Array& a) {
  return detail::made(bsgp_array_inv, a.get());
}
inline Array solve(const Array& a, const Array& b) {
  return detail::made(bsgp_array_solve, a.get(), b.get());
}
inline Array eigvalsh(const Array& a) {
  return detail::made(bsgp_array_eigvalsh, a.get());
}
inline Array eigvals(const Array& a) {
  return detail::made(bsgp_array_eigvals, a.get());
}
inline Array svdvals(const Array& a) {
  return detail::made(bsgp_array_svdvals, a.get());
}

struct Slogdet {
  Array sign, logabsdet;
};
inline Slogdet slogdet(const Array& a) {
  bsgp_array *sign = nullptr, *logarithm = nullptr;
  check(bsgp_array_slogdet(a.get(), &sign, &logarithm));
  return {Array(sign), Array(logarithm)};
}
struct Eigen {
  Array eigenvalues, eigenvectors;
};
inline Eigen eigh(const Array& a) {
  bsgp_array *values = nullptr, *vectors = nullptr;
  check(bsgp_array_eigh(a.get(), &values, &vectors));
  return {Array(values), Array(vectors)};
}
inline Eigen eig(const Array& a) {
  bsgp_array *values = nullptr, *vectors = nullptr;
  check(bsgp_array_eig(a.get(), &values, &vectors));
  return {Array(values), Array(vectors)};
}
struct Qr {
  Array Q, R;
};
inline Qr qr(const Array& a, bool complete = false) {
  bsgp_array *q = nullptr, *r = nullptr;
  check(bsgp_array_qr(a.get(), int32_t(complete), &q, &r));
  return {Array(q), Array(r)};
}
struct Svd {
  Array U, S, Vh;
};
inline Svd svd(const Array& a, bool full_matrices = true) {
  bsgp_array *u = nullptr, *s = nullptr, *vh = nullptr;
  check(bsgp_array_svd(a.get(), int32_t(full_matrices), &u, &s, &vh));
  return {Array(u), Array(s), Array(vh)};
}

// Singular values up to rtol times the greatest one count as 0; without it, up to the greater extent times epsilon.
inline Array matrix_rank(const Array& a) {
  return detail::made(bsgp_array_matrix_rank, a.get(), static_cast<bsgp_array*>(nullptr));
}
inline Array matrix_rank(const Array& a, const Array& rtol) {
  return detail::made(bsgp_array_matrix_rank, a.get(), rtol.get());
}
inline Array pinv(const Array& a) {
  return detail::made(bsgp_array_pinv, a.get(), static_cast<bsgp_array*>(nullptr));
}
inline Array pinv(const Array& a, const Array& rtol) {
  return detail::made(bsgp_array_pinv, a.get(), rtol.get());
}
inline Array lstsq(const Array& a, const Array& b) {
  return detail::made(bsgp_array_lstsq, a.get(), b.get(), static_cast<bsgp_array*>(nullptr));
}
inline Array lstsq(const Array& a, const Array& b, const Array& rtol) {
  return detail::made(bsgp_array_lstsq, a.get(), b.get(), rtol.get());
}
} // namespace linalg

// ---- Fourier transforms ----

namespace fft {
using Norm = bsgp_fft_norm;
inline constexpr Norm backward = BSGP_FFT_NORM_BACKWARD, ortho = BSGP_FFT_NORM_ORTHO, forward = BSGP_FFT_NORM_FORWARD;

// Along an axis; n: its points, where they are others than the array has.
#define BSGP_ARRAYS_FFT(name, kind)                                                                                    \
  inline Array name(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = backward) {              \
    return detail::made(bsgp_array_fft, kind, a.get(), static_cast<const int64_t*>(n ? &*n : nullptr), int32_t(axis),  \
                        norm);                                                                                         \
  }
BSGP_ARRAYS_FFT(fft, BSGP_FFT_FFT)
BSGP_ARRAYS_FFT(ifft, BSGP_FFT_IFFT)
BSGP_ARRAYS_FFT(rfft, BSGP_FFT_RFFT)
BSGP_ARRAYS_FFT(irfft, BSGP_FFT_IRFFT)
BSGP_ARRAYS_FFT(hfft, BSGP_FFT_HFFT)
BSGP_ARRAYS_FFT(ihfft, BSGP_FFT_IHFFT)
#undef BSGP_ARRAYS_FFT

// Along axes, none: all, or as many of the last ones as there are numbers of points in s; s, none: as the array has them.
#define BSGP_ARRAYS_FFTN(name, kind)                                                                                   \
  inline Array name(const Array& a, const Shape& s = {}, const Axes& axes = {}, Norm norm = backward) {                \
    if (!s.empty() && !axes.empty() && s.size() != axes.size())                                                        \
      throw std::length_error("bsgp::arrays: " #name " takes as many numbers of points as axes");                      \
    return detail::made(bsgp_array_fftn, kind, a.get(), int32_t(s.empty() ? axes.size() : s.size()),                   \
                        static_cast<const int64_t*>(s.empty() ? nullptr : s.data()),                                   \
                        static_cast<const int32_t*>(axes.empty() ? nullptr : axes.data()), norm);                      \
  }
BSGP_ARRAYS_FFTN(fftn, BSGP_FFT_FFT)
BSGP_ARRAYS_FFTN(ifftn, BSGP_FFT_IFFT)
BSGP_ARRAYS_FFTN(rfftn, BSGP_FFT_RFFT)
BSGP_ARRAYS_FFTN(irfftn, BSGP_FFT_IRFFT)
#undef BSGP_ARRAYS_FFTN

// The frequencies of a transform of n samples at a distance d, and of those that rfft gives.
inline Array fftfreq(int64_t n, double d = 1, DType dtype = float64) {
  return detail::made(bsgp_array_fftfreq, n, d, int32_t(0), dtype);
}
inline Array rfftfreq(int64_t n, double d = 1, DType dtype = float64) {
  return detail::made(bsgp_array_fftfreq, n, d, int32_t(1), dtype);
}
// Frequency 0 to the middle of axes, none: of all; and back.
inline Array fftshift(const Array& a, const Axes& axes = {}) {
  return detail::made(bsgp_array_fftshift, a.get(), axes.empty() ? int32_t(-1) : int32_t(axes.size()), axes.data(),
                      int32_t(0));
}
inline Array ifftshift(const Array& a, const Axes& axes = {}) {
  return detail::made(bsgp_array_fftshift, a.get(), axes.empty() ? int32_t(-1) : int32_t(axes.size()), axes.data(),
                      int32_t(1));
}
} // namespace fft

} // namespace bsgp::arrays
