// Transformations: where the elements of an array come from.
#include "bindings.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

bsgp_array* valueOf(const std::optional<Given>& value) {
  return value ? value->array : nullptr;
}

// value: beyond the border; wrap: as if the array were repeated; else the nearest element.
bsgp_border borderOf(const std::optional<Given>& value, bool wrap) {
  return value ? BSGP_BORDER_VALUE : wrap ? BSGP_BORDER_WRAP : BSGP_BORDER_CLAMP;
}

Handle section(Given a, const Extents& begin, const Extents& count, const Extents& stride) {
  return made(bsgp_array_section, a.array, each("section", a, begin), each("section", a, count),
              each("section", a, stride));
}
Handle slice(Given a, int32_t axis, int64_t begin, int64_t end, int64_t stride) {
  return made(bsgp_array_slice, a.array, axis, begin, end, stride);
}
Handle shift(Given a, const Extents& by, std::optional<Given> value, bool wrap) {
  return made(bsgp_array_shift, a.array, each("shift", a, by), borderOf(value, wrap), valueOf(value));
}
Handle extend(Given a, const Extents& before, const Extents& after, std::optional<Given> value, bool wrap) {
  return made(bsgp_array_extend, a.array, each("pad", a, before), each("pad", a, after), borderOf(value, wrap),
              valueOf(value));
}
Handle transpose(Given a, const Axes& order) {
  if (order.size() != size_t(bsgp_array_rank(a.array)))
    throw nb::value_error("permute_dims: as many axes as the array has are needed");
  return made(bsgp_array_transpose, a.array, order.data());
}
Handle reshape(Given a, const Extents& shape) {
  return made(bsgp_array_reshape, a.array, int32_t(shape.size()), shape.data());
}
Handle broadcast(Given a, const Extents& shape) {
  return made(bsgp_array_broadcast, a.array, int32_t(shape.size()), shape.data());
}
Handle concatenate(const std::vector<Given>& arrays, int32_t axis) {
  auto all = arraysOf(arrays);
  return made(bsgp_array_concatenate, int32_t(all.size()), static_cast<bsgp_array* const*>(all.data()), axis);
}

} // namespace

void bindTransforms(nb::module_& m) {
  m.def("slice", &slice, "a"_a, "axis"_a, "begin"_a, "end"_a, "stride"_a);
  m.def("section", &section, "a"_a, "begin"_a, "count"_a, "stride"_a);
  m.def("shift", &shift, "a"_a, "by"_a, "value"_a.none() = nb::none(), "wrap"_a = false);
  m.def("extend", &extend, "a"_a, "before"_a, "after"_a, "value"_a.none() = nb::none(), "wrap"_a = false);
  m.def("transpose", &transpose, "a"_a, "order"_a);
  m.def("reshape", &reshape, "a"_a, "shape"_a);
  m.def("broadcast", &broadcast, "a"_a, "shape"_a);
  m.def("concatenate", &concatenate, "arrays"_a, "axis"_a);
  m.def(
      "replicate",
      [](Given a, const Extents& shape) { return made(bsgp_array_replicate, a.array, each("replicate", a, shape)); },
      "a"_a, "shape"_a);
  m.def(
      "stretch",
      [](Given a, const Extents& times) { return made(bsgp_array_stretch, a.array, each("stretch", a, times)); }, "a"_a,
      "times"_a);
  m.def(
      "drop_dimension", [](Given a, int32_t axis) { return made(bsgp_array_drop_dimension, a.array, axis); }, "a"_a,
      "axis"_a);
  m.def(
      "add_dimension",
      [](Given a, int32_t axis, int64_t extent) { return made(bsgp_array_add_dimension, a.array, axis, extent); },
      "a"_a, "axis"_a, "extent"_a = 1);
  m.def(
      "component",
      [](Given a, int32_t axis, int64_t index) { return made(bsgp_array_component, a.array, axis, index); }, "a"_a,
      "axis"_a, "index"_a);
  m.def(
      "gather",
      [](Given a, Given indices, int32_t axis) { return made(bsgp_array_gather, a.array, indices.array, axis); }, "a"_a,
      "indices"_a, "axis"_a);
  m.def(
      "scatter",
      [](Given a, Given indices, Given updates, int how) {
        return made(bsgp_array_scatter, a.array, indices.array, updates.array, bsgp_scatter(how));
      },
      "a"_a, "indices"_a, "updates"_a, "how"_a = 0);
}

} // namespace bsgp::python
