// Products of matrices: large ones by BLAS, small ones and those of vectors as an expression that is fused with others. In an evaluation
// with `exact`, all of them have the order of a sum.
#pragma once

#include "arrays/whole.h"

namespace bsgp::arrays {

// Multiplies the last two axes, for leading axes that are broadcast. An operand with one axis is a row or a column, whose axis the result
// lacks. Types as of a product of numbers; of bools: or of ands.
Result<NodeRef> makeMatmul(const NodeRef& a, const NodeRef& b);
// Sums of conj(a) * b along an axis, below 0, of operands that are broadcast.
Result<NodeRef> makeVecdot(const NodeRef& a, const NodeRef& b, int32_t axis);
// Sums of products over axes of a and those of b, in pairs; the other axes of a come first.
Result<NodeRef> makeTensordot(const NodeRef& a, const NodeRef& b, std::span<const int32_t> axes_a,
                              std::span<const int32_t> axes_b);

// inner_product of operands that fit and are large enough for BLAS; null: they are not.
Result<NodeRef> makeLargeInnerProduct(const NodeRef& a, const NodeRef& b);

// The product in the order of a sum (ordered.cpp), of operands as those of the Whole in product.cpp. trans: an operand's last two axes are
// exchanged.
struct ProductShape {
  Shape leading; // of the result
  int64_t m, k, n;
  bool trans_a, trans_b;
};
Result<void> runOrdered(const WholeCall& call, const ProductShape& shape);

} // namespace bsgp::arrays
