// Casts, reductions, operations of rows, and products.
#include "bindings.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

Handle reduce(int fold, Given a, const std::optional<Axes>& axes, bool keep) {
  return made(bsgp_array_reduce, bsgp_fold(fold), a.array, axisCount(axes), axesOf(axes), int32_t(keep));
}
Handle mean(Given a, const std::optional<Axes>& axes, bool keep) {
  return made(bsgp_array_mean, a.array, axisCount(axes), axesOf(axes), int32_t(keep));
}
Handle rows(int kind, Given a, std::optional<int32_t> axis, bool keep) {
  return made(bsgp_array_rows, bsgp_rows(kind), a.array, static_cast<const int32_t*>(axis ? &*axis : nullptr),
              int32_t(keep));
}
Handle tensordot(Given a, Given b, const Axes& axes_a, const Axes& axes_b) {
  if (axes_a.size() != axes_b.size())
    throw nb::value_error("tensordot takes as many axes of the one as of the other");
  return made(bsgp_array_tensordot, a.array, b.array, int32_t(axes_a.size()), axes_a.data(), axes_b.data());
}

} // namespace

void bindReductions(nb::module_& m) {
  m.def("cast", [](Given a, bsgp_dtype dtype) { return made(bsgp_array_cast, a.array, dtype); }, "a"_a, "dtype"_a);
  m.def("reduce", &reduce, "fold"_a, "a"_a, "axes"_a.none(), "keep"_a);
  m.def("mean", &mean, "a"_a, "axes"_a.none(), "keep"_a);
  m.def("rows", &rows, "kind"_a, "a"_a, "axis"_a.none(), "keep"_a = false);
  m.def("nextafter", [](Given a, Given b) { return made(bsgp_array_nextafter, a.array, b.array); }, "a"_a, "b"_a);
  m.def(
      "compress", [](Given a, Given flags) { return computed(bsgp_array_compress, a.array, flags.array); }, "a"_a,
      "flags"_a);
  m.def(
      "histogram",
      [](Given a, int64_t bins, double low, double high) {
        return made(bsgp_array_histogram, a.array, bins, low, high);
      },
      "a"_a, "bins"_a, "low"_a, "high"_a);
  m.def(
      "segment_reduce",
      [](int fold, Given a, Given offsets) {
        return made(bsgp_array_segment_reduce, bsgp_fold(fold), a.array, offsets.array);
      },
      "fold"_a, "a"_a, "offsets"_a);
  m.def(
      "segment_scan",
      [](int scan, Given a, Given heads) {
        return made(bsgp_array_segment_scan, bsgp_rows(scan), a.array, heads.array);
      },
      "scan"_a, "a"_a, "heads"_a);
  m.def("matmul", [](Given a, Given b) { return made(bsgp_array_matmul, a.array, b.array); }, "a"_a, "b"_a);
  m.def(
      "vecdot", [](Given a, Given b, int32_t axis) { return made(bsgp_array_vecdot, a.array, b.array, axis); }, "a"_a,
      "b"_a, "axis"_a);
  m.def("tensordot", &tensordot, "a"_a, "b"_a, "axes_a"_a, "axes_b"_a);
  m.def(
      "inner_product", [](Given a, Given b) { return made(bsgp_array_inner_product, a.array, b.array); }, "a"_a, "b"_a);
  m.def(
      "outer_product", [](Given a, Given b) { return made(bsgp_array_outer_product, a.array, b.array); }, "a"_a, "b"_a);
}

} // namespace bsgp::python
