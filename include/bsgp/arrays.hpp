// Arrays in C++: values of up to eight dimensions, computed when they are read. C++20, header only, over bsgp/arrays.h.
//
//   using namespace bsgp::arrays;
//   Array x = from(samples, {1000, 1000});                 // copies
//   Array y = sqrt(x * x + 1) * select(x - 0.5f, x, 0);    // remembers how it is computed
//   std::vector<float> values = y.to<float>();             // computes it, in one pass over memory
//
// Operations take arrays and numbers; numbers take the type of the array that they meet. Operands are broadcast, and types combined, as
// in NumPy. Errors throw bsgp::Exception: the operation, the shapes or types, the way out.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bsgp/arrays.h"
#include "bsgp/bsgp.hpp"

namespace bsgp::arrays {

using Shape = std::vector<int64_t>;
using DType = bsgp_dtype;

inline constexpr DType bool_ = BSGP_BOOL, int8 = BSGP_INT8, int16 = BSGP_INT16, int32 = BSGP_INT32, int64 = BSGP_INT64,
                       uint8 = BSGP_UINT8, uint16 = BSGP_UINT16, uint32 = BSGP_UINT32, uint64 = BSGP_UINT64,
                       float16 = BSGP_FLOAT16, float32 = BSGP_FLOAT32, float64 = BSGP_FLOAT64,
                       complex64 = BSGP_COMPLEX64, complex128 = BSGP_COMPLEX128;

// The type of elements that a C++ type is: float → float32.
template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T> constexpr DType typeOf() {
  static_assert((std::is_arithmetic_v<T> && sizeof(T) <= 8) || is_complex<T>,
                "elements are bool, integers of 8 to 64 bits, float, double, or std::complex of these");
  constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  if constexpr (std::is_same_v<T, bool>)
    return bool_;
  else if constexpr (is_complex<T>)
    return sizeof(T) == 8 ? complex64 : complex128;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? float32 : float64;
  else
    return DType((std::is_signed_v<T> ? int8 : uint8) + log2);
}

class Array {
public:
  // A number of the text: it takes the type of the array that it meets.
  template <class T>
    requires(std::is_arithmetic_v<T> || is_complex<T>)
  Array(T value) {
    if constexpr (std::is_same_v<T, bool>)
      weak(uint8_t(value), bool_);
    else if constexpr (is_complex<T>)
      weak(std::complex<double>(value), complex128);
    else if constexpr (std::is_floating_point_v<T>)
      weak(double(value), float64);
    else if (value > T(0) && uint64_t(value) > uint64_t(INT64_MAX))
      strong(uint64_t(value), uint64);
    else
      weak(int64_t(value), int64);
  }
  explicit Array(bsgp_array* adopted) : handle_(adopted) {}
  Array(const Array& other) : handle_(bsgp_array_retain(other.handle_)) {}
  Array(Array&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Array& operator=(Array other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Array() { bsgp_array_release(handle_); }

  bsgp_array* get() const { return handle_; }
  DType dtype() const { return bsgp_array_dtype(there()); }
  int rank() const { return bsgp_array_rank(there()); }
  Shape shape() const {
    const int64_t* extents = bsgp_array_shape(there());
    return Shape(extents, extents + rank());
  }
  // The number of elements. Throws std::logic_error where an extent of a parameter is unknown.
  int64_t size() const {
    int64_t count = 1;
    const int64_t* extents = bsgp_array_shape(there());
    for (int i = 0; i < rank(); ++i) {
      if (extents[i] < 0)
        throw std::logic_error("bsgp::arrays: size() of an array whose extents are unknown until a call");
      count *= extents[i];
    }
    return count;
  }

  // Computes it; its elements as T, rows first.
  template <class T> std::vector<T> to() const {
    bsgp_array* cast = nullptr;
    check(bsgp_array_cast(handle_, typeOf<T>(), &cast));
    Array converted(cast);
    check(bsgp_array_eval(1, &cast));
    std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>> values(static_cast<size_t>(size()));
    check(bsgp_array_read(cast, values.data(), values.size() * sizeof(values[0])));
    return std::vector<T>(values.begin(), values.end());
  }
  // The only element, of an array that has one.
  template <class T> T item() const {
    if (size() != 1)
      throw std::length_error("bsgp::arrays: item() of an array with " + std::to_string(size()) + " elements");
    return to<T>()[0];
  }

  Array& operator+=(const Array& other);
  Array& operator-=(const Array& other);
  Array& operator*=(const Array& other);
  Array& operator/=(const Array& other);

private:
  bsgp_array* there() const {
    if (!handle_)
      throw std::logic_error("bsgp::arrays: an array that was moved away");
    return handle_;
  }
  template <class T> void weak(T value, DType dtype) { check(bsgp_array_scalar(&value, dtype, 1, &handle_)); }
  template <class T> void strong(T value, DType dtype) { check(bsgp_array_scalar(&value, dtype, 0, &handle_)); }
  bsgp_array* handle_ = nullptr;
};

namespace detail {
// Calls a function of arrays.h whose last parameter is the result.
template <class Function, class... Arguments> Array made(Function function, Arguments... arguments) {
  bsgp_array* out = nullptr;
  check(function(arguments..., &out));
  return Array(out);
}
template <class... Arrays> Array applied(bsgp_operation operation, const Arrays&... operands) {
  bsgp_array* handles[] = {operands.get()...};
  return made(bsgp_array_apply, operation, int32_t(sizeof...(operands)), static_cast<bsgp_array* const*>(handles));
}
// Numbers for each axis; their count has to be the rank.
inline const int64_t* each(const Array& a, const std::vector<int64_t>& numbers, const char* what) {
  if (numbers.size() != size_t(a.rank()))
    throw std::length_error(std::string("bsgp::arrays: ") + what + " of an array with " + std::to_string(a.rank()) +
                            " axes has " + std::to_string(numbers.size()) + " entries");
  return numbers.data();
}
} // namespace detail

// ---- making ----

// Copies elements, rows first.
template <class T> Array from(std::span<const T> data, const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  if (count != int64_t(data.size()))
    throw std::length_error("bsgp::arrays: from(" + std::to_string(data.size()) + " elements) for a shape of " +
                            std::to_string(count));
  return detail::made(bsgp_array_from, static_cast<const void*>(data.data()), typeOf<T>(), int32_t(shape.size()),
                      shape.data());
}
template <class T> Array from(const std::vector<T>& data, const Shape& shape) {
  if constexpr (std::is_same_v<T, bool>) { // its elements are bits
    std::vector<uint8_t> bytes(data.begin(), data.end());
    return from(std::span(reinterpret_cast<const bool*>(bytes.data()), bytes.size()), shape);
  } else {
    return from(std::span<const T>(data), shape);
  }
}
template <class T> Array from(const std::vector<T>& data) {
  return from(data, {int64_t(data.size())});
}
template <class T> Array from(std::initializer_list<T> data) {
  return from(std::span<const T>(data.begin(), data.size()), {int64_t(data.size())});
}

inline Array astype(const Array& a, DType dtype) {
  return detail::made(bsgp_array_cast, a.get(), dtype);
}
// The next number from a in the direction of b.
inline Array nextafter(const Array& a, const Array& b) {
  return detail::made(bsgp_array_nextafter, a.get(), b.get());
}
inline Array broadcast_to(const Array& a, const Shape& shape) {
  return detail::made(bsgp_array_broadcast, a.get(), int32_t(shape.size()), shape.data());
}
inline Array full(const Shape& shape, const Array& value, DType dtype) {
  return broadcast_to(astype(value, dtype), shape);
}
inline Array zeros(const Shape& shape, DType dtype = float32) {
  return full(shape, 0, dtype);
}
inline Array ones(const Shape& shape, DType dtype = float32) {
  return full(shape, 1, dtype);
}
// start, start + step, …: `count` of them.
inline Array arange(int64_t count, const Array& start = 0, const Array& step = 1);
// Ones on the diagonal.
inline Array eye(int64_t rows, DType dtype = float32);
// Each element is its own index along the axis, an int64.
inline Array index(const Shape& shape, int axis) {
  return detail::made(bsgp_array_index, int32_t(shape.size()), shape.data(), int32_t(axis));
}

// ---- operations on elements ----

#define BSGP_ARRAYS_ONE(name, operation)                                                                               \
  inline Array name(const Array& a) {                                                                                  \
    return detail::applied(operation, a);                                                                              \
  }
BSGP_ARRAYS_ONE(operator-, BSGP_OP_NEGATIVE)
BSGP_ARRAYS_ONE(operator!, BSGP_OP_LOGICAL_NOT)
BSGP_ARRAYS_ONE(operator~, BSGP_OP_INVERT)
BSGP_ARRAYS_ONE(abs, BSGP_OP_ABS)
BSGP_ARRAYS_ONE(sign, BSGP_OP_SIGN)
BSGP_ARRAYS_ONE(square, BSGP_OP_SQUARE)
BSGP_ARRAYS_ONE(reciprocal, BSGP_OP_RECIPROCAL)
BSGP_ARRAYS_ONE(floor, BSGP_OP_FLOOR)
BSGP_ARRAYS_ONE(ceil, BSGP_OP_CEIL)
BSGP_ARRAYS_ONE(trunc, BSGP_OP_TRUNC)
BSGP_ARRAYS_ONE(round, BSGP_OP_ROUND)
BSGP_ARRAYS_ONE(sqrt, BSGP_OP_SQRT)
BSGP_ARRAYS_ONE(exp, BSGP_OP_EXP)
BSGP_ARRAYS_ONE(exp2, BSGP_OP_EXP2)
BSGP_ARRAYS_ONE(expm1, BSGP_OP_EXPM1)
BSGP_ARRAYS_ONE(log, BSGP_OP_LOG)
BSGP_ARRAYS_ONE(log2, BSGP_OP_LOG2)
BSGP_ARRAYS_ONE(log10, BSGP_OP_LOG10)
BSGP_ARRAYS_ONE(log1p, BSGP_OP_LOG1P)
BSGP_ARRAYS_ONE(sin, BSGP_OP_SIN)
BSGP_ARRAYS_ONE(cos, BSGP_OP_COS)
BSGP_ARRAYS_ONE(tan, BSGP_OP_TAN)
BSGP_ARRAYS_ONE(asin, BSGP_OP_ASIN)
BSGP_ARRAYS_ONE(acos, BSGP_OP_ACOS)
BSGP_ARRAYS_ONE(atan, BSGP_OP_ATAN)
BSGP_ARRAYS_ONE(sinh, BSGP_OP_SINH)
BSGP_ARRAYS_ONE(cosh, BSGP_OP_COSH)
BSGP_ARRAYS_ONE(tanh, BSGP_OP_TANH)
BSGP_ARRAYS_ONE(asinh, BSGP_OP_ASINH)
BSGP_ARRAYS_ONE(acosh, BSGP_OP_ACOSH)
BSGP_ARRAYS_ONE(atanh, BSGP_OP_ATANH)
BSGP_ARRAYS_ONE(cbrt, BSGP_OP_CBRT)
BSGP_ARRAYS_ONE(erf, BSGP_OP_ERF)
BSGP_ARRAYS_ONE(erfc, BSGP_OP_ERFC)
BSGP_ARRAYS_ONE(isnan, BSGP_OP_ISNAN)
BSGP_ARRAYS_ONE(isinf, BSGP_OP_ISINF)
BSGP_ARRAYS_ONE(isfinite, BSGP_OP_ISFINITE)
BSGP_ARRAYS_ONE(signbit, BSGP_OP_SIGNBIT)
BSGP_ARRAYS_ONE(real, BSGP_OP_REAL) // of an array that is not complex itself
BSGP_ARRAYS_ONE(imag, BSGP_OP_IMAG)
BSGP_ARRAYS_ONE(conj, BSGP_OP_CONJ)
BSGP_ARRAYS_ONE(angle, BSGP_OP_ANGLE)
#undef BSGP_ARRAYS_ONE

#define BSGP_ARRAYS_TWO(name, operation)                                                                               \
  inline Array name(const Array& a, const Array& b) {                                                                  \
    return detail::applied(operation, a, b);                                                                           \
  }
BSGP_ARRAYS_TWO(operator+, BSGP_OP_ADD)
BSGP_ARRAYS_TWO(operator-, BSGP_OP_SUBTRACT)
BSGP_ARRAYS_TWO(operator*, BSGP_OP_MULTIPLY)
BSGP_ARRAYS_TWO(operator/, BSGP_OP_DIVIDE) // of integers: float64, as in NumPy
BSGP_ARRAYS_TWO(floor_divide, BSGP_OP_FLOOR_DIVIDE)
BSGP_ARRAYS_TWO(operator%, BSGP_OP_REMAINDER) // has the sign of the divisor
BSGP_ARRAYS_TWO(minimum, BSGP_OP_MINIMUM)
BSGP_ARRAYS_TWO(maximum, BSGP_OP_MAXIMUM)
BSGP_ARRAYS_TWO(pow, BSGP_OP_POW)
BSGP_ARRAYS_TWO(atan2, BSGP_OP_ATAN2)
BSGP_ARRAYS_TWO(hypot, BSGP_OP_HYPOT)
BSGP_ARRAYS_TWO(copysign, BSGP_OP_COPYSIGN)
BSGP_ARRAYS_TWO(operator==, BSGP_OP_EQUAL)
BSGP_ARRAYS_TWO(operator!=, BSGP_OP_NOT_EQUAL)
BSGP_ARRAYS_TWO(operator<, BSGP_OP_LESS)
BSGP_ARRAYS_TWO(operator<=, BSGP_OP_LESS_EQUAL)
BSGP_ARRAYS_TWO(operator>, BSGP_OP_GREATER)
BSGP_ARRAYS_TWO(operator>=, BSGP_OP_GREATER_EQUAL)
BSGP_ARRAYS_TWO(operator&&, BSGP_OP_LOGICAL_AND)
BSGP_ARRAYS_TWO(operator||, BSGP_OP_LOGICAL_OR)
BSGP_ARRAYS_TWO(operator&, BSGP_OP_AND)
BSGP_ARRAYS_TWO(operator|, BSGP_OP_OR)
BSGP_ARRAYS_TWO(operator^, BSGP_OP_XOR)
BSGP_ARRAYS_TWO(operator<<, BSGP_OP_SHIFT_LEFT)
BSGP_ARRAYS_TWO(operator>>, BSGP_OP_SHIFT_RIGHT)
#undef BSGP_ARRAYS_TWO

// condition ? b : c, of a bool.
inline Array cond(const Array& condition, const Array& b, const Array& c) {
  return detail::applied(BSGP_OP_COND, condition, b, c);
}
// a > 0 ? b : c.
inline Array select(const Array& a, const Array& b, const Array& c) {
  return detail::applied(BSGP_OP_SELECT, a, b, c);
}
// a * b + c, rounded once.
inline Array fma(const Array& a, const Array& b, const Array& c) {
  return detail::applied(BSGP_OP_FMA, a, b, c);
}

inline Array arange(int64_t count, const Array& start, const Array& step) {
  return index({count}, 0) * step + start;
}
inline Array eye(int64_t rows, DType dtype) {
  return astype(index({rows, rows}, 0) == index({rows, rows}, 1), dtype);
}

// The name gets a new array; other names of the old one keep it.
inline Array& Array::operator+=(const Array& other) {
  return *this = *this + other;
}
inline Array& Array::operator-=(const Array& other) {
  return *this = *this - other;
}
inline Array& Array::operator*=(const Array& other) {
  return *this = *this * other;
}
inline Array& Array::operator/=(const Array& other) {
  return *this = *this / other;
}

namespace detail {
inline DType floating(DType dtype, const char* what) {
  if (dtype != float16)
    throw std::invalid_argument(std::string("bsgp::arrays: ") + what + " of type " + bsgp_dtype_name(dtype) +
                                ": these numbers are floats; astype converts them");
  return dtype;
}
} // namespace detail

// Random numbers: Philox 4x32-10 (Salmon and others 2011), a function of the key and of the place of the element alone.
inline Array random_bits(const Shape& shape, uint64_t key) {
  return detail::made(bsgp_array_random, key, int32_t(shape.size()), shape.data());
}
// [0, 1): multiples of 2^-24, of float64 2^-53.
inline Array uniform(const Shape& shape, uint64_t key, DType dtype = float32) {
  if (dtype != float32 && dtype != float64)
    return astype(uniform(shape, key), detail::floating(dtype, "uniform"));
  bool is_double = dtype == float64;
  return astype(random_bits(shape, key) >> (is_double ? 11 : 40), dtype) * (is_double ? 0x1p-53 : 0x1p-24);
}
// Normal numbers, mean 0 and deviation 1: Box and Muller 1958.
inline Array normal(const Shape& shape, uint64_t key, DType dtype = float32) {
  if (dtype != float32 && dtype != float64)
    return astype(normal(shape, key), detail::floating(dtype, "normal"));
  Array bits = random_bits(shape, key);
  Array radius = sqrt(-2 * log((astype(bits >> 32, dtype) + 0.5) * 0x1p-32));
  return radius * cos(6.283185307179586 * 0x1p-32 * astype(bits & 0xffffffff, dtype));
}

// ---- reductions ----

using Axes = std::vector<int32_t>;

#define BSGP_ARRAYS_FOLD(name, fold)                                                                                   \
  inline Array name(const Array& a) {                                                                                  \
    return detail::made(bsgp_array_reduce, fold, a.get(), int32_t(-1), static_cast<const int32_t*>(nullptr),           \
                        int32_t(0));                                                                                   \
  }                                                                                                                    \
  inline Array name(const Array& a, const Axes& axes, bool keep = false) {                                             \
    return detail::made(bsgp_array_reduce, fold, a.get(), int32_t(axes.size()), axes.data(), int32_t(keep));           \
  }
BSGP_ARRAYS_FOLD(sum, BSGP_FOLD_SUM)
BSGP_ARRAYS_FOLD(prod, BSGP_FOLD_PROD)
BSGP_ARRAYS_FOLD(min, BSGP_FOLD_MIN)
BSGP_ARRAYS_FOLD(max, BSGP_FOLD_MAX)
BSGP_ARRAYS_FOLD(all, BSGP_FOLD_ALL)
BSGP_ARRAYS_FOLD(any, BSGP_FOLD_ANY)
#undef BSGP_ARRAYS_FOLD

// Of integers in float64.
inline Array mean(const Array& a) {
  return detail::made(bsgp_array_mean, a.get(), int32_t(-1), static_cast<const int32_t*>(nullptr), int32_t(0));
}
inline Array mean(const Array& a, const Axes& axes, bool keep = false) {
  return detail::made(bsgp_array_mean, a.get(), int32_t(axes.size()), axes.data(), int32_t(keep));
}

// Of each row along an axis.
namespace detail {
inline Array rows(bsgp_rows kind, const Array& a, int32_t axis, bool keep = false) {
  return made(bsgp_array_rows, kind, a.get(), static_cast<const int32_t*>(&axis), int32_t(keep));
}
} // namespace detail
inline Array sort(const Array& a, int axis = -1) {
  return detail::rows(BSGP_ROWS_SORT, a, axis);
} // stable, NaN last
inline Array argsort(const Array& a, int axis = -1) {
  return detail::rows(BSGP_ROWS_ARGSORT, a, axis);
}
inline Array cumulative_sum(const Array& a, int axis = -1) {
  return detail::rows(BSGP_ROWS_CUMULATIVE_SUM, a, axis);
}
inline Array cumulative_prod(const Array& a, int axis = -1) {
  return detail::rows(BSGP_ROWS_CUMULATIVE_PROD, a, axis);
}
inline Array argmin(const Array& a, int axis = -1, bool keep = false) {
  return detail::rows(BSGP_ROWS_ARGMIN, a, axis, keep);
}
inline Array argmax(const Array& a, int axis = -1, bool keep = false) {
  return detail::rows(BSGP_ROWS_ARGMAX, a, axis, keep);
}

// Each element, and the least, or greatest, of all in front of it.
inline Array cumulative_min(const Array& a, int axis = -1) {
  return detail::rows(BSGP_ROWS_CUMULATIVE_MIN, a, axis);
}
inline Array cumulative_max(const Array& a, int axis = -1) {
  return detail::rows(BSGP_ROWS_CUMULATIVE_MAX, a, axis);
}

// A copy of a in which row indices[i] is combined with updates[i], one after the other. Updates are broadcast.
enum class Combine { set, add, multiply, min, max };
inline Array scatter(const Array& a, const Array& indices, const Array& updates, Combine how = Combine::set) {
  return detail::made(bsgp_array_scatter, a.get(), indices.get(), updates.get(), bsgp_scatter(int(how)));
}
// Counts, int64, of the elements in each of `bins` equal parts of [low, high]; others are left out.
inline Array histogram(const Array& a, int64_t bins, double low, double high) {
  return detail::made(bsgp_array_histogram, a.get(), bins, low, high);
}
// The array has one axis. Element i is the reduction of elements offsets[i] up to offsets[i + 1].
inline Array segment_reduce(bsgp_fold fold, const Array& a, const Array& offsets) {
  return detail::made(bsgp_array_segment_reduce, fold, a.get(), offsets.get());
}
// The array has one axis. A cumulative operation begins anew where a head is set.
inline Array segment_scan(bsgp_rows scan, const Array& a, const Array& heads) {
  return detail::made(bsgp_array_segment_scan, scan, a.get(), heads.get());
}

// The elements whose flag is set, with one axis. Computes the flags.
inline Array compress(const Array& a, const Array& flags) {
  return detail::made(bsgp_array_compress, a.get(), flags.get());
}
// The different elements, ascending, with one axis. Computes them.
inline Array unique(const Array& a) {
  return detail::made(bsgp_array_unique, a.get());
}

// Sums of products over the last axis of a and the first of b; of matrices their product.
inline Array inner_product(const Array& a, const Array& b) {
  return detail::made(bsgp_array_inner_product, a.get(), b.get());
}
inline Array outer_product(const Array& a, const Array& b) {
  return detail::made(bsgp_array_outer_product, a.get(), b.get());
}
// Matrices are the last two axes; leading ones are broadcast. An operand with one axis is a row, or a column.
inline Array matmul(const Array& a, const Array& b) {
  return detail::made(bsgp_array_matmul, a.get(), b.get());
}
// Sums of conj(a) * b along an axis that is counted from the last, -1.
inline Array vecdot(const Array& a, const Array& b, int axis = -1) {
  return detail::made(bsgp_array_vecdot, a.get(), b.get(), int32_t(axis));
}
// Sums of products over axes of a and of b, in pairs.
inline Array tensordot(const Array& a, const Array& b, const Axes& axes_a, const Axes& axes_b) {
  if (axes_a.size() != axes_b.size())
    throw std::length_error("bsgp::arrays: tensordot takes as many axes of the one as of the other");
  return detail::made(bsgp_array_tensordot, a.get(), b.get(), int32_t(axes_a.size()), axes_a.data(), axes_b.data());
}
// Over the last `axes` axes of a and the first of b.
inline Array tensordot(const Array& a, const Array& b, int axes = 2) {
  Axes of_a, of_b;
  for (int i = 0; i < axes; ++i)
    of_a.push_back(i - axes), of_b.push_back(i);
  return tensordot(a, b, of_a, of_b);
}
inline Array matrix_transpose(const Array& a) {
  return detail::made(bsgp_array_matrix_transpose, a.get());
}

// ---- transformations ----

// What is found outside of an array.
struct Border {
  bsgp_border kind;
  Array value = 0;
  bsgp_array* handle() const { return kind == BSGP_BORDER_VALUE ? value.get() : nullptr; }
};
struct Clamp {
  operator Border() const { return {BSGP_BORDER_CLAMP}; }
};
struct Wrap {
  operator Border() const { return {BSGP_BORDER_WRAP}; }
};
inline constexpr Clamp clamp; // the nearest element
inline constexpr Wrap wrap;   // as if the array were repeated
inline Border Value(const Array& value) {
  return {BSGP_BORDER_VALUE, value};
}

// Elements begin, begin + stride … of an axis, `count` of them.
struct Range {
  int64_t begin, count, stride = 1;
};
inline Array section(const Array& a, const std::vector<Range>& ranges) {
  std::vector<int64_t> begin, count, stride;
  for (const Range& range : ranges)
    begin.push_back(range.begin), count.push_back(range.count), stride.push_back(range.stride);
  return detail::made(bsgp_array_section, a.get(), detail::each(a, begin, "section"), count.data(),
                      static_cast<const int64_t*>(stride.data()));
}
// From begin to end along an axis, both counted from behind the last element where they are negative, and cut at the ends.
inline Array slice(const Array& a, int axis, int64_t begin, int64_t end, int64_t stride = 1) {
  return detail::made(bsgp_array_slice, a.get(), int32_t(axis), begin, end, stride);
}
// Element i is that at i - by.
inline Array shift(const Array& a, const std::vector<int64_t>& by, const Border& border) {
  return detail::made(bsgp_array_shift, a.get(), detail::each(a, by, "shift"), border.kind, border.handle());
}
inline Array rotate(const Array& a, const std::vector<int64_t>& by) {
  return shift(a, by, wrap);
}
// More elements in front of each axis and behind it: as if the array were repeated, or a value.
inline Array expand(const Array& a, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                    const Border& border = wrap) {
  return detail::made(bsgp_array_extend, a.get(), detail::each(a, before, "expand"), detail::each(a, after, "expand"),
                      border.kind, border.handle());
}
inline Array pad(const Array& a, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                 const Array& value) {
  return expand(a, before, after, Value(value));
}
inline Array replicate(const Array& a, const Shape& shape) {
  return detail::made(bsgp_array_replicate, a.get(), detail::each(a, shape, "replicate"));
}
// Each element is repeated so many times along each axis.
inline Array stretch(const Array& a, const std::vector<int64_t>& times) {
  return detail::made(bsgp_array_stretch, a.get(), detail::each(a, times, "stretch"));
}
// Axis i is axis order[i] of the array.
inline Array transpose(const Array& a, const std::vector<int32_t>& order) {
  if (order.size() != size_t(a.rank()))
    throw std::length_error("bsgp::arrays: transpose needs as many axes as the array has");
  return detail::made(bsgp_array_transpose, a.get(), order.data());
}
inline Array transpose(const Array& a) {
  std::vector<int32_t> order(size_t(a.rank()));
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = int32_t(order.size() - 1 - i);
  return transpose(a, order);
}
inline Array drop_dimension(const Array& a, int axis) {
  return detail::made(bsgp_array_drop_dimension, a.get(), int32_t(axis));
}
inline Array add_dimension(const Array& a, int axis, int64_t extent = 1) {
  return detail::made(bsgp_array_add_dimension, a.get(), int32_t(axis), extent);
}
inline Array reshape(const Array& a, const Shape& shape) {
  return detail::made(bsgp_array_reshape, a.get(), int32_t(shape.size()), shape.data());
}
// Along an axis, the elements at `indices`, an array of integers; its axes take the place of that one.
inline Array gather(const Array& a, const Array& indices, int axis = 0) {
  return detail::made(bsgp_array_gather, a.get(), indices.get(), int32_t(axis));
}

// ---- computing, and looking inside ----

namespace detail {
inline std::vector<bsgp_array*> handles(std::span<const Array> arrays) {
  std::vector<bsgp_array*> all;
  for (const Array& array : arrays)
    all.push_back(array.get());
  return all;
}
} // namespace detail

// One behind the other along an axis.
inline Array concatenate(std::span<const Array> arrays, int axis = 0) {
  auto all = detail::handles(arrays);
  return detail::made(bsgp_array_concatenate, int32_t(all.size()), static_cast<bsgp_array* const*>(all.data()),
                      int32_t(axis));
}
inline Array concatenate(std::initializer_list<Array> arrays, int axis = 0) {
  return concatenate(std::span(arrays.begin(), arrays.size()), axis);
}
// Side by side along a new axis, in front of axis `axis`.
inline Array stack(std::span<const Array> arrays, int axis = 0) {
  std::vector<Array> all;
  for (const Array& array : arrays)
    all.push_back(add_dimension(array, axis));
  return concatenate(all, axis);
}
inline Array stack(std::initializer_list<Array> arrays, int axis = 0) {
  return stack(std::span(arrays.begin(), arrays.size()), axis);
}

// Vectors of the paper: arrays whose last axis has the components. A component of a vector that is made here costs nothing.
// Components that are numbers are the same for all.
namespace detail {
inline Array vector(std::vector<Array> parts) {
  Shape shape;
  for (const Array& part : parts)
    if (part.rank() > 0)
      shape = part.shape();
  for (Array& part : parts)
    if (part.rank() == 0)
      part = broadcast_to(part, shape);
  return stack(parts, int(shape.size()));
}
} // namespace detail
inline Array vector2(const Array& x, const Array& y) {
  return detail::vector({x, y});
}
inline Array vector3(const Array& x, const Array& y, const Array& z) {
  return detail::vector({x, y, z});
}
inline Array vector4(const Array& x, const Array& y, const Array& z, const Array& w) {
  return detail::vector({x, y, z, w});
}
inline Array component(const Array& a, int64_t i) {
  return detail::made(bsgp_array_component, a.get(), int32_t(-1), i);
}

// Computes them in as few passes over memory as it can.
inline void eval(std::span<const Array> arrays) {
  auto all = detail::handles(arrays);
  check(bsgp_array_eval(int32_t(all.size()), all.data()));
}
inline void eval(std::initializer_list<Array> arrays) {
  eval(std::span(arrays.begin(), arrays.size()));
}

struct Explanation {
  int64_t kernels, operations, bytes_written;
  std::string text;
};

// An array without values; extents may be -1: any. What is made of it is computed by a Function.
class Parameter : public Array {
public:
  Parameter(const Shape& shape, DType dtype = float32)
      : Array(detail::made(bsgp_array_parameter, dtype, int32_t(shape.size()), shape.data())) {}
};

// Outputs as a function of parameters: a call computes them of other arrays, and makes no graph.
//
//   Parameter x({-1, 3}), y({3});
//   Function distances({x, y}, {sqrt(sum((x - y) * (x - y), {1}))});
//   Array near = distances(points, center)[0];
class Function {
public:
  // Throws where an output depends on a parameter that is not named.
  Function(std::span<const Array> parameters, std::span<const Array> outputs) : outputs_(outputs.size()) {
    auto from = detail::handles(parameters), to = detail::handles(outputs);
    bsgp_array_function* made = nullptr;
    check(bsgp_array_function_create(int32_t(from.size()), from.data(), int32_t(to.size()), to.data(), &made));
    function_.reset(made, bsgp_array_function_release);
  }
  Function(std::initializer_list<Array> parameters, std::initializer_list<Array> outputs)
      : Function(std::span(parameters.begin(), parameters.size()), std::span(outputs.begin(), outputs.size())) {}

  // Arguments have the types of the parameters, or are numbers of the text. The results are computed.
  std::vector<Array> call(std::span<const Array> arguments) const {
    auto given = detail::handles(arguments);
    std::vector<bsgp_array*> made(outputs_);
    check(bsgp_array_function_call(function_.get(), int32_t(given.size()), given.data(), made.data()));
    return std::vector<Array>(made.begin(), made.end());
  }
  // Says what a call with such arguments does; computes nothing.
  template <class... Arguments> Explanation explain(const Arguments&... arguments) const {
    const Array all[] = {Array(arguments)...};
    auto given = detail::handles(all);
    bsgp_array_counts counts;
    const char* text = nullptr;
    check(bsgp_array_function_explain(function_.get(), int32_t(given.size()), given.data(), &text, &counts));
    return {counts.kernels, counts.operations, counts.bytes_written, text};
  }
  template <class... Arguments> std::vector<Array> operator()(const Arguments&... arguments) const {
    const Array all[] = {Array(arguments)...};
    return call(all);
  }

private:
  std::shared_ptr<bsgp_array_function> function_;
  size_t outputs_;
};

// What computing them would do; computes nothing.
inline Explanation explain(std::span<const Array> arrays) {
  auto all = detail::handles(arrays);
  bsgp_array_counts counts;
  const char* text = nullptr;
  check(bsgp_array_explain_counts(int32_t(all.size()), all.data(), &counts));
  check(bsgp_array_explain(int32_t(all.size()), all.data(), &text));
  return {counts.kernels, counts.operations, counts.bytes_written, text};
}
inline Explanation explain(std::initializer_list<Array> arrays) {
  return explain(std::span(arrays.begin(), arrays.size()));
}

inline bsgp_array_statistics statistics() {
  bsgp_array_statistics all;
  bsgp_arrays_statistics(&all);
  return all;
}

struct Options {
  bool fuse = true;
  unsigned threads = 0;           // 0: all processors this process may use
  int compile = 0;                // 0: where that pays; 1: always; -1: never
  int64_t most_pending_bytes = 0; // a longer chain of operations is evaluated without being asked; 0: 16 GiB
  const char* target = "cpu";     // or "cuda", a GPU; "reference", one thread at a time
  bool exact = false;             // products of matrices in the order of a sum, in place of BLAS
};
// The options of this thread's evaluations, until the end of its scope.
class With {
public:
  explicit With(const Options& options) {
    bsgp_arrays_get_options(&before_);
    bsgp_array_options wanted{options.threads, options.fuse ? 0 : 1, options.compile, options.most_pending_bytes,
                              options.target,  options.exact ? 1 : 0};
    check(bsgp_arrays_set_options(&wanted));
  }
  ~With() { bsgp_arrays_set_options(&before_); }
  With(const With&) = delete;
  With& operator=(const With&) = delete;

private:
  bsgp_array_options before_;
};

} // namespace bsgp::arrays

#include "bsgp/arrays_linalg.hpp"
