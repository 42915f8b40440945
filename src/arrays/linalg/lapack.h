// Operations by LAPACK have this in common: their checks, their memory, and the copies of matrices that LAPACK overwrites.
#pragma once

#include <algorithm>
#include <vector>

#include "arrays/linalg/linalg.h"
#include "arrays/linalg/matrices.h"

namespace bsgp::arrays {

inline Result<void> checkSquareFloating(const char* what, const NodeRef& a) {
  auto fits = checkFloating(what, a);
  return fits ? checkSquare(what, a) : fits;
}

// Number i of an operand's matrices.
template <class T> const T* placeOf(const WholeOperand& operand, int64_t i) {
  return operand.as<T>() + i * rowsOf(operand.shape) * columnsOf(operand.shape);
}
template <class T> void copyMatrix(const WholeOperand& operand, int64_t i, T* to) {
  std::copy_n(placeOf<T>(operand, i), rowsOf(operand.shape) * columnsOf(operand.shape), to);
}
template <class T> std::vector<T> matrixOf(const WholeOperand& operand, int64_t i) {
  const T* from = placeOf<T>(operand, i);
  return {from, from + rowsOf(operand.shape) * columnsOf(operand.shape)};
}

// Rows become columns. In squares that stay in cache.
template <class T> void transpose(const T* from, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t kSide = 32;
  for (int64_t row = 0; row < rows; row += kSide)
    for (int64_t column = 0; column < columns; column += kSide)
      for (int64_t i = row; i < std::min(rows, row + kSide); ++i)
        for (int64_t k = column; k < std::min(columns, column + kSide); ++k)
          to[k * rows + i] = from[i * columns + k];
}

// A LAPACK function says how much memory it works best with when it is asked with a count of -1. A float may have rounded that down.
template <class T> class Work {
public:
  explicit Work(T best)
      : count_(int(double(std::real(best)) * (1 + 0x1p-22)) + 1), memory_(static_cast<size_t>(count_)) {}
  T* data() { return memory_.data(); }
  const int* count() const { return &count_; }

private:
  int count_;
  std::vector<T> memory_;
};

inline std::string cannotFail(const std::string&, Info) {
  return "";
}

// function(table, result, i) for each matrix of a batch, with the functions for the type of the first operand; it returns LAPACK's `info`.
// most_least: the greatest lesser extent of a matrix that LAPACK can count with.
template <class Function>
Result<void> byLapack(const WholeCall& call, const Shape& leading, const Function& function,
                      std::string (*explain)(const std::string& which, Info info), int64_t most_least = kMostCount) {
  auto isTooLarge = [=](int64_t rows, int64_t columns) {
    return std::max(rows, columns) > kMostCount / 4 || std::min(rows, columns) > most_least;
  };
  for (const WholeOperand& operand : call.operands)
    if (isTooLarge(rowsOf(operand.shape), columnsOf(operand.shape)))
      return Error{
          fmt::format("{}: matrices of shape {} are larger than LAPACK can count", call.name, text(operand.shape))};
  auto blas = loadBlas();
  if (!blas)
    return blas.error();
  return withField(call.operands[0].type, [&](auto zero) {
    using T = decltype(zero);
    const Lapack<T>& lapack = (*blas)->template of<T>();
    return eachMatrix(call, **blas, leading, [&](int64_t i) { return function(lapack, call.result<T>(), i); }, explain);
  });
}

} // namespace bsgp::arrays
