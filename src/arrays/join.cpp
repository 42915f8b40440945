// Arrays one behind the other. The first is extended; outside of it, the result is the others, moved to their places.
#include <fmt/format.h>

#include "arrays/build.h"

namespace bsgp::arrays {

namespace {

// `a`, then `b`, along the axis.
Result<NodeRef> joined(const NodeRef& a, const NodeRef& b, int32_t axis) {
  int64_t none[BSGP_MOST_AXES] = {}, before[BSGP_MOST_AXES] = {}, after[BSGP_MOST_AXES] = {};
  before[axis] = a->shape[axis], after[axis] = b->shape[axis];
  if (after[axis] == 0 || before[axis] == 0)
    return before[axis] == 0 ? b : a;
  auto second = makeExtend(b, before, none, {BSGP_BORDER_CLAMP, {}});
  return second ? makeExtend(a, none, after, {BSGP_BORDER_VALUE, *second, true}) : second;
}

Result<void> checkTogether(const NodeRef& first, const NodeRef& other, int32_t axis) {
  Shape a = first->shape, b = other->shape;
  if (a.rank == b.rank)
    a[axis] = b[axis] = 0;
  if (a == b)
    return {};
  return Error{fmt::format("concatenate: shapes {} and {} along axis {}\n  help: all other extents have to be equal",
                           text(first->shape), text(other->shape), axis)};
}

} // namespace

// In halves: the depth of choices for an element is the logarithm of their number.
Result<NodeRef> makeConcatenate(std::span<const NodeRef> arrays, int32_t given) {
  if (arrays.empty())
    return Error{"concatenate: no arrays"};
  auto axis = checkedAxis("concatenate", given, arrays[0]->shape);
  if (!axis)
    return axis.error();
  TypeOf type{arrays[0]->type, arrays[0]->weak};
  for (const NodeRef& array : arrays) {
    if (auto fits = checkTogether(arrays[0], array, *axis); !fits)
      return fits.error();
    type = commonType(type, {array->type, array->weak});
  }
  std::vector<NodeRef> parts;
  for (const NodeRef& array : arrays)
    parts.push_back(makeCast(array, type.type));
  while (parts.size() > 1) {
    std::vector<NodeRef> pairs;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      auto pair = joined(parts[i], parts[i + 1], *axis);
      if (!pair)
        return pair;
      pairs.push_back(pair.take());
    }
    if (parts.size() % 2)
      pairs.push_back(parts.back());
    parts = std::move(pairs);
  }
  return parts[0];
}

} // namespace bsgp::arrays
