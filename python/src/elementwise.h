// Functions of operations on elements.
#pragma once

#include "errors.h"

namespace bsgp::python {

bool addElementwise(PyObject* module);

} // namespace bsgp::python
