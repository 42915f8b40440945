// The transformations of the paper (section 4.3): each is an index function, and conditions for what is outside.
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/engine.h"
#include "arrays/mixed.h"

namespace bsgp::arrays {

namespace {

NodeRef transformed(const NodeRef& a, const char* name, const Shape& shape, View view) {
  NodeRef node(new Node(Kind::Transform, a->type, shape));
  node->details = std::make_unique<Details>();
  node->details->name = name;
  node->details->view = std::move(view);
  node->add(a);
  return node;
}

// A step that brings coordinates of `extent` elements back inside. An array without elements is read nowhere.
void bringInside(Map& map, bsgp_border kind, int64_t extent, int64_t place) {
  if (extent > 0)
    append(map, {kind == BSGP_BORDER_WRAP ? Step::Wrap : Step::Clamp, extent}, place);
}

Result<void> checkBorder(const char* name, const NodeRef& a, const Border& border) {
  if (border.kind != BSGP_BORDER_VALUE || border.is_array)
    return {};
  if (!border.value || border.value->shape.rank != 0)
    return Error{fmt::format("{}: the value beyond the border is one number, an array of rank 0", name)};
  if (auto fits = fitsType(name, std::span(&border.value, 1), a->type); !fits)
    return fits;
  TypeOf both = commonType({a->type}, {border.value->type, border.value->weak});
  if (both.type != a->type)
    return Error{
        fmt::format("{}: a value of type {} beyond the border of an array of type {}\n  help: convert {} by astype",
                    name, info(border.value->type).name, info(a->type).name,
                    isComplex(border.value->type) ? "the array" : "one of them")};
  return {};
}

// Moves each axis by an offset: element i is that at i - offset[axis].
Result<NodeRef> moved(const char* name, const NodeRef& a, const Shape& shape, const int64_t* offset,
                      const Border& border) {
  if (auto fits = checkBorder(name, a, border); !fits)
    return fits.error();
  if (shape.elements() > 0 && a->elements() == 0 && border.kind != BSGP_BORDER_VALUE)
    return Error{fmt::format("{}: an array of shape {} has no elements to repeat", name, text(a->shape))};
  View view;
  std::vector<Inside> inside;
  for (int i = 0; i < shape.rank; ++i) {
    Map map{i, {}};
    append(map, {Step::Affine, 1, -offset[i]}, shape[i]);
    Map unbounded = map;
    bringInside(map, border.kind, a->shape[i], shape[i]);
    if (map != unbounded || a->shape[i] == 0)
      inside.push_back({unbounded, a->shape[i]});
    view.maps.push_back(std::move(map));
  }
  NodeRef node = transformed(a, name, shape, std::move(view));
  if (border.kind != BSGP_BORDER_VALUE || inside.empty())
    return node;
  node->details->inside = std::move(inside);
  node->add(makeCast(border.value, a->type));
  return node;
}

// The elements at an index of an axis, which goes.
NodeRef oneOf(const char* name, const NodeRef& a, int32_t axis, int64_t index) {
  Shape shape = a->shape;
  shape.erase(axis);
  View view = identity(shape.rank);
  Map map;
  append(map, {Step::Affine, 1, index}, 1);
  view.maps.insert(view.maps.begin() + axis, std::move(map));
  for (int i = axis + 1; i < a->shape.rank; ++i)
    view.maps[i].axis = i - 1;
  return transformed(a, name, shape, std::move(view));
}

bool isPlain(const Map& map, int axis) {
  return map.axis == axis && map.steps.empty();
}

// The operand of a transformation that has the elements at an index of an axis, at an index of its own; else nothing. Joined arrays
// leave other axes as they are.
std::optional<std::pair<NodeRef, int64_t>> partAt(const Node& a, int32_t axis, int64_t index) {
  if (a.kind != Kind::Transform || a.details->inside.size() != 1)
    return std::nullopt;
  const Inside& inside = a.details->inside[0];
  if (inside.map.axis != axis)
    return std::nullopt;
  if (int64_t at = coordinateAt(inside.map.steps, index); at < 0 || at >= inside.extent)
    return a.operands[1]->shape == a.shape ? std::optional(std::pair(a.operands[1], index)) : std::nullopt;
  const View& view = a.details->view;
  for (int i = 0; i < int(view.maps.size()); ++i)
    if (i != axis && !(isPlain(view.maps[i], i) && a.operands[0]->shape[i] == a.shape[i]))
      return std::nullopt;
  return std::pair(a.operands[0], coordinateAt(view.maps[axis].steps, index));
}

// Whether a is its operand with one more axis.
bool hasAdded(const Node& a, int32_t axis) {
  if (a.kind != Kind::Transform || !a.details->inside.empty() || a.operands[0]->shape.rank != a.shape.rank - 1)
    return false;
  Shape shape = a.shape;
  shape.erase(axis);
  const View& view = a.details->view;
  for (int i = 0; i < int(view.maps.size()); ++i)
    if (!isPlain(view.maps[i], i < axis ? i : i + 1))
      return false;
  return shape == a.operands[0]->shape;
}

// A component of a vector that was made of its components is the array that it was made of.
NodeRef componentOf(NodeRef a, int32_t axis, int64_t index) {
  while (auto part = partAt(*a, axis, index))
    a = part->first, index = part->second;
  return hasAdded(*a, axis) ? a->operands[0] : oneOf("component", a, axis, index);
}

} // namespace

Result<NodeRef> makeSection(const NodeRef& a, const int64_t* begin, const int64_t* count, const int64_t* stride) {
  Shape shape = a->shape;
  View view;
  for (int i = 0; i < shape.rank; ++i) {
    shape[i] = count[i];
    int64_t span = 0, last = 0;
    bool overflows =
        __builtin_mul_overflow(count[i] - 1, stride[i], &span) || __builtin_add_overflow(begin[i], span, &last);
    if (count[i] < 0 || (count[i] > 0 && overflows) ||
        (count[i] > 0 && (begin[i] < 0 || begin[i] >= a->shape[i] || last < 0 || last >= a->shape[i])))
      return Error{
          fmt::format("section: {{{}, {}, {}}} (begin, count, stride) of axis {} reads elements {} to {} of {}",
                      begin[i], count[i], stride[i], i, begin[i], last, a->shape[i])};
    Map map{i, {}};
    append(map, {Step::Affine, stride[i], begin[i]}, shape[i]);
    view.maps.push_back(std::move(map));
  }
  return transformed(a, "section", shape, std::move(view));
}

Result<NodeRef> makeSlice(const NodeRef& a, int32_t axis, int64_t begin, int64_t end, int64_t stride) {
  if (axis < 0 || axis >= a->shape.rank)
    return Error{fmt::format("slice: axis {} of an array with {} axes", axis, a->shape.rank)};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (stride == 0 || stride < -kMost)
    return Error{fmt::format("slice: the stride is {}", stride)};
  int64_t extent = a->shape[axis], least = stride < 0 ? -1 : 0;
  auto cut = [&](int64_t at) { return std::clamp(at < 0 ? at + extent : at, least, extent + least); };
  begin = cut(begin), end = cut(end);
  int64_t span = stride > 0 ? end - begin : begin - end;
  int64_t counts[BSGP_MOST_AXES], begins[BSGP_MOST_AXES] = {}, strides[BSGP_MOST_AXES];
  std::copy(a->shape.extents, a->shape.extents + a->shape.rank, counts);
  std::fill(strides, std::end(strides), 1);
  counts[axis] = span > 0 ? (span - 1) / std::abs(stride) + 1 : 0;
  begins[axis] = counts[axis] ? begin : 0, strides[axis] = counts[axis] > 1 ? stride : 1;
  return makeSection(a, begins, counts, strides);
}

Result<NodeRef> makeShift(const NodeRef& a, const int64_t* by, const Border& border) {
  // By more than the extent it is the same as by that, and an address cannot overflow.
  int64_t within[BSGP_MOST_AXES];
  for (int i = 0; i < a->shape.rank; ++i) {
    int64_t extent = a->shape[i];
    within[i] = border.kind == BSGP_BORDER_WRAP ? (extent ? by[i] % extent : 0) : std::clamp(by[i], -extent, extent);
  }
  return moved(border.kind == BSGP_BORDER_WRAP ? "rotate" : "shift", a, a->shape, within, border);
}

Result<NodeRef> makeExtend(const NodeRef& a, const int64_t* before, const int64_t* after, const Border& border) {
  const char* name = border.kind == BSGP_BORDER_VALUE ? "pad" : "expand";
  int64_t extents[BSGP_MOST_AXES];
  for (int i = 0; i < a->shape.rank; ++i) {
    if (before[i] < 0 || after[i] < 0)
      return Error{fmt::format("{}: {} elements before and {} after axis {}\n  help: section leaves elements out", name,
                               before[i], after[i], i)};
    if (__builtin_add_overflow(before[i], a->shape[i], &extents[i]) ||
        __builtin_add_overflow(extents[i], after[i], &extents[i]))
      return Error{fmt::format("{}: {} elements before and {} after axis {} are more than memory can hold", name,
                               before[i], after[i], i)};
  }
  auto shape = checkedShape(name, a->shape.rank, extents);
  return shape ? moved(name, a, *shape, before, border) : shape.error();
}

Result<NodeRef> makeReplicate(const NodeRef& a, const int64_t* extents) {
  auto shape = checkedShape("replicate", a->shape.rank, extents);
  if (!shape)
    return shape.error();
  int64_t nowhere[BSGP_MOST_AXES] = {};
  return moved("replicate", a, *shape, nowhere, {BSGP_BORDER_WRAP, {}});
}

Result<NodeRef> makeStretch(const NodeRef& a, const int64_t* times) {
  Shape shape = a->shape;
  View view;
  for (int i = 0; i < shape.rank; ++i) {
    if (times[i] < 1 || (shape[i] > 0 && times[i] > INT64_MAX / 16 / shape[i]))
      return Error{fmt::format("stretch: axis {} of shape {} {} times\n  help: each element is there once at least", i,
                               text(a->shape), times[i])};
    shape[i] *= times[i];
    Map map{i, {}};
    append(map, {Step::Divide, times[i]}, shape[i]);
    view.maps.push_back(std::move(map));
  }
  auto checked = checkedShape("stretch", shape.rank, shape.extents);
  return checked ? Result<NodeRef>(transformed(a, "stretch", shape, std::move(view))) : checked.error();
}

Result<NodeRef> makeTranspose(const NodeRef& a, const int32_t* order) {
  Shape shape = a->shape;
  View view = identity(shape.rank);
  bool seen[BSGP_MOST_AXES] = {};
  for (int i = 0; i < shape.rank; ++i) {
    auto axis = checkedAxis("transpose", order[i], a->shape);
    if (!axis)
      return axis.error();
    if (std::exchange(seen[*axis], true))
      return Error{fmt::format("transpose: axis {} is named twice", *axis)};
    shape[i] = a->shape[*axis];
    view.maps[*axis].axis = i;
  }
  return transformed(a, "transpose", shape, std::move(view));
}

// Both axes read one axis of the place.
Result<NodeRef> makeDiagonal(const NodeRef& a, int64_t offset) {
  int last = a->shape.rank - 1;
  if (last < 1)
    return Error{
        fmt::format("diagonal: an array of shape {} is no matrix\n  help: a matrix has two axes, a batch of them more",
                    text(a->shape))};
  offset = std::clamp(offset, -a->shape[last - 1], a->shape[last]);
  int64_t row = std::max<int64_t>(0, -offset), column = std::max<int64_t>(0, offset);
  Shape shape = a->shape;
  shape.erase(last);
  shape[last - 1] = std::min(a->shape[last - 1] - row, a->shape[last] - column);
  View view = identity(last);
  view.maps.push_back(Map{last - 1, {}});
  append(view.maps[last - 1], {Step::Affine, 1, row}, shape[last - 1]);
  append(view.maps[last], {Step::Affine, 1, column}, shape[last - 1]);
  return transformed(a, "diagonal", shape, std::move(view));
}

Result<NodeRef> makeDropDimension(const NodeRef& a, int32_t given) {
  auto axis = checkedAxis("drop_dimension", given, a->shape);
  if (!axis)
    return axis.error();
  if (a->shape[*axis] == 0)
    return Error{
        fmt::format("drop_dimension: axis {} of an array of shape {} has no first element", *axis, text(a->shape))};
  return oneOf("drop_dimension", a, *axis, 0);
}

Result<NodeRef> makeComponent(const NodeRef& a, int32_t given, int64_t index) {
  auto axis = checkedAxis("component", given, a->shape);
  if (!axis)
    return axis.error();
  int64_t extent = a->shape[*axis];
  if (index < -extent || index >= extent)
    return Error{fmt::format("component: index {} of axis {}, which has {} elements: the shape is {}", index, *axis,
                             extent, text(a->shape)),
                 Mistake::Index};
  index += index < 0 ? extent : 0;
  EngineLock lock(EngineLock::Try); // else nodes may change, and stay as they are
  return lock.isHeld() ? componentOf(a, *axis, index) : oneOf("component", a, *axis, index);
}

Result<NodeRef> makeAddDimension(const NodeRef& a, int32_t given, int64_t extent) {
  Shape shape = a->shape;
  int32_t axis = given < 0 ? given + shape.rank + 1 : given;
  if (axis < 0 || axis > shape.rank || shape.rank == BSGP_MOST_AXES || extent < 0)
    return Error{fmt::format("add_dimension: a new axis {} of extent {} in an array of shape {}\n  help: it stands in "
                             "front of axis 0 to {}, "
                             "and an array has {} axes at most",
                             given, extent, text(shape), shape.rank, int(BSGP_MOST_AXES))};
  shape.insert(axis, extent);
  auto checked = checkedShape("add_dimension", shape.rank, shape.extents);
  if (!checked)
    return checked.error();
  View view = identity(a->shape.rank);
  for (int i = axis; i < a->shape.rank; ++i)
    view.maps[i].axis = i + 1;
  return transformed(a, "add_dimension", shape, std::move(view));
}

Result<NodeRef> makeBroadcast(const NodeRef& a, const Shape& shape, const char* what) {
  auto both = broadcastShape(what, a->shape, shape);
  if (!both)
    return both.error();
  if (!(*both == shape))
    return Error{fmt::format("{}: an array of shape {} cannot be broadcast to {}", what, text(a->shape), text(shape))};
  return a->shape == shape ? a : transformed(a, what, shape, broadcast(a->shape, shape));
}

} // namespace bsgp::arrays
