// The library that computes products of matrices (BLAS) and linear algebra (LAPACK): OpenBLAS, loaded when it is first needed.
//
// Its functions have Fortran's form: all arguments are addresses, matrices are stored by columns with a distance `ld` from one column to
// the next, counts are ints, and the lengths of texts follow behind all others. A matrix that is stored by rows is its transpose to them.
#pragma once

#include <complex>
#include <cstddef>

#include "support/result.h"

namespace bsgp::arrays {

template <class T> struct PartOf {
  using Type = T;
};
template <class T> struct PartOf<std::complex<T>> {
  using Type = T;
};
template <class T> using Part = typename PartOf<T>::Type;
template <class T> constexpr bool is_complex = !std::is_same_v<T, Part<T>>;

// The functions for one type of numbers. "or": real numbers have the first name, complex ones the second.
template <class T> struct Lapack {
  using Text = const char*;
  using Count = const int*;
  template <class Real, class Complex> using Form = std::conditional_t<is_complex<T>, Complex, Real>;

  // c = alpha * a * b + beta * c
  void (*gemm)(Text trans_a, Text trans_b, Count m, Count n, Count k, const T* alpha, const T* a, Count lda, const T* b,
               Count ldb, const T* beta, T* c, Count ldc, size_t, size_t);
  // y = alpha * a * x + beta * y
  void (*gemv)(Text trans, Count m, Count n, const T* alpha, const T* a, Count lda, const T* x, Count step_x,
               const T* beta, T* y, Count step_y, size_t);
  void (*potrf)(Text uplo, Count n, T* a, Count lda, int* info, size_t);
  void (*getrf)(Count m, Count n, T* a, Count lda, int* pivots, int* info);
  void (*getri)(Count n, T* a, Count lda, const int* pivots, T* work, Count lwork, int* info);
  void (*getrs)(Text trans, Count n, Count columns, const T* a, Count lda, const int* pivots, T* b, Count ldb,
                int* info, size_t);
  void (*gelqf)(Count m, Count n, T* a, Count lda, T* tau, T* work, Count lwork, int* info);
  void (*orglq)(Count m, Count n, Count k, T* a, Count lda, const T* tau, T* work, Count lwork, int* info); // or unglq
  Form<void (*)(Text jobz, Text uplo, Count n, T* a, Count lda, Part<T>* w, T* work, Count lwork, int* iwork,
                Count liwork, int* info, size_t, size_t),
       void (*)(Text jobz, Text uplo, Count n, T* a, Count lda, Part<T>* w, T* work, Count lwork, Part<T>* rwork,
                Count lrwork, int* iwork, Count liwork, int* info, size_t, size_t)>
      syevd; // or heevd
  Form<void (*)(Text jobz, Count m, Count n, T* a, Count lda, Part<T>* s, T* u, Count ldu, T* vt, Count ldvt, T* work,
                Count lwork, int* iwork, int* info, size_t),
       void (*)(Text jobz, Count m, Count n, T* a, Count lda, Part<T>* s, T* u, Count ldu, T* vt, Count ldvt, T* work,
                Count lwork, Part<T>* rwork, int* iwork, int* info, size_t)>
      gesdd;
  Form<void (*)(Text jobvl, Text jobvr, Count n, T* a, Count lda, T* wr, T* wi, T* vl, Count ldvl, T* vr, Count ldvr,
                T* work, Count lwork, int* info, size_t, size_t),
       void (*)(Text jobvl, Text jobvr, Count n, T* a, Count lda, T* w, T* vl, Count ldvl, T* vr, Count ldvr, T* work,
                Count lwork, Part<T>* rwork, int* info, size_t, size_t)>
      geev;
};

struct Blas {
  Lapack<float> s;
  Lapack<double> d;
  Lapack<std::complex<float>> c;
  Lapack<std::complex<double>> z;
  int (*threads)() = nullptr; // null where the library has no such functions
  void (*set_threads)(int) = nullptr;
  bool loses_threads = false; // in a forked child: its threads are OpenMP's

  template <class T> const Lapack<T>& of() const {
    if constexpr (std::is_same_v<T, float>)
      return s;
    else if constexpr (std::is_same_v<T, double>)
      return d;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
      return c;
    else
      return z;
  }
};

// The library, or why it cannot be used, and which package it is in. BSGP_BLAS names another file. To be called on a thread that is not
// pinned to a processor: the library's own threads inherit that.
Result<const Blas*> loadBlas();

// The library uses so many threads until the end of the scope.
class BlasThreads {
public:
  BlasThreads(const Blas& blas, unsigned threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

private:
  const Blas& blas_;
  int before_ = 0;
};

} // namespace bsgp::arrays
