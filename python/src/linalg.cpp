// Linear algebra and Fourier transforms.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bindings.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using OneOfOne = bsgp_status (*)(bsgp_array*, bsgp_array**);
using TwoOfOne = bsgp_status (*)(bsgp_array*, bsgp_array**, bsgp_array**);

template <OneOfOne kFunction> Handle one(Given a) {
  return made(kFunction, a.array);
}
template <TwoOfOne kFunction> std::pair<Handle, Handle> two(Given a) {
  Handle first, second;
  check(kFunction(a.array, first.out(), second.out()));
  return {std::move(first), std::move(second)};
}

bsgp_array* arrayOr(const std::optional<Given>& array) {
  return array ? array->array : nullptr;
}

std::pair<Handle, Handle> qr(Given a, bool complete) {
  Handle q, r;
  check(bsgp_array_qr(a.array, complete, q.out(), r.out()));
  return {std::move(q), std::move(r)};
}
std::tuple<Handle, Handle, Handle> svd(Given a, bool full) {
  Handle u, s, vh;
  check(bsgp_array_svd(a.array, full, u.out(), s.out(), vh.out()));
  return {std::move(u), std::move(s), std::move(vh)};
}
Handle vectorNorm(Given a, const std::optional<Axes>& axes, bool keep, double order) {
  return made(bsgp_array_vector_norm, a.array, axisCount(axes), axesOf(axes), int32_t(keep), order);
}

Handle fft(int kind, Given a, std::optional<int64_t> points, int32_t axis, int norm) {
  return made(bsgp_array_fft, bsgp_fft(kind), a.array, static_cast<const int64_t*>(points ? &*points : nullptr), axis,
              bsgp_fft_norm(norm));
}
Handle fftn(int kind, Given a, const std::optional<Extents>& points, const std::optional<Axes>& axes, int norm) {
  if (points && axes && points->size() != axes->size())
    throw nb::value_error("fftn: as many numbers of points as axes are needed");
  return made(bsgp_array_fftn, bsgp_fft(kind), a.array,
              int32_t(points ? points->size()
                      : axes ? axes->size()
                             : 0),
              static_cast<const int64_t*>(points ? points->data() : nullptr), axesOf(axes), bsgp_fft_norm(norm));
}

void bindDecompositions(nb::module_& m) {
  m.def(
      "cholesky", [](Given a, bool upper) { return made(bsgp_array_cholesky, a.array, int32_t(upper)); }, "a"_a,
      "upper"_a);
  m.def("det", &one<bsgp_array_det>, "a"_a);
  m.def("inv", &one<bsgp_array_inv>, "a"_a);
  m.def("eigvalsh", &one<bsgp_array_eigvalsh>, "a"_a);
  m.def("eigvals", &one<bsgp_array_eigvals>, "a"_a);
  m.def("svdvals", &one<bsgp_array_svdvals>, "a"_a);
  m.def("slogdet", &two<bsgp_array_slogdet>, "a"_a);
  m.def("eigh", &two<bsgp_array_eigh>, "a"_a);
  m.def("eig", &two<bsgp_array_eig>, "a"_a);
  m.def("qr", &qr, "a"_a, "complete"_a);
  m.def("svd", &svd, "a"_a, "full"_a);
  m.def("solve", [](Given a, Given b) { return made(bsgp_array_solve, a.array, b.array); }, "a"_a, "b"_a);
  m.def(
      "matrix_rank",
      [](Given a, std::optional<Given> rtol) { return made(bsgp_array_matrix_rank, a.array, arrayOr(rtol)); }, "a"_a,
      "rtol"_a.none());
  m.def(
      "pinv", [](Given a, std::optional<Given> rtol) { return made(bsgp_array_pinv, a.array, arrayOr(rtol)); }, "a"_a,
      "rtol"_a.none());
  m.def(
      "lstsq",
      [](Given a, Given b, std::optional<Given> rtol) {
        return made(bsgp_array_lstsq, a.array, b.array, arrayOr(rtol));
      },
      "a"_a, "b"_a, "rtol"_a.none());
}

void bindMatrices(nb::module_& m) {
  m.def("matrix_transpose", &one<bsgp_array_matrix_transpose>, "a"_a);
  m.def(
      "diagonal", [](Given a, int64_t offset) { return made(bsgp_array_diagonal, a.array, offset); }, "a"_a,
      "offset"_a);
  m.def("trace", [](Given a, int64_t offset) { return made(bsgp_array_trace, a.array, offset); }, "a"_a, "offset"_a);
  m.def("outer", [](Given a, Given b) { return made(bsgp_array_outer, a.array, b.array); }, "a"_a, "b"_a);
  m.def(
      "cross", [](Given a, Given b, int32_t axis) { return made(bsgp_array_cross, a.array, b.array, axis); }, "a"_a,
      "b"_a, "axis"_a);
  m.def(
      "matrix_power", [](Given a, int64_t exponent) { return made(bsgp_array_matrix_power, a.array, exponent); }, "a"_a,
      "exponent"_a);
  m.def(
      "matrix_norm",
      [](Given a, bool keep, int norm) {
        return made(bsgp_array_matrix_norm, a.array, int32_t(keep), bsgp_norm(norm));
      },
      "a"_a, "keep"_a, "norm"_a);
  m.def("vector_norm", &vectorNorm, "a"_a, "axes"_a.none(), "keep"_a, "order"_a);
}

} // namespace

void bindLinalg(nb::module_& m) {
  bindDecompositions(m);
  bindMatrices(m);
  m.def("fft", &fft, "kind"_a, "a"_a, "points"_a.none(), "axis"_a, "norm"_a);
  m.def("fftn", &fftn, "kind"_a, "a"_a, "points"_a.none(), "axes"_a.none(), "norm"_a);
  m.def(
      "fftfreq",
      [](int64_t count, double distance, bool half, bsgp_dtype dtype) {
        return made(bsgp_array_fftfreq, count, distance, int32_t(half), dtype);
      },
      "count"_a, "distance"_a, "half"_a, "dtype"_a);
  m.def(
      "fftshift",
      [](Given a, const std::optional<Axes>& axes, bool inverse) {
        return made(bsgp_array_fftshift, a.array, axisCount(axes), axesOf(axes), int32_t(inverse));
      },
      "a"_a, "axes"_a.none(), "inverse"_a);
}

} // namespace bsgp::python
