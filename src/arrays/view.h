// Index functions: the element of an array that belongs to a place of another shape.
//
// A View has a Map for each axis of the array. A map reads one axis of the place, or none, and applies steps to its coordinate:
//
//   shift(section(a, {begin 2, stride 3}), 1, clamp)     axis 0: i → i - 1 → clamp to [0, count) → 3 * i + 2
//
// Transformations after each other are one View (compose); steps that change nothing within the place's extents are left out.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays/shape.h"

namespace bsgp::arrays {

struct Step {
  enum Kind : uint8_t { Affine, Clamp, Wrap, Divide } kind;
  int64_t a = 0, b = 0; // a * i + b; to the nearest of [0, a); i modulo a; i / a, rounded down
  auto operator<=>(const Step&) const = default;
};

struct Map {
  int32_t axis = -1; // of the place; -1: the coordinate is 0
  std::vector<Step> steps;
  auto operator<=>(const Map&) const = default;
};

struct View {
  std::vector<Map> maps;
  auto operator<=>(const View&) const = default;
};

// The coordinate is inside [0, extent).
struct Inside {
  Map map;
  int64_t extent;
  bool operator==(const Inside&) const = default;
};

View identity(int rank);

// The coordinate that the map gives for coordinate `i` of its axis.
int64_t coordinateAt(const std::vector<Step>& steps, int64_t i);

// For coordinates in [first, end) the steps are slope * i + offset.
struct Linear {
  int64_t first, end, slope, offset;
};
// The part of [0, extent) in which the steps are linear around its middle, or around `at`.
Linear linearPart(const std::vector<Step>& steps, int64_t extent);
Linear linearPart(const std::vector<Step>& steps, int64_t extent, int64_t at);
// The part of it in which its value is in [low, high).
Linear partInside(Linear part, int64_t low, int64_t high);

// The coordinates that the steps give for [0, extent), extent > 0: from the first to the second.
std::pair<int64_t, int64_t> boundsOf(const std::vector<Step>& steps, int64_t extent);

// Appends a step, for coordinates of the axis below `extent`; merges it with the one before or leaves it out.
void append(Map& map, Step step, int64_t extent);

// `inner` reads places of the array that `outer` reads: outer's place → inner's array. `place`: outer's extents.
View compose(const View& outer, const View& inner, const Shape& place);
Map compose(const View& outer, const Map& inner, const Shape& place);

// The View of an array of shape `from` that is broadcast to `to`.
View broadcast(const Shape& from, const Shape& to);

} // namespace bsgp::arrays
