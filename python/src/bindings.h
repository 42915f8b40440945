// Arrays in functions that nanobind binds.
#pragma once

#include <tuple>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "array.h"
#include "interrupts.h"

namespace bsgp::python {

// An argument that is an array. The caller's object owns it.
struct Given {
  bsgp_array* array = nullptr;
};

using Extents = std::vector<int64_t>;
using Axes = std::vector<int32_t>;

// The array that a C function gives by its last parameter.
template <class Function, class... Arguments> Handle made(Function function, Arguments... arguments) {
  Handle out;
  check(function(arguments..., out.out()));
  return out;
}
// For as long as other threads run, which may assign to the elements of an argument.
inline Handle kept(bsgp_array* array) {
  return Handle::to(array);
}
template <class Other> Other kept(Other other) {
  return other;
}
// The same for functions that compute: other threads run meanwhile.
template <class Function, class... Arguments> Handle computed(Function function, Arguments... arguments) {
  Handle out;
  auto all = std::make_tuple(kept(arguments)...);
  bsgp_status status;
  {
    LongCall others_run;
    status = function(arguments..., out.out());
  }
  check(status);
  return out;
}

inline std::vector<bsgp_array*> arraysOf(const std::vector<Given>& given) {
  std::vector<bsgp_array*> all;
  for (const Given& each : given)
    all.push_back(each.array);
  return all;
}
inline int32_t axisCount(const std::optional<Axes>& axes) {
  return axes ? int32_t(axes->size()) : -1;
}
inline const int32_t* axesOf(const std::optional<Axes>& axes) {
  return axes ? axes->data() : nullptr;
}
// One number for each axis of an array.
inline const int64_t* each(const char* what, Given array, const Extents& numbers) {
  if (numbers.size() != size_t(bsgp_array_rank(array.array)))
    throw nanobind::value_error((std::string(what) + ": " + std::to_string(numbers.size()) +
                                 " numbers for an array with " + std::to_string(bsgp_array_rank(array.array)) + " axes")
                                    .c_str());
  return numbers.data();
}

void bindMaking(nanobind::module_& m);
void bindTransforms(nanobind::module_& m);
void bindReductions(nanobind::module_& m);
void bindLinalg(nanobind::module_& m);
void bindEvaluation(nanobind::module_& m);
void bindFunctions(nanobind::module_& m);
void bindPrograms(nanobind::module_& m);
void bindJit(nanobind::module_& m);
void bindStages(nanobind::module_& m);

} // namespace bsgp::python

namespace nanobind::detail {

template <> struct type_caster<bsgp::python::Given> {
  NB_TYPE_CASTER(bsgp::python::Given, const_name("bsgp.Array"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!bsgp::python::isArray(source.ptr()))
      return false;
    value.array = bsgp::python::handleOf(source.ptr());
    return true;
  }
};

template <> struct type_caster<bsgp::python::Handle> {
  NB_TYPE_CASTER(bsgp::python::Handle, const_name("bsgp.Array"))
  static handle from_cpp(bsgp::python::Handle array, rv_policy, cleanup_list*) noexcept {
    return bsgp::python::wrapped(std::move(array));
  }
};

template <> struct type_caster<bsgp_dtype> {
  NB_TYPE_CASTER(bsgp_dtype, const_name("int"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    long number = PyLong_Check(source.ptr()) ? PyLong_AsLong(source.ptr()) : -1;
    value = bsgp_dtype(number);
    return number >= 0 && number < BSGP_DTYPE_COUNT;
  }
};

} // namespace nanobind::detail
