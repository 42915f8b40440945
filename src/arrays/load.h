// Kernel → the addresses that it reads: for each array, strides along the axes of the places, and steps where a coordinate is not linear.
//
// Axes of the places that all arrays pass over as one are merged first: an expression of whole arrays has one axis, whatever their rank.
#pragma once

#include <algorithm>

#include "arrays/kernel.h"

namespace bsgp::arrays {

inline constexpr int64_t kShortRow = 16; // elements of a row that is read by a table of columns

// Part of an address: stride * coordinateAt(steps, coordinate along `axis`).
struct Bent {
  int32_t axis;
  std::vector<Step> steps;
  int64_t stride;
  Linear linear;  // of the steps
  int64_t extent; // of the axis
};

// The part of each row in which all coordinates are linear: there arrays are read in place, and borders are not tested.
struct Middle {
  int64_t first = 0, end = 0;
  void narrow(int64_t from, int64_t until) { first = std::max(first, from), end = std::min(end, until); }
};

struct Address {
  const char* base = nullptr;           // of place 0; set by setBases
  int64_t offset = 0;                   // of the base, in bytes from the array's first element
  uint8_t log2 = 0;                     // of an element's bytes
  int64_t strides[BSGP_MOST_AXES] = {}; // in bytes, along the axes of the places
  std::vector<Bent> bent;
  int64_t gathered_stride = 0, gathered_extent = 0;
  std::vector<int64_t> columns; // of short rows: the bytes from a row to each of its elements
  Middle rows;                  // of short rows: they are row_stride bytes apart
  int64_t row_stride = 0;
  bool is_uniform = false;    // one element for all places
  bool is_contiguous = false; // the elements of neighbouring places are neighbours, throughout
};

// A map of a coordinate, or a condition on it.
struct Coordinate {
  Map map;
  int64_t extent = 0; // Inside: the coordinate is in [0, extent)
  Linear linear{};
};

struct Layout {
  Shape shape; // of the merged places
  int32_t outer = 0, reduced = 0;
  std::vector<Address> addresses;
  std::vector<Coordinate> maps;
  std::vector<std::vector<Coordinate>> insides;
};

Layout layOut(const Kernel& kernel);
// Sets the bases. The arrays that the kernel loads are computed.
void setBases(Layout& layout, const Kernel& kernel);

Middle middleOf(const Layout& layout);
// The same for places [first, first + count) of each row alone.
Layout columnsOf(const Layout& layout, int64_t first, int64_t count);

// Along an axis, where coordinates are linear: the bytes from an element to the next one, and the coordinates.
int64_t strideAlong(const Address& address, int axis);
// To where the conditions on an axis hold.
void narrowInside(Middle& middle, const std::vector<Coordinate>& conditions, int axis);
Middle linearAlong(const Address& address, const Shape& shape, int axis);

// A range of places in row order, and the coordinates of its first.
struct Range {
  int64_t first = 0;
  int32_t count = 0;
  int64_t at[BSGP_MOST_AXES] = {};
};
Range rangeAt(const Shape& shape, int64_t first, int32_t count);

// The elements of the range. Returns where they lie side by side in the array, or null: then they were copied to `to`.
const void* read(const Address& address, const Shape& shape, const Range& range, void* to);
// The same into `to` in any case.
void readTo(const Address& address, const Shape& shape, const Range& range, void* to);
// At the coordinate `at[i]` of the gathered axis. False: one is outside; `*wrong` is it.
bool gather(const Address& address, const Shape& shape, const Range& range, const int64_t* at, void* to,
            int64_t* wrong);

void coordinates(const Coordinate& map, const Shape& shape, const Range& range, int64_t* to);
void conditions(const std::vector<Coordinate>& all, const Shape& shape, const Range& range, uint8_t* to);

} // namespace bsgp::arrays
