// Failures of the C functions as exceptions of Python.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bsgp/bsgp.h"

namespace bsgp::python {

// The package's own exceptions. Made once, when the module is imported.
struct Exceptions {
  PyObject* error;        // a RuntimeError: the program or the machine has failed
  PyObject* axis_error;   // a ValueError and an IndexError: an axis that is not there
  PyObject* linalg_error; // a ValueError: a matrix is singular, or the like
};
Exceptions& exceptions();
bool makeExceptions(PyObject* module);

// Sets the exception of the thread's last failed call. Returns null.
PyObject* raise(bsgp_status status);

// For functions that nanobind calls: throws it.
void check(bsgp_status status);

} // namespace bsgp::python
