// Scatter, and operations of segments. Results depend on the order of the elements alone: workers share places, not elements.
#include "arrays/indexed.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "arrays/build.h"
#include "arrays/fold.h"
#include "arrays/loops/complex.h"
#include "arrays/loops/loops.h"
#include "arrays/mixed.h"
#include "arrays/whole.h"

namespace bsgp::arrays {

namespace {

// Calls function(T()) for the C++ type of elements; half has none.
template <class Function> auto withType(bsgp_dtype type, const Function& function) {
  switch (type) {
  case BSGP_INT8:
    return function(int8_t());
  case BSGP_INT16:
    return function(int16_t());
  case BSGP_INT32:
    return function(int32_t());
  case BSGP_INT64:
    return function(int64_t());
  case BSGP_UINT16:
    return function(uint16_t());
  case BSGP_UINT32:
    return function(uint32_t());
  case BSGP_UINT64:
    return function(uint64_t());
  case BSGP_FLOAT32:
    return function(float());
  case BSGP_FLOAT64:
    return function(double());
  case BSGP_COMPLEX64:
    return function(Complex<float>());
  case BSGP_COMPLEX128:
    return function(Complex<double>());
  default:
    return function(uint8_t()); // and bools
  }
}

// NaN where one is NaN, as minimum and maximum. Complex numbers have no order, and do not come here.
template <class T> bool isNan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  return false;
}
template <class T> T least(T a, T b) {
  if constexpr (std::is_arithmetic_v<T>)
    return isNan(a) || a < b ? a : b;
  return a;
}
template <class T> T greatest(T a, T b) {
  if constexpr (std::is_arithmetic_v<T>)
    return isNan(a) || b < a ? a : b;
  return a;
}
// Integers wrap.
template <class T> T sumOf(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
template <class T> T productOf(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

// ---- scatter ----

template <class T> class Scatter {
public:
  Scatter(const WholeCall& call, bsgp_dtype type)
      : call_(call), how_(bsgp_scatter(call.numbers[0])), is_bool_(type == BSGP_BOOL), rows_(call.shape[0]),
        width_(call.shape.range(1, call.shape.rank)), count_(call.operands[1].shape.elements()),
        indices_(call.operands[1].as<int64_t>()), updates_(call.operands[2].as<T>()), to_(call.result<T>()) {}

  Result<void> run() {
    std::memcpy(to_, call_.operands[0].data, size_t(call_.shape.elements()) * sizeof(T));
    call_.pool.forRanges(parts(), [this](int64_t first, int64_t end) {
      for (int64_t part = first; part < end; ++part)
        apply(part * rows_ / parts(), (part + 1) * rows_ / parts());
    });
    if (is_outside_.load())
      return Error{fmt::format("scatter: index {} in an axis of {} elements", wrong_, rows_), Mistake::Index};
    return {};
  }

private:
  // Each part looks at all indices, which pays for wide rows alone.
  int64_t parts() const {
    constexpr int64_t kWide = 16;
    bool is_narrow = width_ < kWide || count_ * width_ < 4096;
    return is_narrow ? 1 : std::min<int64_t>(call_.pool.threads(), std::max<int64_t>(rows_, 1));
  }

  void apply(int64_t first, int64_t end) {
    switch (how_) {
    case BSGP_SCATTER_ADD:
      return is_bool_ ? applyBy(first, end, greatest<T>) : applyBy(first, end, sumOf<T>);
    case BSGP_SCATTER_MULTIPLY:
      return applyBy(first, end, productOf<T>);
    case BSGP_SCATTER_MIN:
      return applyBy(first, end, least<T>);
    case BSGP_SCATTER_MAX:
      return applyBy(first, end, greatest<T>);
    default:
      return applyBy(first, end, [](T, T b) { return b; });
    }
  }

  // The updates of rows [first, end), in their order.
  template <class Combine> void applyBy(int64_t first, int64_t end, const Combine& combine) {
    int64_t step = call_.operands[2].shape.rank == 0 ? 0 : 1; // one number for all
    for (int64_t i = 0; i < count_; ++i) {
      int64_t row = indices_[i] < 0 ? indices_[i] + rows_ : indices_[i];
      if (row < 0 || row >= rows_) {
        if (!is_outside_.exchange(true))
          wrong_ = indices_[i];
      } else if (row >= first && row < end) {
        T* to = to_ + row * width_;
        const T* update = updates_ + i * width_ * step;
        for (int64_t k = 0; k < width_; ++k)
          to[k] = combine(to[k], update[k * step]);
      }
    }
  }

  const WholeCall& call_;
  bsgp_scatter how_;
  bool is_bool_;
  int64_t rows_, width_, count_;
  const int64_t* indices_;
  const T* updates_;
  T* to_;
  std::atomic<bool> is_outside_{false};
  int64_t wrong_ = 0;
};

Result<void> runScatter(const WholeCall& call) {
  return withType(call.type, [&](auto zero) { return Scatter<decltype(zero)>(call, call.type).run(); });
}
constexpr WholeOperation kScatter{"scatter", runScatter};

// ---- segments ----

int64_t badOffset(const int64_t* offsets, int64_t count, int64_t elements) {
  for (int64_t i = 0; i < count; ++i)
    if (offsets[i] < (i ? offsets[i - 1] : 0) || offsets[i] > elements)
      return i;
  return -1;
}

// Blocks of 256, then these, as a reduction of its own.
void foldSegment(FoldLoops fold, const char* from, int64_t count, char* to) {
  if (count == 0) {
    identityOf(fold.combines, fold.type, to);
    return;
  }
  if (count <= kFoldBlock) {
    loops().fold[fold.combines][fold.type](to, from, count);
    return;
  }
  int64_t bytes = info(fold.type).bytes, blocks = (count + kFoldBlock - 1) / kFoldBlock;
  std::vector<char> results(size_t(blocks * bytes));
  for (int64_t i = 0; i < blocks; ++i)
    loops().fold[fold.combines][fold.type](results.data() + i * bytes, from + i * kFoldBlock * bytes,
                                           std::min<int64_t>(kFoldBlock, count - i * kFoldBlock));
  foldBlocks(fold, results.data(), blocks, 1, to);
}

Result<void> runSegmentFold(const WholeCall& call) {
  const auto* offsets = call.operands[1].as<int64_t>();
  int64_t segments = call.shape[0], elements = call.operands[0].shape[0], bytes = info(call.type).bytes;
  const char* name = info(bsgp_fold(call.numbers[0])).name;
  if (int64_t bad = badOffset(offsets, segments + 1, elements); bad >= 0)
    return Error{
        fmt::format("segment_{}: offset {} of segment {} is {}\n  help: offsets do not descend, and are at most "
                    "the number of elements, {}",
                    name, bad, bad, offsets[bad], elements)};
  FoldLoops fold{info(bsgp_fold(call.numbers[0])).combines, call.type};
  bool needs_values = fold.combines == BSGP_OP_MINIMUM || fold.combines == BSGP_OP_MAXIMUM;
  for (int64_t i = 0; needs_values && i < segments; ++i)
    if (offsets[i] == offsets[i + 1])
      return Error{fmt::format("segment_{}: segment {} has no elements, and of none there is no {}", name, i, name)};
  call.pool.forRanges(segments, [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i)
      foldSegment(fold, call.operands[0].as<char>() + offsets[i] * bytes, offsets[i + 1] - offsets[i],
                  call.result<char>() + i * bytes);
  });
  return {};
}
constexpr WholeOperation kSegmentFold{"a reduction of segments", runSegmentFold};

template <class T> T scanned(bsgp_rows scan, T a, T b) {
  return scan == BSGP_ROWS_CUMULATIVE_SUM    ? sumOf(a, b)
         : scan == BSGP_ROWS_CUMULATIVE_PROD ? productOf(a, b)
         : scan == BSGP_ROWS_CUMULATIVE_MIN  ? least(a, b)
                                             : greatest(a, b);
}

// A worker begins at the first head of its part.
Result<void> runSegmentScan(const WholeCall& call) {
  const auto* heads = call.operands[1].as<uint8_t>();
  int64_t count = call.shape[0], part = 1 << 14, parts = (count + part - 1) / part;
  auto headFrom = [&](int64_t i) {
    while (i > 0 && i < count && !heads[i])
      ++i;
    return std::min(i, count);
  };
  auto scan = bsgp_rows(call.numbers[0]);
  withType(call.type, [&](auto zero) {
    using T = decltype(zero);
    const T* from = call.operands[0].as<T>();
    T* to = call.result<T>();
    call.pool.forRanges(parts, [&](int64_t first, int64_t end) {
      for (int64_t i = headFrom(first * part), last = headFrom(end * part); i < last; ++i)
        to[i] = i == 0 || heads[i] ? from[i] : scanned(scan, to[i - 1], from[i]);
    });
  });
  return {};
}
constexpr WholeOperation kSegmentScan{"a scan of segments", runSegmentScan};

Result<void> checkOneAxis(const std::string& what, const NodeRef& array) {
  if (array->shape.rank == 1)
    return {};
  return Error{
      fmt::format("{}: an array of shape {}\n  help: segments are of arrays with one axis; reshape makes it one", what,
                  text(array->shape))};
}

NodeRef float64(double value) {
  return makeScalar(&value, BSGP_FLOAT64, false);
}
NodeRef int64(int64_t value) {
  return makeScalar(&value, BSGP_INT64, false);
}

// ---- histogram ----

// Equal parts of [low, high].
struct Bins {
  int64_t count;
  double low, high;

  NodeRef edge(const NodeRef& i) const {
    NodeRef step = float64((high - low) / double(count));
    NodeRef at = applied(BSGP_OP_ADD, {applied(BSGP_OP_MULTIPLY, {makeCast(i, BSGP_FLOAT64), step}), float64(low)});
    return applied(BSGP_OP_COND, {applied(BSGP_OP_EQUAL, {i, int64(count)}), float64(high), at});
  }

  // The number of the part in which each x is; `count`: in none. As NumPy: it is computed, and put right where an edge says otherwise.
  NodeRef of(const NodeRef& x) const {
    NodeRef from_low = applied(BSGP_OP_SUBTRACT, {x, float64(low)});
    NodeRef place =
        applied(BSGP_OP_MULTIPLY, {applied(BSGP_OP_DIVIDE, {from_low, float64(high - low)}), float64(double(count))});
    NodeRef i = applied(BSGP_OP_MINIMUM, {makeCast(place, BSGP_INT64), int64(count - 1)});
    i = applied(BSGP_OP_SUBTRACT, {i, makeCast(applied(BSGP_OP_LESS, {x, edge(i)}), BSGP_INT64)});
    NodeRef reaches = applied(BSGP_OP_GREATER_EQUAL, {x, edge(applied(BSGP_OP_ADD, {i, int64(1)}))});
    NodeRef is_last = applied(BSGP_OP_EQUAL, {i, int64(count - 1)});
    NodeRef above = applied(BSGP_OP_LOGICAL_AND, {reaches, applied(BSGP_OP_LOGICAL_NOT, {is_last})});
    i = applied(BSGP_OP_ADD, {i, makeCast(above, BSGP_INT64)});
    NodeRef inside = applied(BSGP_OP_LOGICAL_AND, {applied(BSGP_OP_GREATER_EQUAL, {x, float64(low)}),
                                                   applied(BSGP_OP_LESS_EQUAL, {x, float64(high)})});
    return applied(BSGP_OP_COND, {inside, i, int64(count)});
  }
};

} // namespace

Result<NodeRef> makeScatter(const NodeRef& array, const NodeRef& indices, const NodeRef& updates, bsgp_scatter how) {
  if (array->shape.rank == 0)
    return Error{"scatter: an array of rank 0 has no axis"};
  auto places = indicesOf("scatter", indices);
  if (!places)
    return places;
  bool orders = how == BSGP_SCATTER_MIN || how == BSGP_SCATTER_MAX;
  if (auto ordered = needsOrder("scatter", array->type); orders && !ordered)
    return ordered.error();
  TypeOf both = commonType({array->type}, {updates->type, updates->weak});
  if (both.type != array->type)
    return Error{
        fmt::format("scatter: updates of type {} into an array of type {}\n  help: convert one of them by astype",
                    info(updates->type).name, info(array->type).name)};
  if (auto fits = fitsType("scatter", std::span(&updates, 1), array->type); !fits)
    return fits.error();
  Shape wanted = indices->shape;
  if (wanted.rank + array->shape.rank - 1 > BSGP_MOST_AXES)
    return Error{fmt::format("scatter: indices of shape {} and an array of shape {} make more than {} axes",
                             text(indices->shape), text(array->shape), int(BSGP_MOST_AXES))};
  for (int i = 1; i < array->shape.rank; ++i)
    wanted.insert(wanted.rank, array->shape[i]);
  auto all = updates->shape.rank == 0 ? updates : makeBroadcast(updates, wanted, "scatter: updates");
  if (!all)
    return all;
  bsgp_dtype type = computedType(array->type);
  NodeRef operands[] = {makeCast(array, type), *places, makeCast(*all, type)};
  auto made = makeWhole(kScatter, type, array->shape, operands, {how});
  return made ? makeCast(*made, array->type) : made;
}

Result<NodeRef> makeSegmentFold(bsgp_fold fold, const NodeRef& array, const NodeRef& offsets) {
  std::string name = std::string("segment_") + info(fold).name;
  for (const NodeRef& each : {array, offsets})
    if (auto fits = checkOneAxis(name, each); !fits)
      return fits.error();
  auto places = indicesOf(name.c_str(), offsets);
  if (!places)
    return places;
  if (offsets->shape[0] == 0)
    return Error{name + ": no offsets\n  help: segment i has elements offsets[i] up to offsets[i + 1], so there is one "
                        "offset more than segments"};
  bool orders = fold == BSGP_FOLD_MIN || fold == BSGP_FOLD_MAX;
  if (auto ordered = needsOrder(name.c_str(), array->type); orders && !ordered)
    return ordered.error();
  bsgp_dtype type = foldedType(fold, array->type), computed = computedType(type);
  Shape shape;
  shape.insert(0, offsets->shape[0] - 1);
  NodeRef operands[] = {makeCast(array, computed), *places};
  auto made = makeWhole(kSegmentFold, computed, shape, operands, {fold});
  return made ? makeCast(*made, type) : made;
}

Result<NodeRef> makeSegmentScan(bsgp_rows scan, const NodeRef& array, const NodeRef& heads) {
  if (auto fits = checkOneAxis("a scan of segments", array); !fits)
    return fits.error();
  if (!(heads->shape == array->shape) || heads->type != BSGP_BOOL)
    return Error{
        fmt::format("a scan of segments: heads of shape {} and type {} for an array of shape {}\n  help: there "
                    "is a bool for each element",
                    text(heads->shape), info(heads->type).name, text(array->shape))};
  bool orders = scan == BSGP_ROWS_CUMULATIVE_MIN || scan == BSGP_ROWS_CUMULATIVE_MAX;
  if (auto ordered = needsOrder("a scan of segments", array->type); orders && !ordered)
    return ordered.error();
  bool widens = scan == BSGP_ROWS_CUMULATIVE_SUM || scan == BSGP_ROWS_CUMULATIVE_PROD;
  bsgp_dtype type = widens ? foldedType(BSGP_FOLD_SUM, array->type) : array->type, computed = computedType(type);
  NodeRef operands[] = {makeCast(array, computed), heads};
  auto made = makeWhole(kSegmentScan, computed, array->shape, operands, {scan});
  return made ? makeCast(*made, type) : made;
}

Result<NodeRef> makeHistogram(const NodeRef& array, int64_t bins, double low, double high) {
  if (bins < 1 || !(low < high) || std::isinf(high - low))
    return Error{
        fmt::format("histogram: {} bins from {} to {}\n  help: there is one bin at least, and the second number "
                    "is greater than the first",
                    bins, low, high)};
  if (auto ordered = needsOrder("histogram", array->type); !ordered)
    return ordered.error();
  int64_t all = -1;
  auto flat = makeReshape(array, 1, &all);
  if (!flat)
    return flat;
  Shape shape;
  shape.insert(0, bins + 1);
  auto zeros = makeBroadcast(int64(0), shape, "histogram");
  NodeRef places = Bins{bins, low, high}.of(makeCast(*flat, BSGP_FLOAT64));
  auto counts = zeros ? makeScatter(*zeros, places, int64(1), BSGP_SCATTER_ADD) : zeros;
  int64_t begin = 0, stride = 1;
  return counts ? makeSection(*counts, &begin, &bins, &stride) : counts;
}

} // namespace bsgp::arrays
