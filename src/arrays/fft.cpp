#include "arrays/fft.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "arrays/fft_lines.h"
#include "arrays/linalg/compose.h"
#include "arrays/whole.h"
#include "runtime/guarded.h"

namespace bsgp::arrays {

namespace {

const char* nameOf(bsgp_fft kind, bool several) {
  constexpr const char* kNames[] = {"fft", "ifft", "rfft", "irfft", "hfft", "ihfft"};
  constexpr const char* kSeveral[] = {"fftn", "ifftn", "rfftn", "irfftn"};
  return several ? kSeveral[int(kind)] : kNames[int(kind)];
}

// ---- computing ----

// Shares the lines of `shape` along `axis` among the threads. function(lines) transforms some of them.
template <class Function>
Result<void> eachLine(const WholeCall& call, const Shape& shape, int32_t axis, int64_t points, double factor,
                      const Function& function) {
  int64_t outer = shape.range(0, axis), inner = shape.range(axis + 1, shape.rank);
  bool by_outer = outer >= inner;
  int64_t lines = by_outer ? outer : inner, threads = call.pool.threads();
  int64_t parts = std::min<int64_t>(lines, outer * inner * points < 4096 ? 1 : 4 * threads);
  std::atomic<bool> lacks_memory{false};
  call.pool.forRanges(parts, [&](int64_t first, int64_t end) {
    int64_t begin = first * lines / parts, until = end * lines / parts;
    Lines part{outer, points, inner, 0, outer, 0, inner, factor};
    (by_outer ? part.outer_begin : part.inner_begin) = begin;
    (by_outer ? part.outer_end : part.inner_end) = until;
    bool done = runtime::guarded([&] { return function(part), true; }, [] { return false; });
    if (!done)
      lacks_memory = true;
  });
  if (lacks_memory)
    return Error{fmt::format("there is no memory for intermediate values of {}", call.name), Mistake::Memory};
  return {};
}

template <class Function> auto withReal(bsgp_dtype type, const Function& function) {
  return type == BSGP_FLOAT32 || type == BSGP_COMPLEX64 ? function(float()) : function(double());
}

double factorOf(const WholeCall& call) {
  return std::bit_cast<double>(call.numbers[0]);
}

// numbers: the factor, whether it is forward, the axes. The first axis goes from the operand to the result, others stay in it.
Result<void> runComplex(const WholeCall& call) {
  return withReal(call.type, [&](auto zero) -> Result<void> {
    using Complex = std::complex<decltype(zero)>;
    const auto* from = call.operands[0].as<Complex>();
    for (size_t i = 2; i < call.numbers.size(); ++i) {
      auto axis = int32_t(call.numbers[i]);
      auto done =
          eachLine(call, call.shape, axis, call.shape[axis], i == 2 ? factorOf(call) : 1, [&](const Lines& lines) {
            transformComplex(lines, call.numbers[1] != 0, from, call.result<Complex>());
          });
      if (!done)
        return done;
      from = call.result<Complex>();
    }
    return {};
  });
}
constexpr WholeOperation kComplex{"fft", runComplex};

// numbers: the factor, the axis.
Result<void> runReal(const WholeCall& call) {
  auto axis = int32_t(call.numbers[1]);
  return withReal(call.type, [&](auto zero) {
    using Real = decltype(zero);
    const Shape& shape = call.operands[0].shape;
    return eachLine(call, shape, axis, shape[axis], factorOf(call), [&](const Lines& lines) {
      transformReal(lines, call.operands[0].as<Real>(), call.result<std::complex<Real>>());
    });
  });
}
constexpr WholeOperation kReal{"rfft", runReal};

Result<void> runToReal(const WholeCall& call) {
  auto axis = int32_t(call.numbers[1]);
  return withReal(call.type, [&](auto zero) {
    using Real = decltype(zero);
    return eachLine(call, call.shape, axis, call.shape[axis], factorOf(call), [&](const Lines& lines) {
      transformToReal(lines, call.operands[0].as<std::complex<Real>>(), call.result<Real>());
    });
  });
}
constexpr WholeOperation kToReal{"irfft", runToReal};

// ---- the graph ----

bool isInverse(bsgp_fft kind) {
  return kind == BSGP_FFT_IFFT || kind == BSGP_FFT_IRFFT;
}

double factorOf(bsgp_fft kind, bsgp_fft_norm norm, double points) {
  if (norm == BSGP_FFT_NORM_ORTHO)
    return 1 / std::sqrt(points);
  return (norm == BSGP_FFT_NORM_BACKWARD) == isInverse(kind) ? 1 / points : 1;
}

bsgp_dtype complexOf(bsgp_dtype type) {
  bool is_small = type == BSGP_FLOAT16 || type == BSGP_FLOAT32 || type == BSGP_COMPLEX64;
  return is_small ? BSGP_COMPLEX64 : BSGP_COMPLEX128;
}
bsgp_dtype realOf(bsgp_dtype type) {
  return complexOf(type) == BSGP_COMPLEX64 ? BSGP_FLOAT32 : BSGP_FLOAT64;
}

// The first elements of an axis, or all of them and zeros behind.
NodeRef withExtent(Composer& make, const NodeRef& a, int32_t axis, int64_t extent) {
  if (extent <= a->shape[axis])
    return extent == a->shape[axis] ? a : make.part(a, axis, 0, extent);
  int64_t none[BSGP_MOST_AXES] = {}, behind[BSGP_MOST_AXES] = {};
  behind[axis] = extent - a->shape[axis];
  Number zero;
  return make.kept(makeExtend(a, none, behind, {BSGP_BORDER_VALUE, makeScalar(&zero, a->type, false)}));
}

NodeRef complexTransform(Composer& make, const NodeRef& a, bool forward, double factor, std::span<const int32_t> axes) {
  if (axes.empty())
    return a;
  std::vector<int64_t> numbers{std::bit_cast<int64_t>(factor), forward};
  numbers.insert(numbers.end(), axes.begin(), axes.end());
  return make.kept(makeWhole(kComplex, a->type, a->shape, {&a, 1}, std::move(numbers)));
}

NodeRef realTransform(Composer& make, const NodeRef& a, double factor, int32_t axis) {
  Shape shape = a->shape;
  shape[axis] = shape[axis] / 2 + 1;
  return make.kept(makeWhole(kReal, complexOf(a->type), shape, {&a, 1}, {std::bit_cast<int64_t>(factor), axis}));
}

NodeRef toRealTransform(Composer& make, const NodeRef& a, double factor, int32_t axis, int64_t points) {
  Shape shape = a->shape;
  shape[axis] = points;
  return make.kept(makeWhole(kToReal, realOf(a->type), shape, {&a, 1}, {std::bit_cast<int64_t>(factor), axis}));
}

struct Axis {
  int32_t axis;
  int64_t points;
};

// The axes with their points, or what is wrong with them.
Result<std::vector<Axis>> axesOf(bsgp_fft kind, const NodeRef& a, std::optional<std::span<const int64_t>> points,
                                 std::optional<std::span<const int32_t>> given, const char* name) {
  if (points && given && points->size() != given->size())
    return Error{fmt::format("{}: {} numbers of points for {} axes", name, points->size(), given->size())};
  if (points && !given && int64_t(points->size()) > a->shape.rank)
    return Error{
        fmt::format("{}: {} numbers of points for an array of shape {}", name, points->size(), text(a->shape))};
  size_t count = given ? given->size() : points ? points->size() : size_t(a->shape.rank);
  std::vector<Axis> axes;
  for (size_t i = 0; i < count; ++i) {
    auto axis = checkedAxis(name, given ? (*given)[i] : int32_t(i) - int32_t(count), a->shape);
    if (!axis)
      return axis.error();
    for (const Axis& other : axes)
      if (other.axis == *axis)
        return Error{fmt::format("{}: axis {} is named twice", name, *axis)};
    bool is_half = kind == BSGP_FFT_IRFFT && i + 1 == count;
    int64_t n = points ? (*points)[i] : is_half ? 2 * (a->shape[*axis] - 1) : a->shape[*axis];
    if (n < 1)
      return Error{fmt::format("{}: {} points along axis {} of an array of shape {}\n  help: there is one at least",
                               name, n, *axis, text(a->shape))};
    axes.push_back({*axis, n});
  }
  return axes;
}

// kind: none of the two of Hermitian arrays.
Result<NodeRef> transformed(bsgp_fft kind, const NodeRef& a, const std::vector<Axis>& axes, bsgp_fft_norm norm) {
  Composer make;
  bool is_real = kind == BSGP_FFT_RFFT;
  NodeRef operand = makeCast(a, is_real ? realOf(a->type) : complexOf(a->type));
  double points = 1;
  std::vector<int32_t> complex_axes;
  for (const Axis& axis : axes) {
    points *= double(axis.points);
    bool is_half = kind == BSGP_FFT_IRFFT && &axis == &axes.back();
    operand = withExtent(make, operand, axis.axis, is_half ? axis.points / 2 + 1 : axis.points);
    complex_axes.push_back(axis.axis);
  }
  double factor = factorOf(kind, norm, points);
  if (kind == BSGP_FFT_FFT || kind == BSGP_FFT_IFFT)
    return make.result(complexTransform(make, operand, kind == BSGP_FFT_FFT, factor, complex_axes));
  complex_axes.pop_back();
  if (is_real)
    return make.result(
        complexTransform(make, realTransform(make, operand, factor, axes.back().axis), true, 1, complex_axes));
  operand = complexTransform(make, operand, false, 1, complex_axes);
  return make.result(toRealTransform(make, operand, factor, axes.back().axis, axes.back().points));
}

Result<void> checkFft(bsgp_fft kind, const NodeRef& a, bsgp_fft_norm norm, const char* name) {
  if (norm < 0 || norm >= BSGP_FFT_NORM_COUNT)
    return Error{fmt::format("{}: there is no such norm", name)};
  bool takes_real = kind == BSGP_FFT_RFFT || kind == BSGP_FFT_IHFFT;
  if (takes_real && isComplex(a->type))
    return Error{fmt::format("{}: an array of type {}\n  help: it takes real numbers: use real(a), or fft", name,
                             info(a->type).name),
                 Mistake::Type};
  return {};
}

bsgp_fft_norm otherNorm(bsgp_fft_norm norm) {
  return norm == BSGP_FFT_NORM_BACKWARD  ? BSGP_FFT_NORM_FORWARD
         : norm == BSGP_FFT_NORM_FORWARD ? BSGP_FFT_NORM_BACKWARD
                                         : norm;
}

} // namespace

// hfft of a is irfft of conj(a), ihfft the conjugate of rfft, both with the factor of the other direction.
Result<NodeRef> makeFft(bsgp_fft kind, const NodeRef& a, std::optional<int64_t> points, int32_t axis,
                        bsgp_fft_norm norm) {
  if (kind < 0 || kind >= BSGP_FFT_COUNT)
    return Error{"fft: there is no such transform"};
  const char* name = nameOf(kind, false);
  if (auto fits = checkFft(kind, a, norm, name); !fits)
    return fits.error();
  bool is_hfft = kind == BSGP_FFT_HFFT, is_ihfft = kind == BSGP_FFT_IHFFT;
  bsgp_fft plain = is_hfft ? BSGP_FFT_IRFFT : is_ihfft ? BSGP_FFT_RFFT : kind;
  std::optional<std::span<const int64_t>> numbers;
  if (points)
    numbers = std::span<const int64_t>(&*points, 1);
  auto axes = axesOf(plain, a, numbers, std::span<const int32_t>(&axis, 1), name);
  if (!axes)
    return axes.error();
  Composer make;
  NodeRef operand = is_hfft && isComplex(a->type) ? make(BSGP_OP_CONJ, {a}) : a;
  NodeRef made = make.kept(transformed(plain, operand, *axes, is_hfft || is_ihfft ? otherNorm(norm) : norm));
  return make.result(is_ihfft ? make(BSGP_OP_CONJ, {made}) : made);
}

Result<NodeRef> makeFftn(bsgp_fft kind, const NodeRef& a, std::optional<std::span<const int64_t>> points,
                         std::optional<std::span<const int32_t>> given, bsgp_fft_norm norm) {
  if (kind < 0 || kind > BSGP_FFT_IRFFT)
    return Error{"fftn: there is no such transform of several axes"};
  const char* name = nameOf(kind, true);
  if (auto fits = checkFft(kind, a, norm, name); !fits)
    return fits.error();
  auto axes = axesOf(kind, a, points, given, name);
  if (!axes)
    return axes.error();
  if (axes->empty() && kind > BSGP_FFT_IFFT)
    return Error{
        fmt::format("{}: an array of shape {} along no axes\n  help: there is one at least, for the real numbers", name,
                    text(a->shape))};
  return transformed(kind, a, *axes, norm);
}

Result<NodeRef> makeFftFrequencies(int64_t n, double d, bool half, bsgp_dtype type) {
  const char* name = half ? "rfftfreq" : "fftfreq";
  if (n < 1 || d == 0)
    return Error{
        fmt::format("{}: {} points at a distance of {}\n  help: there is one point at least, and the distance is not 0",
                    name, n, d)};
  if (type != BSGP_FLOAT32 && type != BSGP_FLOAT64)
    return Error{fmt::format("{}: numbers of type {}\n  help: frequencies are of type float32 or float64", name,
                             info(type).name),
                 Mistake::Type};
  Composer make;
  Shape shape;
  shape.insert(0, half ? n / 2 + 1 : n);
  NodeRef place = make.kept(makeIndex(shape, 0));
  if (!half) {
    NodeRef is_below = make(BSGP_OP_LESS, {place, make.whole((n + 1) / 2)});
    place = make(BSGP_OP_COND, {is_below, place, make(BSGP_OP_SUBTRACT, {place, make.whole(n)})});
  }
  NodeRef step = make.number(1 / (double(n) * d));
  return make.result(makeCast(make(BSGP_OP_MULTIPLY, {makeCast(place, BSGP_FLOAT64), step}), type));
}

Result<NodeRef> makeFftShift(const NodeRef& a, std::optional<std::span<const int32_t>> axes, bool inverse) {
  int64_t by[BSGP_MOST_AXES] = {};
  for (int32_t i = 0; i < (axes ? int32_t(axes->size()) : a->shape.rank); ++i) {
    auto axis = checkedAxis(inverse ? "ifftshift" : "fftshift", axes ? (*axes)[i] : i, a->shape);
    if (!axis)
      return axis.error();
    by[*axis] += inverse ? -(a->shape[*axis] / 2) : a->shape[*axis] / 2;
  }
  return a->elements() ? makeShift(a, by, {BSGP_BORDER_WRAP, {}}) : a;
}

} // namespace bsgp::arrays
