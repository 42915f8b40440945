// The extension module bsgp._core: the type of arrays with its operators, functions of operations on elements, and thin functions over the
// C functions of libbsgp, which modules in Python make the package of.
#include "bindings.h"
#include "dlpack.h"
#include "elementwise.h"

namespace nb = nanobind;
using namespace bsgp::python;

NB_MODULE(_core, m) {
  if (!makeExceptions(m.ptr()) || !makeArrayType(m.ptr()) || !addElementwise(m.ptr()))
    throw nb::python_error();
  m.def("set_hooks", [](nb::tuple dtypes, nb::object convert) {
    hooks().dtypes = dtypes.release().ptr(), hooks().convert = convert.release().ptr();
  });
  m.def("set_indexing", [](nb::object elements, nb::object assign) {
    hooks().elements = elements.release().ptr(), hooks().assign = assign.release().ptr();
  });
  m.def("set_control", [](nb::object choose, nb::object caller) {
    hooks().choose = choose.release().ptr(), hooks().caller = caller.release().ptr();
  });
  m.attr("VERSION") = std::to_string(BSGP_VERSION_MAJOR) + "." + std::to_string(BSGP_VERSION_MINOR);
  m.attr("FULL_VERSION") = std::to_string(BSGP_VERSION_MAJOR) + "." + std::to_string(BSGP_VERSION_MINOR) + "." +
                           std::to_string(BSGP_VERSION_PATCH);
  bindMaking(m);
  bindTransforms(m);
  bindReductions(m);
  bindLinalg(m);
  bindEvaluation(m);
  bindStages(m);
  bindFunctions(m);
  bindJit(m);
  bindDlpack(m);
  bindPrograms(m);
}
