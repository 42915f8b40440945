// Decompositions have this in common: one Whole computes all parts of a decomposition, as rows of one matrix: its sections are the parts.
#pragma once

#include <cmath>

#include "arrays/linalg/compose.h"
#include "arrays/linalg/lapack.h"

namespace bsgp::arrays {

// Algorithms that divide and conquer need memory for 4 n * n numbers, which LAPACK counts by an int.
inline constexpr int64_t kMostToConquer = 23'000;

inline std::string noConvergence(const std::string& which, Info info) {
  return which + (info == kNotFinite ? " has a NaN or an infinity\n  help: isfinite finds it"
                                     : ": LAPACK's iteration does not converge");
}

template <class T> bool isFinite(const T* from, int64_t count) {
  return std::all_of(from, from + count,
                     [](T x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); });
}

inline Shape matricesOf(Shape leading, int64_t rows, int64_t columns) {
  leading.insert(leading.rank, rows);
  leading.insert(leading.rank, columns);
  return leading;
}

inline bsgp_dtype complexOf(bsgp_dtype type) {
  return commonType({type}, {BSGP_COMPLEX64}).type;
}
inline bsgp_dtype partOf(bsgp_dtype type) {
  return type == BSGP_COMPLEX64 ? BSGP_FLOAT32 : type == BSGP_COMPLEX128 ? BSGP_FLOAT64 : type;
}

inline NodeRef wholeOf(Composer& make, const WholeOperation& operation, const NodeRef& a, bsgp_dtype type,
                       const Shape& shape, int64_t number = 0) {
  NodeRef operand = makeCast(a, computedType(a->type));
  return make.kept(makeWhole(operation, type, shape, {&operand, 1}, {number}));
}

// A matrix of the packed rows.
inline NodeRef rowsOf(Composer& make, const NodeRef& packed, int64_t begin, int64_t count, int64_t columns) {
  return make.part(make.part(packed, -2, begin, count), -1, 0, columns);
}
inline NodeRef rowOf(Composer& make, const NodeRef& packed, int64_t row, int64_t columns) {
  return make.withoutAxis(rowsOf(make, packed, row, 1, columns), -2);
}

} // namespace bsgp::arrays
