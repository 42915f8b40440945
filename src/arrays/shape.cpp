#include "arrays/shape.h"

#include <climits>

#include <fmt/format.h>

namespace bsgp::arrays {

namespace {

thread_local int64_t unknown_extent = -1;

} // namespace

UnknownExtent::UnknownExtent(int64_t extent) {
  unknown_extent = extent;
}

UnknownExtent::~UnknownExtent() {
  unknown_extent = -1;
}

std::string text(const Shape& shape) {
  std::string all;
  for (int i = 0; i < shape.rank; ++i)
    all += (i ? ", " : "") + std::to_string(shape[i] == unknown_extent ? -1 : shape[i]);
  return "(" + all + (shape.rank == 1 ? ",)" : ")");
}

Result<Shape> checkedShape(const char* what, int32_t rank, const int64_t* extents) {
  if (rank < 0 || rank > BSGP_MOST_AXES)
    return Error{fmt::format("{}: {} axes; an array has 0 to {}", what, rank, int(BSGP_MOST_AXES))};
  Shape shape;
  shape.rank = rank;
  constexpr int64_t kMostElements = INT64_MAX / 16;
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    shape[i] = extents[i];
    if (extents[i] < 0)
      return Error{fmt::format("{}: extent {} of axis {} is negative", what, extents[i], i)};
    if (extents[i] > 0 && elements > kMostElements / extents[i])
      return Error{fmt::format("{}: a shape has more elements than memory can hold", what)};
    elements *= std::max<int64_t>(extents[i], 1);
  }
  return shape;
}

Result<Shape> broadcastShape(const char* what, const Shape& a, const Shape& b) {
  Shape shape = a.rank >= b.rank ? a : b;
  const Shape& other = a.rank >= b.rank ? b : a;
  for (int i = 0; i < other.rank; ++i) {
    int64_t& extent = shape[shape.rank - other.rank + i];
    if (extent == 1)
      extent = other[i];
    else if (other[i] != 1 && other[i] != extent)
      return Error{fmt::format(
          "{}: shapes {} and {} do not go together\n  help: counted from the last, two extents have to be equal, or "
          "one of them 1; reshape or add_dimension brings them there",
          what, text(a), text(b))};
  }
  return shape;
}

Result<int32_t> checkedAxis(const char* what, int32_t axis, const Shape& shape) {
  if (shape.rank == 0)
    return Error{fmt::format("{}: axis {} of an array of rank 0, which has no axes", what, axis), Mistake::Index};
  if (axis < -shape.rank || axis >= shape.rank)
    return Error{fmt::format("{}: axis {} of an array of shape {}\n  help: its axes are 0 to {}, or -{} to -1", what,
                             axis, text(shape), shape.rank - 1, shape.rank),
                 Mistake::Index};
  return axis < 0 ? axis + shape.rank : axis;
}

} // namespace bsgp::arrays
