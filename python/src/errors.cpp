#include "errors.h"

#include <regex>
#include <string>

#include <nanobind/nanobind.h>

#include "interrupts.h"

namespace bsgp::python {

namespace {

PyObject* kindOf(bsgp_status status) {
  if (status == BSGP_OUT_OF_MEMORY)
    return PyExc_MemoryError;
  switch (bsgp_array_mistake()) {
  case BSGP_MISTAKE_TYPE:
    return PyExc_TypeError;
  case BSGP_MISTAKE_INDEX:
    return PyExc_IndexError;
  case BSGP_MISTAKE_OVERFLOW:
    return PyExc_OverflowError;
  case BSGP_MISTAKE_MATRIX:
    return exceptions().linalg_error;
  case BSGP_MISTAKE_VALUE:
    break;
  }
  return status == BSGP_INVALID ? PyExc_ValueError : exceptions().error;
}

PyObject* made(PyObject* module, const char* name, const char* doc, PyObject* bases) {
  PyObject* exception =
      bases ? PyErr_NewExceptionWithDoc((std::string("bsgp.") + name).c_str(), doc, bases, nullptr) : nullptr;
  Py_XDECREF(bases);
  if (exception && PyModule_AddObjectRef(module, name, exception) < 0)
    return nullptr;
  return exception;
}

// The text with None in place of the extents of -1 in shapes, as the arrays' own have it.
std::string withNone(const char* message) {
  static const std::regex kShape(R"((shapes? |parameter |and )\((-?\d+, )*-?\d+,?\))");
  std::string text = message, made;
  auto rest = text.cbegin();
  for (std::sregex_iterator each(text.begin(), text.end(), kShape), end; each != end; ++each) {
    made.append(rest, (*each)[0].first);
    made += std::regex_replace(each->str(), std::regex("-1\\b"), "None");
    rest = (*each)[0].second;
  }
  return made.append(rest, text.cend());
}

} // namespace

Exceptions& exceptions() {
  static Exceptions all{};
  return all;
}

bool makeExceptions(PyObject* module) {
  Exceptions& all = exceptions();
  all.error = made(module, "Error", "A program, or the machine, has failed.", PyTuple_Pack(1, PyExc_RuntimeError));
  all.axis_error = made(module, "AxisError", "An axis that an array does not have.",
                        PyTuple_Pack(2, PyExc_ValueError, PyExc_IndexError));
  all.linalg_error =
      made(module, "LinAlgError", "A matrix is singular, not positive definite, not finite, or without convergence.",
           PyTuple_Pack(1, PyExc_ValueError));
  return all.error && all.axis_error && all.linalg_error;
}

PyObject* raise(bsgp_status status) {
  if (status == BSGP_INTERRUPTED && raiseInterruption())
    return nullptr;
  if (!PyErr_Occurred())
    PyErr_SetString(kindOf(status), withNone(bsgp_error_message()).c_str());
  return nullptr;
}

void check(bsgp_status status) {
  if (status == BSGP_OK)
    return;
  raise(status);
  throw nanobind::python_error();
}

} // namespace bsgp::python
