// The transformations of the paper (section 4.3): each is an index function, and conditions for what is outside.
#include <fmt/format.h>

#include "arrays/build.h"

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

} // namespace

Result<NodeRef> makeSection(const NodeRef& a, const int64_t* begin, const int64_t* count, const int64_t* stride) {
  Shape shape = a->shape;
  View view;
  for (int i = 0; i < shape.rank; ++i) {
    shape[i] = count[i];
    int64_t last = begin[i] + (count[i] - 1) * stride[i];
    if (count[i] < 0 || (count[i] > 0 && (begin[i] < 0 || begin[i] >= a->shape[i] || last < 0 || last >= a->shape[i])))
      return Error{
          fmt::format("section: {{{}, {}, {}}} (begin, count, stride) of axis {} reads elements {} to {} of {}",
                      begin[i], count[i], stride[i], i, begin[i], last, a->shape[i])};
    Map map{i, {}};
    append(map, {Step::Affine, stride[i], begin[i]}, shape[i]);
    view.maps.push_back(std::move(map));
  }
  return transformed(a, "section", shape, std::move(view));
}

Result<NodeRef> makeShift(const NodeRef& a, const int64_t* by, const Border& border) {
  return moved(border.kind == BSGP_BORDER_WRAP ? "rotate" : "shift", a, a->shape, by, border);
}

Result<NodeRef> makeExtend(const NodeRef& a, const int64_t* before, const int64_t* after, const Border& border) {
  const char* name = border.kind == BSGP_BORDER_VALUE ? "pad" : "expand";
  int64_t extents[BSGP_MOST_AXES];
  for (int i = 0; i < a->shape.rank; ++i) {
    if (before[i] < 0 || after[i] < 0)
      return Error{fmt::format("{}: {} elements before and {} after axis {}\n  help: section leaves elements out", name,
                               before[i], after[i], i)};
    extents[i] = before[i] + a->shape[i] + after[i];
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

Result<NodeRef> makeDropDimension(const NodeRef& a, int32_t given) {
  auto axis = checkedAxis("drop_dimension", given, a->shape);
  if (!axis)
    return axis.error();
  if (a->shape[*axis] == 0)
    return Error{
        fmt::format("drop_dimension: axis {} of an array of shape {} has no first element", *axis, text(a->shape))};
  Shape shape = a->shape;
  shape.erase(*axis);
  View view = identity(shape.rank);
  view.maps.insert(view.maps.begin() + *axis, Map{});
  for (int i = *axis + 1; i < a->shape.rank; ++i)
    view.maps[i].axis = i - 1;
  return transformed(a, "drop_dimension", shape, std::move(view));
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
