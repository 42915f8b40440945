// Elements of arrays at keys.
#pragma once

#include "array.h"

namespace bsgp::python {

// Slots of the type.
PyObject* elements(PyObject* self, PyObject* key);
int assignElements(PyObject* self, PyObject* key, PyObject* value);

} // namespace bsgp::python
