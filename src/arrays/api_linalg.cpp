// The C functions of products of matrices and of linear algebra.
#include "arrays/api_parts.h"
#include "arrays/build.h"
#include "arrays/linalg/linalg.h"
#include "arrays/linalg/product.h"

using namespace bsgp;
using namespace bsgp::arrays;

namespace {

// Gives each of `outs` a part of what `make` makes of one array. Parts of an open one are made apart from each other; a schedule finds that
// they are of one decomposition.
template <size_t kCount, class Make>
bsgp_status makingParts(const std::array<bsgp_array**, kCount>& outs, bsgp_array* array, Make make) {
  for (bsgp_array** out : outs)
    *out = nullptr;
  if (isOpen(*nodeOf(array))) {
    bsgp_status status = BSGP_OK;
    for (size_t i = 0; i < kCount && status == BSGP_OK; ++i)
      status = makingOf(outs[i], {array}, [=](std::span<const NodeRef> given) -> Result<NodeRef> {
        auto parts = make(given[0]);
        return parts ? (*parts)[i] : Result<NodeRef>(parts.error());
      });
    for (size_t i = 0; i < kCount && status != BSGP_OK; ++i)
      bsgp_array_release(std::exchange(*outs[i], nullptr));
    return status;
  }
  return runtime::guardedCall("an array", [&] {
    auto parts = make(refTo(array));
    if (!parts)
      return failed(BSGP_INVALID, parts.error());
    for (size_t i = 0; i < kCount; ++i)
      *outs[i] = reinterpret_cast<bsgp_array*>((*parts)[i].take());
    return BSGP_OK;
  });
}

// One operand, or with a second or third that may be null: what is not there is no operand.
struct Operands {
  Operands(std::initializer_list<bsgp_array*> given) {
    for (bsgp_array* array : given)
      if (array)
        all[count++] = array;
  }
  std::span<bsgp_array* const> span() const { return {all, count}; }

  bsgp_array* all[3] = {};
  size_t count = 0;
};
NodeRef operandOr(std::span<const NodeRef> given, size_t i) {
  return i < given.size() ? given[i] : NodeRef();
}

// A function of one array.
template <class Make> bsgp_status one(bsgp_array* array, bsgp_array** out, Make make) {
  return makingOf(out, {array}, [make](std::span<const NodeRef> given) { return make(given[0]); });
}

} // namespace

bsgp_status bsgp_array_matmul(bsgp_array* a, bsgp_array* b, bsgp_array** out) {
  return makingOf(out, {a, b}, [](std::span<const NodeRef> given) { return makeMatmul(given[0], given[1]); });
}

bsgp_status bsgp_array_vecdot(bsgp_array* a, bsgp_array* b, int32_t axis, bsgp_array** out) {
  return makingOf(out, {a, b}, [axis](std::span<const NodeRef> given) { return makeVecdot(given[0], given[1], axis); });
}

bsgp_status bsgp_array_tensordot(bsgp_array* a, bsgp_array* b, int32_t count, const int32_t* axes_a,
                                 const int32_t* axes_b, bsgp_array** out) {
  return makingOf(out, {a, b},
                  [left = Numbers(axes_a, count), right = Numbers(axes_b, count)](std::span<const NodeRef> given) {
                    return makeTensordot(given[0], given[1], left.span(), right.span());
                  });
}

bsgp_status bsgp_array_matrix_transpose(bsgp_array* array, bsgp_array** out) {
  return one(array, out, makeMatrixTranspose);
}

bsgp_status bsgp_array_diagonal(bsgp_array* array, int64_t offset, bsgp_array** out) {
  return one(array, out, [offset](const NodeRef& a) { return makeDiagonal(a, offset); });
}

bsgp_status bsgp_array_trace(bsgp_array* array, int64_t offset, bsgp_array** out) {
  return one(array, out, [offset](const NodeRef& a) { return makeTrace(a, offset); });
}

bsgp_status bsgp_array_outer(bsgp_array* a, bsgp_array* b, bsgp_array** out) {
  return makingOf(out, {a, b}, [](std::span<const NodeRef> given) { return makeOuter(given[0], given[1]); });
}

bsgp_status bsgp_array_cross(bsgp_array* a, bsgp_array* b, int32_t axis, bsgp_array** out) {
  return makingOf(out, {a, b}, [axis](std::span<const NodeRef> given) { return makeCross(given[0], given[1], axis); });
}

bsgp_status bsgp_array_matrix_power(bsgp_array* array, int64_t exponent, bsgp_array** out) {
  return one(array, out, [exponent](const NodeRef& a) { return makeMatrixPower(a, exponent); });
}

bsgp_status bsgp_array_vector_norm(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep,
                                   double order, bsgp_array** out) {
  return one(array, out, [=, named = Numbers(axes, axis_count)](const NodeRef& a) {
    return makeVectorNorm(a, axis_count < 0 ? std::nullopt : std::optional(named.span()), keep != 0, order);
  });
}

bsgp_status bsgp_array_matrix_norm(bsgp_array* array, int32_t keep, bsgp_norm norm, bsgp_array** out) {
  return one(array, out, [=](const NodeRef& a) { return makeMatrixNorm(a, keep != 0, norm); });
}

bsgp_status bsgp_array_cholesky(bsgp_array* array, int32_t upper, bsgp_array** out) {
  return one(array, out, [upper](const NodeRef& a) { return makeCholesky(a, upper != 0); });
}

bsgp_status bsgp_array_det(bsgp_array* array, bsgp_array** out) {
  return one(array, out, makeDet);
}

bsgp_status bsgp_array_slogdet(bsgp_array* array, bsgp_array** sign, bsgp_array** logarithm) {
  return makingParts(std::array{sign, logarithm}, array, makeSlogdet);
}

bsgp_status bsgp_array_inv(bsgp_array* array, bsgp_array** out) {
  return one(array, out, makeInv);
}

bsgp_status bsgp_array_solve(bsgp_array* a, bsgp_array* b, bsgp_array** out) {
  return makingOf(out, {a, b}, [](std::span<const NodeRef> given) { return makeSolve(given[0], given[1]); });
}

bsgp_status bsgp_array_eigh(bsgp_array* array, bsgp_array** values, bsgp_array** vectors) {
  return makingParts(std::array{values, vectors}, array, makeEigh);
}

bsgp_status bsgp_array_eigvalsh(bsgp_array* array, bsgp_array** out) {
  return one(array, out, makeEigvalsh);
}

bsgp_status bsgp_array_eig(bsgp_array* array, bsgp_array** values, bsgp_array** vectors) {
  return makingParts(std::array{values, vectors}, array, makeEig);
}

bsgp_status bsgp_array_eigvals(bsgp_array* array, bsgp_array** out) {
  return one(array, out, makeEigvals);
}

bsgp_status bsgp_array_qr(bsgp_array* array, int32_t complete, bsgp_array** q, bsgp_array** r) {
  return makingParts(std::array{q, r}, array, [complete](const NodeRef& a) { return makeQr(a, complete != 0); });
}

bsgp_status bsgp_array_svd(bsgp_array* array, int32_t full, bsgp_array** u, bsgp_array** s, bsgp_array** vh) {
  return makingParts(std::array{u, s, vh}, array, [full](const NodeRef& a) { return makeSvd(a, full != 0); });
}

bsgp_status bsgp_array_svdvals(bsgp_array* array, bsgp_array** out) {
  return one(array, out, makeSvdvals);
}

bsgp_status bsgp_array_matrix_rank(bsgp_array* array, bsgp_array* rtol, bsgp_array** out) {
  return makingOf(out, Operands{array, rtol}.span(),
                  [](std::span<const NodeRef> given) { return makeMatrixRank(given[0], operandOr(given, 1)); });
}

bsgp_status bsgp_array_pinv(bsgp_array* array, bsgp_array* rtol, bsgp_array** out) {
  return makingOf(out, Operands{array, rtol}.span(),
                  [](std::span<const NodeRef> given) { return makePinv(given[0], operandOr(given, 1)); });
}

bsgp_status bsgp_array_lstsq(bsgp_array* a, bsgp_array* b, bsgp_array* rtol, bsgp_array** out) {
  return makingOf(out, Operands{a, b, rtol}.span(),
                  [](std::span<const NodeRef> given) { return makeLstsq(given[0], given[1], operandOr(given, 2)); });
}
