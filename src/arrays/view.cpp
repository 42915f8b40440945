#include "arrays/view.h"

#include <algorithm>

namespace bsgp::arrays {

namespace {

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Keeps the coordinates for which low <= slope * i + offset < high.
void narrow(Linear& part, int64_t low, int64_t high) {
  if (part.slope == 0)
    return;
  bool rises = part.slope > 0;
  int64_t slope = rises ? part.slope : -part.slope;
  // rising: low - offset <= slope * i <= high - 1 - offset; falling: the same of -i
  int64_t from = rises ? low - part.offset : part.offset - (high - 1);
  int64_t to = rises ? high - 1 - part.offset : part.offset - low;
  part.first = std::max(part.first, -floorDivide(-from, slope));
  part.end = std::min(part.end, floorDivide(to, slope) + 1);
}

// Narrows the part to where the step is linear in the same way as at coordinate `at`, and applies it.
void follow(Linear& part, const Step& step, int64_t at) {
  int64_t value = part.slope * at + part.offset;
  if (step.kind == Step::Affine) {
    part.offset = step.a * part.offset + step.b;
    part.slope *= step.a;
  } else if (step.kind == Step::Clamp && (value < 0 || value >= step.a)) { // outside it is one element
    narrow(part, value < 0 ? INT64_MIN / 4 : step.a, value < 0 ? 0 : INT64_MAX / 4);
    part.slope = 0, part.offset = value < 0 ? 0 : step.a - 1;
  } else if (step.kind == Step::Clamp) {
    narrow(part, 0, step.a);
  } else {
    int64_t times = floorDivide(value, step.a);
    narrow(part, times * step.a, (times + 1) * step.a);
    if (step.kind == Step::Divide)
      part.slope = 0, part.offset = times;
    else
      part.offset -= times * step.a;
  }
}

struct Range {
  int64_t low, high; // both inside
};

Range rangeOf(const std::vector<Step>& steps, int64_t extent) {
  Range range{0, std::max<int64_t>(extent - 1, 0)};
  for (const Step& step : steps) {
    if (step.kind == Step::Affine) {
      int64_t x = step.a * range.low + step.b, y = step.a * range.high + step.b;
      range = {std::min(x, y), std::max(x, y)};
    } else if (step.kind == Step::Clamp) {
      range = {std::clamp<int64_t>(range.low, 0, step.a - 1), std::clamp<int64_t>(range.high, 0, step.a - 1)};
    } else if (step.kind == Step::Divide) {
      range = {floorDivide(range.low, step.a), floorDivide(range.high, step.a)};
    } else if (range.low < 0 || range.high >= step.a) {
      range = {0, step.a - 1};
    }
  }
  return range;
}

} // namespace

std::pair<int64_t, int64_t> boundsOf(const std::vector<Step>& steps, int64_t extent) {
  Range range = rangeOf(steps, extent);
  return {range.low, range.high};
}

View identity(int rank) {
  View view;
  for (int i = 0; i < rank; ++i)
    view.maps.push_back({i, {}});
  return view;
}

int64_t coordinateAt(const std::vector<Step>& steps, int64_t i) {
  for (const Step& step : steps)
    switch (step.kind) {
    case Step::Affine:
      i = step.a * i + step.b;
      break;
    case Step::Clamp:
      i = i < 0 ? 0 : i >= step.a ? step.a - 1 : i;
      break;
    case Step::Divide:
      i = floorDivide(i, step.a);
      break;
    case Step::Wrap:
      i %= step.a;
      i += i < 0 ? step.a : 0;
      break;
    }
  return i;
}

Linear linearPart(const std::vector<Step>& steps, int64_t extent) {
  Linear part{0, extent, 1, 0};
  for (const Step& step : steps)
    follow(part, step, (part.first + part.end) / 2);
  part.end = std::max(part.first, part.end);
  return part;
}

Linear linearPart(const std::vector<Step>& steps, int64_t extent, int64_t at) {
  Linear part{0, extent, 1, 0};
  for (const Step& step : steps)
    follow(part, step, at);
  return part;
}

Linear partInside(Linear part, int64_t low, int64_t high) {
  if (part.slope == 0 && (part.offset < low || part.offset >= high))
    part.end = part.first;
  narrow(part, low, high);
  part.end = std::max(part.first, part.end);
  return part;
}

// A wrap, a whole factor and an offset, and the same wrap again: the last one is enough.
static void dropEarlierWrap(Map& map, int64_t extent) {
  size_t count = map.steps.size();
  if (count < 2 || map.steps[count - 1].kind != Step::Affine || map.steps[count - 2].kind != Step::Wrap ||
      map.steps[count - 2].a != extent)
    return;
  Step last = map.steps.back();
  map.steps.resize(count - 2);
  append(map, last, 0);
}

// A clamp, an offset away from the side at which it clamps nothing, and the same clamp again: the last one is enough.
static void dropEarlierClamp(Map& map, int64_t clamp, int64_t extent) {
  size_t count = map.steps.size();
  if (count < 2 || map.steps[count - 1].kind != Step::Affine || map.steps[count - 1].a != 1 ||
      map.steps[count - 2].kind != Step::Clamp || map.steps[count - 2].a != clamp)
    return;
  Step last = map.steps.back();
  Range before = rangeOf(std::vector(map.steps.begin(), map.steps.end() - 2), map.axis < 0 ? 1 : extent);
  if (last.b <= 0 ? before.high >= clamp : before.low < 0)
    return;
  map.steps.resize(count - 2);
  append(map, last, extent);
}

void append(Map& map, Step step, int64_t extent) {
  if (step.kind == Step::Affine) {
    if (!map.steps.empty() && map.steps.back().kind == Step::Affine) {
      Step before = map.steps.back();
      map.steps.pop_back();
      step = {Step::Affine, step.a * before.a, step.a * before.b + step.b};
    }
    if (step.a != 1 || step.b != 0)
      map.steps.push_back(step);
    return;
  }
  if (step.kind == Step::Divide) {
    if (step.a != 1)
      map.steps.push_back(step);
    return;
  }
  if (step.kind == Step::Wrap)
    dropEarlierWrap(map, step.a);
  else
    dropEarlierClamp(map, step.a, extent);
  Range range = rangeOf(map.steps, map.axis < 0 ? 1 : extent);
  if (range.low < 0 || range.high >= step.a)
    map.steps.push_back(step);
}

Map compose(const View& outer, const Map& inner, const Shape& place) {
  if (inner.axis < 0)
    return inner;
  Map map = outer.maps[inner.axis];
  for (const Step& step : inner.steps)
    append(map, step, map.axis < 0 ? 1 : place[map.axis]);
  return map;
}

View compose(const View& outer, const View& inner, const Shape& place) {
  View view;
  view.maps.reserve(inner.maps.size());
  for (const Map& map : inner.maps)
    view.maps.push_back(compose(outer, map, place));
  return view;
}

View broadcast(const Shape& from, const Shape& to) {
  View view;
  for (int i = 0; i < from.rank; ++i)
    view.maps.push_back({from[i] == 1 ? -1 : to.rank - from.rank + i, {}});
  return view;
}

} // namespace bsgp::arrays
