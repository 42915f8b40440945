// Linear algebra of the last two axes of arrays, for all matrices of a batch. The results of LAPACK may differ in the last bits from
// machine to machine; what is composed of other operations has their bits.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "arrays/node.h"

namespace bsgp::arrays {

// ---- by LAPACK (factor.cpp) ----

// Numbers are floating-point or complex; float16 is computed in float32.
Result<NodeRef> makeCholesky(const NodeRef& a, bool upper);
Result<NodeRef> makeDet(const NodeRef& a);
Result<NodeRef> makeInv(const NodeRef& a);
Result<NodeRef> makeSolve(const NodeRef& a, const NodeRef& b);
// The sign, and the logarithm of the magnitude, of the determinant.
Result<std::array<NodeRef, 2>> makeSlogdet(const NodeRef& a);

// ---- decompositions by LAPACK (eigen.cpp, decompose.cpp): all parts of one are computed at once ----

Result<std::array<NodeRef, 2>> makeEigh(const NodeRef& a); // values, vectors
Result<NodeRef> makeEigvalsh(const NodeRef& a);
Result<std::array<NodeRef, 2>> makeEig(const NodeRef& a); // complex: values, vectors
Result<NodeRef> makeEigvals(const NodeRef& a);
Result<std::array<NodeRef, 2>> makeQr(const NodeRef& a, bool complete);
Result<std::array<NodeRef, 3>> makeSvd(const NodeRef& a, bool full); // u, s, vh
Result<NodeRef> makeSvdvals(const NodeRef& a);

// ---- composed (combine.cpp) ----

Result<NodeRef> makeMatrixTranspose(const NodeRef& a);
Result<NodeRef> makeTrace(const NodeRef& a, int64_t offset);
Result<NodeRef> makeOuter(const NodeRef& a, const NodeRef& b);
Result<NodeRef> makeCross(const NodeRef& a, const NodeRef& b, int32_t axis);
Result<NodeRef> makeMatrixPower(const NodeRef& a, int64_t exponent);
Result<NodeRef> makeVectorNorm(const NodeRef& a, std::optional<std::span<const int32_t>> axes, bool keep, double order);
Result<NodeRef> makeMatrixNorm(const NodeRef& a, bool keep, bsgp_norm norm);
// rtol: singular values below that part of the largest one count as 0; of rank 0, or one for each matrix; null: the default.
Result<NodeRef> makeMatrixRank(const NodeRef& a, const NodeRef& rtol);
Result<NodeRef> makePinv(const NodeRef& a, const NodeRef& rtol);
Result<NodeRef> makeLstsq(const NodeRef& a, const NodeRef& b, const NodeRef& rtol);

// Fail where `a` is no matrix, and no square one. `what`: the operation.
Result<void> checkMatrix(const char* what, const NodeRef& a);
Result<void> checkSquare(const char* what, const NodeRef& a);
// Fails for integers and bools.
Result<void> checkFloating(const char* what, const NodeRef& a);

} // namespace bsgp::arrays
