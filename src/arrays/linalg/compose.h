// Makes expressions of several nodes: the first failure is kept, and whatever is made behind it is a number in its place.
#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include "arrays/build.h"

namespace bsgp::arrays {

class Composer {
public:
  NodeRef operator()(bsgp_operation operation, std::initializer_list<NodeRef> operands) {
    return kept(makeApply(operation, std::span(operands.begin(), operands.size())));
  }
  NodeRef kept(Result<NodeRef> made) {
    if (made)
      return made.take();
    if (!failed_)
      failed_ = made.error();
    return number(0);
  }
  // The result of all, or the first failure.
  Result<NodeRef> result(NodeRef made) const { return failed_ ? Result<NodeRef>(*failed_) : made; }

  template <size_t kCount> Result<std::array<NodeRef, kCount>> all(std::array<NodeRef, kCount> made) const {
    return failed_ ? Result<std::array<NodeRef, kCount>>(*failed_) : made;
  }

  // Numbers of the text.
  static NodeRef number(double value) { return makeScalar(&value, BSGP_FLOAT64, true); }
  static NodeRef whole(int64_t value) { return makeScalar(&value, BSGP_INT64, true); }

  NodeRef fold(bsgp_fold fold, const NodeRef& a, std::initializer_list<int32_t> axes, bool keep = false) {
    return kept(makeReduce(fold, a, std::span(axes.begin(), axes.size()), keep));
  }
  NodeRef sum(const NodeRef& a, std::initializer_list<int32_t> axes, bool keep = false) {
    return fold(BSGP_FOLD_SUM, a, axes, keep);
  }
  NodeRef reshape(const NodeRef& a, const Shape& shape) { return kept(makeReshape(a, shape.rank, shape.extents)); }
  NodeRef transpose(const NodeRef& a, const std::vector<int32_t>& order) {
    return kept(makeTranspose(a, order.data()));
  }
  NodeRef newAxis(const NodeRef& a, int32_t axis) { return kept(makeAddDimension(a, axis, 1)); }
  NodeRef withoutAxis(const NodeRef& a, int32_t axis) { return kept(makeDropDimension(a, axis)); }

  // The last two axes exchanged.
  NodeRef transposed(const NodeRef& a) {
    std::vector<int32_t> order;
    for (int32_t i = 0; i < a->shape.rank; ++i)
      order.push_back(i);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return transpose(a, order);
  }
  // The part of an axis, counted from the end if it is below 0, from `begin` on.
  NodeRef part(const NodeRef& a, int32_t axis, int64_t begin, int64_t count) {
    int64_t begins[BSGP_MOST_AXES] = {}, counts[BSGP_MOST_AXES], strides[BSGP_MOST_AXES];
    for (int i = 0; i < a->shape.rank; ++i)
      counts[i] = a->shape[i], strides[i] = 1;
    int32_t at = axis < 0 ? axis + a->shape.rank : axis;
    begins[at] = begin, counts[at] = count;
    return kept(makeSection(a, begins, counts, strides));
  }

private:
  std::optional<Error> failed_;
};

} // namespace bsgp::arrays
