// The elements of a range of places: rows in place where they are neighbours, else copied by linear pieces.
#include "arrays/load.h"

#include <algorithm>
#include <cstring>

#include "arrays/loops/loops.h"

namespace bsgp::arrays {

namespace {

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
