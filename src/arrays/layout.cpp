// Kernel → Layout: addresses of arrays along axes that are merged, the middles of rows, and their ends as layouts of their own.
#include <algorithm>
#include <bit>

#include "arrays/load.h"

namespace bsgp::arrays {

namespace {

Address addressOf(const Load& load, const Shape& places) {
  Address address;
  int64_t bytes = info(load.array->type).bytes, stride = bytes;
  address.log2 = uint8_t(std::countr_zero(uint64_t(bytes)));
  for (int i = load.shape.rank; i-- > 0; stride *= load.shape[i]) {
    const Map& map = load.view.maps[i];
    if (i == load.gathered)
      address.gathered_stride = stride, address.gathered_extent = load.shape[i];
    else if (map.axis < 0)
      address.offset += stride * coordinateAt(map.steps, 0);
    else if (map.steps.empty())
      address.strides[map.axis] += stride;
    else if (map.steps.size() == 1 && map.steps[0].kind == Step::Affine)
      address.strides[map.axis] += stride * map.steps[0].a, address.offset += stride * map.steps[0].b;
    else
      address.bent.push_back({map.axis, map.steps, stride, linearPart(map.steps, places[map.axis]), places[map.axis]});
  }
  return address;
}

Coordinate coordinateOf(const Map& map, int64_t extent, const Shape& places) {
  Coordinate made{map, extent};
  if (map.axis >= 0)
    made.linear = linearPart(map.steps, places[map.axis]);
  return made;
}

bool isBentAt(const Layout& layout, int axis) {
  auto reads = [axis](const Coordinate& coordinate) { return coordinate.map.axis == axis; };
  auto bends = [axis](const Address& address) {
    return std::any_of(address.bent.begin(), address.bent.end(),
                       [axis](const Bent& bent) { return bent.axis == axis; });
  };
  return std::any_of(layout.addresses.begin(), layout.addresses.end(), bends) ||
         std::any_of(layout.maps.begin(), layout.maps.end(), reads) ||
         std::any_of(layout.insides.begin(), layout.insides.end(),
                     [&](const auto& all) { return std::any_of(all.begin(), all.end(), reads); });
}

// Whether the axis and the next one are one to all arrays.
bool canMerge(const Layout& layout, int axis) {
  bool crosses = axis + 1 == layout.outer || axis + 1 == layout.outer + layout.reduced;
  if (crosses || isBentAt(layout, axis) || isBentAt(layout, axis + 1))
    return false;
  int64_t extent = layout.shape[axis + 1];
  return std::all_of(layout.addresses.begin(), layout.addresses.end(),
                     [&](const Address& a) { return a.strides[axis] == a.strides[axis + 1] * extent; });
}

void eraseAxis(Layout& layout, int axis) {
  auto moveDown = [axis](int32_t& one) { one -= one > axis; };
  for (Address& address : layout.addresses) {
    for (int i = axis; i + 1 < layout.shape.rank; ++i)
      address.strides[i] = address.strides[i + 1];
    address.strides[layout.shape.rank - 1] = 0;
    for (Bent& bent : address.bent)
      moveDown(bent.axis);
  }
  for (Coordinate& coordinate : layout.maps)
    moveDown(coordinate.map.axis);
  for (auto& all : layout.insides)
    for (Coordinate& coordinate : all)
      moveDown(coordinate.map.axis);
  if (axis < layout.outer)
    --layout.outer;
  else if (axis < layout.outer + layout.reduced)
    --layout.reduced;
  layout.shape.erase(axis);
}

void mergeAxes(Layout& layout) {
  for (int axis = layout.shape.rank; axis-- > 0;)
    if (layout.shape[axis] == 1 && !isBentAt(layout, axis))
      eraseAxis(layout, axis);
  for (int axis = layout.shape.rank - 1; axis-- > 0;)
    if (canMerge(layout, axis)) {
      layout.shape[axis + 1] *= layout.shape[axis];
      eraseAxis(layout, axis);
    }
}

// The bytes from a row to its element i.
int64_t columnAt(const Address& address, int last, int64_t i) {
  int64_t bytes = address.strides[last] * i;
  for (const Bent& bent : address.bent)
    if (bent.axis == last)
      bytes += bent.stride * coordinateAt(bent.steps, i);
  return bytes;
}

void describe(Address& address, const Shape& shape) {
  address.is_uniform = address.bent.empty() &&
                       std::all_of(address.strides, address.strides + shape.rank, [](int64_t s) { return s == 0; });
  address.is_contiguous = address.bent.empty() && address.gathered_stride == 0;
  int64_t stride = int64_t(1) << address.log2;
  for (int i = shape.rank; i-- > 0; stride *= shape[i])
    address.is_contiguous &= address.strides[i] == stride;
  address.columns.clear();
  if (shape.rank > 1 && shape[shape.rank - 1] <= kShortRow && !address.is_contiguous && !address.is_uniform)
    for (int64_t i = 0; i < shape[shape.rank - 1]; ++i)
      address.columns.push_back(columnAt(address, shape.rank - 1, i));
  if (!address.columns.empty())
    address.rows = linearAlong(address, shape, shape.rank - 2),
    address.row_stride = strideAlong(address, shape.rank - 2);
}

} // namespace

Layout layOut(const Kernel& kernel) {
  Layout layout;
  layout.shape = kernel.places.shape;
  layout.outer = kernel.places.outer, layout.reduced = kernel.places.reduced;
  for (const Load& load : kernel.loads)
    layout.addresses.push_back(addressOf(load, layout.shape));
  for (const Map& map : kernel.maps)
    layout.maps.push_back(coordinateOf(map, 0, layout.shape));
  for (const auto& all : kernel.insides) {
    layout.insides.emplace_back();
    for (const Inside& inside : all)
      layout.insides.back().push_back(coordinateOf(inside.map, inside.extent, layout.shape));
  }
  mergeAxes(layout);
  for (Address& address : layout.addresses)
    describe(address, layout.shape);
  return layout;
}

int64_t strideAlong(const Address& address, int axis) {
  int64_t stride = address.strides[axis];
  for (const Bent& bent : address.bent)
    if (bent.axis == axis)
      stride += bent.stride * bent.linear.slope;
  return stride;
}

void narrowInside(Middle& middle, const std::vector<Coordinate>& conditions, int axis) {
  for (const Coordinate& condition : conditions)
    if (condition.map.axis == axis) {
      Linear here = partInside(condition.linear, 0, condition.extent);
      middle.narrow(here.first, here.end);
    }
}

Middle linearAlong(const Address& address, const Shape& shape, int axis) {
  Middle middle{0, shape[axis]};
  for (const Bent& bent : address.bent)
    if (bent.axis == axis)
      middle.narrow(bent.linear.first, bent.linear.end);
  return middle;
}

Middle middleOf(const Layout& layout) {
  int last = layout.shape.rank - 1;
  if (last < 0)
    return {};
  Middle middle{0, layout.shape[last]};
  for (const Address& address : layout.addresses) {
    Middle here = linearAlong(address, layout.shape, last);
    middle.narrow(here.first, here.end);
  }
  for (const auto& conditions : layout.insides)
    narrowInside(middle, conditions, last);
  return middle;
}

Layout columnsOf(const Layout& layout, int64_t first, int64_t count) {
  Layout columns = layout;
  int last = layout.shape.rank - 1;
  columns.shape[last] = count;
  auto moveSteps = [&](std::vector<Step>& steps) {
    Map moved{last, {}};
    append(moved, {Step::Affine, 1, first}, count);
    for (const Step& step : steps)
      append(moved, step, count);
    steps = std::move(moved.steps);
    return linearPart(steps, count);
  };
  for (Address& address : columns.addresses) {
    address.offset += address.strides[last] * first;
    for (Bent& bent : address.bent)
      if (bent.axis == last)
        bent.linear = moveSteps(bent.steps), bent.extent = count;
    describe(address, columns.shape);
  }
  auto moveAll = [&](std::vector<Coordinate>& all) {
    for (Coordinate& coordinate : all)
      if (coordinate.map.axis == last)
        coordinate.linear = moveSteps(coordinate.map.steps);
  };
  moveAll(columns.maps);
  for (auto& all : columns.insides)
    moveAll(all);
  return columns;
}

void setBases(Layout& layout, const Kernel& kernel) {
  for (size_t i = 0; i < layout.addresses.size(); ++i)
    layout.addresses[i].base = kernel.loads[i].array->values->data() + layout.addresses[i].offset;
}

} // namespace bsgp::arrays
