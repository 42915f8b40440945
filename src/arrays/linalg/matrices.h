// Operations on each matrix of a batch: the last two axes are the matrix, those in front of them, the leading axes, number the batch.
#pragma once

#include <mutex>
#include <string>

#include <fmt/format.h>

#include "arrays/linalg/blas.h"
#include "arrays/whole.h"
#include "runtime/guarded.h"

namespace bsgp::arrays {

inline constexpr int64_t kMostCount = INT32_MAX; // that BLAS and LAPACK can count

// Calls function(T()) for the C++ type of the elements: float, double, or a complex number of these.
template <class Function> auto withField(bsgp_dtype type, const Function& function) {
  switch (type) {
  case BSGP_FLOAT32:
    return function(float());
  case BSGP_COMPLEX64:
    return function(std::complex<float>());
  case BSGP_COMPLEX128:
    return function(std::complex<double>());
  default:
    return function(double());
  }
}

inline Shape leadingOf(Shape shape, int axes) {
  shape.rank -= axes;
  return shape;
}
inline int64_t rowsOf(const Shape& shape) {
  return shape[shape.rank - 2];
}
inline int64_t columnsOf(const Shape& shape) {
  return shape[shape.rank - 1];
}

// The number of an operand's matrix for number `i` of the leading axes `all`, to which the operand's own, `own`, are broadcast.
inline int64_t broadcastNumber(const Shape& own, const Shape& all, int64_t i) {
  int64_t number = 0, step = 1;
  for (int axis = own.rank; axis-- > 0;) {
    int64_t extent = all[axis + all.rank - own.rank], at = i % extent;
    i /= extent;
    number += own[axis] == 1 ? 0 : at * step;
    step *= own[axis];
  }
  return number;
}

// "matrix (1, 2) of the batch": number `i`; "the matrix" where there is one.
std::string whichMatrix(const Shape& leading, int64_t i);

// The status of a LAPACK function: 0, or how it failed.
using Info = int;
inline constexpr Info kLacksMemory = -1'000'000, kNotFinite = -1'000'001;

// The first matrix of a batch that failed.
class Failure {
public:
  void add(int64_t i, Info info);
  Result<void> result(const WholeCall& call, const Shape& leading,
                      std::string (*explain)(const std::string& which, Info info)) const;

private:
  std::mutex mutex_;
  int64_t matrix_ = -1;
  Info info_ = 0;
};

// A batch of a Whole: calls function(i) for each of its matrices; explain(which, info) words the first failure. Many matrices are shared
// among threads, few ones use all threads after each other.
template <class Function>
Result<void> eachMatrix(const WholeCall& call, const Blas& blas, const Shape& leading, const Function& function,
                        std::string (*explain)(const std::string& which, Info info)) {
  Failure failure;
  auto range = [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i)
      if (Info info = runtime::guarded([&] { return function(i); }, [] { return kLacksMemory; }); info != 0)
        failure.add(i, info);
  };
  int64_t count = leading.elements();
  bool shares = count >= int64_t(call.pool.threads()) && count > 1;
  BlasThreads threads(blas, shares ? 1 : call.pool.threads());
  if (shares)
    call.pool.forRanges(count, range);
  else
    range(0, count);
  return failure.result(call, leading, explain);
}

} // namespace bsgp::arrays
