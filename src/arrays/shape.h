// The extents of an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "bsgp/arrays.h"
#include "support/result.h"

namespace bsgp::arrays {

struct Shape {
  int32_t rank = 0;
  int64_t extents[BSGP_MOST_AXES] = {};

  int64_t& operator[](int axis) { return extents[axis]; }
  int64_t operator[](int axis) const { return extents[axis]; }
  bool operator==(const Shape& other) const {
    return rank == other.rank && std::equal(extents, extents + rank, other.extents);
  }
  int64_t elements() const { return range(0, rank); }
  int64_t range(int first, int end) const {
    int64_t count = 1;
    for (int i = first; i < end; ++i)
      count *= extents[i];
    return count;
  }
  void insert(int axis, int64_t extent) {
    for (int i = rank++; i > axis; --i)
      extents[i] = extents[i - 1];
    extents[axis] = extent;
  }
  void erase(int axis) {
    for (int i = axis; i + 1 < rank; ++i)
      extents[i] = extents[i + 1];
    extents[--rank] = 0;
  }
};

std::string text(const Shape& shape); // "(3, 4)"

// Until its end, extents of this size stand for unknown ones in texts of this thread.
class UnknownExtent {
public:
  explicit UnknownExtent(int64_t extent);
  ~UnknownExtent();
};

// Fails on more axes than there may be, extents below 0, and more bytes than a size can count. `what`: the operation.
Result<Shape> checkedShape(const char* what, int32_t rank, const int64_t* extents);

// The shape of an operation on elements of both; fails where neither is 1 and they differ.
Result<Shape> broadcastShape(const char* what, const Shape& a, const Shape& b);

// An axis, counted from the end if it is below 0.
Result<int32_t> checkedAxis(const char* what, int32_t axis, const Shape& shape);

} // namespace bsgp::arrays
