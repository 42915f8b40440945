#include "functions.h"

namespace bsgp::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Arguments as arrays that live until the call has ended.
struct Few {
  explicit Few(const nb::args& arguments) : count(arguments.size()), handles(count) {
    owned.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      Operand operand(PyTuple_GET_ITEM(arguments.ptr(), Py_ssize_t(i)), Strength::Weak);
      if (!operand) {
        if (!PyErr_Occurred())
          PyErr_Format(PyExc_TypeError, "argument %zd of a function is no array", Py_ssize_t(i));
        throw nb::python_error();
      }
      handles[i] = operand.get();
      owned.push_back(Handle::to(operand.get()));
    }
  }
  bsgp_array* const* data() const { return handles.data(); }

  size_t count;
  std::vector<bsgp_array*> handles;
  std::vector<Handle> owned;
};

} // namespace

Function::Function(const std::vector<Given>& parameters, const std::vector<Given>& outputs, bool is_stage)
    : outputs_(outputs.size()) {
  auto from = arraysOf(parameters), to = arraysOf(outputs);
  bsgp_array_list all{int32_t(from.size()), from.data()}, wanted{int32_t(to.size()), to.data()};
  check(is_stage ? bsgp_array_stage_create(&all, &wanted, &function_)
                 : bsgp_array_function_create(all.count, all.arrays, wanted.count, wanted.arrays, &function_));
}

nb::tuple Function::callWith(const nb::args& arguments) const {
  Few given(arguments);
  bsgp_array* few[8];
  std::vector<bsgp_array*> many(outputs_ > 8 ? outputs_ : 0);
  bsgp_array** results = many.empty() ? few : many.data();
  bsgp_status status;
  {
    LongCall others_run;
    status = bsgp_array_function_call(function_, int32_t(given.count), given.data(), results);
  }
  check(status);
  nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(outputs_)));
  for (size_t i = 0; i < outputs_; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i), wrapped(Handle(results[i])));
  return nb::borrow<nb::tuple>(tuple);
}

bsgp_status Function::explain(int32_t count, bsgp_array* const* arguments, bsgp_array** results, Explained* to) const {
  if (!to)
    return bsgp_array_function_apply(function_, count, arguments, results);
  Explained own;
  const char* text = nullptr;
  if (bsgp_status status = bsgp_array_function_explain(function_, count, arguments, &text, &own.counts))
    return status;
  own.text = text;
  own.text.resize(own.text.rfind('\n', own.text.size() - 2) + 1); // the sums are those of all parts, at the end
  to->add(own, "");
  return bsgp_array_function_apply(function_, count, arguments, results);
}

nb::tuple explained(const Computation& computation, const nb::args& arguments) {
  Few given(arguments);
  Explained all;
  std::vector<bsgp_array*> results(computation.outputs());
  bsgp_status status;
  {
    LongCall others_run;
    status = computation.explain(int32_t(given.count), given.data(), results.data(), &all);
    for (bsgp_array* result : results)
      bsgp_array_release(result);
  }
  check(status);
  all.text += std::to_string(all.counts.kernels) + " kernels, " + std::to_string(all.counts.operations) +
              " operations, " + std::to_string(all.counts.bytes_written) + " bytes written\n";
  return nb::make_tuple(all.text, all.counts.kernels, all.counts.operations, all.counts.bytes_written);
}

void bindFunctions(nb::module_& m) {
  nb::class_<Function, Computation>(m, "BoundFunction")
      .def(nb::init<const std::vector<Given>&, const std::vector<Given>&, bool>(), "parameters"_a, "outputs"_a,
           "is_stage"_a = false)
      .def("__call__", &Function::callWith);
}

} // namespace bsgp::python
