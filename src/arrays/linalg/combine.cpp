// Linear algebra that is composed of other operations, so that it is fused with them.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "arrays/linalg/compose.h"
#include "arrays/linalg/lapack.h"
#include "arrays/linalg/linalg.h"
#include "arrays/linalg/product.h"

namespace bsgp::arrays {

namespace {

double epsilonOf(bsgp_dtype type) {
  switch (type) {
  case BSGP_FLOAT16:
    return 0x1p-10;
  case BSGP_FLOAT32:
  case BSGP_COMPLEX64:
    return std::numeric_limits<float>::epsilon();
  default:
    return std::numeric_limits<double>::epsilon();
  }
}

// ---- norms ----

// re * re + im * im, and for a real number its square.
NodeRef squared(Composer& make, const NodeRef& a) {
  if (!isComplex(a->type))
    return make(BSGP_OP_SQUARE, {a});
  NodeRef real = make(BSGP_OP_SQUARE, {make(BSGP_OP_REAL, {a})}),
          imag = make(BSGP_OP_SQUARE, {make(BSGP_OP_IMAG, {a})});
  return make(BSGP_OP_ADD, {real, imag});
}

using Axes = std::optional<std::span<const int32_t>>;

NodeRef reduced(Composer& make, bsgp_fold fold, const NodeRef& a, Axes axes, bool keep) {
  return make.kept(makeReduce(fold, a, axes, keep));
}

NodeRef vectorNorm(Composer& make, const NodeRef& a, Axes axes, bool keep, double order) {
  if (order == 2)
    return make(BSGP_OP_SQRT, {reduced(make, BSGP_FOLD_SUM, squared(make, a), axes, keep)});
  NodeRef sizes = make(BSGP_OP_ABS, {a});
  if (std::isinf(order))
    return reduced(make, order > 0 ? BSGP_FOLD_MAX : BSGP_FOLD_MIN, sizes, axes, keep);
  if (order == 0) {
    NodeRef counted = makeCast(make(BSGP_OP_NOT_EQUAL, {a, make.number(0)}), sizes->type);
    return reduced(make, BSGP_FOLD_SUM, counted, axes, keep);
  }
  if (order == 1)
    return reduced(make, BSGP_FOLD_SUM, sizes, axes, keep);
  NodeRef sum = reduced(make, BSGP_FOLD_SUM, make(BSGP_OP_POW, {sizes, make.number(order)}), axes, keep);
  return make(BSGP_OP_POW, {sum, make.number(1 / order)});
}

// Without the two axes.
NodeRef matrixNorm(Composer& make, const NodeRef& a, bsgp_norm norm) {
  auto sizes = [&](int32_t axis) { return make.sum(make(BSGP_OP_ABS, {a}), {axis}); };
  auto singular = [&] { return make.kept(makeSvdvals(a)); };
  switch (norm) {
  case BSGP_NORM_1:
    return make.fold(BSGP_FOLD_MAX, sizes(-2), {-1});
  case BSGP_NORM_MINUS_1:
    return make.fold(BSGP_FOLD_MIN, sizes(-2), {-1});
  case BSGP_NORM_INFINITY:
    return make.fold(BSGP_FOLD_MAX, sizes(-1), {-1});
  case BSGP_NORM_MINUS_INFINITY:
    return make.fold(BSGP_FOLD_MIN, sizes(-1), {-1});
  case BSGP_NORM_2:
    return make.fold(BSGP_FOLD_MAX, singular(), {-1});
  case BSGP_NORM_MINUS_2:
    return make.fold(BSGP_FOLD_MIN, singular(), {-1});
  case BSGP_NORM_NUCLEAR:
    return make.sum(singular(), {-1});
  default:
    return make(BSGP_OP_SQRT, {make.sum(squared(make, a), {-2, -1})});
  }
}

// A number of float16 is computed in float32.
NodeRef widened(const NodeRef& a) {
  return makeCast(a, computedType(a->type));
}
NodeRef narrowed(const NodeRef& made, bsgp_dtype given) {
  return given == BSGP_FLOAT16 ? makeCast(made, given) : made;
}

// ---- by singular values ----

// Values of each matrix up to which singular values count as 0, with a last axis of extent 1.
NodeRef limits(Composer& make, const NodeRef& a, const NodeRef& values, const NodeRef& rtol) {
  NodeRef largest = make.fold(BSGP_FOLD_MAX, values, {-1}, true);
  if (!rtol)
    return make(BSGP_OP_MULTIPLY,
                {largest, make.number(double(std::max(rowsOf(a->shape), columnsOf(a->shape))) * epsilonOf(a->type))});
  return make(BSGP_OP_MULTIPLY, {largest, rtol->shape.rank ? make.newAxis(rtol, rtol->shape.rank) : rtol});
}

Result<NodeRef> zeros(const Shape& shape, bsgp_dtype type) {
  Number zero;
  return makeBroadcast(makeScalar(&zero, type, false), shape, "zeros");
}

Shape matrixShape(Shape leading, int64_t rows, int64_t columns) {
  leading.insert(leading.rank, rows);
  leading.insert(leading.rank, columns);
  return leading;
}

NodeRef adjoint(Composer& make, const NodeRef& a) {
  NodeRef other = make.transposed(a);
  return isComplex(a->type) ? make(BSGP_OP_CONJ, {other}) : other;
}

} // namespace

Result<void> checkMatrix(const char* what, const NodeRef& a) {
  if (a->shape.rank >= 2)
    return {};
  return Error{fmt::format(
      "{}: an array of shape {} is no matrix\n  help: a matrix has two axes, a batch of them more; add_dimension or "
      "reshape brings them there",
      what, text(a->shape))};
}

Result<void> checkSquare(const char* what, const NodeRef& a) {
  if (auto fits = checkMatrix(what, a); !fits)
    return fits;
  if (rowsOf(a->shape) == columnsOf(a->shape))
    return {};
  return Error{
      fmt::format("{}: matrices of shape {}\n  help: the matrix has to be square; pinv, svd and lstsq take any", what,
                  text({2, {rowsOf(a->shape), columnsOf(a->shape)}}))};
}

Result<void> checkFloating(const char* what, const NodeRef& a) {
  if (info(a->type).kind >= TypeKind::Float)
    return {};
  return Error{
      fmt::format(
          "{}: an array of type {}\n  help: it is computed in floating-point numbers: convert by astype, as to float64",
          what, info(a->type).name),
      Mistake::Type};
}

Result<NodeRef> makeMatrixTranspose(const NodeRef& a) {
  if (auto fits = checkMatrix("matrix_transpose", a); !fits)
    return fits.error();
  Composer make;
  return make.result(make.transposed(a));
}

Result<NodeRef> makeTrace(const NodeRef& a, int64_t offset) {
  if (auto fits = checkMatrix("trace", a); !fits)
    return fits.error();
  Composer make;
  return make.result(make.sum(make.kept(makeDiagonal(a, offset)), {-1}));
}

Result<NodeRef> makeOuter(const NodeRef& a, const NodeRef& b) {
  if (a->shape.rank == 1 && b->shape.rank == 1)
    return makeOuterProduct(a, b);
  return Error{fmt::format("outer: shapes {} and {}\n  help: both have one axis; outer_product takes any",
                           text(a->shape), text(b->shape))};
}

Result<NodeRef> makeCross(const NodeRef& a, const NodeRef& b, int32_t axis) {
  int32_t least = std::min(a->shape.rank, b->shape.rank), most = std::max(a->shape.rank, b->shape.rank);
  int32_t from_end = axis < 0 ? axis : axis - a->shape.rank;
  if (from_end >= 0 || from_end < -least || (axis >= 0 && least != most))
    return Error{fmt::format(
        "cross: axis {} of arrays of shapes {} and {}\n  help: an axis of both, counted from the last, -1, where their "
        "numbers of axes differ",
        axis, text(a->shape), text(b->shape))};
  if (a->shape[a->shape.rank + from_end] != 3 || b->shape[b->shape.rank + from_end] != 3)
    return Error{fmt::format("cross: shapes {} and {} along axis {}\n  help: vectors have three elements",
                             text(a->shape), text(b->shape), axis)};
  Composer make;
  auto rotated = [&](const NodeRef& vector, int64_t by) {
    int64_t offsets[BSGP_MOST_AXES] = {};
    offsets[vector->shape.rank + from_end] = -by;
    return make.kept(makeShift(vector, offsets, {BSGP_BORDER_WRAP, {}}));
  };
  NodeRef first = make(BSGP_OP_MULTIPLY, {rotated(a, 1), rotated(b, 2)}),
          second = make(BSGP_OP_MULTIPLY, {rotated(a, 2), rotated(b, 1)});
  return make.result(make(BSGP_OP_SUBTRACT, {first, second}));
}

// By squares.
Result<NodeRef> makeMatrixPower(const NodeRef& a, int64_t exponent) {
  if (auto fits = checkSquare("matrix_power", a); !fits)
    return fits.error();
  Composer make;
  if (exponent == 0) {
    Shape square{2, {rowsOf(a->shape), rowsOf(a->shape)}};
    NodeRef ones = make(BSGP_OP_EQUAL, {make.kept(makeIndex(square, 0)), make.kept(makeIndex(square, 1))});
    return make.result(make.kept(makeBroadcast(makeCast(ones, a->type), a->shape, "matrix_power")));
  }
  NodeRef square = exponent < 0 ? make.kept(makeInv(a)) : a, power;
  for (uint64_t left = exponent < 0 ? -uint64_t(exponent) : uint64_t(exponent); left; left /= 2) {
    if (left % 2)
      power = power ? make.kept(makeMatmul(power, square)) : square;
    if (left > 1)
      square = make.kept(makeMatmul(square, square));
    if (auto made = make.result(power ? power : square); !made)
      return made;
  }
  return make.result(power);
}

Result<NodeRef> makeVectorNorm(const NodeRef& a, Axes axes, bool keep, double order) {
  if (auto fits = checkFloating("vector_norm", a); !fits)
    return fits.error();
  Composer make;
  return make.result(narrowed(vectorNorm(make, widened(a), axes, keep, order), a->type));
}

Result<NodeRef> makeMatrixNorm(const NodeRef& a, bool keep, bsgp_norm norm) {
  for (auto fits : {checkFloating("matrix_norm", a), checkMatrix("matrix_norm", a)})
    if (!fits)
      return fits.error();
  if (norm < 0 || norm >= BSGP_NORM_COUNT)
    return Error{"matrix_norm: there is no such norm"};
  Composer make;
  NodeRef made = narrowed(matrixNorm(make, widened(a), norm), a->type);
  for (int i = 0; keep && i < 2; ++i)
    made = make.newAxis(made, made->shape.rank);
  return make.result(made);
}

Result<NodeRef> makeMatrixRank(const NodeRef& a, const NodeRef& rtol) {
  for (auto fits : {checkFloating("matrix_rank", a), checkMatrix("matrix_rank", a)})
    if (!fits)
      return fits.error();
  if (rowsOf(a->shape) == 0 || columnsOf(a->shape) == 0)
    return zeros(leadingOf(a->shape, 2), BSGP_INT64);
  Composer make;
  NodeRef values = make.kept(makeSvdvals(a));
  NodeRef counted = make(BSGP_OP_GREATER, {values, limits(make, a, values, rtol)});
  return make.result(make.sum(counted, {-1}));
}

// V * (1 / S) * U', without the values that count as 0.
Result<NodeRef> makePinv(const NodeRef& a, const NodeRef& rtol) {
  auto parts = makeSvd(a, false);
  if (!parts)
    return Error{"pinv" + parts.message().substr(3)};
  if (a->elements() == 0)
    return zeros(matrixShape(leadingOf(a->shape, 2), columnsOf(a->shape), rowsOf(a->shape)), a->type);
  Composer make;
  auto& [u, values, vh] = *parts;
  NodeRef is_large = make(BSGP_OP_GREATER, {values, limits(make, a, values, rtol)});
  NodeRef inverse = make(BSGP_OP_COND, {is_large, make(BSGP_OP_RECIPROCAL, {values}), make.number(0)});
  NodeRef left = make(BSGP_OP_MULTIPLY, {adjoint(make, vh), make.newAxis(inverse, inverse->shape.rank - 1)});
  return make.result(makeCast(make.kept(makeMatmul(left, adjoint(make, u))), a->type));
}

Result<NodeRef> makeLstsq(const NodeRef& a, const NodeRef& b, const NodeRef& rtol) {
  for (auto fits : {checkFloating("lstsq", a), checkFloating("lstsq", b), checkMatrix("lstsq", a)})
    if (!fits)
      return fits.error();
  if (b->shape.rank == 0 || (b->shape.rank == 1 ? b->shape[0] : rowsOf(b->shape)) != rowsOf(a->shape))
    return Error{fmt::format(
        "lstsq: shapes {} and {} do not go together\n  help: the right side is a vector, or a matrix with as many rows",
        text(a->shape), text(b->shape))};
  auto inverse = makePinv(a, rtol);
  return inverse ? makeMatmul(*inverse, b) : inverse;
}

} // namespace bsgp::arrays
