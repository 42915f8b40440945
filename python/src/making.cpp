// Functions that make arrays of numbers and of memory.
#include "bindings.h"
#include "buffers.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

Handle ofNumber(nb::handle value) {
  Operand made(value.ptr(), Strength::Strong);
  if (!made)
    throw nb::python_error();
  return Handle::to(made.get());
}

nb::object ofMemory(nb::handle object, bool share) {
  PyObject* array = fromBuffer(object.ptr(), share);
  if (!array)
    throw nb::python_error();
  return nb::steal(array);
}

Handle parameter(bsgp_dtype dtype, const Extents& shape) {
  return made(bsgp_array_parameter, dtype, int32_t(shape.size()), shape.data());
}

} // namespace

void bindMaking(nb::module_& m) {
  m.def("number", &ofNumber, "value"_a, "An array of rank 0.");
  m.def(
      "is_number", [](nb::handle value) { return isNumber(value.ptr()); }, "value"_a,
      "A bool, int, float or complex of Python.");
  m.def("from_buffer", &ofMemory, "object"_a, "share"_a, "An array of an object's memory, read in place or copied.");
  m.def(
      "index",
      [](const Extents& shape, int32_t axis) {
        return made(bsgp_array_index, int32_t(shape.size()), shape.data(), axis);
      },
      "shape"_a, "axis"_a, "Each element is its own index along the axis.");
  m.def(
      "random_bits",
      [](uint64_t key, const Extents& shape) {
        return made(bsgp_array_random, key, int32_t(shape.size()), shape.data());
      },
      "key"_a, "shape"_a, "64 random bits for each element.");
  m.def(
      "number_parameter", [](bsgp_dtype dtype) { return made(bsgp_array_number_parameter, dtype); }, "dtype"_a,
      "A parameter for a number of Python.");
  m.def("parameter", &parameter, "dtype"_a, "shape"_a, "An array without values; extents of -1 are unknown.");
}

} // namespace bsgp::python
