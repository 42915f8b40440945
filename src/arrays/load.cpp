#include "arrays/load.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arrays/loops/loops.h"

namespace bsgp::arrays {

namespace {

// ---- layout ----

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

constexpr int64_t kShortRow = 16; // elements

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

// ---- rows ----

// Calls body(at, first, end, done) for each row of the range: `at` are the coordinates, [first, end) those along the last axis, `done`
// the places before it.
template <class Body> void forRows(const Shape& shape, const Range& range, const Body& body) {
  if (shape.rank == 0) {
    body(range.at, 0, range.count, 0);
    return;
  }
  int last = shape.rank - 1;
  int64_t at[BSGP_MOST_AXES];
  std::copy(range.at, range.at + shape.rank, at);
  for (int64_t done = 0; done < range.count;) {
    int64_t first = at[last], end = std::min(shape[last], first + range.count - done);
    body(at, first, end, done);
    done += end - first;
    at[last] = 0;
    for (int i = last; i-- > 0 && done < range.count;) {
      if (++at[i] < shape[i])
        break;
      at[i] = 0;
    }
  }
}

// The address of the row's place 0, but for what is bent along the row itself.
const char* rowOf(const Address& address, const Shape& shape, const int64_t* at, const Bent** along) {
  const char* row = address.base;
  int last = shape.rank - 1;
  for (int i = 0; i < last; ++i)
    row += address.strides[i] * at[i];
  for (const Bent& bent : address.bent)
    if (bent.axis == last)
      *along = &bent;
    else
      row += bent.stride * coordinateAt(bent.steps, at[bent.axis]);
  return row;
}

struct Sixteen {
  uint64_t words[2];
};

// Places [first, end), each element `times` times.
template <class T>
void repeatEach(const char* row, int64_t stride, int64_t times, int64_t first, int64_t end, char* to) {
  T* next = reinterpret_cast<T*>(to);
  for (int64_t i = first; i < end;) {
    T value;
    std::memcpy(&value, row + i / times * stride, sizeof value);
    for (int64_t until = std::min(end, (i / times + 1) * times); i < until; ++i)
      *next++ = value;
  }
}
void repeatElements(uint8_t log2, const char* row, int64_t stride, int64_t times, int64_t first, int64_t end,
                    char* to) {
  constexpr decltype(&repeatEach<uint8_t>) kBySize[] = {repeatEach<uint8_t>, repeatEach<uint16_t>, repeatEach<uint32_t>,
                                                        repeatEach<uint64_t>, repeatEach<Sixteen>};
  kBySize[log2](row, stride, times, first, end, to);
}

// Places [first, end) of a row.
void readRow(const Address& address, const char* row, int64_t stride, const Bent* along, int64_t first, int64_t end,
             char* to) {
  CopyLoop copy = loops().copy[address.log2];
  if (!along) {
    copy(to, row + stride * first, stride, end - first);
    return;
  }
  if (along->steps.size() == 1 && along->steps[0].kind == Step::Divide && stride == 0) {
    repeatElements(address.log2, row, along->stride, along->steps[0].a, first, end, to);
    return;
  }
  for (int64_t i = first; i < end;) { // linear pieces
    const Linear& middle = along->linear;
    Linear piece = i >= middle.first && i < middle.end ? middle : linearPart(along->steps, along->extent, i);
    int64_t until = std::min(end, piece.end), slope = stride + along->stride * piece.slope;
    copy(to + ((i - first) << address.log2), row + along->stride * piece.offset + slope * i, slope, until - i);
    i = until;
  }
}

// The elements of a whole range that lies in one row, if they are side by side.
const char* inPlace(const Address& address, const char* row, int64_t stride, const Bent* along, int64_t first,
                    int64_t end) {
  int64_t slope = stride;
  if (along) {
    if (first < along->linear.first || end > along->linear.end)
      return nullptr;
    slope += along->stride * along->linear.slope;
    row += along->stride * along->linear.offset;
  }
  return slope == int64_t(1) << address.log2 ? row + slope * first : nullptr;
}

// Short rows, element by element.
template <class T> void readColumns(const Address& address, const Shape& shape, const Range& range, T* to) {
  int last = shape.rank - 1, outer = last - 1;
  int64_t at[BSGP_MOST_AXES];
  std::copy(range.at, range.at + shape.rank, at);
  const Bent* along = nullptr;
  const char* row = rowOf(address, shape, at, &along);
  const int64_t* columns = address.columns.data();
  for (int64_t left = range.count, column = at[last];;) {
    int64_t here = std::min(left, shape[last] - column);
    for (int64_t i = 0; i < here; ++i)
      std::memcpy(to + i, row + columns[column + i], sizeof(T));
    to += here, left -= here, column = 0;
    if (left == 0)
      return;
    bool is_next = ++at[outer] < shape[outer];
    for (int i = outer; i > 0 && at[i] == shape[i]; --i)
      at[i] = 0, ++at[i - 1];
    bool is_linear = is_next && at[outer] > address.rows.first && at[outer] < address.rows.end;
    row = is_linear ? row + address.row_stride : rowOf(address, shape, at, &along);
  }
}

int64_t lastStride(const Address& address, const Shape& shape) {
  return shape.rank ? address.strides[shape.rank - 1] : 0;
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

Middle linearAlong(const Address& address, const Shape& shape, int axis) {
  Middle middle{0, shape[axis]};
  for (const Bent& bent : address.bent)
    if (bent.axis == axis)
      middle = {std::max(middle.first, bent.linear.first), std::min(middle.end, bent.linear.end)};
  return middle;
}

Middle middleOf(const Layout& layout) {
  int last = layout.shape.rank - 1;
  Middle middle{0, last < 0 ? 0 : layout.shape[last]};
  for (const Address& address : layout.addresses)
    if (Middle here = linearAlong(address, layout.shape, std::max(last, 0)); last >= 0)
      middle = {std::max(middle.first, here.first), std::min(middle.end, here.end)};
  for (const auto& all : layout.insides)
    for (const Coordinate& condition : all)
      if (condition.map.axis == last && last >= 0) {
        Linear here = partInside(condition.linear, 0, condition.extent);
        middle = {std::max(middle.first, here.first), std::min(middle.end, here.end)};
      }
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

Range rangeAt(const Shape& shape, int64_t first, int32_t count) {
  Range range{first, count};
  for (int i = shape.rank; i-- > 0;) {
    range.at[i] = i ? first % shape[i] : first;
    first /= shape[i];
  }
  return range;
}

const void* read(const Address& address, const Shape& shape, const Range& range, void* to) {
  if (address.is_contiguous)
    return address.base + (range.first << address.log2);
  if (shape.rank && range.at[shape.rank - 1] + range.count <= shape[shape.rank - 1]) {
    const Bent* along = nullptr;
    const char* row = rowOf(address, shape, range.at, &along);
    int64_t first = range.at[shape.rank - 1];
    if (const char* there = inPlace(address, row, lastStride(address, shape), along, first, first + range.count))
      return there;
  }
  readTo(address, shape, range, to);
  return nullptr;
}

void readTo(const Address& address, const Shape& shape, const Range& range, void* to) {
  if (!address.columns.empty())
    return address.log2 == 0   ? readColumns(address, shape, range, static_cast<uint8_t*>(to))
           : address.log2 == 1 ? readColumns(address, shape, range, static_cast<uint16_t*>(to))
           : address.log2 == 2 ? readColumns(address, shape, range, static_cast<uint32_t*>(to))
           : address.log2 == 3 ? readColumns(address, shape, range, static_cast<uint64_t*>(to))
                               : readColumns(address, shape, range, static_cast<Sixteen*>(to));
  forRows(shape, range, [&](const int64_t* at, int64_t first, int64_t end, int64_t done) {
    const Bent* along = nullptr;
    const char* row = rowOf(address, shape, at, &along);
    readRow(address, row, lastStride(address, shape), along, first, end,
            static_cast<char*>(to) + (done << address.log2));
  });
}

bool gather(const Address& address, const Shape& shape, const Range& range, const int64_t* at, void* to,
            int64_t* wrong) {
  bool inside = true;
  int64_t offsets[kFoldBlock];
  forRows(shape, range, [&](const int64_t* place, int64_t first, int64_t end, int64_t done) {
    const Bent* along = nullptr;
    const char* row = rowOf(address, shape, place, &along);
    int64_t stride = lastStride(address, shape);
    for (int64_t begin = first; begin < end && inside; begin += kFoldBlock) {
      int64_t count = std::min<int64_t>(kFoldBlock, end - begin);
      const int64_t* indices = at + done + (begin - first);
      for (int64_t i = 0; i < count; ++i) {
        int64_t index = indices[i] < 0 ? indices[i] + address.gathered_extent : indices[i];
        if (index < 0 || index >= address.gathered_extent)
          inside = false, *wrong = indices[i], index = 0;
        offsets[i] = index * address.gathered_stride + stride * (begin + i) +
                     (along ? along->stride * coordinateAt(along->steps, begin + i) : 0);
      }
      loops().gather[address.log2](static_cast<char*>(to) + ((done + begin - first) << address.log2), row, offsets,
                                   count);
    }
  });
  return inside;
}

void coordinates(const Coordinate& map, const Shape& shape, const Range& range, int64_t* to) {
  forRows(shape, range, [&](const int64_t* at, int64_t first, int64_t end, int64_t done) {
    int64_t* row = to + done;
    if (map.map.axis != shape.rank - 1 || map.map.axis < 0) {
      std::fill(row, row + (end - first), coordinateAt(map.map.steps, map.map.axis < 0 ? 0 : at[map.map.axis]));
      return;
    }
    for (int64_t i = first; i < end; ++i)
      row[i - first] = i >= map.linear.first && i < map.linear.end ? map.linear.slope * i + map.linear.offset
                                                                   : coordinateAt(map.map.steps, i);
  });
}

namespace {

// The condition for [first, end) of a row, which goes along its axis: 0 where it does not hold.
void clearOutside(const Coordinate& condition, int64_t extent, int64_t first, int64_t end, uint8_t* row) {
  for (int64_t i = first; i < end;) { // linear pieces
    const Linear& middle = condition.linear;
    Linear piece = i >= middle.first && i < middle.end ? middle : linearPart(condition.map.steps, extent, i);
    Linear inside = partInside(piece, 0, condition.extent);
    int64_t until = std::min(end, piece.end), from = std::clamp(inside.first, i, until);
    int64_t to = std::clamp(inside.end, from, until);
    std::memset(row + (i - first), 0, size_t(from - i));
    std::memset(row + (to - first), 0, size_t(until - to));
    i = until;
  }
}

} // namespace

void conditions(const std::vector<Coordinate>& all, const Shape& shape, const Range& range, uint8_t* to) {
  int last = shape.rank - 1;
  bool is_same = last > 0 && shape[last] <= kShortRow && range.count > 2 * shape[last] &&
                 std::all_of(all.begin(), all.end(), [last](const Coordinate& c) { return c.map.axis == last; });
  if (is_same) { // in all rows: that of the first places is repeated
    Range first = range;
    first.count = int32_t(shape[last]);
    conditions(all, shape, first, to);
    for (int32_t done = first.count; done < range.count;) {
      int32_t here = std::min(done, range.count - done);
      std::memcpy(to + done, to, size_t(here));
      done += here;
    }
    return;
  }
  forRows(shape, range, [&](const int64_t* at, int64_t first, int64_t end, int64_t done) {
    bool holds = true;
    for (const Coordinate& c : all)
      if (c.map.axis < 0 || c.map.axis != last) {
        int64_t value = coordinateAt(c.map.steps, c.map.axis < 0 ? 0 : at[c.map.axis]);
        holds = holds && value >= 0 && value < c.extent;
      }
    std::memset(to + done, holds, size_t(end - first));
    for (const Coordinate& c : all)
      if (holds && c.map.axis >= 0 && c.map.axis == last)
        clearOutside(c, shape[last], first, end, to + done);
  });
}

} // namespace bsgp::arrays
